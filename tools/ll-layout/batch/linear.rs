//! Operations on linear layouts, and cases with an encoding and a shape.

use super::{Args, CaseError, Operation, expected, numbers, schema};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use serde_json::{Map, Value, json};

pub(super) fn solve_encoding(
    enc: &Value,
    case: &Map<String, Value>,
) -> Result<Map<String, Value>, CaseError> {
    let text = enc
        .as_str()
        .ok_or_else(|| expected("enc", "a string", enc))?;
    let encoding: Encoding = text.parse()?;
    let shape = match (case.get("shape"), case.get("bases")) {
        (Some(shape), _) => numbers(shape)
            .ok_or_else(|| expected("shape", "a list of sizes such as [64, 16]", shape))?,
        (None, Some(bases)) => shape_of_bases(bases)
            .ok_or_else(|| schema("`shape` is missing and cannot be inferred from `bases`"))?,
        (None, None) => return Err(schema("`enc` requires `shape`")),
    };
    let layout = encoding.to_linear_layout(&shape)?;
    let mut found = Map::new();
    found.insert("bases".to_owned(), Value::Object(bases_by_dim(&layout)));
    if let Encoding::PaddedShared(padded) = &encoding {
        let pairs = json!(padded.interval_paddings());
        found.insert("interval_padding".to_owned(), pairs);
    }
    Ok(found)
}

/// Returns the smallest shape with power-of-two sizes that contains the coordinates of all bases. It is used for
/// cases that give no shape. Returns `None` if `bases` is malformed.
pub(crate) fn shape_of_bases(bases: &Value) -> Option<Vec<u64>> {
    let mut reach: Option<Vec<u64>> = None;
    for list in bases.as_object()?.values() {
        for basis in list.as_array()? {
            let basis = numbers(basis)?;
            let reach = reach.get_or_insert_with(|| vec![0; basis.len()]);
            if reach.len() != basis.len() {
                return None;
            }
            for (to, value) in reach.iter_mut().zip(basis) {
                *to |= value;
            }
        }
    }
    let sizes = reach.unwrap_or_default();
    sizes
        .iter()
        .map(|r| r.checked_add(1)?.checked_next_power_of_two())
        .collect()
}

/// Returns the bases of a layout as `{in-dim: [basis, ...]}`, in the order of the in-dims.
pub(crate) fn bases_by_dim(layout: &LinearLayout) -> Map<String, Value> {
    layout
        .in_dims()
        .map(|d| (d.name().to_owned(), bases_of(layout, d)))
        .collect()
}

fn bases_of(layout: &LinearLayout, dim: Dim) -> Value {
    (0..layout.in_bits(dim))
        .map(|bit| Value::from(layout.basis(dim, bit).to_vec()))
        .collect()
}

/// Returns a layout as `{"bases": [[in-dim, [basis, ...]], ...], "out_dims": [[name, size], ...]}`.
pub(crate) fn layout_to_json(layout: &LinearLayout) -> Value {
    let bases: Vec<Value> = layout
        .in_dims()
        .map(|d| json!([d.name(), bases_of(layout, d)]))
        .collect();
    let outs: Vec<Value> = layout
        .out_shape()
        .map(|(d, size)| json!([d.name(), size]))
        .collect();
    json!({"bases": bases, "out_dims": outs})
}

const LAYOUT_FORM: &str =
    "`{\"bases\": [[in-dim, [basis, ...]], ...], \"out_dims\": [[name, size], ...]}`";

pub(crate) fn layout_from_json(value: &Value) -> Result<LinearLayout, CaseError> {
    let (mut ins, mut columns) = (Vec::new(), Vec::new());
    for (dim, list) in pairs(value, "bases")? {
        let list: Option<Vec<Vec<u64>>> = list
            .as_array()
            .and_then(|list| list.iter().map(numbers).collect());
        columns.push(list.ok_or_else(|| {
            schema(format!(
                "the bases of `{dim}` are not lists of non-negative integers"
            ))
        })?);
        ins.push(dim);
    }
    let mut outs = Vec::new();
    for (dim, size) in pairs(value, "out_dims")? {
        let size = size.as_u64().ok_or_else(|| {
            schema(format!(
                "out-dim `{dim}` has size {size}, expected a positive integer"
            ))
        })?;
        outs.push((dim, size));
    }
    let refs: Vec<Vec<&[u64]>> = columns
        .iter()
        .map(|list| list.iter().map(Vec::as_slice).collect())
        .collect();
    let bases: Vec<(Dim, &[&[u64]])> = ins
        .into_iter()
        .zip(refs.iter().map(Vec::as_slice))
        .collect();
    let layout = LinearLayout::from_bases_sized(&bases, &outs, Surjectivity::NotRequired)?;
    Ok(layout)
}

