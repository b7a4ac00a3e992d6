//! Operations on Tilus layouts.
//!
//! Names, arguments and forms of answers are those of Tilus 0.2.0, for comparisons. Where the result of Tilus is wrong,
//! a comment names the alternative.

use super::{Args, CaseError, Operation, drawn, kind, numbers, schema};
use linear_layout::bridge;
use linear_layout::cute::ComposedLayout;
use linear_layout::tilus::{
    self, GlobalLayout, MultiFunction, RegisterLayout, SharedLayout, Swizzle, TilusError,
};
use linear_layout::view::{register_grid, shared_grid};
use serde_json::{Map, Value, json};

/// Maximum number of elements that an answer lists.
const SHOWN: usize = 64;

/// Maximum number of grid cells in an answer. It is also the maximum number of threads that an answer lists for one
/// element.
const LARGEST: u64 = 1 << 16;

type Answer = Result<Value, CaseError>;

pub(super) const OPS: &[Operation] = &[
    Operation::new("spatial", &["extent*"], |args| {
        register(&tilus::spatial(&args.all_numbers()?)?)
    }),
    Operation::new("local", &["extent*"], |args| {
        register(&tilus::local(&args.all_numbers()?)?)
    }),
    Operation::new("column_spatial", &["extent*"], |args| {
        register(&tilus::column_spatial(&args.all_numbers()?)?)
    }),
    Operation::new("column_local", &["extent*"], |args| {
        register(&tilus::column_local(&args.all_numbers()?)?)
    }),
    Operation::new("spatial_ranks", &["shape", "ranks"], |args| {
        register(&tilus::spatial_ranked(&args.extents(0)?, &args.dims(1)?)?)
    }),
    Operation::new("local_ranks", &["shape", "ranks"], |args| {
        register(&tilus::local_ranked(&args.extents(0)?, &args.dims(1)?)?)
    }),
    Operation::new("replicated", &["shape", "threads"], |args| {
        register(&tilus::replicated(&args.extents(0)?, args.number(1)?)?)
    }),
    Operation::new("auto_local_spatial", &["threads", "shape"], |args| {
        register(&tilus::auto_local_spatial(
            args.number(0)?,
            &args.extents(1)?,
        )?)
    }),
    Operation::new(
        "register_layout",
        &["shape", "mode shape", "spatial modes", "local modes"],
        |args| {
            register(&RegisterLayout::new(
                &args.extents(0)?,
                &args.extents(1)?,
                &args.entries(2)?,
                &args.entries(3)?,
            )?)
        },
    ),
    Operation::new("chain", &["calls"], |args| {
        let calls = args.get(0).as_array();
        let calls = calls.ok_or_else(|| args.wrong(0, CHAIN))?;
        let mut layout = RegisterLayout::unit();
        for call in calls {
            let (name, shape) = match call.as_array().map(Vec::as_slice) {
                Some([Value::String(name), shape]) => (name.as_str(), numbers(shape)),
                _ => return Err(args.wrong(0, CHAIN)),
            };
            let shape = shape.ok_or_else(|| args.wrong(0, CHAIN))?;
            layout = match name {
                "spatial" => layout.spatial(&shape),
                "local" | "repeat" => layout.local(&shape),
                "column_spatial" => layout.column_spatial(&shape),
                "column_local" => layout.column_local(&shape),
                _ => return Err(args.wrong(0, CHAIN)),
            }?;
        }
        register(&layout)
    }),
    Operation::new("compose", &["outer", "inner"], |args| {
        register(&args.register(0)?.compose(&args.register(1)?)?)
    }),
    Operation::new("concat", &["layout", "layout"], |args| {
        register(&args.register(0)?.concat(&args.register(1)?)?)
    }),
    Operation::new("divide", &["layout", "inner"], |args| {
        register(&args.register(0)?.divide(&args.register(1)?)?)
    }),
    Operation::new("left_divide", &["layout", "outer"], |args| {
        register(&args.register(0)?.left_divide(&args.register(1)?)?)
    }),
    Operation::new("permute", &["layout", "dims"], |args| {
        register(&args.register(0)?.permute(&args.dims(1)?)?)
    }),
    Operation::new("squeeze", &["layout", "dims"], |args| {
        register(&args.register(0)?.squeeze(&args.dims(1)?)?)
    }),
    Operation::new("unsqueeze", &["layout", "dims"], |args| {
        register(&args.register(0)?.unsqueeze(&args.dims(1)?)?)
    }),
    Operation::new("reshape", &["layout", "shape"], |args| {
        register(&args.register(0)?.reshape(&args.extents(1)?)?)
    }),
    // As in Tilus, the end is exclusive, contrary to the documentation of Tilus. A negative end counts from the rank.
    Operation::new("flatten", &["layout", "start?", "end?"], |args| {
        let layout = args.register(0)?;
        let start = args.dim_from_end(1, 0, layout.rank())?;
        let end = args.dim_from_end(2, -1, layout.rank())?;
        register(&layout.flatten(start..end)?)
    }),
    Operation::new("with_shape", &["layout", "shape"], |args| {
        register(&args.register(0)?.with_shape(&args.extents(1)?)?)
    }),
    Operation::new("reduce", &["layout", "dims", "keepdims?"], |args| {
        let keeps_dims = match args.get(2) {
            Value::Bool(keeps_dims) => *keeps_dims,
            Value::Null => false,
            _ => return Err(args.wrong(2, "`true` or `false`")),
        };
        register(&args.register(0)?.reduce(&args.dims(1)?, keeps_dims)?)
    }),
    Operation::new("reduce_to", &["layout", "shape"], |args| {
        register(&args.register(0)?.reduce_to(&args.extents(1)?)?)
    }),
    Operation::new("canonicalize", &["layout"], |args| {
        register(&args.register(0)?.merged())
    }),
    Operation::new("eq", &["layout", "layout"], |args| {
        Ok(json!({"value": args.register(0)? == args.register(1)?}))
    }),
    Operation::new("visualize", &["layout"], |args| {
        let layout = args.register(0)?;
        cells(layout.size().saturating_mul(layout.replications()))?;
        Ok(json!({"value": register_grid(&layout)}))
    }),
    Operation::new("locate_at", &["layout", "index", "thread"], |args| {
        let held = args
            .register(0)?
            .holds(args.number(2)?, &args.extents(1)?)?;
        Ok(json!({"value": u8::from(held)}))
    }),
    // As in Tilus, the next three operations check no bounds: the first digit of an index may be too large.
    Operation::new("get_spatial", &["layout", "index"], |args| {
        let layout = args.register(0)?;
        cells(layout.replications())?;
        let digits = digits_beyond(&layout, &args.extents(1)?);
        let (mut threads, mut missing) = (vec![0u64], false);
        for (&entry, extent) in layout.spatial_modes().iter().zip(layout.spatial_shape()) {
            let digit = usize::try_from(entry).ok().map(|mode| digits.get(mode));
            missing |= digit == Some(None);
            let digits = match digit {
                Some(digit) => digit.copied().unwrap_or(0)..=digit.copied().unwrap_or(0),
                None => 0..=extent - 1,
            };
            threads = threads
                .iter()
                .flat_map(|t| digits.clone().map(move |d| beyond(*t, extent, d)))
                .collect();
        }
        if missing {
            return Err(args.wrong(
                1,
                &format!("a list of {} indices, one per dim", layout.rank()),
            ));
        }
        Ok(json!({"value": threads}))
    }),
    Operation::new("get_local", &["layout", "index"], |args| {
        let (layout, index) = (args.register(0)?, args.extents(1)?);
        if index.len() != layout.rank() {
            return Err(args.wrong(
                1,
                &format!("a list of {} indices, one per dim", layout.rank()),
            ));
        }
        let digits = digits_beyond(&layout, &index);
        let local = layout.local_modes().iter().zip(layout.local_shape());
        let local = local.fold(0, |place, (mode, extent)| {
            beyond(place, extent, digits[*mode])
        });
        Ok(json!({"value": local}))
    }),
    Operation::new("get_global", &["layout", "thread", "place"], |args| {
        let layout = args.register(0)?;
        let mut digits = vec![0; layout.mode_shape().len()];
        let spatial: Vec<u64> = layout.spatial_shape().collect();
        let of_thread = split_beyond(args.number(1)?, &spatial);
        for (&entry, digit) in layout.spatial_modes().iter().zip(of_thread) {
            if let Ok(mode) = usize::try_from(entry) {
                digits[mode] = digit;
            }
        }
        let local: Vec<u64> = layout.local_shape().collect();
        for (&mode, digit) in layout
            .local_modes()
            .iter()
            .zip(split_beyond(args.number(2)?, &local))
        {
            digits[mode] = digit;
        }
        let index: Vec<u64> = layout
            .mode_groups()
            .map(|group| {
                group.fold(0, |i, mode| {
                    beyond(i, layout.mode_shape()[mode], digits[mode])
                })
            })
            .collect();
        Ok(json!({"value": index}))
    }),
    Operation::new("get_mode_groups", &["shape", "mode shape"], |args| {
        let groups = tilus::mode_groups(&args.extents(0)?, &args.extents(1)?)?;
        let groups: Vec<Vec<usize>> = groups.into_iter().map(Iterator::collect).collect();
        Ok(json!({"value": groups}))
    }),
    Operation::new("spatial_mfunction", &["layout"], |args| {
        Ok(multi(&args.register(0)?.threads_function()))
    }),
    Operation::new(
        "multi_function",
        &["shape", "mode shape", "modes"],
        |args| {
            Ok(multi(&MultiFunction::new(
                &args.extents(0)?,
                &args.extents(1)?,
                &args.entries(2)?,
            )?))
        },
    ),
    Operation::new("mfunction_mul", &["function", "function"], |args| {
        Ok(multi(
            &args.multi_function(0)?.then(&args.multi_function(1)?)?,
        ))
    }),
    Operation::new("mfunction_cover", &["function", "function"], |args| {
        let covers = args.multi_function(0)?.covers(&args.multi_function(1)?);
        Ok(json!({"value": covers}))
    }),
    Operation::new("swizzle", &["base", "bits", "shift", "offsets"], |args| {
        let swizzle = Swizzle::new(args.bits(0)?, args.bits(1)?, args.bits(2)?)?;
        let offsets: Vec<u64> = args
            .extents(3)?
            .into_iter()
            .map(|offset| swizzle.apply(offset))
            .collect();
        Ok(json!({"value": offsets}))
    }),
    Operation::new("to_byte_swizzle", &["swizzle", "bytes"], |args| {
        let swizzle = args.swizzle(0)?;
        let swizzle = swizzle.ok_or_else(|| args.wrong(0, SWIZZLE))?;
        Ok(json!({"value": swizzle_to_json(Some(swizzle.to_bytes(args.number(1)?)?))}))
    }),
    Operation::new(
        "shared_create",
        &["shape", "mode shape", "mode strides", "swizzle?"],
        |args| {
            shared(&SharedLayout::spelled(
                &args.extents(0)?,
                &args.extents(1)?,
                &args.extents(2)?,
                args.swizzle(3)?,
            )?)
        },
    ),
    Operation::new("shared_row_major", &["extent*"], |args| {
        shared(&SharedLayout::row_major(&args.all_numbers()?)?)
    }),
    Operation::new("shared_column_major", &["extent*"], |args| {
        shared(&SharedLayout::column_major(&args.all_numbers()?)?)
    }),
    Operation::new("shared_row_major_swizzle", &["shape", "bytes"], |args| {
        let layout = SharedLayout::row_major_swizzled(&args.extents(0)?, args.number(1)?)?;
        shared(&layout.merged())
    }),
    // As in Tilus, without the swizzles of the layouts. `shared_tiles` keeps them.
    Operation::new("shared_compose", &["outer", "inner"], |args| {
        let (outer, inner) = (args.shared(0)?, args.shared(1)?);
        shared(&outer.without_swizzle().compose(&inner.without_swizzle())?)
    }),
    Operation::new("shared_tiles", &["outer", "inner"], |args| {
        shared(&args.shared(0)?.compose(&args.shared(1)?)?)
    }),
    Operation::new("shared_permute", &["layout", "dims"], |args| {
        shared(&args.shared(0)?.permute(&args.dims(1)?)?)
    }),
    Operation::new("shared_slice", &["layout", "dims"], |args| {
        shared(&args.shared(0)?.slice(&args.dims(1)?)?)
    }),
    Operation::new("shared_reshape", &["layout", "shape"], |args| {
        shared(&args.shared(0)?.reshape(&args.extents(1)?)?)
    }),
    Operation::new("shared_unsqueeze", &["layout", "dims"], |args| {
        shared(&args.shared(0)?.unsqueeze(&args.dims(1)?)?)
    }),
    Operation::new("shared_canonicalize", &["layout"], |args| {
        shared(&args.shared(0)?.merged())
    }),
    Operation::new("shared_prepend_dim", &["layout", "extent"], |args| {
        shared(&args.shared(0)?.prepend_dim(args.number(1)?)?)
    }),
    Operation::new("shared_apply_swizzle", &["layout", "swizzle"], |args| {
        let swizzle = args.swizzle(1)?;
        let swizzle = swizzle.ok_or_else(|| args.wrong(1, SWIZZLE))?;
        shared(&args.shared(0)?.with_swizzle(swizzle)?)
    }),
    Operation::new("shared_visualize", &["layout"], |args| {
        let layout = args.shared(0)?;
        cells(layout.size())?;
        let grid = shared_grid(&layout);
        let grid = grid.ok_or_else(|| args.wrong(0, "a layout of rank 2"))?;
        Ok(json!({"value": grid}))
    }),
    Operation::new("global_row_major", &["extent*"], |args| {
        global(&GlobalLayout::row_major(&args.all_numbers()?)?)
    }),
    Operation::new("global_column_major", &["extent*"], |args| {
        global(&GlobalLayout::column_major(&args.all_numbers()?)?)
    }),
    Operation::new("global_strides", &["shape", "strides"], |args| {
        global(&GlobalLayout::strided(
            &args.extents(0)?,
            &args.extents(1)?,
        )?)
    }),
    // As in Tilus, the inner offset comes from the index of the tile instead of the index in the tile: elements share
    // offsets. `global_tiles` is the correct composition.
    Operation::new("global_compose", &["outer shape", "inner shape"], |args| {
        let inner_shape = args.extents(1)?;
        let outer = GlobalLayout::row_major(&args.extents(0)?)?;
        let inner = GlobalLayout::row_major(&inner_shape)?;
        let tiles = outer.compose(&inner)?;
        let inner_strides: Vec<u64> = (0..inner_shape.len())
            .map(|dim| inner_shape[dim + 1..].iter().product())
            .collect();
        table_of(&tiles, |index| {
            let tile: Vec<u64> = index.iter().zip(&inner_shape).map(|(i, e)| i / e).collect();
            let inside: u64 = tile.iter().zip(&inner_strides).map(|(i, s)| i * s).sum();
            Ok(outer.offset_of(&tile)? * inner.size() + inside)
        })
    }),
    Operation::new("global_tiles", &["outer shape", "inner shape"], |args| {
        let outer = GlobalLayout::row_major(&args.extents(0)?)?;
        global(&outer.compose(&GlobalLayout::row_major(&args.extents(1)?)?)?)
    }),
    Operation::new(
        "global_slice",
        &["whole shape", "first index", "dims", "shape"],
        |args| {
            let whole = GlobalLayout::row_major(&args.extents(0)?)?;
            global(&whole.slice(&args.extents(1)?, &args.dims(2)?, &args.extents(3)?)?)
        },
    ),
    Operation::new(
        "cute_as_shared",
        &["shape", "stride", "bits", "base", "shift", "tensor shape"],
        |args| {
            let layout = super::cute::layout_from_json(
                &json!({"shape": args.get(0), "stride": args.get(1)}),
            )?;
            let bits = |i| args.number(i).map(|n| i64::try_from(n).unwrap_or(i64::MAX));
            let swizzle = linear_layout::cute::Swizzle::new(bits(2)?, bits(3)?, bits(4)?)?;
            let composed = ComposedLayout::new(swizzle, 0, layout);
            shared(&bridge::shared_from_cute(&composed, &args.extents(5)?)?)
        },
    ),
];

