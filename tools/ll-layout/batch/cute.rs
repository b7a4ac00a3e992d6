//! Questions about layouts of CuTe.

use super::{Args, CaseError, Operation, kind, schema};
use linear_layout::cute::{IntTuple, Layout};
use serde_json::{Map, Value, json};

/// How many indices of a layout an answer shows.
const TABLE: i64 = 64;

/// The operations, by name.
pub(super) const OPS: &[Operation] = &[
    Operation::new("call", &["layout", "coordinate"], |args| {
        let coordinate = args.get(1).as_i64();
        let coordinate = coordinate.ok_or_else(|| args.wrong(1, "a whole number"))?;
        Ok(json!({"value": args.cute_layout(0)?.at(coordinate)?}))
    }),
    Operation::new("cosize", &["layout"], |args| {
        Ok(json!({"value": args.cute_layout(0)?.cosize()}))
    }),
    Operation::new("layout_default", &["shape"], |args| {
        layout_to_json(&Layout::compact(&args.int_tuple(0)?)?)
    }),
];

impl Args<'_> {
    fn cute_layout(&self, i: usize) -> Result<Layout, CaseError> {
        layout_from_json(self.get(i)).map_err(|e| self.at_argument(i, e))
    }

    fn int_tuple(&self, i: usize) -> Result<IntTuple, CaseError> {
        int_tuple(self.get(i)).map_err(|e| self.at_argument(i, e))
    }

    fn at_argument(&self, i: usize, e: CaseError) -> CaseError {
        schema(format!("argument {i} of `{}`: {e}", self.op))
    }
}

/// `{"shape": [4, 2], "stride": [1, 4]}`, where a number stands for itself and a list for a tuple.
pub(crate) fn layout_from_json(value: &Value) -> Result<Layout, CaseError> {
    match (value.get("shape"), value.get("stride")) {
        (Some(shape), Some(stride)) => Ok(Layout::new(&int_tuple(shape)?, &int_tuple(stride)?)?),
        _ => Err(schema(format!(
            "expected a layout {{\"shape\": [4, 2], \"stride\": [1, 4]}}, found {}",
            kind(value)
        ))),
    }
}

/// The layout, its size and cosize, and its first indices.
pub(crate) fn layout_to_json(layout: &Layout) -> Result<Value, CaseError> {
    let mut fields = Map::new();
    fields.insert("shape".to_owned(), int_tuple_to_json(&layout.shape()));
    fields.insert("stride".to_owned(), int_tuple_to_json(&layout.stride()));
    fields.insert("size".to_owned(), json!(layout.size()));
    fields.insert("cosize".to_owned(), json!(layout.cosize()));
    let table = (0..layout.size().min(TABLE)).map(|i| layout.at(i));
    let table = table.collect::<Result<Vec<i64>, _>>()?;
    fields.insert("table".to_owned(), json!(table));
    Ok(Value::Object(fields))
}

pub(crate) fn int_tuple(value: &Value) -> Result<IntTuple, CaseError> {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(int_tuple).collect::<Result<Vec<_>, _>>()?;
            Ok(IntTuple::of(&items)?)
        }
        _ => value.as_i64().map(IntTuple::leaf).ok_or_else(|| {
            schema(format!(
                "expected a whole number of 64 bits or a list of such, found {}",
                kind(value)
            ))
        }),
    }
}

pub(crate) fn int_tuple_to_json(tuple: &IntTuple) -> Value {
    if tuple.is_leaf() {
        return json!(tuple.leaves()[0]);
    }
    tuple.items().map(|item| int_tuple_to_json(&item)).collect()
}
