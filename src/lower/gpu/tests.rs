//! Every method emits operations that verify, on every target.

use super::{
    AtomicAccess, AtomicAction, AtomicMemory, CachePolicy, GlobalAccess, Gpu, GridDependency,
    SecondCache, SharedCopy, choose,
};
use crate::ir::UpstreamKind;
use crate::ir::builders::llvm;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::declarations::Declarations;
use crate::lower::emit::Emitter;
use crate::lower::emit::tests::verified;
use crate::sys::build::Val;
use linear_layout::target::{Access, FLOAT8, TARGETS};
use melior::ir::{Type, ValueLike};

fn accesses<'c>(gpu: Gpu, e: &mut Emitter<'c>, pointer: Val<'c>, mask: Val<'c>) {
    let types = e.types;
    let policies = ["", "ca", "cg", "cs", "cv", "wb", "wt"].map(|modifier| CachePolicy {
        modifier: modifier.to_owned(),
        first: "evict_first".to_owned(),
        second: (modifier != "ca").then(|| SecondCache {
            primary: "evict_last".to_owned(),
            secondary: String::new(),
            fraction: 1f32.to_bits(),
        }),
        prefetch_bytes: Some(128),
    });
    let elements: [(Type<'c>, u32); 4] = [
        (types.i8, 8),
        (types.i16, 16),
        (types.f32, 32),
        (types.i64, 64),
    ];
    for (element, element_bits) in elements {
        let widest = if element_bits == 64 { 2 } else { 4 };
        for width in [1, widest] {
            for mask in [None, Some(mask)] {
                for (policy, is_volatile) in policies.iter().zip([false, true].iter().cycle()) {
                    let access = GlobalAccess {
                        pointer,
                        offset_bytes: 4 * (element_bits / 8),
                        mask,
                        cache: policy,
                        is_volatile: *is_volatile,
                        element,
                        element_bits,
                        width,
                        alignment_bytes: element_bits / 8,
                    };
                    let whole = gpu.load(e, &access, None);
                    let others = e.scatter(whole, width, element);
                    gpu.load(e, &access, Some(&others));
                    gpu.store(e, &access, whole);
                }
            }
        }
    }
}

fn float8<'c>(gpu: Gpu, e: &mut Emitter<'c>, x: Val<'c>) {
    let f16 = Type::float16(e.context);
    let half = e.fptrunc(x, f16);
    for format in FLOAT8 {
        for value in [x, half] {
            for count in [1, 2, 3, 5] {
                let codes = gpu.narrow_float8(e, &vec![value; count], format);
                let Some(codes) = codes else { continue };
                assert_eq!(codes.len(), count);
                let widened = [e.types.f32, f16].map(|to| gpu.widen_float8(e, &codes, format, to));
                let widened = widened.into_iter().flatten().map(|values| values.len());
                assert_eq!(widened.collect::<Vec<_>>(), [count], "one of the two");
            }
        }
        let family = gpu.target.instructions.float8;
        let has = gpu.narrow_float8(e, &[x], format).is_some();
        assert_eq!(has, family == Some(format.family), "{}", gpu.target);
    }
}

