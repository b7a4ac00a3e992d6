//! NVIDIA GPUs, by NVVM operations and PTX.

mod access;
mod atomic;
mod float8;
mod matrix;
mod print;
mod round;
mod units;

use super::access::{GlobalAccess, SharedCopy};
use super::atomic::{AtomicAccess, AtomicAction, ordering};
use super::isa::{Gpu, GridDependency, Isa};
use super::lanes::LaneOperation;
use super::units::UnitIsa;
use crate::ir::UpstreamKind;
use crate::ir::builders::llvm;
use crate::ir::builders::nvvm::{self, ReduxKind, SetMaxRegisterAction, ShflKind, VoteSyncKind};
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::declarations::Declarations;
use crate::lower::emit::{Emitter, NamedAttr};
use crate::lower::format::Rounding;
use crate::sys::build::Val;
use crate::sys::float_width;
use linear_layout::target::{Float8, Fragment};
use melior::ir::{Attribute, Type, ValueLike};

pub(super) struct Nvidia;

const CLUSTER_SPACE: u32 = 7;

const FULL_WARP: u32 = u32::MAX;

impl Isa for Nvidia {
    fn kernel_attributes<'c>(
        &self,
        gpu: Gpu,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        let shape = e.i32_array(&[gpu.cta_threads().cast_signed()]);
        let limit = registers
            .and_then(|n| i32::try_from(n).ok())
            .map(|n| ("nvvm.maxnreg", e.i32_attr(i64::from(n))));
        let kernel = [("nvvm.kernel", e.unit()), ("nvvm.reqntid", shape)];
        let cluster = (gpu.num_ctas > 1).then(|| {
            let ctas = [gpu.num_ctas.cast_signed(), 1, 1];
            ("nvvm.cluster_dim", e.i32_array(&ctas))
        });
        kernel.into_iter().chain(limit).chain(cluster).collect()
    }

    fn thread_id<'c>(&self, e: &mut Emitter<'c>, range: Attribute<'c>) -> Val<'c> {
        e.pure(nvvm::read_ptx_sreg_tid_x(e.types.i32).range(range))
    }

    /// Returns `value` unchanged: the NVPTX backend infers uniform values itself.
    fn uniform<'c>(&self, _: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
        value
    }

    fn has_scalar_warp(&self) -> bool {
        false
    }

    fn has_l1_in_shared_memory(&self) -> bool {
        true
    }

    fn program_id<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let i32 = e.types.i32;
        match (axis, gpu.num_ctas) {
            (0, 1) => e.pure(nvvm::read_ptx_sreg_ctaid_x(i32)),
            (1, 1) => e.pure(nvvm::read_ptx_sreg_ctaid_y(i32)),
            (_, 1) => e.pure(nvvm::read_ptx_sreg_ctaid_z(i32)),
            (0, _) => e.pure(nvvm::read_ptx_sreg_clusterid_x(i32)),
            (1, _) => e.pure(nvvm::read_ptx_sreg_clusterid_y(i32)),
            (_, _) => e.pure(nvvm::read_ptx_sreg_clusterid_z(i32)),
        }
    }

    fn num_programs<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let i32 = e.types.i32;
        match (axis, gpu.num_ctas) {
            (0, 1) => e.pure(nvvm::read_ptx_sreg_nctaid_x(i32)),
            (1, 1) => e.pure(nvvm::read_ptx_sreg_nctaid_y(i32)),
            (_, 1) => e.pure(nvvm::read_ptx_sreg_nctaid_z(i32)),
            (0, _) => e.pure(nvvm::read_ptx_sreg_nclusterid_x(i32)),
            (1, _) => e.pure(nvvm::read_ptx_sreg_nclusterid_y(i32)),
            (_, _) => e.pure(nvvm::read_ptx_sreg_nclusterid_z(i32)),
        }
    }

    fn cta_rank<'c>(&self, e: &mut Emitter<'c>) -> Option<Val<'c>> {
        Some(e.pure(nvvm::read_ptx_sreg_cluster_ctarank(e.types.i32)))
    }

    fn address_in_cta<'c>(
        &self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        rank: Val<'c>,
    ) -> Option<Val<'c>> {
        let type_ = e.pointer_type(CLUSTER_SPACE);
        Some(e.pure(nvvm::mapa(pointer, rank, type_)))
    }

    fn cluster_barrier(&self, e: &mut Emitter<'_>) -> Option<()> {
        e.operation(nvvm::cluster_arrive().aligned(true));
        e.operation(nvvm::cluster_wait().aligned(true));
        Some(())
    }

    /// Emits the instruction for `step` as inline assembly with a memory clobber, because LLVM's intrinsics do not
    /// order memory accesses.
    fn grid_dependency(&self, e: &mut Emitter<'_>, step: GridDependency) -> Option<()> {
        let text = match step {
            GridDependency::Wait => "griddepcontrol.wait;",
            GridDependency::LaunchDependents => "griddepcontrol.launch_dependents;",
        };
        e.inline_asm(text, "~{memory}", &[], None);
        Some(())
    }

    /// Reads `%globaltimer` by inline assembly. NVVM's operation is pure, so LLVM would merge several reads.
    fn nanoseconds<'c>(&self, _: Gpu, e: &mut Emitter<'c>) -> Val<'c> {
        let i64 = e.types.i64;
        e.inline_asm("mov.u64 $0, %globaltimer;", "=l", &[], Some(i64))
            .expect("it has a result")
    }

    fn block_barrier(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::barrier0());
    }

    fn has_named_barriers(&self) -> bool {
        true
    }

    fn named_barrier(&self, e: &mut Emitter<'_>, barrier: u32, threads: u32) {
        let (barrier, threads) = (e.i32(barrier), e.i32(threads));
        e.operation(nvvm::barrier(Some(barrier), Some(threads), None, None));
    }

    fn set_registers(&self, e: &mut Emitter<'_>, from: u32, to: u32) {
        let action = match from < to {
            true => SetMaxRegisterAction::Increase,
            false => SetMaxRegisterAction::Decrease,
        };
        e.operation(nvvm::setmaxregister(i64::from(to), action));
    }

    fn proxy_fence(&self, e: &mut Emitter<'_>) {
        // LLVM moves accesses across assembly without a memory clobber.
        e.inline_asm("fence.proxy.async.shared::cta;", "~{memory}", &[], None);
    }

    fn copy<'c>(
        &self,
        _: Gpu,
        e: &mut Emitter<'c>,
        _: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    ) {
        access::copy(e, copy);
    }

    fn commit_copies(&self, e: &mut Emitter<'_>) {
        e.operation(nvvm::cp_async_commit_group());
    }

    fn wait_for_copies(&self, e: &mut Emitter<'_>, most: u32) {
        e.operation(nvvm::cp_async_wait_group(i64::from(most)));
    }

    fn units(&self) -> Option<&'static dyn UnitIsa> {
        Some(&Nvidia)
    }

    fn warp_barrier(&self, e: &mut Emitter<'_>) {
        let mask = e.i32(FULL_WARP);
        e.operation(nvvm::bar_warp_sync(mask));
    }

    fn shuffle_xor<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        let mask = e.i32(mask);
        shfl_sync(gpu, e, value, mask, ShflKind::Bfly)
    }

    fn shuffle_index<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        shfl_sync(gpu, e, value, source, ShflKind::Idx)
    }

    fn ballot<'c>(&self, _: Gpu, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c> {
        let (all, i32) = (e.i32(FULL_WARP), e.types.i32);
        e.effect(nvvm::vote_sync(all, holds, VoteSyncKind::Ballot, i32))
    }

    fn reduce_lanes<'c>(
        &self,
        e: &mut Emitter<'c>,
        operation: LaneOperation,
        word: Val<'c>,
    ) -> Option<Val<'c>> {
        use LaneOperation as O;
        let kind = match operation {
            O::Add => ReduxKind::Add,
            O::And => ReduxKind::And,
            O::Or => ReduxKind::Or,
            O::Xor => ReduxKind::Xor,
            O::Max => ReduxKind::Max,
            O::Min => ReduxKind::Min,
            O::UnsignedMax => ReduxKind::Umax,
            O::UnsignedMin => ReduxKind::Umin,
            O::FloatMax { .. } => ReduxKind::Fmax,
            O::FloatMin { .. } => ReduxKind::Fmin,
        };
        let all = e.i32(FULL_WARP);
        let counts_nan = matches!(
            operation,
            O::FloatMax { nan: true } | O::FloatMin { nan: true }
        );
        let reduced = nvvm::redux_sync(word, kind, all);
        Some(e.effect(reduced.nan(counts_nan.then_some(true))))
    }

    fn transpose_matrix<'c>(&self, e: &mut Emitter<'c>, word: Val<'c>) -> Option<Val<'c>> {
        Some(matrix::transpose(e, word))
    }

    fn load_matrices<'c>(
        &self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        count: usize,
        fragment: Fragment,
    ) -> Option<Vec<Val<'c>>> {
        matrix::load(e, pointer, count, fragment)
    }

    fn store_matrices<'c>(
        &self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        words: &[Val<'c>],
        fragment: Fragment,
    ) -> Option<()> {
        matrix::store(e, pointer, words, fragment)
    }

    fn load<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c> {
        access::load(gpu, e, access, others)
    }

    fn store<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    ) {
        access::store(gpu, e, access, whole);
    }

    fn atomic_elements(&self, gpu: Gpu, op: RMWOp, element: Type<'_>) -> usize {
        atomic::elements(gpu, op, element)
    }

    fn atomic<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>> {
        atomic::access(gpu, e, access, action)
    }

    fn fence(&self, e: &mut Emitter<'_>, sem: MemSemantic, scope: MemSyncScope) {
        e.operation(llvm::fence(ordering(sem)).syncscope(atomic::scope_name(scope)));
    }

    fn print<'c>(
        &self,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        format: &[u8],
        values: &[Val<'c>],
    ) {
        print::print(e, declarations, format, values);
    }

    fn fail(
        &self,
        e: &mut Emitter<'_>,
        declarations: &mut Declarations,
        message: &[u8],
        file: &str,
        line: u32,
    ) {
        print::fail(e, declarations, message, file, line);
    }

    /// Emits the approximate instruction for `exp2` directly. For `llvm.exp2`, NVPTX can select this instruction
    /// only if the flags permit approximations.
    fn exp2<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        e.approximate_exp2(a)
    }

    fn rsqrt<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        let f32 = e.types.f32;
        e.call_intrinsic("llvm.nvvm.rsqrt.approx.f", &[a], f32)
    }

    /// Emits approximate instructions. `exp` and `log` are computed with the instructions for base 2, because PTX
    /// has no instructions for base e.
    ///
    /// `log2` needs an NVVM intrinsic, because LLVM selects no instruction for it.
    fn approximate<'c>(
        &self,
        e: &mut Emitter<'c>,
        function: UpstreamKind,
        x: Val<'c>,
        flags: &[NamedAttr<'c>],
    ) -> Option<Val<'c>> {
        let f32 = e.types.f32;
        Some(match function {
            // Without `ftz`, ptxas adds scaling for subnormal numbers.
            UpstreamKind::MathExp2 if x.r#type() == f32 => {
                e.upstream_intrinsic("llvm.nvvm.ex2.approx.ftz.f32", &[x], f32, flags)
            }
            UpstreamKind::MathRsqrt if x.r#type() == f32 => {
                e.upstream_intrinsic("llvm.nvvm.rsqrt.approx.ftz.f", &[x], f32, flags)
            }
            UpstreamKind::MathSqrt if x.r#type() == f32 => {
                e.upstream_intrinsic("llvm.nvvm.sqrt.approx.ftz.f", &[x], f32, flags)
            }
            UpstreamKind::MathExp => {
                let scaled = scale(e, x, std::f64::consts::LOG2_E, flags);
                e.upstream(UpstreamKind::MathExp2, &[scaled], x.r#type(), flags)
            }
            UpstreamKind::MathLog => {
                let log2 = log2(e, x);
                scale(e, log2, std::f64::consts::LN_2, flags)
            }
            UpstreamKind::MathLog2 => log2(e, x),
            _ => return None,
        })
    }

    /// Returns false, because LLVM expands `frem` to `x - trunc(x / y) * y`, which is inexact.
    fn has_exact_remainder(&self) -> bool {
        false
    }

    /// Uses `div.full`. LLVM would select `div.approx`, whose result is 0 for large divisors.
    fn quotient<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
        Some(e.call_intrinsic("llvm.nvvm.div.full", &[a, b], a.r#type()))
    }

    /// Calls an intrinsic for f32, as Triton does, which divides by a constant with a quotient of constants and a product.
    /// LLVM would fold an `fdiv` of constants, and round it to nearest. On an H200, 8801 of the quotients 1/1 to 1/65536
    /// have other bits, such as 1/255.
    fn approximate_quotient<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match float_width(a.r#type()) {
            Some(32) => e.call_intrinsic("llvm.nvvm.div.approx.f", &[a, b], a.r#type()),
            _ => e.fdiv_approximate(a, b),
        }
    }

    fn clip<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        x: Val<'c>,
        limit: Val<'c>,
        propagates_nan: bool,
    ) -> Option<Val<'c>> {
        let type_ = x.r#type();
        let name = match propagates_nan {
            true => "llvm.nvvm.fmin.nan.xorsign.abs.f",
            false => "llvm.nvvm.fmin.xorsign.abs.f",
        };
        let is_offered = gpu.target.instructions.signed_minimum && float_width(type_) == Some(32);
        is_offered.then(|| e.call_intrinsic(name, &[x, limit], type_))
    }

    fn upper_half<'c>(
        &self,
        e: &mut Emitter<'c>,
        a: Val<'c>,
        b: Val<'c>,
        is_signed: bool,
    ) -> Option<Val<'c>> {
        let name = if is_signed {
            "llvm.nvvm.mulhi.ll"
        } else {
            "llvm.nvvm.mulhi.ull"
        };
        Some(e.call_intrinsic(name, &[a, b], a.r#type()))
    }

    fn library_function(&self, name: &str, is_binary32: bool) -> String {
        let name = if name == "pown" { "powi" } else { name };
        format!("__nv_{name}{}", if is_binary32 { "f" } else { "" })
    }

    fn round_float<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        to: Type<'c>,
        rounding: Rounding,
    ) -> Option<Val<'c>> {
        round::round(gpu, e, value, to, rounding)
    }

    fn narrow_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        values: &[Val<'c>],
        to: Float8,
    ) -> Option<Vec<Val<'c>>> {
        float8::narrow(e, values, to)
    }

    fn widen_float8<'c>(
        &self,
        e: &mut Emitter<'c>,
        codes: &[Val<'c>],
        from: Float8,
        to: Type<'c>,
    ) -> Option<Vec<Val<'c>>> {
        float8::widen(e, codes, from, to)
    }
}

fn shfl_sync<'c>(
    gpu: Gpu,
    e: &mut Emitter<'c>,
    value: Val<'c>,
    offset: Val<'c>,
    kind: ShflKind,
) -> Val<'c> {
    let (all, clamp) = (e.i32(FULL_WARP), e.i32(gpu.target.lanes - 1));
    let i32 = e.types.i32;
    e.effect(nvvm::shfl_sync(all, value, offset, clamp, kind, i32))
}

fn log2<'c>(e: &mut Emitter<'c>, x: Val<'c>) -> Val<'c> {
    e.call_intrinsic("llvm.nvvm.lg2.approx.f", &[x], x.r#type())
}

fn scale<'c>(e: &mut Emitter<'c>, value: Val<'c>, factor: f64, flags: &[NamedAttr<'c>]) -> Val<'c> {
    let type_ = value.r#type();
    let factor = e.float(type_, factor);
    e.upstream(UpstreamKind::ArithMulF, &[value, factor], type_, flags)
}
