//! Forms of asynchronous operations: products, mbarriers and tensor copies.

use super::super::{mbarrier, product, tensor};
use super::{Form, SCOPE, form, nothing};
use crate::ops::needs;

const SHARED: &str = "shared shared::cta";
const MAP_SPACE: &str = "global shared::cta";

/// A form of tensor copies, given by the modifiers after `cp` and the operands.
macro_rules! box_copy {
    ($($modifier:literal),*; $operands:literal) => {
        form("cp", &[$($modifier),*], "", $operands, tensor::copy_box).needing(&needs::CLUSTERS)
    };
}

pub(super) const FORMS: &[Form] = &[
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k16",
            "f32 f16",
            "f16",
            "f16",
        ],
        "",
        "mqqbnnnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k16",
            "f32 f16",
            "f16",
            "f16",
        ],
        "",
        "mmqbnnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k16",
            "f32",
            "bf16",
            "bf16",
        ],
        "",
        "mqqbnnnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k16",
            "f32",
            "bf16",
            "bf16",
        ],
        "",
        "mmqbnnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k8",
            "f32",
            "tf32",
            "tf32",
        ],
        "",
        "mxqbnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k32",
            "f32 f16",
            "e4m3 e5m2",
            "e4m3 e5m2",
        ],
        "",
        "mxqbnn",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &[
            "mma_async",
            "sync",
            "aligned",
            "m64n*k32",
            "s32",
            "s8",
            "s8",
        ],
        "",
        "mxqb",
        product::multiply,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &["fence commit_group", "sync", "aligned"],
        "",
        "",
        product::ordered,
    )
    .needing(&needs::WARP_GROUPS),
    form(
        "wgmma",
        &["wait_group", "sync", "aligned"],
        "",
        "n",
        product::ordered,
    )
    .needing(&needs::WARP_GROUPS),
    form("mbarrier", &["init", SHARED], "b64", "aw", mbarrier::change)
        .needing(&needs::ASYNC_COPIES),
    form("mbarrier", &["inval", SHARED], "b64", "a", mbarrier::change)
        .needing(&needs::ASYNC_COPIES),
    form(
        "mbarrier",
        &["arrive", SHARED],
        "b64",
        "ka",
        mbarrier::change,
    )
    .needing(&needs::CLUSTERS),
    form(
        "mbarrier",
        &["arrive", SHARED],
        "b64",
        "kaw",
        mbarrier::change,
    )
    .needing(&needs::CLUSTERS),
    form(
        "mbarrier",
        &["arrive", "expect_tx", SHARED],
        "b64",
        "kaw",
        mbarrier::change,
    )
    .needing(&needs::CLUSTERS),
    form(
        "mbarrier",
        &["try_wait", "parity", SHARED],
        "b64",
        "Paw",
        mbarrier::wait,
    )
    .needing(&needs::CLUSTERS),
    box_copy!("async", "bulk", "tensor", "*d", "shared::cluster shared::cta", "global", "?tile", "mbarrier::complete_tx::bytes"; "ata"),
    box_copy!("async", "bulk", "tensor", "*d", "shared::cluster shared::cta", "global", "?tile", "mbarrier::complete_tx::bytes", "L2::cache_hint"; "ataq"),
    box_copy!("async", "bulk", "tensor", "*d", "shared::cluster shared::cta", "global", "im2col", "mbarrier::complete_tx::bytes"; "atac"),
    box_copy!("async", "bulk", "tensor", "*d", "shared::cluster shared::cta", "global", "im2col", "mbarrier::complete_tx::bytes", "L2::cache_hint"; "atacq"),
    box_copy!("async", "bulk", "tensor", "*d", "global", "shared::cta", "?tile", "bulk_group"; "ta"),
    box_copy!("async", "bulk", "tensor", "*d", "global", "shared::cta", "?tile", "bulk_group", "L2::cache_hint"; "taq"),
    box_copy!("reduce", "async", "bulk", "tensor", "*d", "global", "shared::cta", "add", "?tile", "bulk_group"; "ta"),
    form(
        "cp",
        &[
            "async", "bulk", "prefetch", "tensor", "*d", "L2", "global", "?tile",
        ],
        "",
        "t",
        nothing,
    )
    .needing(&needs::CLUSTERS),
    form(
        "cp",
        &["async", "bulk", "commit_group"],
        "",
        "",
        tensor::group,
    )
    .needing(&needs::CLUSTERS),
    form(
        "cp",
        &["async", "bulk", "wait_group", "?read"],
        "",
        "n",
        tensor::group,
    )
    .needing(&needs::CLUSTERS),
    form("elect", &["sync"], "", "kPw", tensor::elect).needing(&needs::CLUSTERS),
    form(
        "tensormap",
        &["replace", "tile", "global_address", MAP_SPACE, "b1024"],
        "b64",
        "as",
        tensor::replace,
    )
    .needing(&needs::CLUSTERS),
    form(
        "tensormap",
        &["replace", "tile", "global_stride", MAP_SPACE, "b1024"],
        "b64",
        "ans",
        tensor::replace,
    )
    .needing(&needs::CLUSTERS),
    form(
        "tensormap",
        &[
            "replace",
            "tile",
            "box_dim global_dim element_stride",
            MAP_SPACE,
            "b1024",
        ],
        "b32",
        "ans",
        tensor::replace,
    )
    .needing(&needs::CLUSTERS),
    form(
        "tensormap",
        &[
            "replace",
            "tile",
            "rank elemtype interleave_layout swizzle_mode fill_mode",
            MAP_SPACE,
            "b1024",
        ],
        "b32",
        "as",
        tensor::replace,
    )
    .needing(&needs::CLUSTERS),
    form(
        "tensormap",
        &[
            "cp_fenceproxy",
            "global",
            "shared::cta",
            "tensormap::generic",
            "release",
            SCOPE,
            "sync",
            "aligned",
        ],
        "",
        "aan",
        tensor::copy_map,
    )
    .needing(&needs::CLUSTERS),
    form(
        "fence",
        &["proxy", "tensormap::generic", "acquire", SCOPE],
        "",
        "an",
        tensor::fence_map,
    )
    .needing(&needs::CLUSTERS),
    form(
        "fence",
        &["proxy", "tensormap::generic", "release", SCOPE],
        "",
        "",
        tensor::fence_map,
    )
    .needing(&needs::CLUSTERS),
    form(
        "fence",
        &["mbarrier_init", "release", "cluster"],
        "",
        "",
        nothing,
    )
    .needing(&needs::CLUSTERS),
];
