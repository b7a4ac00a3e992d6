//! Supported operations: one file per family of instructions, one row per operation.
//!
//! A row names an operation of the LLVM dialect, NVVM or ROCDL, or an intrinsic, and decodes it into [`Instruction`]s
//! of the same file. Instructions list their registers and execute themselves. No other code names operations, so a new
//! operation changes only the file of its family. [`ptx`] has the same structure for statements of inline assembly.
//!
//! ```text
//! ADD ["llvm.add"] [] |bits, a, b| a.wrapping_add(b) & mask(bits), ideal: |_, x, y| Some(x + y);
//! ```
//! This row of [`integer`] defines `llvm.add` completely: name, no intrinsics, result, and the exact result in
//! unbounded integers, with which `nsw` and `nuw` are checked.

pub(crate) mod address;
pub(crate) mod aggregate;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod bounds;
pub(crate) mod buffer;
pub(crate) mod bytes;
pub(crate) mod claim;
pub(crate) mod compare;
pub(crate) mod constant;
pub(crate) mod control;
pub(crate) mod convert;
mod copy;
pub(crate) mod float;
pub(crate) mod float8;
pub(crate) mod integer;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod needs;
pub(crate) mod order;
pub(crate) mod print;
mod product;
pub(crate) mod ptx;
pub(crate) mod shuffle;
pub(crate) mod tensor;
pub(crate) mod thread;
pub(crate) mod wave;

use super::decode::{Decode, DecodeResult, Decoder};
use super::error::KernelError;
use super::ir::Operation;
use linear_layout::target::Target;
use needs::Needs;
use std::collections::HashMap;
use std::sync::LazyLock;
use strsim::levenshtein as edits;

pub(crate) struct OpRow {
    name: &'static str,
    pub(crate) decode: Decode,
    /// The required GPU feature; `None` if all GPUs support the operation.
    needs: Option<&'static Needs>,
}

const fn row(name: &'static str, decode: Decode) -> OpRow {
    OpRow {
        name,
        decode,
        needs: None,
    }
}

impl OpRow {
    const fn needing(self, needs: &'static Needs) -> Self {
        Self {
            needs: Some(needs),
            ..self
        }
    }

    /// Decodes an operation of this row, or a call of the intrinsic of this row.
    ///
    /// # Errors
    /// Returns an error if the kernel's GPU lacks the operation, or if an operand or attribute is not supported.
    fn decode<'m>(&self, d: &mut Decoder<'m>, op: &'m Operation) -> DecodeResult {
        d.check_has(op, |target| self.lacking(target))?;
        (self.decode)(d, op)
    }

    /// Returns the reason why `target` lacks the operation; `None` if the target has the operation.
    pub(crate) fn lacking(&self, target: &Target) -> Option<String> {
        let foreign = needs::foreign(self.name, target);
        let reason = foreign.or_else(|| self.needs?.lacking(target))?;
        Some(format!("`{}` is {reason}", self.name))
    }
}

/// The operations and intrinsics that one source file defines.
pub(crate) struct Family {
    title: &'static str,
    operations: &'static [&'static [OpRow]],
    /// The intrinsics that `llvm.call_intrinsic` may call.
    intrinsics: &'static [&'static [OpRow]],
}

const FAMILIES: &[&Family] = &[
    &control::FAMILY,
    &constant::FAMILY,
    &integer::FAMILY,
    &float::FAMILY,
    &float8::FAMILY,
    &compare::FAMILY,
    &convert::FAMILY,
    &aggregate::FAMILY,
    &address::FAMILY,
    &memory::FAMILY,
    &copy::FAMILY,
    &atomic::FAMILY,
    &order::FAMILY,
    &buffer::FAMILY,
    &matrix::FAMILY,
    &product::wgmma::FAMILY,
    &thread::FAMILY,
    &barrier::FAMILY,
    &mbarrier::FAMILY,
    &tensor::FAMILY,
    &shuffle::FAMILY,
    &wave::FAMILY,
    &bytes::FAMILY,
    &ptx::FAMILY,
];