const CHAIN: &str = "a list of calls such as [[\"local\", [2, 1]], [\"spatial\", [8, 4]]]";
const SWIZZLE: &str = "a swizzle {\"base\": 3, \"bits\": 2, \"shift\": 3}";

impl Args<'_> {
    fn number(&self, i: usize) -> Result<u64, CaseError> {
        let number = self.get(i).as_u64();
        number.ok_or_else(|| self.wrong(i, "a non-negative integer"))
    }

    fn bits(&self, i: usize) -> Result<u32, CaseError> {
        let number = self.number(i)?;
        u32::try_from(number).map_err(|_| self.wrong(i, "a number of bits below 2^32"))
    }

    fn extents(&self, i: usize) -> Result<Vec<u64>, CaseError> {
        numbers(self.get(i)).ok_or_else(|| self.wrong(i, "a list of non-negative integers"))
    }

    fn all_numbers(&self) -> Result<Vec<u64>, CaseError> {
        (0..self.values.len()).map(|i| self.number(i)).collect()
    }

    fn dims(&self, i: usize) -> Result<Vec<usize>, CaseError> {
        let dims = self.extents(i)?.into_iter().map(usize::try_from);
        dims.collect::<Result<_, _>>()
            .map_err(|_| self.wrong(i, "a list of dims"))
    }

    fn entries(&self, i: usize) -> Result<Vec<i64>, CaseError> {
        entries(self.get(i)).ok_or_else(|| self.wrong(i, "a list of integers"))
    }

    /// Returns argument `i` as a dimension, or `default` if it is `null`. A negative number counts from the end.
    fn dim_from_end(&self, i: usize, default: i64, rank: usize) -> Result<usize, CaseError> {
        let dim = match self.get(i) {
            Value::Null => Some(default),
            value => value.as_i64(),
        };
        let dim = dim.ok_or_else(|| self.wrong(i, "the number of a dim"))?;
        let rank = i64::try_from(rank).unwrap_or(i64::MAX);
        let dim = if dim < 0 {
            dim.saturating_add(rank)
        } else {
            dim
        };
        usize::try_from(dim)
            .map_err(|_| self.wrong(i, &format!("the number of a dim, at least -{rank}")))
    }

    fn register(&self, i: usize) -> Result<RegisterLayout, CaseError> {
        let value = self.get(i);
        match register_from_json(value) {
            Some(layout) => Ok(layout?),
            None => Err(self.wrong(
                i,
                "{\"shape\": [...], \"mode_shape\": [...], \"spatial_modes\": [...], \"local_modes\": \
                 [...]}",
            )),
        }
    }

    fn swizzle(&self, i: usize) -> Result<Option<Swizzle>, CaseError> {
        swizzle(self.get(i)).ok_or_else(|| self.wrong(i, SWIZZLE))?
    }

    fn shared(&self, i: usize) -> Result<SharedLayout, CaseError> {
        let value = self.get(i);
        let fields = (
            value.get("shape").and_then(numbers),
            value.get("mode_shape").and_then(numbers),
            value.get("mode_strides").and_then(numbers),
            swizzle(value.get("swizzle").unwrap_or(&Value::Null)),
        );
        match fields {
            (Some(shape), Some(mode_shape), Some(strides), Some(swizzle)) => Ok(
                SharedLayout::spelled(&shape, &mode_shape, &strides, swizzle?)?,
            ),
            _ => Err(self.wrong(
                i,
                "{\"shape\": [...], \"mode_shape\": [...], \"mode_strides\": [...], \"swizzle\": null}",
            )),
        }
    }

    fn multi_function(&self, i: usize) -> Result<MultiFunction, CaseError> {
        let value = self.get(i);
        let fields = (
            value.get("shape").and_then(numbers),
            value.get("mode_shape").and_then(numbers),
            value.get("modes").and_then(entries),
        );
        match fields {
            (Some(shape), Some(mode_shape), Some(modes)) => {
                Ok(MultiFunction::new(&shape, &mode_shape, &modes)?)
            }
            _ => Err(self.wrong(
                i,
                "{\"shape\": [...], \"mode_shape\": [...], \"modes\": [...]}",
            )),
        }
    }
}

