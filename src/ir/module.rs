//! GPU parameters of a module.

use crate::ir::discardable::{MAX_REGISTERS, NUM_CTAS, NUM_WARPS, TARGET, THREADS_PER_WARP};
use crate::ir::partitions::region_around;
use crate::ir::rules::broken;
use crate::sys::{self, Diagnostic, Rewriter, build};
use linear_layout::target::{Target, TargetError};
use melior::ir::attribute::StringAttribute;
use melior::ir::{Attribute, AttributeLike, OperationRef};

/// The numbers of warps, lanes and CTAs of a GPU program, as given by module attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModuleInfo {
    /// `ttg.num-warps`: warps per CTA.
    pub num_warps: u64,
    /// `ttg.threads-per-warp`: lanes per warp.
    pub threads_per_warp: u64,
    /// `ttg.num-ctas`: CTAs per cluster.
    pub num_ctas: u64,
}

/// An error for a module without a known target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GpuError {
    /// Neither the module nor an option names a target.
    Missing,
    /// The named target is unknown.
    Unknown(TargetError),
}

impl From<GpuError> for Diagnostic {
    fn from(error: GpuError) -> Self {
        match error {
            GpuError::Missing => Self::new("has no target").note(
                "add `ttg.target = \"cuda:90\"` to the module, or the option `target=cuda:90` to the pass",
            ),
            GpuError::Unknown(unknown) => Self::new(unknown.to_string()),
        }
    }
}

impl ModuleInfo {
    /// Reads the attributes of the module around `op`, or of `op` itself.
    ///
    /// # Errors
    /// Returns an error for a missing or malformed attribute.
    pub fn around(op: OperationRef<'_, '_>) -> Result<Self, Diagnostic> {
        let number = |name: &str, default: Option<u64>| -> Result<u64, Diagnostic> {
            let found = Self::attribute(op, name);
            let Some(number) = found.filter(Attribute::is_integer) else {
                return default.ok_or_else(|| {
                    broken!(
                        ttg_c2,
                        "requires the module attribute `\"{name}\"`, because a tensor has an encoding"
                    )
                    .note(format!(
                        "add `\"{name}\" = ... : i32` to the module's attributes"
                    ))
                });
            };
            positive(number)
                .filter(|n| n.is_power_of_two())
                .ok_or_else(|| {
                    broken!(
                        ttg_c3,
                        "requires `\"{name}\"` to be a positive power of two, but got {number}"
                    )
                })
        };
        Ok(Self {
            num_warps: match partition_warps(op) {
                Some(warps) => warps,
                None => number(NUM_WARPS, None)?,
            },
            threads_per_warp: number(THREADS_PER_WARP, Some(32))?,
            num_ctas: number(NUM_CTAS, Some(1))?,
        })
    }

    /// Returns the number of CTAs per cluster; 1 by default.
    #[must_use]
    pub fn num_ctas(op: OperationRef<'_, '_>) -> u64 {
        Self::attribute(op, NUM_CTAS)
            .and_then(positive)
            .unwrap_or(1)
    }

    /// Returns `ttg.target` of `op`, or else of the innermost enclosing operation that has this attribute, for
    /// example `cuda:90` or `hip:gfx942`.
    #[must_use]
    pub fn target(op: OperationRef<'_, '_>) -> Option<String> {
        sys::string_value(Self::attribute(op, TARGET)?).map(|name| name.to_string())
    }

    /// Returns the requested target, or else the module's `ttg.target`.
    ///
    /// # Errors
    /// Returns an error for a missing or unknown target.
    pub fn gpu(
        module: OperationRef<'_, '_>,
        requested: Option<&str>,
    ) -> Result<&'static Target, GpuError> {
        let own = Self::target(module);
        let name = requested.or(own.as_deref()).ok_or(GpuError::Missing)?;
        Target::parse(name).map_err(GpuError::Unknown)
    }

    /// Returns the target that the innermost `ttg.target` around `op` names, or `None` if it is missing or unknown.
    #[must_use]
    pub fn known_gpu(op: OperationRef<'_, '_>) -> Option<&'static Target> {
        Self::gpu(op, None).ok()
    }

    /// Sets `ttg.target` of a module.
    pub fn set_gpu<'c>(rewriter: Rewriter<'c>, module: build::Op<'c>, gpu: &Target) {
        let name = StringAttribute::new(build::context(module), gpu.name);
        rewriter.set_attribute(module, TARGET, name.into());
    }

    /// Returns the attribute `name` of `op`, or else of the innermost enclosing operation with this attribute.
    #[must_use]
    pub fn attribute<'c>(op: OperationRef<'c, '_>, name: &str) -> Option<Attribute<'c>> {
        sys::nearest_attribute(op, name)
    }

    /// Returns the number of warps that execute `op`.
    #[must_use]
    pub fn num_warps(op: OperationRef<'_, '_>) -> Option<u64> {
        partition_warps(op).or_else(|| Self::attribute(op, NUM_WARPS).and_then(positive))
    }

    /// Returns `ttg.maxnreg`, the requested limit of registers per thread.
    #[must_use]
    pub fn requested_registers(op: OperationRef<'_, '_>) -> Option<u64> {
        Self::attribute(op, MAX_REGISTERS).and_then(positive)
    }

    /// Returns the limit of registers per thread: 256, or a lower limit that the module or the partition around
    /// `op` sets.
    #[must_use]
    pub fn max_registers(op: OperationRef<'_, '_>) -> u64 {
        const ALL: u64 = 256;
        Self::requested_registers(op)
            .unwrap_or(ALL)
            .min(partition_registers(op).unwrap_or(ALL))
            .min(ALL)
    }

    /// Returns the number of threads per CTA.
    #[must_use]
    pub fn threads_per_cta(&self) -> u64 {
        self.num_warps * self.threads_per_warp
    }
}

/// Returns the number of warps of the innermost `ttg.warp_specialize` partition around `op`, or `None` outside of
/// partitions.
fn partition_warps(op: OperationRef<'_, '_>) -> Option<u64> {
    let (specialize, index) = region_around(op)?;
    entry(&specialize.partition_num_warps(), index.checked_sub(1)?)
}

/// Returns the registers per thread of the innermost `ttg.warp_specialize` region around `op`, or `None` if they
/// are not given.
fn partition_registers(op: OperationRef<'_, '_>) -> Option<u64> {
    let (specialize, index) = region_around(op)?;
    entry(&specialize.actual_registers()?, index)
}

/// Returns the value of an integer attribute, or `None` if it is negative or not an integer.
fn positive(attribute: Attribute<'_>) -> Option<u64> {
    u64::try_from(build::integer_value(attribute)?).ok()
}

fn entry(list: &[i32], index: usize) -> Option<u64> {
    u64::try_from(*list.get(index)?).ok()
}
