//! `ll-layout explain`: a layout in words.

use crate::subject::Subject;
use crate::{Failure, Source};
use linear_layout::view::words;
use serde_json::json;

pub(crate) const EXAMPLES: &str = "Examples:
  ll-layout explain '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' 16x8
  ll-layout explain '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>' 8x8
  ll-layout explain '#mma' 64x64 --aliases kernel.mlir";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Shape of the tensor: 64x16; a printed layout needs none
    shape: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let source = &arguments.source;
    let shape = arguments.shape.as_deref();
    let subject = Subject::read(&source.enc, shape, source.aliases.as_deref())?;
    let text = words(&subject.layout);
    Ok(if as_json {
        json!({"words": text.lines().collect::<Vec<_>>()}).to_string() + "\n"
    } else {
        text
    })
}