fn entries(value: &Value) -> Option<Vec<i64>> {
    value.as_array()?.iter().map(Value::as_i64).collect()
}

/// Parses a register layout without merging adjacent modes. Returns `None` if a key is missing or has a value of
/// the wrong type.
pub(super) fn register_from_json(value: &Value) -> Option<Result<RegisterLayout, TilusError>> {
    Some(RegisterLayout::spelled(
        &numbers(value.get("shape")?)?,
        &numbers(value.get("mode_shape")?)?,
        &entries(value.get("spatial_modes")?)?,
        &entries(value.get("local_modes")?)?,
    ))
}

/// Parses an optional swizzle, where `null` means no swizzle. Returns the outer `None` if `value` is not a swizzle.
fn swizzle(value: &Value) -> Option<Result<Option<Swizzle>, CaseError>> {
    if value.is_null() {
        return Some(Ok(None));
    }
    let bits = |key| u32::try_from(value.get(key)?.as_u64()?).ok();
    let swizzle = Swizzle::new(bits("base")?, bits("bits")?, bits("shift")?);
    Some(swizzle.map(Some).map_err(CaseError::from))
}

fn swizzle_to_json(swizzle: Option<Swizzle>) -> Value {
    swizzle.map_or(
        Value::Null,
        |swizzle| json!({"base": swizzle.base(), "bits": swizzle.bits(), "shift": swizzle.shift()}),
    )
}

