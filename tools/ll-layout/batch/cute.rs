//! Operations on CuTe layouts.

use super::{Args, CaseError, Operation, kind, schema};
use linear_layout::cute::{ComposedLayout, Coord, CuteError, IntTuple, Layout, Swizzle, Tiler};
use serde_json::{Map, Value, json};

/// Maximum number of coordinates whose images an answer lists.
const TABLE: i64 = 64;

/// Maximum number of indices that a case may request.
const MAX_COUNT: i64 = 1 << 16;

pub(super) const OPS: &[Operation] = &[
    Operation::new("layout_default", &["shape"], |args| {
        layout(Layout::compact(&args.int_tuple(0)?))
    }),
    Operation::new("make_ordered_layout", &["shape", "order"], |args| {
        layout(Layout::ordered(&args.int_tuple(0)?, &args.int_tuple(1)?))
    }),
    Operation::new("make_layout_like", &["layout"], |args| {
        layout(args.cute(0)?.compact_like())
    }),
    Operation::new("make_fragment_like", &["layout"], |args| {
        layout(args.cute(0)?.fragment_like())
    }),
    Operation::new("call", &["layout", "coordinate"], |args| {
        value(args.cute(0)?.apply(&args.int_tuple(1)?))
    }),
    Operation::new("cosize", &["layout"], |args| {
        value(Ok(args.cute(0)?.cosize()))
    }),
    Operation::new("coalesce", &["layout", "profile?"], |args| {
        let coalesced = match args.profile(1)? {
            Some(profile) => args.cute(0)?.coalesce_by(&profile),
            None => Ok(args.cute(0)?.coalesce()),
        };
        layout(coalesced)
    }),
    Operation::new("filter", &["layout", "profile?"], |args| {
        let filtered = match args.profile(1)? {
            Some(profile) => args.cute(0)?.filter_by(&profile),
            None => Ok(args.cute(0)?.filter()),
        };
        layout(filtered)
    }),
    Operation::new("filter_zeros", &["layout"], |args| {
        layout(Ok(args.cute(0)?.filter_zeros()))
    }),
    Operation::new("composition", &["outer", "inner or tiler"], |args| {
        layout(args.cute(0)?.composition_by(&args.tiler(1)?))
    }),
    Operation::new("complement", &["layout", "cotarget?"], |args| {
        let of = args.cute(0)?;
        layout(match args.get(1) {
            Value::Null => of.complement_in_cosize(),
            Value::Array(_) => of.complement_in(&args.int_tuple(1)?),
            _ => of.complement(args.integer(1)?),
        })
    }),
    Operation::new("complement_default", &["layout"], |args| {
        layout(args.cute(0)?.complement_in_cosize())
    }),
    Operation::new("right_inverse", &["layout"], |args| {
        layout(Ok(args.cute(0)?.right_inverse()))
    }),
    Operation::new("left_inverse", &["layout"], |args| {
        layout(args.cute(0)?.left_inverse())
    }),
    Operation::new("logical_divide", &["layout", "tiler"], |args| {
        layout(args.cute(0)?.logical_divide(&args.tiler(1)?))
    }),
    Operation::new("zipped_divide", &["layout", "tiler"], |args| {
        layout(args.cute(0)?.zipped_divide(&args.tiler(1)?))
    }),
    Operation::new("tiled_divide", &["layout", "tiler"], |args| {
        layout(args.cute(0)?.tiled_divide(&args.tiler(1)?))
    }),
    Operation::new("flat_divide", &["layout", "tiler"], |args| {
        layout(args.cute(0)?.flat_divide(&args.tiler(1)?))
    }),
    Operation::new("logical_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.logical_product(&args.tiler(1)?))
    }),
    Operation::new("zipped_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.zipped_product(&args.tiler(1)?))
    }),
    Operation::new("tiled_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.tiled_product(&args.tiler(1)?))
    }),
    Operation::new("flat_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.flat_product(&args.tiler(1)?))
    }),
    Operation::new("blocked_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.blocked_product(&args.cute(1)?))
    }),
    Operation::new("raked_product", &["block", "tiler"], |args| {
        layout(args.cute(0)?.raked_product(&args.cute(1)?))
    }),
    Operation::new("tile_to_shape", &["block", "shape", "order?"], |args| {
        let order = args.profile(2)?;
        layout(
            args.cute(0)?
                .tile_to_shape(&args.int_tuple(1)?, order.as_ref()),
        )
    }),
    Operation::new("upcast", &["layout", "factor"], |args| {
        layout(args.cute(0)?.upcast(args.integer(1)?))
    }),
    Operation::new("downcast", &["layout", "factor"], |args| {
        layout(args.cute(0)?.downcast(args.integer(1)?))
    }),
    Operation::new("recast", &["layout", "old_bits", "new_bits"], |args| {
        layout(args.cute(0)?.recast(args.integer(1)?, args.integer(2)?))
    }),
    Operation::new("max_alignment", &["layout"], |args| {
        value(Ok(args.cute(0)?.max_alignment()))
    }),
    Operation::new("max_common_layout", &["a", "b"], |args| {
        layout(args.cute(0)?.max_common_layout(&args.cute(1)?))
    }),
    Operation::new("max_common_vector", &["a", "b"], |args| {
        value(args.cute(0)?.max_common_vector(&args.cute(1)?))
    }),
    Operation::new("nullspace", &["layout"], |args| {
        layout(Ok(args.cute(0)?.nullspace()))
    }),
    Operation::new("domain_distribute", &["shape", "size"], |args| {
        layout(Layout::domain_distribute(
            &args.int_tuple(0)?,
            args.integer(1)?,
        ))
    }),
    Operation::new("slice_and_offset", &["layout", "coordinate"], |args| {
        let slice = args.cute(0)?.slice(&args.coordinate(1)?)?;
        Ok(json!({"value": [layout_fields(&slice.layout), slice.offset]}))
    }),
    Operation::new("dice", &["layout", "coordinate"], |args| {
        layout(args.cute(0)?.dice(&args.coordinate(1)?))
    }),
    Operation::new("crd2idx", &["coordinate", "shape", "stride?"], |args| {
        let (coordinate, shape) = (args.int_tuple(0)?, args.int_tuple(1)?);
        value(match args.profile(2)? {
            Some(stride) => Layout::new(&shape, &stride)?.apply(&coordinate),
            None => shape.number_of(&coordinate),
        })
    }),
    Operation::new("idx2crd", &["number", "shape"], |args| {
        let shape = args.shape(1)?;
        Ok(json!({"value": int_tuple_to_json(&shape.coordinate_of(args.integer(0)?))}))
    }),
    Operation::new("crd2crd", &["coordinate", "shape"], |args| {
        let found = args.shape(1)?.congruent_coordinate(&args.int_tuple(0)?)?;
        Ok(json!({"value": int_tuple_to_json(&found)}))
    }),
    Operation::new("product", &["tuple"], |args| {
        value(args.int_tuple(0)?.product())
    }),
    Operation::new("prefix_product", &["tuple"], |args| {
        let found = args.int_tuple(0)?.prefix_product()?;
        Ok(json!({"value": int_tuple_to_json(&found)}))
    }),
    Operation::new("shape_div", &["shape", "divisor"], |args| {
        let found = args.int_tuple(0)?.shape_div(args.integer(1)?)?;
        Ok(json!({"value": int_tuple_to_json(&found)}))
    }),
    Operation::new("inner_product", &["a", "b"], |args| {
        value(args.int_tuple(0)?.inner_product(&args.int_tuple(1)?))
    }),
    Operation::new("elem_scale", &["tuple", "by"], |args| {
        let found = args.int_tuple(0)?.elem_scale(&args.int_tuple(1)?)?;
        Ok(json!({"value": int_tuple_to_json(&found)}))
    }),
    Operation::new("swizzle_apply", &["B", "M", "S", "indices"], |args| {
        let swizzle = args.swizzle_numbers()?;
        let indices = args.get(3).as_array().and_then(|list| {
            let indices = list.iter().map(Value::as_i64);
            indices.collect::<Option<Vec<i64>>>()
        });
        let indices = indices.ok_or_else(|| args.wrong(3, "a list of integers"))?;
        let found: Vec<i64> = indices.iter().map(|&i| swizzle.apply(i)).collect();
        Ok(json!({"value": found}))
    }),
    Operation::new("swizzle_size", &["B", "M", "S"], |args| {
        let swizzle = args.swizzle_numbers()?;
        let bits = swizzle.bits() + swizzle.base() + swizzle.shift().unsigned_abs();
        Ok(json!({"value": 1_u64 << bits}))
    }),
    Operation::new("make_swizzle", &["source_mask", "target_mask"], |args| {
        text(&Swizzle::from_masks(args.integer(0)?, args.integer(1)?)?)
    }),
    Operation::new("swizzle_compose", &["outer", "inner"], |args| {
        text(&args.cute_swizzle(0)?.composition(args.cute_swizzle(1)?)?)
    }),
    Operation::new("swizzle_upcast", &["swizzle", "factor"], |args| {
        text(&args.cute_swizzle(0)?.upcast(args.integer(1)?)?)
    }),
    Operation::new("swizzle_downcast", &["swizzle", "factor"], |args| {
        text(&args.cute_swizzle(0)?.downcast(args.integer(1)?)?)
    }),
    Operation::new(
        "composed_table",
        &["B", "M", "S", "offset", "shape", "stride", "count"],
        |args| {
            let layout = Layout::new(&args.int_tuple(4)?, &args.int_tuple(5)?)?;
            let composed = ComposedLayout::new(args.swizzle_numbers()?, args.integer(3)?, layout);
            let count = args.integer(6)?;
            if count > composed.layout.size().min(MAX_COUNT) {
                let most = composed.layout.size().min(MAX_COUNT);
                return Err(args.wrong(6, &format!("a count of at most {most}")));
            }
            let table = (0..count).map(|i| composed.at(i));
            Ok(json!({"value": table.collect::<Result<Vec<i64>, _>>()?}))
        },
    ),
    Operation::new("layout_o_swizzle", &["layout", "swizzle"], |args| {
        composed(args.cute(0)?.after_swizzle(args.cute_swizzle(1)?)?)
    }),
    Operation::new("swizzled_right_inverse", &["swizzle", "layout"], |args| {
        let layout = ComposedLayout::new(args.cute_swizzle(0)?, 0, args.cute(1)?);
        composed(layout.right_inverse()?)
    }),
    Operation::new("swizzled_left_inverse", &["swizzle", "layout"], |args| {
        let layout = ComposedLayout::new(args.cute_swizzle(0)?, 0, args.cute(1)?);
        composed(layout.left_inverse()?)
    }),
    Operation::new(
        "swizzled_slice",
        &["swizzle", "layout", "coordinate"],
        |args| {
            let layout = ComposedLayout::new(args.cute_swizzle(0)?, 0, args.cute(1)?);
            composed(layout.slice(&args.coordinate(2)?)?.layout)
        },
    ),
    Operation::new(
        "swizzled_slice_and_offset",
        &["swizzle", "layout", "coordinate"],
        |args| {
            let layout = ComposedLayout::new(args.cute_swizzle(0)?, 0, args.cute(1)?);
            let slice = layout.slice(&args.coordinate(2)?)?;
            Ok(json!({"value": [composed(slice.layout)?, slice.offset]}))
        },
    ),
];

