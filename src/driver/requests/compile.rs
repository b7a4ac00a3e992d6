//! Requests that compile a module or run a pass pipeline.

use super::answer;
use crate::driver::{self, Failure, Options};
use crate::sys::{self, Answer};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// Translates a module. `options` is a JSON object with the fields of [`Options`].
///
/// The output is LLVM IR, assembly or an object. The report has the `target`, the integer `attributes` of the module,
/// the `times` of the phases in milliseconds, and `llvm_ir` if requested.
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
        let mut options: Options = super::options(options)?;
        options.optimize = options.optimize.min(3);
        let input = checked(&options.file, source)?;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rewrite {
    pipeline: String,
    #[serde(default = "super::unnamed")]
    file: String,
    #[serde(default)]
    locations: bool,
}

/// Runs a pass pipeline. The output is the text of the resulting module.
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

/// Returns a copy of `source` if MLIR can read it. `file` is the input's name in errors.
pub(super) fn checked(file: &str, source: &[u8]) -> Result<Vec<u8>, Failure> {
    sys::checked_input(file, source.to_vec()).map_err(|refusal| {
        let text = refusal.strip_prefix("error: ").unwrap_or(&refusal);
        Failure::new(text)
    })
}
