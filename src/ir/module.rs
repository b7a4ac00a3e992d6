//! What a module says about the GPU it is for.

use crate::ir::OpKind;
use crate::sys::{self, Complaint, build};
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, OperationRef};

/// The attributes of a module that layouts refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// `"ttg.num-warps"`: warps per CTA.
    pub num_warps: u64,
    /// `"ttg.threads-per-warp"`: lanes per warp.
    pub threads_per_warp: u64,
    /// `"ttg.num-ctas"`: CTAs per cluster.
    pub num_ctas: u64,
}

impl ModuleInfo {
    /// Reads the attributes of the module that an operation lies in (or is).
    ///
    /// # Errors
    /// The missing or malformed attribute.
    pub fn around(op: OperationRef<'_, '_>) -> Result<Self, Complaint> {
        let number = |name: &str, default: Option<u64>| -> Result<u64, Complaint> {
            let found = Self::attribute(op, name);
            let Some(number) = found.and_then(|a| IntegerAttribute::try_from(a).ok()) else {
                return default.ok_or_else(|| {
                    Complaint::new(format!(
                        "has a tensor with an encoding, but the module has no `\"{name}\"`"
                    ))
                    .note(format!(
                        "add `\"{name}\" = ... : i32` to the module's attributes"
                    )) // ttg_c2
                });
            };
            u64::try_from(number.signed_value())
                .ok()
                .filter(|n| n.is_power_of_two())
                .ok_or_else(|| {
                    Complaint::new(format!(
                        "needs `\"{name}\"` to be a positive power of two, but the module has {number}"
                    )) // ttg_c3
                })
        };
        Ok(Self {
            num_warps: match partition_warps(op) {
                Some(warps) => warps,
                None => number("ttg.num-warps", None)?,
            },
            threads_per_warp: number("ttg.threads-per-warp", Some(32))?,
            num_ctas: number("ttg.num-ctas", Some(1))?,
        })
    }

    /// CTAs per cluster around an operation; one where no module says.
    #[must_use]
    pub fn num_ctas(op: OperationRef<'_, '_>) -> u64 {
        Self::attribute(op, "ttg.num-ctas")
            .and_then(|a| IntegerAttribute::try_from(a).ok())
            .and_then(|a| u64::try_from(a.signed_value()).ok())
            .unwrap_or(1)
    }

    /// `ttg.target`: the GPU that the code around an operation is for, as `cuda:90` or `hip:gfx942`,
    /// where a module says.
    #[must_use]
    pub fn target(op: OperationRef<'_, '_>) -> Option<String> {
        let target = StringAttribute::try_from(Self::attribute(op, "ttg.target")?).ok()?;
        Some(target.value().to_owned())
    }

    /// An attribute of the innermost operation around `op`, itself included, that has it.
    #[must_use]
    pub fn attribute<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
        sys::nearest_attribute(op, name)
    }

    /// Warps that run an operation, where a module says.
    #[must_use]
    pub fn num_warps(op: OperationRef<'_, '_>) -> Option<u64> {
        partition_warps(op).or_else(|| {
            Self::attribute(op, "ttg.num-warps")
                .and_then(|a| IntegerAttribute::try_from(a).ok())
                .and_then(|a| u64::try_from(a.signed_value()).ok())
        })
    }

    /// The registers that a thread may use around an operation: 256, or less where a module or a
    /// partition says so.
    #[must_use]
    pub fn max_registers(op: OperationRef<'_, '_>) -> u64 {
        const ALL: u64 = 256;
        let of_module = Self::attribute(op, "ttg.maxnreg")
            .and_then(|a| IntegerAttribute::try_from(a).ok())
            .and_then(|a| u64::try_from(a.signed_value()).ok())
            .unwrap_or(ALL);
        of_module
            .min(partition_registers(op).unwrap_or(ALL))
            .min(ALL)
    }

    /// Threads of one CTA.
    #[must_use]
    pub fn threads_per_cta(&self) -> u64 {
        self.num_warps * self.threads_per_warp
    }
}

/// The warps of the partition of `ttg.warp_specialize` that an operation lies in.
///
/// Tensors in a partition are laid out over the warps that run it, not over those of the CTA.
fn partition_warps(op: OperationRef<'_, '_>) -> Option<u64> {
    let (specialize, index) = partition(op)?;
    entry(specialize, "partitionNumWarps", index?)
}

/// What `ttg.warp_specialize` leaves of the registers to the code that an operation lies in.
fn partition_registers(op: OperationRef<'_, '_>) -> Option<u64> {
    let (specialize, index) = partition(op)?;
    entry(specialize, "actualRegisters", index.map_or(0, |i| i + 1))
}

/// The `ttg.warp_specialize` around an operation and the index of the partition that it lies in,
/// nothing for the default one.
fn partition<'c>(op: OperationRef<'c, '_>) -> Option<(build::Op<'c>, Option<usize>)> {
    let mut inner = build::of_context(op);
    loop {
        let outer = build::of_context(inner.parent_operation()?);
        match OpKind::of(outer) {
            Some(OpKind::TtgWarpSpecializePartitions) => {
                let region = inner.block()?.parent_region()?;
                let index = outer.regions().position(|r| r == region)?;
                return Some((build::of_context(outer.parent_operation()?), Some(index)));
            }
            Some(OpKind::TtgWarpSpecialize) => return Some((outer, None)),
            _ => inner = outer,
        }
    }
}

fn entry(op: build::Op<'_>, name: &str, index: usize) -> Option<u64> {
    let list = DenseI32ArrayAttribute::try_from(op.attribute(name).ok()?).ok()?;
    u64::try_from(list.element(index).ok()?).ok()
}