impl Args<'_> {
    fn cute(&self, i: usize) -> Result<Layout, CaseError> {
        layout_from_json(self.get(i)).map_err(|e| self.at_argument(i, &e))
    }

    fn int_tuple(&self, i: usize) -> Result<IntTuple, CaseError> {
        int_tuple(self.get(i)).map_err(|e| self.at_argument(i, &e))
    }

    /// Returns argument `i` as a shape. All its numbers must be positive.
    fn shape(&self, i: usize) -> Result<IntTuple, CaseError> {
        let shape = self.int_tuple(i)?;
        Layout::compact(&shape).map_err(|e| self.at_argument(i, &e.into()))?;
        Ok(shape)
    }

    /// Returns argument `i` as a nested tuple, or `None` if it is `null`. The tuple may also be given as
    /// `{"tile": [...]}`.
    fn profile(&self, i: usize) -> Result<Option<IntTuple>, CaseError> {
        let given = self.get(i);
        match given.get("tile").unwrap_or(given) {
            Value::Null => Ok(None),
            given => int_tuple(given)
                .map(Some)
                .map_err(|e| self.at_argument(i, &e)),
        }
    }

    fn coordinate(&self, i: usize) -> Result<Coord, CaseError> {
        coordinate(self.get(i)).map_err(|e| self.at_argument(i, &e))
    }

    fn tiler(&self, i: usize) -> Result<Tiler, CaseError> {
        tiler(self.get(i)).map_err(|e| self.at_argument(i, &e))
    }

    fn integer(&self, i: usize) -> Result<i64, CaseError> {
        let number = self.get(i).as_i64();
        number.ok_or_else(|| self.wrong(i, "a 64-bit integer"))
    }

    fn cute_swizzle(&self, i: usize) -> Result<Swizzle, CaseError> {
        let numbers = self.get(i).as_array().map(Vec::as_slice);
        let Some([bits, base, shift]) = numbers else {
            return Err(self.wrong(i, "a swizzle such as [3, 4, 3]"));
        };
        match (bits.as_i64(), base.as_i64(), shift.as_i64()) {
            (Some(bits), Some(base), Some(shift)) => Ok(Swizzle::new(bits, base, shift)?),
            _ => Err(self.wrong(i, "a swizzle such as [3, 4, 3]")),
        }
    }

    /// Returns the swizzle whose bits, base and shift are the first three arguments.
    fn swizzle_numbers(&self) -> Result<Swizzle, CaseError> {
        let (bits, base) = (self.integer(0)?, self.integer(1)?);
        Ok(Swizzle::new(bits, base, self.integer(2)?)?)
    }

    fn at_argument(&self, i: usize, e: &CaseError) -> CaseError {
        schema(format!("argument {i} of `{}`: {e}", self.op))
    }
}

