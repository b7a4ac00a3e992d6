//! NVIDIA's GPUs: NVVM, and PTX where it has no operation.

mod access;
mod atomic;
mod float8;
mod matrix;
mod print;
mod round;

use super::access::GlobalAccess;
use super::atomic::{AtomicAccess, AtomicAction, ordering};
use super::isa::{Gpu, GridDependency, Isa};
use super::lanes::LaneOperation;
use crate::ir::UpstreamKind;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::emit::{Emitter, Named};
use crate::lower::format::Rounding;
use crate::lower::texts::Texts;
use crate::sys::build::Val;
use linear_layout::target::{Float8, Fragment};
use melior::ir::{Attribute, Type, ValueLike};

pub(super) struct Nvidia;

/// All lanes of a warp.
const FULL_WARP: u32 = u32::MAX;

/// The names of a block's index along each axis.
const BLOCK_ID: [&str; 3] = [
    "nvvm.read.ptx.sreg.ctaid.x",
    "nvvm.read.ptx.sreg.ctaid.y",
    "nvvm.read.ptx.sreg.ctaid.z",
];

/// The names of the number of blocks along each axis.
const NUM_BLOCKS: [&str; 3] = [
    "nvvm.read.ptx.sreg.nctaid.x",
    "nvvm.read.ptx.sreg.nctaid.y",
    "nvvm.read.ptx.sreg.nctaid.z",
];