fn atomics<'c>(gpu: Gpu, e: &mut Emitter<'c>, pointer: Val<'c>, mask: Val<'c>) {
    use MemSemantic::{Acquire, AcquireRelease, Relaxed, Release};
    let types = e.types;
    let halves = [Type::float16(e.context), Type::bfloat16(e.context)];
    let floats = [(types.f32, 32), (halves[0], 16), (halves[1], 16)];
    let integers = [
        (types.i8, 8),
        (types.i16, 16),
        (types.i32, 32),
        (types.i64, 64),
    ];
    let all = (1..=10).filter_map(RMWOp::from_number);
    let of = |op: &RMWOp| match op {
        RMWOp::Fadd => floats.to_vec(),
        RMWOp::Xchg => [&integers[..], &floats].concat(),
        _ => integers.to_vec(),
    };
    let cache = CachePolicy::default();
    let mut number = 0;
    let mut check = |e: &mut Emitter<'c>,
                     (element, element_bits),
                     width,
                     action: &dyn Fn(Val<'c>) -> AtomicAction<'c>| {
        number += 1;
        let scopes = [MemSyncScope::Cta, MemSyncScope::Gpu, MemSyncScope::System];
        for is_used in [false, true] {
            let at = GlobalAccess {
                pointer,
                offset_bytes: 0,
                mask: (number % 2 == 0).then_some(mask),
                cache: &cache,
                is_volatile: false,
                element,
                element_bits,
                width,
                alignment_bytes: element_bits / 8,
            };
            let whole = if width == 1 {
                element
            } else {
                e.vector_type(width, element)
            };
            let zero = e.zero(whole);
            let action = action(zero);
            let sem = match (action, number % 4) {
                (AtomicAction::Load, n) => [Relaxed, Acquire][n % 2],
                (AtomicAction::Store(_), n) => [Relaxed, Release][n % 2],
                (_, n) => [Relaxed, Acquire, Release, AcquireRelease][n],
            };
            let scope = scopes[number % 3];
            gpu.fence(e, AcquireRelease, scope);
            let access = AtomicAccess {
                at,
                memory: AtomicMemory::Global,
                sem,
                scope,
                is_used,
            };
            let found = gpu.atomic(e, &access, action);
            let gives = !matches!(action, AtomicAction::Store(_));
            assert_eq!(found.map(|f| f.r#type()), gives.then_some(whole));
        }
    };
    for op in all {
        for (element, bits) in of(&op) {
            let mut width = gpu.atomic_elements(op, element);
            while width > 0 {
                check(e, (element, bits), width, &|v| AtomicAction::Rmw(op, v));
                width /= 2;
            }
        }
    }
    for element in integers.into_iter().chain(floats) {
        check(e, element, 1, &|v| AtomicAction::CompareExchange([v, v]));
        check(e, element, 1, &|_| AtomicAction::Load);
        check(e, element, 1, &AtomicAction::Store);
    }
}

fn lane_reductions<'c>(gpu: Gpu, e: &mut Emitter<'c>, word: Val<'c>, x: Val<'c>) {
    use super::LaneOperation as O;
    let of_words = [
        O::Add,
        O::And,
        O::Or,
        O::Xor,
        O::Max,
        O::Min,
        O::UnsignedMax,
        O::UnsignedMin,
    ];
    let of_floats = [true, false].map(|nan| [O::FloatMax { nan }, O::FloatMin { nan }]);
    for (operations, value) in [(&of_words[..], word), (&of_floats.concat(), x)] {
        for operation in operations {
            if operation.planned(gpu.target).is_some() {
                gpu.reduce_lanes(e, *operation, value);
            }
        }
    }
}

fn copies<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    [from, to, mask, lane]: [Val<'c>; 4],
) {
    let cache = CachePolicy::default();
    for bytes in [4, 8, 16] {
        let is_in_order = gpu.copies_in_lane_order(bytes);
        if !is_in_order && !gpu.copies(bytes) {
            continue;
        }
        for mask in [None, Some(mask)] {
            let copied = SharedCopy {
                from,
                to,
                bytes,
                mask,
                source_lane: is_in_order.then_some(lane),
                cache: &cache,
            };
            gpu.copy(e, declarations, &copied);
        }
    }
    gpu.commit_copies(e);
    gpu.wait_for_copies(e, 1);
    if gpu.counts_copies() {
        let wait = gpu.wait_by_count(e);
        for most in [None, Some(17)] {
            gpu.set_count(e, wait, most);
        }
    }
    gpu.shared_barrier(e);
}

fn everything<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    declarations: &mut Declarations,
    arguments: &[Val<'c>],
) {
    let &[word, long, x, mask, pointer] = arguments else {
        panic!("a function has an argument for each type");
    };
    gpu.warp(e);
    gpu.cta_rank(e);
    for axis in 0..3 {
        gpu.program_id(e, axis);
        gpu.num_programs(e, axis);
    }
    for step in [GridDependency::Wait, GridDependency::LaunchDependents] {
        gpu.grid_dependency(e, step);
    }
    gpu.block_barrier(e);
    gpu.warp_barrier(e);
    for mask in 1..gpu.target.lanes {
        gpu.shuffle_xor(e, word, mask);
    }
    gpu.shuffle_index(e, word, word);
    gpu.ballot(e, mask);
    lane_reductions(gpu, e, word, x);
    gpu.nanoseconds(e);
    for bit in 0..gpu.target.lanes_log2() {
        if gpu.target.has_lane_swap(bit) {
            gpu.swap_lanes(e, word, word, bit);
        }
    }
    let shared = e.types.shared_pointer;
    let shared = e.pure(llvm::inttoptr(word, shared));
    if gpu.num_ctas > 1 {
        let remote = gpu.address_in_cta(e, shared, word);
        assert!(remote.is_some() && gpu.cluster_barrier(e).is_some());
    }
    let instructions = gpu.target.instructions;
    if instructions.move_matrix {
        gpu.transpose_matrix(e, word);
    }
    for access in [Access::Load, Access::Store] {
        for fragment in gpu.target.fragments(access) {
            let deal = fragment.layout();
            for matrices_log2 in 0..=deal.most_log2 {
                let count = ((deal.lane_bytes() / 4) as usize) << matrices_log2;
                if access == Access::Load {
                    let loaded = gpu.load_matrices(e, shared, count, fragment);
                    assert_eq!(loaded.len(), count);
                } else {
                    gpu.store_matrices(e, shared, &vec![word; count], fragment);
                }
            }
        }
    }
    accesses(gpu, e, pointer, mask);
    atomics(gpu, e, pointer, mask);
    copies(gpu, e, declarations, [pointer, shared, mask, word]);
    let double = e.fpext(x, e.types.f64);
    gpu.print(e, declarations, b"%u %llu %f", &[word, long, double]);
    gpu.print(e, declarations, b"nothing", &[]);
    gpu.fail(e, declarations, b"why", "file", 1);
    gpu.exp2(e, x);
    gpu.rsqrt(e, x);
    for function in [
        UpstreamKind::MathExp,
        UpstreamKind::MathLog,
        UpstreamKind::MathLog2,
        UpstreamKind::MathSin,
    ] {
        gpu.approximate(e, function, x, &[]);
    }
    gpu.quotient(e, x, x);
    gpu.approximate_quotient(e, x, x);
    for propagates_nan in [false, true] {
        gpu.clip(e, x, x, propagates_nan);
    }
    gpu.upper_half(e, long, long, true);
    gpu.upper_half(e, long, long, false);
    float8(gpu, e, x);
    if let Some((instructions, isa)) = gpu.buffers() {
        let resource = isa.resource(e, pointer, 1 << 20, instructions.descriptor_flags);
        let words = isa.load(e, resource, word, 0, e.types.i32);
        isa.store(e, words, resource, word, 0);
        if gpu.copies_in_lane_order(4) {
            isa.copy(e, [resource, word], shared, (4, 0));
        }
        for op in [1, 4, 7, 10].map(RMWOp::from_number).into_iter().flatten() {
            assert!(isa.has_atomic(Some(op), e.types.i64));
            isa.atomic(e, Some(op), &[words], [resource, word], 1);
        }
        isa.atomic(e, Some(RMWOp::Fadd), &[x], [resource, word], 0);
        isa.atomic(e, None, &[x, x], [resource, word], 0);
    }
    assert_eq!(word.r#type(), e.types.i32);
}

#[test]
fn every_method_makes_verified_operations() {
    let types = ["i32", "i64", "f32", "i1", "!llvm.ptr<1>"];
    for target in TARGETS {
        for (num_warps, num_ctas) in [(1, 1), (4, 1), (4, 2)] {
            let gpu = choose(target, [num_warps; 2], num_ctas.min(target.max_ctas));
            verified(&types, |e, declarations, arguments| {
                everything(gpu, e, declarations, arguments);
            });
        }
    }
}

#[test]
fn instructions_are_those_of_the_table() {
    for target in TARGETS {
        let gpu = choose(target, [4, 4], 1);
        let has_buffers = target.instructions.buffer.is_some();
        assert_eq!(gpu.buffers().is_some(), has_buffers, "{target}");
    }
}
