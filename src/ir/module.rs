//! What a module says about the GPU it is for.

use crate::sys::Complaint;
use crate::sys::build;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, OperationRef};

/// The attributes of a module that layouts refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// `"ttg.num-warps"`: warps per CTA.
    pub num_warps: u64,
    /// `"ttg.threads-per-warp"`: lanes per warp.
    pub threads_per_warp: u64,
    /// `"ttg.num-ctas"`: CTAs per cluster.
    pub num_ctas: u64,
    /// `ttg.target`, as `cuda:90` or `hip:gfx942`.
    pub target: Option<String>,
}

impl ModuleInfo {
    /// Reads the attributes of the module that an operation lies in (or is).
    ///
    /// # Errors
    /// The missing or malformed attribute.
    pub fn around(op: OperationRef<'_, '_>) -> Result<Self, Complaint> {
        let number = |name: &str, default: Option<u64>| -> Result<u64, Complaint> {
            let Some(attribute) = nearest(op, name) else {
                return default.ok_or_else(|| {
                    Complaint::new(format!(
                        "has a tensor with an encoding, but the module has no `\"{name}\"`"
                    ))
                    .note(format!(
                        "add `\"{name}\" = ... : i32` to the module's attributes"
                    ))
                });
            };
            IntegerAttribute::try_from(attribute)
                .ok()
                .and_then(|a| u64::try_from(a.value()).ok())
                .filter(|n| n.is_power_of_two())
                .ok_or_else(|| {
                    Complaint::new(format!(
                        "needs `\"{name}\"` to be a positive power of two, but the module has {attribute}"
                    ))
                })
        };
        Ok(Self {
            num_warps: match partition_warps(op) {
                Some(warps) => warps,
                None => number("ttg.num-warps", None)?,
            },
            threads_per_warp: number("ttg.threads-per-warp", Some(32))?,
            num_ctas: number("ttg.num-ctas", Some(1))?,
            target: nearest(op, "ttg.target")
                .and_then(|a| StringAttribute::try_from(a).ok())
                .map(|a| a.value().to_owned()),
        })
    }

    /// Threads of one CTA.
    #[must_use]
    pub fn threads_per_cta(&self) -> u64 {
        self.num_warps * self.threads_per_warp
    }
}

/// An attribute of the innermost operation around `op`, itself included, that has it.
fn nearest<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
    let mut at = build::of_context(op);
    loop {
        if let Ok(attribute) = at.attribute(name) {
            return Some(attribute);
        }
        at = build::of_context(at.parent_operation()?);
    }
}

/// The warps of the partition of `ttg.warp_specialize` that an operation lies in.
///
/// Tensors in a partition are laid out over the warps that run it, not over those of the CTA.
fn partition_warps(op: OperationRef<'_, '_>) -> Option<u64> {
    let mut inner = build::of_context(op);
    loop {
        let outer = build::of_context(inner.parent_operation()?);
        if outer.name().as_string_ref().as_str() == Ok("ttg.warp_specialize.partitions") {
            let region = inner.block()?.parent_region()?;
            let index = outer.regions().position(|r| r == region)?;
            let specialize = outer.parent_operation()?;
            let warps = specialize.attribute("partitionNumWarps").ok()?;
            let warps = DenseI32ArrayAttribute::try_from(warps)
                .ok()?
                .element(index)
                .ok()?;
            return u64::try_from(warps).ok();
        }
        inner = outer;
    }
}