type Rows = LazyLock<HashMap<&'static str, &'static OpRow>>;

fn index(rows: impl Iterator<Item = &'static OpRow>) -> HashMap<&'static str, &'static OpRow> {
    rows.map(|row| (row.name, row)).collect()
}

static OPERATIONS: Rows = LazyLock::new(|| index(FAMILIES.iter().flat_map(|f| rows(f.operations))));
static INTRINSICS: Rows = LazyLock::new(|| index(FAMILIES.iter().flat_map(|f| rows(f.intrinsics))));

fn rows(lists: &'static [&'static [OpRow]]) -> impl Iterator<Item = &'static OpRow> {
    lists.iter().copied().flatten()
}

pub(crate) fn decode<'m>(d: &mut Decoder<'m>, op: &'m Operation) -> DecodeResult {
    let Some(row) = OPERATIONS.get(&*op.name) else {
        return Err(unknown(d, op));
    };
    row.decode(d, op)
}

fn unknown(d: &Decoder<'_>, op: &Operation) -> KernelError {
    let error = d.unsupported(op, format!("operation `{}` is not supported", op.name));
    let dialect = op.name.split('.').next().unwrap_or("");
    if ["llvm", "nvvm", "rocdl"].contains(&dialect) {
        let nearest = nearest(&op.name, OPERATIONS.keys().copied());
        error.note(format!(
            "supported operations with similar names are {nearest}"
        ))
    } else {
        error.note("the simulator runs the LLVM dialect with NVVM or ROCDL; lower the module first")
    }
}

/// Returns the table row of an intrinsic that has no MLIR operation; `None` if the intrinsic is not supported.
pub(crate) fn intrinsic(name: &str) -> Option<&'static OpRow> {
    let known = INTRINSICS.get(name).copied();
    known.or_else(|| product::intrinsic(name))
}

/// Returns the three supported intrinsics with the most similar names, as a text separated by commas.
pub(crate) fn nearest_intrinsics(name: &str) -> String {
    nearest(name, INTRINSICS.keys().copied().chain(product::names()))
}

fn nearest(name: &str, all: impl Iterator<Item = &'static str>) -> String {
    // A longer common prefix counts more than fewer edits.
    let shared = |other: &str| {
        name.bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count()
    };
    let mut names: Vec<&str> = all.collect();
    names.sort_by_key(|other| (std::cmp::Reverse(shared(other)), edits(name, other), *other));
    let names = names.iter().take(3).map(|name| format!("`{name}`"));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the list of supported operations by family, as `ll-sim --list-operations` prints it.
///
/// ```
/// use gpu_sim::list_operations;
/// let list = list_operations();
/// assert!(list.starts_with("control flow:\n  llvm.br\n"), "{list}");
/// assert!(list.contains("\n  llvm.inline_asm: mov.b16|b32|b64"), "{list}");
/// ```
#[must_use]
pub fn list_operations() -> String {
    let mut text = String::new();
    for family in FAMILIES {
        text += &format!("{}:\n", family.title);
        for row in rows(family.operations) {
            text += &format!("  {}\n", row.name);
        }
        for row in rows(family.intrinsics) {
            text += &format!("  llvm.call_intrinsic \"{}\"\n", row.name);
        }
    }
    text += &format!("{}:\n", product::TITLE);
    for name in product::names() {
        text += &format!("  llvm.call_intrinsic \"{name}\"\n");
    }
    for name in float::library_names() {
        text += &format!("  llvm.call @__nv_{name}, @__ocml_{name}\n");
    }
    for name in print::names() {
        text += &format!("  llvm.call @{name}\n");
    }
    for form in ptx::forms() {
        text += &format!("  llvm.inline_asm: {form}\n");
    }
    text
}

#[cfg(test)]
mod tests;
