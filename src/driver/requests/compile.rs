//! Compilation, and passes from text to text.

use super::answer;
use crate::driver::{self, Emit, Failure, Options};
use crate::sys::{self, Answer};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// The options of [`compile`], named as those of `ll-translate`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Compile {
    file: String,
    emit: Option<Format>,
    llvm_ir: bool,
    lower: Option<String>,
    optimize: u8,
    target: Option<String>,
    module: Option<String>,
    debug_info: bool,
    cpu: Option<String>,
    features: Option<String>,
    link_bitcode: Vec<PathBuf>,
    reflect_ftz: bool,
    kernel_attributes: Map<String, Value>,
}

impl Default for Compile {
    fn default() -> Self {
        Self {
            file: "<string>".to_owned(),
            emit: None,
            llvm_ir: false,
            lower: Some("convert-layouts-to-llvm".to_owned()),
            optimize: 3,
            target: None,
            module: None,
            debug_info: false,
            cpu: None,
            features: None,
            link_bitcode: Vec::new(),
            reflect_ftz: false,
            kernel_attributes: Map::new(),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Format {
    LlvmIr,
    Ptx,
    Amdgcn,
    Object,
}

/// Translates a module. The report has `llvm_ir` where asked for, `target`, `attributes` of the module that are
/// numbers, and the milliseconds of the phases as `times`; the output is LLVM IR, assembly or an object.
///
/// ```
/// use linear_layout_mlir::driver::requests::compile;
/// let text = r#"module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @k() { tt.return } }"#;
/// let made = compile(text.as_bytes(), r#"{"target": "cuda:90"}"#);
/// assert!(made.succeeded && made.report.contains("\"ttg.shared\":0"), "{}", made.report);
/// let refused = compile(text.as_bytes(), r#"{"tarjet": "cuda:90"}"#);
/// assert!(refused.report.contains("unknown field `tarjet`"), "{}", refused.report);
/// ```
#[must_use]
pub fn compile(source: &[u8], options: &str) -> Answer {
    let work = || {
        let options: Compile = super::options(options)?;
        let input = checked(&options.file, source)?;
        let options = Options {
            emit: options.emit.map(|format| match format {
                Format::LlvmIr => Emit::LlvmIr,
                Format::Ptx => Emit::Ptx,
                Format::Amdgcn => Emit::Amdgcn,
                Format::Object => Emit::Object,
            }),
            keeps_llvm_ir: options.llvm_ir,
            lower: options.lower,
            optimize: options.optimize.min(3),
            target: options.target,
            module: options.module,
            debug_info: options.debug_info,
            cpu: options.cpu,
            features: options.features,
            bitcode: options.link_bitcode,
            reflect_ftz: options.reflect_ftz,
            kernel_attributes: texts(options.kernel_attributes)?,
            file: options.file,
        };
        let made = driver::translate(&input, &options)?;
        let times = made.clock.phases().iter();
        let times: Map<String, Value> = times
            .map(|(name, time)| ((*name).to_owned(), json!(time.as_secs_f64() * 1e3)))
            .collect();
        let attributes: Map<String, Value> = made
            .attributes
            .into_iter()
            .map(|(name, value)| (name, value.into()))
            .collect();
        let mut report = Map::new();
        report.insert("target".to_owned(), made.target.name.into());
        report.insert("attributes".to_owned(), attributes.into());
        report.insert("times".to_owned(), times.into());
        if let Some(llvm_ir) = made.llvm_ir {
            report.insert("llvm_ir".to_owned(), llvm_ir.into());
        }
        Ok((report, made.messages, made.bytes))
    };
    answer(work())
}

/// The texts of an object, by their keys.
fn texts(object: Map<String, Value>) -> Result<Vec<(String, String)>, Failure> {
    let text = |(key, value): (String, Value)| match value {
        Value::String(value) => Ok((key, value)),
        other => Err(Failure::new(format!(
            "options: the attribute `{key}` is {other}, expected a text"
        ))),
    };
    object.into_iter().map(text).collect()
}

/// The options of [`rewrite`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rewrite {
    pipeline: String,
    #[serde(default = "unnamed")]
    file: String,
    #[serde(default)]
    locations: bool,
}

fn unnamed() -> String {
    "<string>".to_owned()
}

/// Runs a pipeline of passes; the output is the module's text.
#[must_use]
pub fn rewrite(source: &[u8], options: &str) -> Answer {
    let work = || {
        let options: Rewrite = super::options(options)?;
        let input = checked(&options.file, source)?;
        let (text, messages) =
            driver::rewrite(&input, &options.file, &options.pipeline, options.locations)?;
        Ok((Map::new(), messages, text.into_bytes()))
    };
    answer(work())
}

/// The input, where MLIR can read it.
pub(super) fn checked(file: &str, source: &[u8]) -> Result<Vec<u8>, Failure> {
    sys::checked_input(file, source.to_vec()).map_err(|refusal| {
        let text = refusal.strip_prefix("error: ").unwrap_or(&refusal);
        Failure::new(text)
    })
}
