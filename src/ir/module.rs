//! What a module says about the GPU it is for.

use crate::sys::Complaint;
use melior::ir::OperationRef;
use melior::ir::attribute::{IntegerAttribute, StringAttribute};
use melior::ir::operation::OperationLike;

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
        let mut module = op;
        // The innermost ancestor that speaks of warps; otherwise the outermost operation.
        while !module.has_attribute("ttg.num-warps") {
            match module.parent_operation() {
                Some(parent) => module = parent,
                None => break,
            }
        }
        let number = |name: &str, default: Option<u64>| -> Result<u64, Complaint> {
            let Ok(attribute) = module.attribute(name) else {
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
            num_warps: number("ttg.num-warps", None)?,
            threads_per_warp: number("ttg.threads-per-warp", Some(32))?,
            num_ctas: number("ttg.num-ctas", Some(1))?,
            target: module
                .attribute("ttg.target")
                .ok()
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