/// Returns an error if `count`, the number of entries of an answer, exceeds [`LARGEST`].
fn cells(count: u64) -> Result<(), CaseError> {
    if count > LARGEST {
        return Err(schema(format!(
            "the answer would have {} entries; at most {LARGEST} are shown",
            kind(&json!(count))
        )));
    }
    Ok(())
}

/// Returns `place * extent + digit`, or `u64::MAX` on overflow.
fn beyond(place: u64, extent: u64, digit: u64) -> u64 {
    place.saturating_mul(extent).saturating_add(digit)
}

/// Returns the mixed-radix digits of `number`, highest first. The highest digit may exceed its extent.
fn split_beyond(number: u64, extents: &[u64]) -> Vec<u64> {
    let mut digits = vec![0; extents.len()];
    let mut rest = number;
    for (i, &extent) in extents.iter().enumerate().rev() {
        digits[i] = if i == 0 { rest } else { rest % extent };
        rest /= extent;
    }
    digits
}

/// Splits each coordinate in `index` into one digit per mode of its dimension, by [`split_beyond`].
///
/// If `index` is shorter than the shape, the remaining dimensions contribute no digits.
fn digits_beyond(layout: &RegisterLayout, index: &[u64]) -> Vec<u64> {
    let groups = layout.mode_groups().zip(index);
    groups
        .flat_map(|(group, &i)| split_beyond(i, &layout.mode_shape()[group]))
        .collect()
}