/// Parses a layout, which is either CuTe's text form or an object such as `{"shape": [4, 2], "stride": [1, 4]}`.
/// Nested lists represent nested tuples.
pub(crate) fn layout_from_json(value: &Value) -> Result<Layout, CaseError> {
    if let Value::String(text) = value {
        return Ok(text.parse()?);
    }
    match (value.get("shape"), value.get("stride")) {
        (Some(shape), Some(stride)) => Ok(Layout::new(&int_tuple(shape)?, &int_tuple(stride)?)?),
        _ => Err(schema(format!(
            "expected a layout {{\"shape\": [4, 2], \"stride\": [1, 4]}} or \"(4,2):(1,4)\", found {}",
            kind(value)
        ))),
    }
}

fn int_tuple(value: &Value) -> Result<IntTuple, CaseError> {
    match value {
        Value::Array(items) => {
            let items = items.iter().map(int_tuple).collect::<Result<Vec<_>, _>>()?;
            Ok(IntTuple::of(&items)?)
        }
        _ => value.as_i64().map(IntTuple::leaf).ok_or_else(|| {
            schema(format!(
                "expected a 64-bit integer or a nested list of 64-bit integers, found {}",
                kind(value)
            ))
        }),
    }
}

fn coordinate(value: &Value) -> Result<Coord, CaseError> {
    match value {
        Value::Null => Ok(Coord::leaf(None)),
        Value::Array(items) => {
            let items = items.iter().map(coordinate);
            Ok(Coord::of(&items.collect::<Result<Vec<_>, _>>()?)?)
        }
        _ => match value.as_i64() {
            Some(number) => Ok(Coord::leaf(Some(number))),
            None => Err(schema(format!(
                "expected a 64-bit integer, null, or a nested list of integers and nulls, found {}",
                kind(value)
            ))),
        },
    }
}

