//! One case of a batch: a JSON object with a question, to which the answer is added.
//!
//! A case names a layout system and an operation. The default system is `linear`.

mod bridge;
pub(crate) mod cute;
mod drawn;
pub(crate) mod linear;
mod tilus;

use linear_layout::bridge::BridgeError;
use linear_layout::cute::CuteError;
use linear_layout::encoding::EncodingError;
use linear_layout::encoding::spelling::nearest;
use linear_layout::layout::LayoutError;
use linear_layout::tilus::TilusError;
use serde_json::{Map, Value, json};

/// Keys of an answer that the program computes. If a case contains them, they are not copied to the answer.
const ANSWERS: [&str; 4] = ["bases", "interval_padding", "ok", "error"];

const SYSTEMS: [(&str, &[Operation]); 4] = [
    ("linear", linear::OPS),
    ("cute", cute::OPS),
    ("tilus", tilus::OPS),
    ("bridge", bridge::OPS),
];

#[derive(Debug, thiserror::Error)]
pub(crate) enum CaseError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Cute(#[from] CuteError),
    #[error(transparent)]
    Tilus(#[from] TilusError),
    #[error(transparent)]
    Bridge(#[from] BridgeError),
    #[error(transparent)]
    Encoding(#[from] EncodingError),
    /// The case does not have the expected form. The text describes the expected form.
    #[error("{0}")]
    Schema(String),
}

fn schema(text: impl Into<String>) -> CaseError {
    CaseError::Schema(text.into())
}

pub(crate) struct Operation {
    name: &'static str,
    /// Names of the arguments, for error messages. A name that ends in `?` denotes an optional argument. If the
    /// last name ends in `*`, its argument may be repeated.
    args: &'static [&'static str],
    run: fn(&Args<'_>) -> Result<Value, CaseError>,
}

impl Operation {
    const fn new(
        name: &'static str,
        args: &'static [&'static str],
        run: fn(&Args<'_>) -> Result<Value, CaseError>,
    ) -> Self {
        Self { name, args, run }
    }
}

/// The arguments of an operation. Their types are checked when the operation reads them.
struct Args<'v> {
    op: &'v str,
    values: &'v [Value],
}

impl Args<'_> {
    fn get(&self, i: usize) -> &Value {
        // The number of arguments has been checked. An absent optional argument is null.
        self.values.get(i).unwrap_or(&Value::Null)
    }

    fn wrong(&self, i: usize, what: &str) -> CaseError {
        let Self { op, .. } = self;
        let found = kind(self.get(i));
        schema(format!(
            "argument {i} of `{op}`: expected {what}, found {found}"
        ))
    }
}

/// Solves the case in one line of input. The answer contains the fields of the case, and in addition either the
/// results or an `error`. `line` may contain any bytes.
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

fn solve(case: &Map<String, Value>) -> Result<Map<String, Value>, CaseError> {
    let system = match case.get("system") {
        None => "linear",
        Some(Value::String(name)) => name,
        Some(other) => return Err(expected("system", "a string", other)),
    };
    match (case.get("enc"), case.get("op")) {
        (Some(enc), None) if system == "linear" => linear::solve_encoding(enc, case),
        (None, Some(op)) => {
            let op = op.as_str().ok_or_else(|| expected("op", "a string", op))?;
            let args = match case.get("args") {
                Some(Value::Array(args)) => args,
                Some(other) => return Err(expected("args", "a list", other)),
                None => return Err(schema("`op` requires `args`")),
            };
            Ok(Map::from_iter([("ok".to_owned(), run(system, op, args)?)]))
        }
        (Some(_), Some(_)) => Err(schema(
            "found both `enc` and `op`, expected only one; split the case into two lines",
        )),
        (Some(_), None) => Err(schema(format!(
            "`enc` requires the system `linear`, found `{system}`; use `op` and `args`"
        ))),
        (None, None) => Err(schema(
            "expected `enc` and `shape`, or `op` and `args`; found neither `enc` nor `op`",
        )),
    }
}

pub(crate) fn run(system: &str, op: &str, args: &[Value]) -> Result<Value, CaseError> {
    let Some((_, operations)) = SYSTEMS.iter().find(|(name, _)| *name == system) else {
        let known = SYSTEMS.map(|(name, _)| name);
        return Err(unknown("system", system, "systems", &known));
    };
    let Some(operation) = operations.iter().find(|operation| operation.name == op) else {
        let known: Vec<&str> = operations.iter().map(|o| o.name).collect();
        return Err(unknown("operation", op, "operations", &known));
    };
    let names = operation.args;
    let needed = names.iter().filter(|name| !name.ends_with(['?', '*']));
    let most = match names.last() {
        Some(last) if last.ends_with('*') => usize::MAX,
        _ => names.len(),
    };
    if !(needed.count()..=most).contains(&args.len()) {
        return Err(schema(format!(
            "`{op}` has {} arguments; expected [{}]",
            args.len(),
            names.join(", ")
        )));
    }
    (operation.run)(&Args { op, values: args })
}

fn unknown(what: &str, found: &str, all: &str, known: &[&str]) -> CaseError {
    let near = match nearest(found, known.iter().copied()) {
        Some(near) => format!(" (did you mean `{near}`?)"),
        None => String::new(),
    };
    let found = kind(&json!(found));
    let found = found.trim_matches('"');
    if known.is_empty() {
        return schema(format!("unknown {what} `{found}`"));
    }
    schema(format!(
        "unknown {what} `{found}`{near}; the {all} are {}",
        known.join(", ")
    ))
}

fn numbers(value: &Value) -> Option<Vec<u64>> {
    value.as_array()?.iter().map(Value::as_u64).collect()
}

fn expected(key: &str, what: &str, found: &Value) -> CaseError {
    schema(format!("`{key}`: expected {what}, found {}", kind(found)))
}

/// Describes a value for an error message. Objects and long values are described by their type only, for example
/// `a list`.
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