/// Returns the indices of the first [`SHOWN`] elements of a tensor of this shape, in row-major order.
fn indices(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + '_ {
    let size = shape.iter().product::<u64>();
    (0..size.min(SHOWN as u64)).map(|number| split_beyond(number, shape))
}

fn register(layout: &RegisterLayout) -> Answer {
    cells(layout.replications())?;
    let mut table = Vec::new();
    for index in indices(layout.shape()) {
        let threads: Vec<u64> = layout.threads_of(&index)?.collect();
        table.push(json!([layout.local_of(&index)?, threads]));
    }
    let (threads, places) = (layout.spatial_size(), layout.local_size());
    let mut global = Vec::new();
    for number in drawn::numbers(threads.saturating_mul(places), SHOWN) {
        let (thread, place) = (number / places, number % places);
        global.push(json!([thread, place, layout.index_of(thread, place)?]));
    }
    let mut fields = register_to_json(layout);
    fields.extend([
        ("str".to_owned(), json!(layout.to_string())),
        (
            "spatial_shape".to_owned(),
            layout.spatial_shape().collect::<Value>(),
        ),
        (
            "local_shape".to_owned(),
            layout.local_shape().collect::<Value>(),
        ),
        ("spatial_size".to_owned(), json!(threads)),
        ("local_size".to_owned(), json!(places)),
        ("size".to_owned(), json!(layout.size())),
        ("table".to_owned(), json!(table)),
        ("global".to_owned(), json!(global)),
    ]);
    Ok(Value::Object(fields))
}