/// Parses a tiler.
///
/// A number is a tile size, and `null` keeps the mode unchanged. A list, or `{"tile": [...]}`, contains one tiler
/// per mode. Any other value is parsed as a layout.
pub(crate) fn tiler(value: &Value) -> Result<Tiler, CaseError> {
    if let Some(size) = value.as_i64() {
        return Ok(Tiler::Size(size));
    }
    match (value, value.get("tile")) {
        (Value::Null, _) => Ok(Tiler::Keep),
        (Value::Array(tilers), _) | (_, Some(Value::Array(tilers))) => {
            let tilers = tilers.iter().map(tiler);
            Ok(Tiler::Modes(tilers.collect::<Result<_, _>>()?))
        }
        _ => Ok(Tiler::Layout(layout_from_json(value)?)),
    }
}

fn value(found: Result<i64, CuteError>) -> Result<Value, CaseError> {
    Ok(json!({"value": found?}))
}

fn text(found: &Swizzle) -> Result<Value, CaseError> {
    Ok(json!({"text": found.to_string()}))
}

/// Formats a composed layout. If it has a swizzle or an offset, the result is `{"text": ...}`; otherwise, it has
/// the same fields as the result of `layout`.
fn composed(found: ComposedLayout) -> Result<Value, CaseError> {
    match found.is_plain() {
        true => layout(Ok(found.layout)),
        false => Ok(json!({"text": found.to_string()})),
    }
}

/// Formats a layout, together with its size, its cosize, and the images of its first coordinates.
fn layout(found: Result<Layout, CuteError>) -> Result<Value, CaseError> {
    let layout = found?;
    let mut fields = layout_fields(&layout);
    fields.insert("size".to_owned(), json!(layout.size()));
    fields.insert("cosize".to_owned(), json!(layout.cosize()));
    let table = (0..layout.size().min(TABLE)).map(|i| layout.at(i));
    let table = table.collect::<Result<Vec<i64>, _>>()?;
    fields.insert("table".to_owned(), json!(table));
    Ok(Value::Object(fields))
}

fn layout_fields(layout: &Layout) -> Map<String, Value> {
    let fields = [
        ("shape", int_tuple_to_json(&layout.shape())),
        ("stride", int_tuple_to_json(&layout.stride())),
    ];
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .into_iter()
        .collect()
}

pub(crate) fn int_tuple_to_json(tuple: &IntTuple) -> Value {
    if tuple.is_leaf() {
        return json!(tuple.leaves()[0]);
    }
    tuple.items().map(|item| int_tuple_to_json(&item)).collect()
}
