//! Every attribute of a supported operation is read by the lowering or listed with a reason to ignore it.
//!
//! Operations and attributes come from the TableGen records; a new attribute fails the test until it has an entry here.

use crate::ir::{AnyKind, OpKind, UpstreamKind};
use crate::lower::dispatch::is_in_table;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[derive(Clone, Copy)]
enum Fate {
    /// The attribute is read: this file calls its accessor.
    ReadIn(&'static str),
    /// The attribute is passed on: this file copies all attributes to the emitted operation.
    PassedOnIn(&'static str),
    /// The attribute is ignored: the lowering is correct for every value, for this reason.
    Unneeded(&'static str),
}
use Fate::{PassedOnIn, ReadIn, Unneeded};

const ONE_CTA: &str = "it is about the CTAs of a cluster, and clusters of several are refused";
const HINT: &str = "it asks for speed and not for another result";

/// The treatment of the attributes of this project's operations, as (operation, attribute, fate).
#[rustfmt::skip]
const OWN: &[(&str, &str, Fate)] = &[
    ("amdg.async_wait", "num_inst", Unneeded("it waits for all copies")),
    ("amdg.buffer_atomic_cas", "scope", ReadIn("src/lower/atomic.rs")),
    ("amdg.buffer_atomic_cas", "sem", ReadIn("src/lower/atomic.rs")),
    ("amdg.buffer_atomic_rmw", "atomic_rmw_op", ReadIn("src/lower/atomic.rs")),
    ("amdg.buffer_atomic_rmw", "scope", ReadIn("src/lower/atomic.rs")),
    ("amdg.buffer_atomic_rmw", "sem", ReadIn("src/lower/atomic.rs")),
    ("amdg.buffer_load", "cachePolicy", ReadIn("src/lower/buffer.rs")),
    ("amdg.buffer_load", "contiguity", ReadIn("src/analysis/axis.rs")),
    ("amdg.buffer_load_to_local", "cachePolicy", ReadIn("src/lower/copies.rs")),
    ("amdg.buffer_load_to_local", "contiguity", ReadIn("src/analysis/axis.rs")),
    ("amdg.buffer_store", "cachePolicy", ReadIn("src/lower/buffer.rs")),
    ("amdg.buffer_store", "contiguity", ReadIn("src/analysis/axis.rs")),
    ("amdg.extract_slice", "static_offsets", ReadIn("src/lower/views.rs")),
    ("tt.assert", "message", ReadIn("src/lower/print.rs")),
    ("tt.atomic_cas", "scope", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_cas", "sem", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_load", "scope", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_load", "sem", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_poll", "scope", ReadIn("src/lower/poll.rs")),
    ("tt.atomic_poll", "sem", ReadIn("src/lower/poll.rs")),
    ("tt.atomic_rmw", "atomic_rmw_op", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_rmw", "scope", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_rmw", "sem", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_store", "scope", ReadIn("src/lower/atomic.rs")),
    ("tt.atomic_store", "sem", ReadIn("src/lower/atomic.rs")),
    ("tt.call", "arg_attrs", Unneeded("what is promised of arguments stands on the function, whose arguments are the same values")),
    ("tt.call", "callee", ReadIn("src/lower/calls.rs")),
    ("tt.call", "res_attrs", Unneeded("no attribute of a result has a meaning in TTGIR")),
    ("tt.clampf", "propagateNan", ReadIn("src/lower/float.rs")),
    ("tt.dot", "inputPrecision", ReadIn("src/lower/product.rs")),
    ("tt.dot", "maxNumImpreciseAcc", Unneeded("it allows sums in fewer bits, and all are added up in full")),
    ("tt.dot_scaled", "a_elem_type", ReadIn("src/ir/product.rs")),
    ("tt.dot_scaled", "b_elem_type", ReadIn("src/ir/product.rs")),
    ("tt.dot_scaled", "fastMath", Unneeded("it allows a scale of 255 to be a number, and instructions take it as NaN")),
    ("tt.dot_scaled", "lhs_k_pack", ReadIn("src/ir/product.rs")),
    ("tt.dot_scaled", "rhs_k_pack", ReadIn("src/ir/product.rs")),
    ("tt.elementwise_inline_asm", "asm_string", ReadIn("src/lower/assembly.rs")),
    ("tt.elementwise_inline_asm", "constraints", ReadIn("src/lower/assembly.rs")),
    ("tt.elementwise_inline_asm", "packed_element", ReadIn("src/lower/assembly.rs")),
    ("tt.elementwise_inline_asm", "pure", ReadIn("src/lower/assembly.rs")),
    ("tt.expand_dims", "axis", Unneeded("the encoding of the result says where each element lies")),
    ("tt.extern_elementwise", "libname", ReadIn("src/lower/externs.rs")),
    ("tt.extern_elementwise", "libpath", ReadIn("src/lower/externs.rs")),
    ("tt.extern_elementwise", "pure", ReadIn("src/lower/externs.rs")),
    ("tt.extern_elementwise", "symbol", ReadIn("src/lower/externs.rs")),
    ("tt.fp_to_fp", "rounding", ReadIn("src/lower/casts.rs")),
    ("tt.func", "arg_attrs", ReadIn("src/lower/function.rs")),
    ("tt.func", "function_type", ReadIn("src/lower/function.rs")),
    ("tt.func", "res_attrs", Unneeded("no attribute of a result has a meaning in TTGIR")),
    ("tt.func", "sym_name", ReadIn("src/lower/function.rs")),
    ("tt.func", "sym_visibility", ReadIn("src/lower/calls.rs")),
    ("tt.gather", "axis", ReadIn("src/lower/gather.rs")),
    ("tt.gather", "efficient_layout", Unneeded(HINT)),
    ("tt.get_num_programs", "axis", ReadIn("src/lower/program.rs")),
    ("tt.get_program_id", "axis", ReadIn("src/lower/program.rs")),
    ("tt.load", "cachePolicy", ReadIn("src/lower/memory.rs")),
    ("tt.load", "isVolatile", ReadIn("src/lower/memory.rs")),
    ("tt.make_range", "end", Unneeded("the result's type has the number of elements, which the verifier compares")),
    ("tt.make_range", "start", ReadIn("src/lower/range.rs")),
    ("tt.map_elementwise", "pack", ReadIn("src/lower/inline.rs")),
    ("tt.print", "hex", ReadIn("src/lower/print.rs")),
    ("tt.print", "isSigned", ReadIn("src/lower/print.rs")),
    ("tt.print", "prefix", ReadIn("src/lower/print.rs")),
    ("tt.reduce", "axis", ReadIn("src/lower/reduce.rs")),
    ("tt.reshape", "allow_reorder", ReadIn("src/lower/views.rs")),
    ("tt.reshape", "efficient_layout", Unneeded(HINT)),
    ("tt.scan", "axis", ReadIn("src/lower/scan.rs")),
    ("tt.scan", "reverse", ReadIn("src/lower/scan.rs")),
    ("tt.store", "cachePolicy", ReadIn("src/lower/memory.rs")),
    ("tt.store", "ignore_cta", Unneeded(ONE_CTA)),
    ("tt.trans", "order", ReadIn("src/lower/views.rs")),
    ("ttg.async_copy_global_to_local", "cachePolicy", ReadIn("src/lower/copies.rs")),
    ("ttg.async_copy_global_to_local", "contiguity", ReadIn("src/lower/copies.rs")),
    ("ttg.async_copy_global_to_local", "isVolatile", ReadIn("src/lower/copies.rs")),
    ("ttg.async_wait", "num", ReadIn("src/lower/copies.rs")),
    ("ttg.barrier", "addrSpace", ReadIn("src/lower/program.rs")),
    ("ttg.convert_layout", "force_warp_shuffle", ReadIn("src/lower/convert.rs")),
    ("ttg.fp4_to_fp", "axis", Unneeded("the encoding of the result says where each element lies")),
    ("ttg.global_scratch_alloc", "alignment", ReadIn("src/lower/areas.rs")),
    ("ttg.global_scratch_alloc", "nbytes", ReadIn("src/lower/areas.rs")),
    ("ttg.global_scratch_alloc", "shared_cluster_state", Unneeded(ONE_CTA)),
    ("ttg.global_scratch_alloc", "third_party_allocation", ReadIn("src/lower/areas.rs")),
    ("ttg.local_alloc", "alignment", ReadIn("src/lower/local.rs")),
    ("ttg.local_atomic_scatter_rmw", "atomic_rmw_op", ReadIn("src/lower/local/atomic.rs")),
    ("ttg.local_atomic_scatter_rmw", "axis", ReadIn("src/lower/local/atomic.rs")),
    ("ttg.local_gather", "axis", ReadIn("src/lower/local.rs")),
    ("ttg.local_scatter", "axis", ReadIn("src/lower/local.rs")),
    ("ttg.memdesc_subslice", "offsets", ReadIn("src/lower/local/views.rs")),
    ("ttg.memdesc_trans", "order", ReadIn("src/lower/local/views.rs")),
    ("ttg.predicate_stage", "maxStage", ReadIn("src/lower/control.rs")),
    ("ttg.predicate_stage", "stage", ReadIn("src/lower/control.rs")),
    ("ttg.warp_id", "omitUniformHint", Unneeded(HINT)),
    ("ttg.warp_specialize", "partitionNumWarps", ReadIn("src/ir/partitions.rs")),
    ("ttg.warp_specialize", "warpGroupStartIds", ReadIn("src/ir/partitions.rs")),
    ("ttg.warp_specialize", "requestedRegisters", ReadIn("src/ir/partitions.rs")),
    ("ttg.warp_specialize", "actualRegisters", ReadIn("src/ir/partitions.rs")),
    ("ttng.arrive_barrier", "count", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.arrive_barrier", "fromCTA", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.arrive_barrier", "multicastCTA", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.async_copy_mbarrier_arrive", "noIncrement", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.async_tma_copy_global_to_local", "cachePolicy", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.async_tma_copy_global_to_local", "isVolatile", Unneeded("the verifier refuses it")),
    ("ttng.async_tma_copy_global_to_local", "multicast", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.async_tma_copy_local_to_global", "cachePolicy", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.async_tma_reduce", "kind", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.async_tma_store_wait", "pendings", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.async_tma_store_wait", "read_only", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.barrier_expect", "fromCTA", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.barrier_expect", "size", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.fence_async_shared", "bCluster", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.init_barrier", "count", ReadIn("src/lower/mbarrier.rs")),
    ("ttng.tensormap_create", "elem_type", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.tensormap_create", "fill_mode", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.tensormap_create", "interleave_layout", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.tensormap_create", "swizzle_mode", ReadIn("src/lower/tensor_copy.rs")),
    ("ttng.warp_group_dot", "inputPrecision", ReadIn("src/ir/product.rs")),
    ("ttng.warp_group_dot", "isAsync", ReadIn("src/lower/warp_group.rs")),
    ("ttng.warp_group_dot", "maxNumImpreciseAcc", ReadIn("src/lower/warp_group.rs")),
    ("ttng.warp_group_dot_wait", "pendings", ReadIn("src/lower/warp_group.rs")),
    ("ttng.warp_group_dot_wait", "warpGroupLocal", Unneeded("a barrier stands where the analysis finds that warp groups need one")),
];

/// The fates of the attributes of upstream operations. An entry in [`UPSTREAM_OF_ONE`] takes precedence.
#[rustfmt::skip]
const UPSTREAM: &[(&str, Fate)] = &[
    ("branch_weights", PassedOnIn("src/lower/emit/control.rs")),
    ("case_operand_segments", PassedOnIn("src/lower/emit/control.rs")),
    ("case_values", PassedOnIn("src/lower/emit/control.rs")),
    ("cases", ReadIn("src/lower/control.rs")),
    ("fastmath", PassedOnIn("src/lower/elementwise.rs")),
    ("groupId", PassedOnIn("src/lower/emit/emitter.rs")),
    ("ordering", PassedOnIn("src/lower/emit/emitter.rs")),
    ("syncscope", PassedOnIn("src/lower/emit/emitter.rs")),
    ("isExact", PassedOnIn("src/lower/elementwise.rs")),
    ("mask", PassedOnIn("src/lower/emit/emitter.rs")),
    ("op_bundle_sizes", PassedOnIn("src/lower/emit/emitter.rs")),
    ("op_bundle_tags", PassedOnIn("src/lower/emit/emitter.rs")),
    ("overflowFlags", PassedOnIn("src/lower/elementwise.rs")),
    ("predicate", PassedOnIn("src/lower/elementwise.rs")),
    ("priority", PassedOnIn("src/lower/emit/emitter.rs")),
    ("roundingmode", ReadIn("src/lower/casts.rs")),
    ("size", PassedOnIn("src/lower/emit/emitter.rs")),
    ("unsignedCmp", ReadIn("src/lower/control.rs")),
    ("value", ReadIn("src/lower/constant.rs")),
    ("variant", PassedOnIn("src/lower/emit/emitter.rs")),
];

/// The fates of attributes of single upstream operations, as (operation, attribute, fate).
#[rustfmt::skip]
const UPSTREAM_OF_ONE: &[(&str, &str, Fate)] = &[
    ("rocdl.workitem.id.x", "range", Unneeded("the number of threads follows from the module")),
    ("ub.poison", "value", Unneeded("any value is right")),
];

fn check(name: &str, attribute: &str, accessor: &str, fate: Fate) {
    let (file, calls) = match fate {
        Unneeded(reason) => return assert!(!reason.is_empty()),
        ReadIn(file) => {
            let calls = [".{}()", ".r#{}()", "::{})"].map(|call| call.replace("{}", accessor));
            (file, calls.to_vec())
        }
        PassedOnIn(file) => (file, vec!["attributes_of(".to_owned()]),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let source = fs::read_to_string(path).unwrap_or_else(|e| panic!("{file}: {e}"));
    assert!(
        calls.iter().any(|call| source.contains(call)),
        "{file} has none of {calls:?}, by which `{attribute}` of `{name}` reaches the lowering"
    );
}

#[test]
fn every_attribute_of_an_operation_of_ours_reaches_the_lowering() {
    let mut used = BTreeSet::new();
    for kind in OpKind::ALL {
        if !is_in_table(AnyKind::Own(*kind)) {
            continue;
        }
        for (attribute, accessor) in kind.attributes() {
            let is_it = |(op, own, _): &&(&str, &str, Fate)| *op == kind.name() && own == attribute;
            let Some((op, own, fate)) = OWN.iter().find(is_it) else {
                panic!(
                    "`{attribute}` of `{}` has no entry: the file that reads it, or a reason",
                    kind.name()
                );
            };
            check(op, own, accessor, *fate);
            used.insert((*op, *own));
        }
    }
    for (op, attribute, _) in OWN {
        assert!(
            used.contains(&(*op, *attribute)),
            "no `{op}` that lowers has `{attribute}`"
        );
    }
}

#[test]
fn every_attribute_of_an_operation_of_mlir_reaches_the_lowering() {
    let mut used = BTreeSet::new();
    for kind in UpstreamKind::ALL {
        if !is_in_table(AnyKind::Upstream(*kind)) {
            continue;
        }
        for (attribute, accessor) in kind.attributes() {
            let is_it = |(op, own, _): &&(&str, &str, Fate)| *op == kind.name() && own == attribute;
            let one = UPSTREAM_OF_ONE.iter().find(is_it).map(|(_, _, fate)| *fate);
            let all = UPSTREAM.iter().find(|(own, _)| own == attribute);
            let Some(fate) = one.or(all.map(|(_, fate)| *fate)) else {
                panic!("`{attribute}` of `{}` has no entry", kind.name());
            };
            check(kind.name(), attribute, accessor, fate);
            used.insert(*attribute);
        }
    }
    for (attribute, _) in UPSTREAM {
        assert!(
            used.contains(attribute),
            "no operation that lowers has `{attribute}`"
        );
    }
}
