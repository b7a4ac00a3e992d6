//! One case of a batch: a question as a JSON object, and its answer in the same object.

use linear_layout::encoding::{Encoding, EncodingError};
use linear_layout::layout::{Dim, LayoutError, LinearLayout, Surjectivity};
use serde_json::{Map, Value, json};
use std::fmt;

/// The keys of answers: taken out of a question, put into its answer.
const ANSWERS: [&str; 4] = ["bases", "interval_padding", "ok", "error"];

/// Why a case has no answer.
#[derive(Debug)]
pub(crate) enum CaseError {
    /// The algebra says no.
    Layout(LayoutError),
    /// The encoding, or it with this shape, is not valid.
    Encoding(EncodingError),
    /// The object is not a case: what was expected.
    Schema(String),
}

impl fmt::Display for CaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Layout(e) => e.fmt(f),
            Self::Encoding(e) => e.fmt(f),
            Self::Schema(text) => f.write_str(text),
        }
    }
}

impl From<LayoutError> for CaseError {
    fn from(e: LayoutError) -> Self {
        Self::Layout(e)
    }
}

impl From<EncodingError> for CaseError {
    fn from(e: EncodingError) -> Self {
        Self::Encoding(e)
    }
}

fn schema(text: impl Into<String>) -> CaseError {
    CaseError::Schema(text.into())
}

/// Answers one line, whatever it holds.
pub(crate) fn answer(line: &[u8]) -> Map<String, Value> {
    let mut case = match serde_json::from_slice(line) {
        Ok(Value::Object(case)) => case,
        Ok(other) => {
            let text = format!("expected a JSON object, found {}", kind(&other));
            return Map::from_iter([("error".to_owned(), json!(text))]);
        }
        Err(e) => {
            let text = format!("the line is not JSON: {e}");
            return Map::from_iter([("error".to_owned(), json!(text))]);
        }
    };
    let found = solve(&case);
    for key in ANSWERS {
        case.shift_remove(key);
    }
    match found {
        Ok(found) => case.extend(found),
        Err(e) => {
            case.insert("error".to_owned(), json!(e.to_string()));
        }
    }
    case
}

/// The answer fields of a case.
fn solve(case: &Map<String, Value>) -> Result<Map<String, Value>, CaseError> {
    match (case.get("enc"), case.get("op")) {
        (Some(enc), None) => solve_encoding(enc, case),
        (None, Some(op)) => {
            let op = op.as_str().ok_or_else(|| expected("op", "a string", op))?;
            let args = match case.get("args") {
                Some(Value::Array(args)) => args,
                Some(other) => return Err(expected("args", "a list", other)),
                None => return Err(schema("`args` is missing; `op` needs it")),
            };
            Ok(Map::from_iter([("ok".to_owned(), run(op, args)?)]))
        }
        (Some(_), Some(_)) => Err(schema(
            "a case has `enc` or `op`, not both; split it into two lines",
        )),
        (None, None) => Err(schema(
            "expected `enc` and `shape`, or `op` and `args`; found neither `enc` nor `op`",
        )),
    }
}

fn solve_encoding(enc: &Value, case: &Map<String, Value>) -> Result<Map<String, Value>, CaseError> {
    let text = enc
        .as_str()
        .ok_or_else(|| expected("enc", "a string", enc))?;
    let encoding: Encoding = text.parse()?;
    let shape = match (case.get("shape"), case.get("bases")) {
        (Some(shape), _) => numbers(shape)
            .ok_or_else(|| expected("shape", "a list of sizes such as [64, 16]", shape))?,
        (None, Some(bases)) => shape_of_bases(bases)
            .ok_or_else(|| schema("`shape` is missing, and `bases` does not show it"))?,
        (None, None) => return Err(schema("`shape` is missing; `enc` needs it")),
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

/// The smallest shape that holds all bases: the question of a case that gives no other.
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

/// `{in-dim: [basis, ...]}`, in-dims in order.
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

/// `{"bases": [[in-dim, [basis, ...]], ...], "out_dims": [[name, size], ...]}`.
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

/// What a layout looks like in a case, for messages.
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
                "the bases of `{dim}` are not lists of whole numbers of zero or more"
            ))
        })?);
        ins.push(dim);
    }
    let mut outs = Vec::new();
    for (dim, size) in pairs(value, "out_dims")? {
        let size = size
            .as_u64()
            .ok_or_else(|| schema(format!("the size {size} of out-dim `{dim}` is no size")))?;
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

/// The pairs `[name, value]` of a list inside a layout.
fn pairs<'v>(layout: &'v Value, key: &str) -> Result<Vec<(Dim, &'v Value)>, CaseError> {
    let bad = || schema(format!("expected a layout {LAYOUT_FORM}; `{key}` is wrong"));
    let list = layout.get(key).and_then(Value::as_array).ok_or_else(bad)?;
    list.iter()
        .map(|pair| match pair.as_array().map(Vec::as_slice) {
            Some([Value::String(name), value]) => Ok((Dim::try_named(name)?, value)),
            _ => Err(bad()),
        })
        .collect()
}