impl Isa for Nvidia {
    fn kernel_attributes<'c>(
        &self,
        gpu: Gpu,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        let shape = e.i32_array(&[gpu.threads().cast_signed()]);
        let limit = registers
            .and_then(|n| i32::try_from(n).ok())
            .map(|n| ("nvvm.maxnreg", e.i32_attr(i64::from(n))));
        let kernel = [("nvvm.kernel", e.unit()), ("nvvm.reqntid", shape)];
        kernel.into_iter().chain(limit).collect()
    }

    fn thread_id<'c>(&self, e: &mut Emitter<'c>, range: Attribute<'c>) -> Val<'c> {
        let i32 = e.types.i32;
        e.pure("nvvm.read.ptx.sreg.tid.x", &[], i32, &[("range", range)])
    }

    /// The compiler finds out for itself.
    fn uniform<'c>(&self, _: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
        value
    }

    fn program_id<'c>(&self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let i32 = e.types.i32;
        e.pure(BLOCK_ID[axis], &[], i32, &[])
    }

    fn num_programs<'c>(&self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let i32 = e.types.i32;
        e.pure(NUM_BLOCKS[axis], &[], i32, &[])
    }

    /// No access may move across it, which LLVM's intrinsics do not say.
    fn grid_dependency(&self, e: &mut Emitter<'_>, step: GridDependency) -> Option<()> {
        let text = match step {
            GridDependency::Wait => "griddepcontrol.wait;",
            GridDependency::LaunchDependents => "griddepcontrol.launch_dependents;",
        };
        e.inline_asm(text, "~{memory}", &[], None);
        Some(())
    }

    /// Each reading is another one, which the operation of NVVM does not say.
    fn nanoseconds<'c>(&self, _: Gpu, e: &mut Emitter<'c>) -> Val<'c> {
        let i64 = e.types.i64;
        e.inline_asm("mov.u64 $0, %globaltimer;", "=l", &[], Some(i64))
            .expect("it has a result")
    }

    fn block_barrier(&self, e: &mut Emitter<'_>) {
        e.statement("nvvm.barrier0", &[], &[]);
    }

    fn warp_barrier(&self, e: &mut Emitter<'_>) {
        let mask = e.i32(FULL_WARP);
        e.statement("nvvm.bar.warp.sync", &[mask], &[]);
    }

    fn shuffle_xor<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        let mask = e.i32(mask);
        shfl_sync(gpu, e, value, mask, "#nvvm<shfl_kind bfly>")
    }

    fn shuffle_index<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        shfl_sync(gpu, e, value, source, "#nvvm<shfl_kind idx>")
    }

    fn ballot<'c>(&self, _: Gpu, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c> {
        let (all, i32) = (e.i32(FULL_WARP), e.types.i32);
        let kind = e.kept("#nvvm<vote_sync_kind ballot>");
        e.effect("nvvm.vote.sync", &[all, holds], i32, &[("kind", kind)])
    }

    fn reduce_lanes<'c>(
        &self,
        e: &mut Emitter<'c>,
        operation: LaneOperation,
        word: Val<'c>,
    ) -> Option<Val<'c>> {
        use LaneOperation as O;
        let kind = match operation {
            O::Add => "#nvvm<redux_kind add>",
            O::And => "#nvvm<redux_kind and>",
            O::Or => "#nvvm<redux_kind or>",
            O::Xor => "#nvvm<redux_kind xor>",
            O::Max => "#nvvm<redux_kind max>",
            O::Min => "#nvvm<redux_kind min>",
            O::UnsignedMax => "#nvvm<redux_kind umax>",
            O::UnsignedMin => "#nvvm<redux_kind umin>",
            O::FloatMax { .. } => "#nvvm<redux_kind fmax>",
            O::FloatMin { .. } => "#nvvm<redux_kind fmin>",
        };
        let mut attributes = vec![("kind", e.kept(kind))];
        if let O::FloatMax { nan: true } | O::FloatMin { nan: true } = operation {
            attributes.push(("nan", e.bool_attr(true)));
        }
        let all = e.i32(FULL_WARP);
        Some(e.effect("nvvm.redux.sync", &[word, all], word.r#type(), &attributes))
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
        e.fence(ordering(sem), atomic::scope_name(scope));
    }

    fn print<'c>(&self, e: &mut Emitter<'c>, texts: &mut Texts, format: &[u8], values: &[Val<'c>]) {
        print::print(e, texts, format, values);
    }

    fn fail(&self, e: &mut Emitter<'_>, texts: &mut Texts, message: &[u8], file: &str, line: u32) {
        print::fail(e, texts, message, file, line);
    }

    /// NVPTX has a power of two only as an approximation, which one must allow.
    fn exp2<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        e.approximate_exp2(a)
    }

    fn rsqrt<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        let f32 = e.types.f32;
        e.call_intrinsic("llvm.nvvm.rsqrt.approx.f", &[a], f32)
    }

    /// PTX has the power and the logarithm of base 2 only, and LLVM's own `log2` has no instructions,
    /// whatever its flags allow.
    fn approximate<'c>(
        &self,
        e: &mut Emitter<'c>,
        function: UpstreamKind,
        x: Val<'c>,
        flags: &[Named<'c>],
    ) -> Option<Val<'c>> {
        Some(match function {
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

    /// LLVM makes `div.approx` of a quotient that may be approximate, which is 0 where the divisor is large.
    /// It makes a difference of a rounded multiple.
    fn has_exact_remainder(&self) -> bool {
        false
    }

    fn quotient<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>, b: Val<'c>) -> Option<Val<'c>> {
        Some(e.call_intrinsic("llvm.nvvm.div.full", &[a, b], a.r#type()))
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

    fn library_function(&self, name: &str) -> String {
        let name = if name == "pown" { "powi" } else { name };
        format!("__nv_{name}")
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
    kind: &'static str,
) -> Val<'c> {
    let (all, clamp) = (e.i32(FULL_WARP), e.i32(gpu.target.lanes - 1));
    let kind = e.kept(kind);
    let operands = [all, value, offset, clamp];
    let i32 = e.types.i32;
    e.effect("nvvm.shfl.sync", &operands, i32, &[("kind", kind)])
}

fn log2<'c>(e: &mut Emitter<'c>, x: Val<'c>) -> Val<'c> {
    e.call_intrinsic("llvm.nvvm.lg2.approx.f", &[x], x.r#type())
}

fn scale<'c>(e: &mut Emitter<'c>, value: Val<'c>, factor: f64, flags: &[Named<'c>]) -> Val<'c> {
    let type_ = value.r#type();
    let factor = e.float(type_, factor);
    e.upstream(UpstreamKind::ArithMulF, &[value, factor], type_, flags)
}
