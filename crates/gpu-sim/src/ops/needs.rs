//! Target features: instructions that only some GPUs have.

use linear_layout::target::{Assembly, Instructions, Target};

#[derive(Debug)]
pub(crate) struct Needs {
    has: fn(&Instructions) -> bool,
    on: &'static str,
}

const fn needs(has: fn(&Instructions) -> bool, on: &'static str) -> Needs {
    Needs { has, on }
}

pub(super) static LOAD_MATRIX: Needs = needs(|i| i.load_matrix, "sm_75 or later");
pub(super) static STORE_MATRIX: Needs = needs(|i| i.store_matrix, "sm_90 or later");
pub(super) static MOVE_MATRIX: Needs = needs(|i| i.move_matrix, "sm_75 or later");
pub(super) static BYTE_MATRICES: Needs = needs(|i| i.byte_matrices, "sm_100 or later");
pub(super) static TRANSPOSED_READS: Needs = needs(|i| i.read_transposed, "gfx950 GPUs");
pub(super) static TRANSPOSED_LOADS: Needs = needs(|i| i.load_transposed, "gfx1250 or later");
pub(super) static CLUSTERS: Needs = needs(|i| i.clusters, "sm_90 or later");
pub(super) static WARP_GROUPS: Needs = needs(|i| i.clusters && !i.byte_matrices, "sm_90 GPUs");
pub(super) static GRID_DEPENDENCIES: Needs = needs(|i| i.grid_dependencies, "sm_90 or later");
pub(super) static CACHE_POLICIES: Needs = needs(|i| i.cache_policies, "sm_80 or later");
pub(super) static BF16_CONVERSIONS: Needs = needs(|i| i.bf16_conversions, "sm_80 or later");
pub(super) static BF16_ROUNDING_MODES: Needs = needs(|i| i.bf16_rounding_modes, "sm_90 or later");
pub(super) static LANE_REDUCTIONS: Needs = needs(|i| i.lane_reductions, "sm_80 or later");
pub(super) static ASYNC_COPIES: Needs = needs(|i| i.async_copies, "sm_80 or later");
pub(super) static COPIES_TO_LDS: Needs = needs(|i| i.buffer_to_shared, "gfx942 or gfx950");
pub(super) static WIDE_COPIES_TO_LDS: Needs = needs(|i| i.wide_buffer_to_shared, "gfx950 GPUs");
pub(super) static ASYNC_COPIES_TO_LDS: Needs = needs(|i| i.async_to_shared, "gfx1250 or later");
pub(super) static PERMLANE_SWAP: Needs = needs(|i| i.permlane_swap, "gfx950 or gfx1250");
pub(super) static PERMLANE_X16: Needs = needs(|i| i.permlane_x16, "gfx10 or later");
pub(super) static DPP: Needs = needs(|i| i.dpp, "a GPU with DPP");
pub(super) static DPP_XMASK: Needs = needs(|i| i.dpp_xmask, "gfx10 or later");
pub(super) static BUFFERS: Needs = needs(|i| i.buffer.is_some(), "a GPU with buffer instructions");

impl Needs {
    /// Returns the reason why a GPU lacks the feature; `None` if the GPU has the feature.
    pub(crate) fn lacking(&self, target: &Target) -> Option<String> {
        let lacks = !(self.has)(&target.instructions);
        lacks.then(|| only_on(target, self.on))
    }
}

/// Returns the error message for a feature that `target` does not have. `on` names the GPUs that have the feature.
pub(crate) fn only_on(target: &Target, on: &str) -> String {
    format!("not supported on {}; expected {on}", target.name)
}

/// Returns an error message if an operation or intrinsic is for GPUs of another vendor than the vendor of `target`.
pub(crate) fn foreign(name: &str, target: &Target) -> Option<String> {
    let (dialect, intrinsics, vendor) = match target.assembly {
        Assembly::Ptx => ("rocdl.", "llvm.amdgcn.", "AMD"),
        Assembly::Gcn => ("nvvm.", "llvm.nvvm.", "NVIDIA"),
    };
    let other = [dialect, intrinsics]
        .into_iter()
        .find(|other| name.starts_with(other))?;
    Some(format!(
        "not supported on {}; `{other}*` is for {vendor} GPUs",
        target.name
    ))
}
