//! Matrix instructions by name.

use crate::{Failure, batch};
use linear_layout::encoding::spelling::by_distance;
use linear_layout::plan::product::operand_layout;
use linear_layout::target::{Product, TARGETS, Target};
use serde_json::{Map, Value, json};
use std::ffi::OsStr;
use std::path::Path;

/// Maximum number of instruction names that an error message suggests.
const SUGGESTED: usize = 3;

/// Returns the trimmed text of `source` if it names a matrix instruction, that is, if its first part, such as
/// `mma`, is a known family.
///
/// Returns `None` otherwise, and if a file with this name exists.
pub(crate) fn name_of(source: &OsStr) -> Option<&str> {
    let text = source.to_str()?.trim();
    let family = text.split('.').next();
    let mut rows = TARGETS.iter().flat_map(Target::matrix_instructions);
    let is_known = rows.any(|row| row.name.split('.').next() == family);
    (is_known && !Path::new(source).exists()).then_some(text)
}

pub(crate) fn find(
    name: &str,
    target: Option<&str>,
) -> Result<(Product, &'static Target), Failure> {
    let having = || -> Vec<&str> {
        let has = |target: &&Target| target.products().iter().any(|row| row.name == name);
        TARGETS
            .iter()
            .filter(has)
            .map(|target| target.name)
            .collect()
    };
    let Some(target) = target else {
        let failure = Failure::new(format!("the instruction `{name}` requires a target GPU"));
        return Err(match having().as_slice() {
            [] => failure.note("add a target, as in `--target cuda:80`"),
            names => failure.note(format!("add `--target` with one of {}", names.join(", "))),
        });
    };
    let target = Target::parse(target).map_err(Failure::new)?;
    let rows = target.products();
    if let Some(row) = rows.iter().find(|row| row.name == name) {
        return Ok((row.clone(), target));
    }
    let failure = Failure::new(format!("{target} has no instruction `{name}`"));
    let mut near = by_distance(name, rows.iter().map(|row| row.name.as_str()));
    near.truncate(SUGGESTED);
    let failure = match near.as_slice() {
        [] => failure,
        near => failure.note(format!("the nearest are `{}`", near.join("`, `"))),
    };
    let failure = match having().as_slice() {
        [] => failure,
        names => failure.note(format!("targets with `{name}`: {}", names.join(", "))),
    };
    Err(failure.note(format!(
        "`ll-layout list --instructions --target {target}` lists all instructions"
    )))
}

pub(crate) fn to_json(row: &Product, target: &Target) -> Map<String, Value> {
    let [m, n, k] = row.sizes();
    let by_operand = |values: [Value; 3]| -> Value {
        let names = ["a", "b", "d"].map(str::to_owned);
        names.into_iter().zip(values).collect::<Map<_, _>>().into()
    };
    let types = row.types().map(|type_| json!(type_.ir_name()));
    Map::from_iter([
        ("name".to_owned(), json!(row.name)),
        ("m".to_owned(), json!(m)),
        ("n".to_owned(), json!(n)),
        ("k".to_owned(), json!(k)),
        ("types".to_owned(), by_operand(types)),
        (
            "registers".to_owned(),
            by_operand(row.registers().map(Value::from)),
        ),
        (
            "issue_quarter_clocks".to_owned(),
            json!(row.issue(target.lanes)),
        ),
        ("intrinsic".to_owned(), json!(row.intrinsic)),
    ])
}

pub(crate) fn with_layouts(row: &Product, target: &Target) -> Result<Value, Failure> {
    let mut object = to_json(row, target);
    for (operand, name) in ["a", "b", "d"].into_iter().enumerate() {
        let layout = operand_layout(row, operand).map_err(Failure::new)?;
        object.insert(name.to_owned(), batch::linear::layout_to_json(&layout));
    }
    Ok(object.into())
}