pub(super) fn register_to_json(layout: &RegisterLayout) -> Map<String, Value> {
    Map::from_iter([
        ("shape".to_owned(), json!(layout.shape())),
        ("mode_shape".to_owned(), json!(layout.mode_shape())),
        ("spatial_modes".to_owned(), json!(layout.spatial_modes())),
        ("local_modes".to_owned(), json!(layout.local_modes())),
    ])
}

fn multi(function: &MultiFunction) -> Value {
    json!({"value": {
        "shape": function.shape(),
        "mode_shape": function.mode_shape(),
        "modes": function.modes(),
    }})
}

fn shared(layout: &SharedLayout) -> Answer {
    let table: Result<Vec<u64>, TilusError> = indices(layout.shape())
        .map(|index| layout.offset_of(&index))
        .collect();
    Ok(json!({
        "shape": layout.shape(),
        "mode_shape": layout.mode_shape(),
        "mode_strides": layout.mode_strides(),
        "swizzle": swizzle_to_json(layout.swizzle()),
        "str": layout.to_string(),
        "count_size": layout.span(),
        "table": table?,
    }))
}

fn global(layout: &GlobalLayout) -> Answer {
    table_of(layout, |index| layout.offset_of(index))
}

fn table_of(layout: &GlobalLayout, at: impl Fn(&[u64]) -> Result<u64, TilusError>) -> Answer {
    let table: Result<Vec<u64>, TilusError> =
        indices(layout.shape()).map(|index| at(&index)).collect();
    Ok(json!({"shape": layout.shape(), "size": layout.size(), "table": table?}))
}