fn pairs<'v>(layout: &'v Value, key: &str) -> Result<Vec<(Dim, &'v Value)>, CaseError> {
    let bad = || {
        schema(format!(
            "expected a layout {LAYOUT_FORM}; `{key}` is missing or malformed"
        ))
    };
    let list = layout.get(key).and_then(Value::as_array).ok_or_else(bad)?;
    list.iter()
        .map(|pair| match pair.as_array().map(Vec::as_slice) {
            Some([Value::String(name), value]) => Ok((Dim::try_named(name)?, value)),
            _ => Err(bad()),
        })
        .collect()
}

impl Args<'_> {
    fn layout(&self, i: usize) -> Result<LinearLayout, CaseError> {
        layout_from_json(self.get(i)).map_err(|e| match e {
            CaseError::Schema(text) => schema(format!("argument {i} of `{}`: {text}", self.op)),
            other => other,
        })
    }

    fn dim(&self, i: usize) -> Result<Dim, CaseError> {
        match self.get(i).as_str() {
            Some(name) => Ok(Dim::try_named(name)?),
            None => Err(self.wrong(i, "the name of a dim, such as \"lane\"")),
        }
    }

    fn size(&self, i: usize) -> Result<u64, CaseError> {
        self.get(i)
            .as_u64()
            .ok_or_else(|| self.wrong(i, "a size (a positive integer)"))
    }
}

pub(super) const OPS: &[Operation] = &[
    Operation::new("apply", &["layout", "point"], apply),
    Operation::new("properties", &["layout"], |args| {
        let l = args.layout(0)?;
        Ok(json!({
            "surjective": l.is_surjective(),
            "injective": l.is_injective(),
            "invertible": l.is_invertible(),
        }))
    }),
    Operation::new("print", &["layout"], |args| {
        Ok(json!(args.layout(0)?.to_string()))
    }),
    Operation::new("invert", &["layout"], |args| {
        Ok(layout_to_json(&args.layout(0)?.invert()?))
    }),
    Operation::new("pseudoinvert", &["layout"], |args| {
        Ok(layout_to_json(&args.layout(0)?.pseudoinvert()?))
    }),
    Operation::new("invert_and_compose", &["a", "b"], |args| {
        let result = args.layout(0)?.invert_and_compose(&args.layout(1)?)?;
        Ok(layout_to_json(&result))
    }),
    Operation::new("compose", &["a", "b"], |args| {
        Ok(layout_to_json(&args.layout(0)?.compose(&args.layout(1)?)?))
    }),
    Operation::new("mul", &["a", "b"], |args| {
        Ok(layout_to_json(&args.layout(0)?.product(&args.layout(1)?)?))
    }),
    Operation::new("identity_1d", &["size", "in", "out"], |args| {
        let result = LinearLayout::identity_1d(args.size(0)?, args.dim(1)?, args.dim(2)?)?;
        Ok(layout_to_json(&result))
    }),
    Operation::new("strided_1d", &["size", "stride", "in", "out"], |args| {
        let (size, stride) = (args.size(0)?, args.size(1)?);
        let result = LinearLayout::strided_1d(size, stride, args.dim(2)?, args.dim(3)?)?;
        Ok(layout_to_json(&result))
    }),
    Operation::new("zeros_1d", &["size", "in", "out", "out_size"], |args| {
        let (size, out_size) = (args.size(0)?, args.size(3)?);
        let result = LinearLayout::zeros_1d(size, args.dim(1)?, args.dim(2)?, out_size)?;
        Ok(layout_to_json(&result))
    }),
];

fn apply(args: &Args<'_>) -> Result<Value, CaseError> {
    let layout = args.layout(0)?;
    let Value::Object(given) = args.get(1) else {
        return Err(args.wrong(1, "a point such as {\"lane\": 3}"));
    };
    let mut point = Vec::new();
    for (name, value) in given {
        let value = value.as_u64().ok_or_else(|| {
            schema(format!(
                "index {value} along `{name}` is not a non-negative integer"
            ))
        })?;
        point.push((Dim::try_named(name)?, value));
    }
    let out = layout.apply(&point)?;
    let named = layout.out_dims().zip(out.iter());
    Ok(named
        .map(|(d, value)| (d.name().to_owned(), json!(value)))
        .collect::<Map<String, Value>>()
        .into())
}
