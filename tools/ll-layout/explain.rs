//! `ll-layout explain`: a layout in words.

use crate::any_layout::AnyLayout;
use crate::{Failure, Source};
use linear_layout::bridge::cute_from_shared;
use linear_layout::view::{words, words_of_cute, words_of_register};
use serde_json::json;

pub(crate) const EXAMPLES: &str = "Examples:
  ll-layout explain '#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>' 16x8
  ll-layout explain '#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 4, order = [1, 0]}>' 8x8
  ll-layout explain 'local(2, 1).spatial(8, 4)'
  ll-layout explain 'Sw<2,0,3> o 0 o (8,8):(8,1)'
  ll-layout explain '#mma' 64x64 --aliases kernel.mlir";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    source: Source,

    /// Shape of the tensor, such as 64x16; required for encodings, but not for types and layouts of CuTe and Tilus
    shape: Option<String>,
}

pub(crate) fn run(arguments: &Arguments, as_json: bool) -> Result<String, Failure> {
    let source = &arguments.source;
    let shape = arguments.shape.as_deref();
    let text = match AnyLayout::read(&source.enc, shape, source.aliases.as_deref())? {
        AnyLayout::Linear(subject) => words(&subject.layout),
        AnyLayout::Cute(layout) => words_of_cute(&layout),
        AnyLayout::Register(layout) => words_of_register(&layout),
        AnyLayout::Shared(layout) => {
            words_of_cute(&cute_from_shared(&layout).map_err(Failure::new)?)
        }
    };
    Ok(if as_json {
        json!({"words": text.lines().collect::<Vec<_>>()}).to_string() + "\n"
    } else {
        text
    })
}
