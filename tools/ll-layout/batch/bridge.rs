//! Conversions between layout systems.

use super::{Args, CaseError, Operation, cute, numbers, tilus};
use linear_layout::bridge::{self, BridgeError, ElementOrder};
use linear_layout::cute::Layout;
use serde_json::{Map, Value, json};

/// Maximum number of coordinates whose images an answer lists.
const SHOWN: u32 = 64;

pub(super) const OPS: &[Operation] = &[
    Operation::new("cute_to_f2", &["layout"], |args| {
        let layout = cute::layout_from_json(args.get(0))?;
        let bases = bridge::cute_bases(&layout);
        let mut answer = Map::new();
        // A layout without an offset is linear if it is affine.
        answer.insert("f2_linear".to_owned(), json!(bases.is_ok()));
        answer.insert("f2_affine".to_owned(), json!(bases.is_ok()));
        answer.insert("table".to_owned(), cute_table(&layout)?);
        match bases {
            Ok(bases) => answer.insert("bases".to_owned(), json!(bases)),
            Err(why) => {
                answer.insert("reason".to_owned(), json!(reason(&why)));
                answer.insert("why".to_owned(), json!(why.to_string()))
            }
        };
        Ok(Value::Object(answer))
    }),
    Operation::new("f2_to_cute", &["bases"], |args| {
        let bases = args.bases(0)?;
        let mut answer = Map::new();
        match bridge::cute_from_bases(&bases) {
            Ok(composed) => {
                let swizzle = composed.swizzle;
                let class = if swizzle.is_identity() {
                    "plain"
                } else {
                    answer.insert(
                        "swizzle".to_owned(),
                        json!([swizzle.bits(), swizzle.base(), swizzle.shift()]),
                    );
                    "one_swizzle"
                };
                answer.insert("class".to_owned(), json!(class));
                answer.insert("layout".to_owned(), cute_fields(&composed.layout));
            }
            Err(why) => {
                answer.insert("class".to_owned(), json!("not_single_swizzle"));
                answer.insert("why".to_owned(), json!(why.to_string()));
            }
        }
        let shown = match bases.len() {
            0..6 => 1 << bases.len(),
            _ => u64::from(SHOWN),
        };
        let at = |x: u64| {
            let set = bases
                .iter()
                .enumerate()
                .filter(|(bit, _)| x >> bit & 1 == 1);
            set.fold(0, |y, (_, basis)| y ^ basis)
        };
        answer.insert("table".to_owned(), (0..shown).map(at).collect());
        Ok(Value::Object(answer))
    }),
    Operation::new("tilus_convert", &["layout"], |args| {
        let layout = match tilus::register_from_json(args.get(0)) {
            Some(layout) => layout?,
            None => return Err(args.wrong(0, "a Tilus register layout")),
        };
        let order = ElementOrder::RowMajor;
        let cute = bridge::thread_value_from_tilus(&layout, order)?;
        let bases = bridge::register_bases(&layout, order);
        let mut answer = Map::new();
        answer.insert("cute_tv".to_owned(), cute_fields(&cute));
        answer.insert("codomain".to_owned(), json!("row-major flat logical index"));
        answer.insert("f2_linear".to_owned(), json!(bases.is_ok()));
        match bases {
            Ok(bases) => {
                answer.insert("thread_bases".to_owned(), json!(bases.threads));
                answer.insert("register_bases".to_owned(), json!(bases.registers));
            }
            Err(why) => {
                answer.insert("why".to_owned(), json!(why.to_string()));
            }
        }
        Ok(Value::Object(answer))
    }),
    Operation::new("cute_tv_to_tilus", &["layout", "shape"], |args| {
        let layout = cute::layout_from_json(args.get(0))?;
        let shape = numbers(args.get(1)).ok_or_else(|| args.wrong(1, "a shape such as [16, 8]"))?;
        let register = bridge::tilus_from_thread_value(&layout, &shape, ElementOrder::RowMajor)?;
        Ok(Value::Object(tilus::register_to_json(&register)))
    }),
];

impl Args<'_> {
    /// Returns argument `i` as a list of basis values. At most 62 are allowed.
    fn bases(&self, i: usize) -> Result<Vec<u64>, CaseError> {
        let bases = numbers(self.get(i)).filter(|bases| bases.len() <= 62);
        bases.ok_or_else(|| self.wrong(i, "a list of at most 62 non-negative integers"))
    }
}

/// Returns the error in the words of the reference implementation, for example `negative stride`.
///
/// Errors for which the program has no such words yield their own message.
fn reason(why: &BridgeError) -> String {
    match why {
        why if why.is_not_power_of_two() => "non-power-of-two extent".to_owned(),
        why if why.is_negative() => "negative stride".to_owned(),
        why if why.is_carry() => "carry between bit supports".to_owned(),
        why => why.to_string(),
    }
}

fn cute_fields(layout: &Layout) -> Value {
    json!({
        "shape": cute::int_tuple_to_json(&layout.shape()),
        "stride": cute::int_tuple_to_json(&layout.stride()),
    })
}

/// Returns the images of the first coordinates of the layout, at most [`SHOWN`].
fn cute_table(layout: &Layout) -> Result<Value, CaseError> {
    let shown = layout.size().min(SHOWN.into());
    let table: Result<Vec<i64>, _> = (0..shown).map(|i| layout.at(i)).collect();
    Ok(json!(table?))
}