/// The arguments of an operation, each checked when it is asked for.
struct Args<'v> {
    op: &'v str,
    values: &'v [Value],
}

impl Args<'_> {
    fn get(&self, i: usize) -> &Value {
        // Their number has been checked.
        self.values.get(i).unwrap_or(&Value::Null)
    }

    fn wrong(&self, i: usize, what: &str) -> CaseError {
        let Self { op, .. } = self;
        let found = kind(self.get(i));
        schema(format!(
            "argument {i} of `{op}`: expected {what}, found {found}"
        ))
    }

    fn layout(&self, i: usize) -> Result<LinearLayout, CaseError> {
        layout_from_json(self.get(i)).map_err(|e| match e {
            CaseError::Schema(text) => schema(format!("argument {i} of `{}`: {text}", self.op)),
            other => other,
        })
    }

    fn dim(&self, i: usize) -> Result<Dim, CaseError> {
        match self.get(i).as_str() {
            Some(name) => Ok(Dim::try_named(name)?),
            None => Err(self.wrong(i, "the name of a dim")),
        }
    }

    fn size(&self, i: usize) -> Result<u64, CaseError> {
        self.get(i).as_u64().ok_or_else(|| self.wrong(i, "a size"))
    }
}

/// The operations: name, arguments, for messages.
const OPS: [(&str, &[&str]); 11] = [
    ("apply", &["layout", "point"]),
    ("properties", &["layout"]),
    ("print", &["layout"]),
    ("invert", &["layout"]),
    ("pseudoinvert", &["layout"]),
    ("invert_and_compose", &["a", "b"]),
    ("compose", &["a", "b"]),
    ("mul", &["a", "b"]),
    ("identity_1d", &["size", "in", "out"]),
    ("strided_1d", &["size", "stride", "in", "out"]),
    ("zeros_1d", &["size", "in", "out", "out_size"]),
];

/// Runs one operation of the algebra.
pub(crate) fn run(op: &str, args: &[Value]) -> Result<Value, CaseError> {
    let Some((_, names)) = OPS.iter().find(|(name, _)| *name == op) else {
        let known: Vec<&str> = OPS.iter().map(|(name, _)| *name).collect();
        return Err(schema(format!(
            "unknown operation `{op}`; the operations are {}",
            known.join(", ")
        )));
    };
    if args.len() != names.len() {
        return Err(schema(format!(
            "`{op}` has {} arguments; expected [{}]",
            args.len(),
            names.join(", ")
        )));
    }
    let args = Args { op, values: args };
    let result = match op {
        "apply" => return apply(&args),
        "properties" => {
            let l = args.layout(0)?;
            return Ok(json!({
                "surjective": l.is_surjective(),
                "injective": l.is_injective(),
                "invertible": l.is_invertible(),
            }));
        }
        "print" => return Ok(json!(args.layout(0)?.to_string())),
        "invert" => args.layout(0)?.invert()?,
        "pseudoinvert" => args.layout(0)?.pseudoinvert()?,
        "invert_and_compose" => args.layout(0)?.invert_and_compose(&args.layout(1)?)?,
        "compose" => args.layout(0)?.compose(&args.layout(1)?)?,
        "mul" => args.layout(0)?.product(&args.layout(1)?)?,
        "identity_1d" => LinearLayout::identity_1d(args.size(0)?, args.dim(1)?, args.dim(2)?)?,
        "strided_1d" => {
            LinearLayout::strided_1d(args.size(0)?, args.size(1)?, args.dim(2)?, args.dim(3)?)?
        }
        // `zeros_1d`: the name has been found in the table.
        _ => LinearLayout::zeros_1d(args.size(0)?, args.dim(1)?, args.dim(2)?, args.size(3)?)?,
    };
    Ok(layout_to_json(&result))
}

fn apply(args: &Args<'_>) -> Result<Value, CaseError> {
    let layout = args.layout(0)?;
    let Value::Object(given) = args.get(1) else {
        return Err(args.wrong(1, "a point such as {\"lane\": 3}"));
    };
    let mut point = Vec::new();
    for (name, value) in given {
        let value = value
            .as_u64()
            .ok_or_else(|| schema(format!("`{name}` of the point is {value}, not an index")))?;
        point.push((Dim::try_named(name)?, value));
    }
    let out = layout.apply(&point)?;
    let named = layout.out_dims().zip(out.iter());
    Ok(named
        .map(|(d, value)| (d.name().to_owned(), json!(value)))
        .collect::<Map<String, Value>>()
        .into())
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

fn expected(key: &str, what: &str, found: &Value) -> CaseError {
    schema(format!("`{key}`: expected {what}, found {}", kind(found)))
}

/// A value for messages: in full where it is short.
fn kind(value: &Value) -> String {
    match value {
        Value::Array(items) if items.len() > 8 || value.to_string().len() > 40 => {
            "a list".to_owned()
        }
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.len() > 40 => "a string".to_owned(),
        other => other.to_string(),
    }
}
