//! `convert-layouts-to-llvm`: see [`crate::lower`].

use super::options::Options;
use crate::lower;
use crate::sys::Emitted;
use melior::ir::OperationRef;

pub(super) fn run(module: OperationRef<'_, '_>, options: &Options) -> Result<String, Emitted> {
    lower::lower_module(module, options.get("target"))?;
    Ok(lower::FINISH.to_owned())
}

/// After the last conversion there is nothing but the LLVM dialect.
pub(super) fn finish(module: OperationRef<'_, '_>) -> Result<(), Emitted> {
    lower::check_lowered(module)
}
