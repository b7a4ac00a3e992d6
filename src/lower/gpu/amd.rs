//! AMD GPUs (ROCDL).

mod atomic;
mod copy;
mod float8;
mod print;

use super::access::{CachePolicy, GlobalAccess, SharedCopy, emit_masked};
use super::atomic::{AtomicAccess, AtomicAction, ordering};
use super::isa::{BufferIsa, Gpu, Isa};
use crate::ir::builders::llvm::{self, AtomicOrdering};
use crate::ir::builders::rocdl;
use crate::ir::ops::{MemSemantic, MemSyncScope, RMWOp};
use crate::lower::declarations::Declarations;
use crate::lower::emit::{AccessFlags, Emitter, FCmpPredicate};
use crate::lower::types::bits_of;
use crate::lower::words;
use crate::sys::build::{Op, Val};
use gpu_sim::marks;
use linear_layout::target::{Float8, Fragment, XorShuffle};
use melior::ir::{Attribute, Type, ValueLike};

pub(super) struct Amd;

/// Message number with which `s_sendmsg_rtn` requests the real time.
const GET_REALTIME: u32 = 131;

const CONSTANT_SPACE: u32 = 4;

impl Isa for Amd {
    /// Returns the attributes of a kernel. The limit on registers has no attribute on AMD GPUs and is ignored.
    fn kernel_attributes<'c>(
        &self,
        gpu: Gpu,
        e: &Emitter<'c>,
        _registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        let threads = gpu.cta_threads();
        let range = format!("{threads},{threads}");
        vec![
            ("rocdl.kernel", e.unit()),
            ("rocdl.flat_work_group_size", e.string(&range)),
            (
                "rocdl.reqd_work_group_size",
                e.i32_array(&[threads.cast_signed(), 1, 1]),
            ),
        ]
    }

    fn thread_id<'c>(&self, e: &mut Emitter<'c>, range: Attribute<'c>) -> Val<'c> {
        e.pure(rocdl::workitem_id_x(e.types.i32).range(range))
    }

    /// Moves the value, which must be equal in all lanes, to a scalar register.
    fn uniform<'c>(&self, e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
        e.pure(rocdl::readfirstlane(value))
    }

    fn has_scalar_warp(&self) -> bool {
        true
    }

    fn has_l1_in_shared_memory(&self) -> bool {
        false
    }

    fn program_id<'c>(&self, _: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let i32 = e.types.i32;
        match axis {
            0 => e.pure(rocdl::workgroup_id_x(i32)),
            1 => e.pure(rocdl::workgroup_id_y(i32)),
            _ => e.pure(rocdl::workgroup_id_z(i32)),
        }
    }

    /// Reads the number of workgroups along `axis`. The first three implicit arguments of a kernel hold these
    /// numbers in code object version 5.
    fn num_programs<'c>(&self, _: Gpu, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let pointer = e.pointer_type(CONSTANT_SPACE);
        let counts = e.call_intrinsic("llvm.amdgcn.implicitarg.ptr", &[], pointer);
        let i32 = e.types.i32;
        let axis = e.i32(u32::try_from(axis).expect("a grid has three axes"));
        let count = e.gep(counts, i32, axis);
        e.load(count, i32, 4)
    }

    /// Returns the module flag that selects code object version 5. Triton's runtime passes the implicit arguments
    /// of this version.
    fn launch_declaration(&self) -> Option<&'static str> {
        Some(
            "llvm.module_flags [#llvm.mlir.module_flag<error, \"amdhsa_code_object_version\", 500 : i32>]",
        )
    }

    /// Reads the real-time counter, which runs at 100 MHz on all AMD GPUs, and converts its ticks to nanoseconds.
    fn nanoseconds<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Val<'c> {
        let i64 = e.types.i64;
        let ticks = if gpu.target.instructions.time_by_message {
            let message = e.i32(GET_REALTIME);
            e.call_intrinsic_with_effect("llvm.amdgcn.s.sendmsg.rtn.i64", &[message], i64)
        } else {
            e.call_intrinsic_with_effect("llvm.amdgcn.s.memrealtime", &[], i64)
        };
        let nanoseconds = e.constant(i64, 10);
        e.mul(ticks, nanoseconds)
    }

    fn block_barrier(&self, e: &mut Emitter<'_>) {
        e.operation(rocdl::barrier());
    }

    fn shared_barrier(&self, e: &mut Emitter<'_>) {
        copy::shared_barrier(e);
    }

    fn can_stagger(&self) -> bool {
        true
    }

    fn staggering_barrier(&self, e: &mut Emitter<'_>, is_of_shared: bool) {
        let barrier = if is_of_shared {
            copy::shared_barrier(e)
        } else {
            e.operation(rocdl::barrier())
        };
        let mark = e.unit();
        e.set_attribute(barrier, marks::STAGGERING, mark);
    }

    fn copy<'c>(
        &self,
        gpu: Gpu,
        e: &mut Emitter<'c>,
        declarations: &mut Declarations,
        copy: &SharedCopy<'_, 'c>,
    ) {
        copy::copy(gpu, e, declarations, copy);
    }

    fn wait_by_count<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>) -> Option<Op<'c>> {
        Some(copy::wait(gpu, e))
    }

    fn set_count<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, wait: Op<'c>, most: Option<u32>) {
        copy::set_count(gpu, e, wait, most);
    }

    /// Emits a fence that constrains only the compiler. The hardware needs none, since the LDS accesses of a wave
    /// execute in order.
    fn warp_barrier(&self, e: &mut Emitter<'_>) {
        e.operation(llvm::fence(AtomicOrdering::AcqRel).syncscope("wavefront"));
    }

    fn shuffle_xor<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        match gpu.target.xor_shuffle(mask) {
            XorShuffle::DppQuadPerm => {
                let ctrl = (0..4).fold(0, |ctrl, i| ctrl | (i ^ mask) << (2 * i));
                dpp(e, value, ctrl)
            }
            XorShuffle::DppRowHalfMirror => dpp(e, value, 0x141),
            XorShuffle::DppRowMirror => dpp(e, value, 0x140),
            XorShuffle::DppRowRor8 => dpp(e, value, 0x128),
            XorShuffle::DppRowXmask => dpp(e, value, 0x160 + mask),
            XorShuffle::PermlaneX16 => permlane_x16(e, value),
            XorShuffle::DsSwizzle => {
                // Bit-mask mode: and-mask 31, or-mask 0, xor-mask in bits 10 to 14.
                let offset = e.i32(0x1f | mask << 10);
                let i32 = e.types.i32;
                e.effect(rocdl::ds_swizzle(value, offset, i32))
            }
            XorShuffle::DsBpermute | XorShuffle::Bfly => {
                let lane = gpu.lane(e);
                let mask = e.i32(mask);
                let source = e.xor(lane, mask);
                self.shuffle_index(gpu, e, value, source)
            }
        }
    }

    /// Returns the value that lane `source` holds. `ds_bpermute` takes a byte address, so the lane index is
    /// multiplied by 4.
    fn shuffle_index<'c>(
        &self,
        _: Gpu,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        let address = e.shl(source, 2);
        let i32 = e.types.i32;
        e.effect(rocdl::ds_bpermute(address, value, i32))
    }

    fn load_matrices<'c>(
        &self,
        e: &mut Emitter<'c>,
        pointer: Val<'c>,
        count: usize,
        fragment: Fragment,
    ) -> Option<Vec<Val<'c>>> {
        use Fragment as F;
        // 16-bit elements are loaded as `i16`, and bytes as words.
        let (i16, i32) = (e.types.i16, e.types.i32);
        let (halves, words) = (e.vector_type(2 * count, i16), e.vector_type(count, i32));
        let [own, copies] = e.alias_scopes_of(pointer);
        let loaded = match fragment {
            F::Read16 => {
                let read = rocdl::ds_read_tr16_b64(pointer, halves);
                e.effect(read.alias_scopes(own).noalias_scopes(copies))
            }
            F::Read8 => {
                let read = rocdl::ds_read_tr8_b64(pointer, words);
                e.effect(read.alias_scopes(own).noalias_scopes(copies))
            }
            F::Load16 => e.effect(rocdl::ds_load_tr16_b128(pointer, halves)),
            F::Load8 => e.effect(rocdl::ds_load_tr8_b64(pointer, words)),
            F::Plain | F::Transposed | F::LoadedBytes | F::StoredBytes => return None,
        };
        let words = e.bitcast(loaded, words);
        Some(e.scatter(words, count, i32))
    }

    fn ballot<'c>(&self, gpu: Gpu, e: &mut Emitter<'c>, holds: Val<'c>) -> Val<'c> {
        let word = e.int_type(gpu.target.lanes);
        e.effect(rocdl::ballot(holds, word))
    }

    fn swap_lanes<'c>(
        &self,
        e: &mut Emitter<'c>,
        low: Val<'c>,
        high: Val<'c>,
        lane_bit: u32,
    ) -> Option<[Val<'c>; 2]> {
        let i32 = e.types.i32;
        let pair = e.struct_type(&[i32, i32]);
        let both = match lane_bit {
            4 => e.effect(rocdl::permlane16_swap(low, high, false, false, pair)),
            5 => e.effect(rocdl::permlane32_swap(low, high, false, false, pair)),
            _ => return None,
        };
        Some([0, 1].map(|i| e.extract_value(both, i, i32)))
    }

    fn load<'c>(
        &self,
        _: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        others: Option<&[Val<'c>]>,
    ) -> Val<'c> {
        let fallback = access.mask.map(|_| access.fallback(e, others));
        emit_masked(e, access.mask, fallback, |e| {
            Some(access.unmasked_load(e, access_flags(access.cache, false)))
        })
        .expect("a load gives a value")
    }

    fn store<'c>(
        &self,
        _: Gpu,
        e: &mut Emitter<'c>,
        access: &GlobalAccess<'_, 'c>,
        whole: Val<'c>,
    ) {
        emit_masked(e, access.mask, None, |e| {
            access.unmasked_store(e, whole, access_flags(access.cache, true));
            None
        });
    }

    fn atomic_elements(&self, _: Gpu, op: RMWOp, element: Type<'_>) -> usize {
        atomic::elements(op, element)
    }

    fn atomic<'c>(
        &self,
        _: Gpu,
        e: &mut Emitter<'c>,
        access: &AtomicAccess<'_, 'c>,
        action: AtomicAction<'c>,
    ) -> Option<Val<'c>> {
        access.by_llvm(e, action, atomic::scope_name(access.scope))
    }

    /// Returns true. If the GPU has no instruction for the minimum or maximum of a float type, LLVM emits a
    /// compare-exchange loop.
    fn has_float_min_max(&self) -> bool {
        true
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

    fn exp2<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        e.pure(llvm::intr_exp2(a))
    }

    /// Computes the reciprocal square root. Subnormal arguments are scaled, since the instruction flushes them to
    /// zero.
    fn rsqrt<'c>(&self, e: &mut Emitter<'c>, a: Val<'c>) -> Val<'c> {
        let f32 = e.types.f32;
        let smallest = e.float(f32, f64::from(f32::MIN_POSITIVE));
        let is_subnormal = e.fcmp(FCmpPredicate::Olt, a, smallest);
        let up = e.float(f32, 2f64.powi(24));
        let scaled = e.pure(llvm::fmul(a, up));
        let normal = e.select(is_subnormal, scaled, a);
        let root = e.call_intrinsic("llvm.amdgcn.rsq", &[normal], f32);
        let back = e.float(f32, 2f64.powi(12));
        let scaled = e.pure(llvm::fmul(root, back));
        e.select(is_subnormal, scaled, root)
    }

    fn library_function(&self, name: &str, is_binary32: bool) -> String {
        format!("__ocml_{name}_{}", if is_binary32 { "f32" } else { "f64" })
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

    fn buffers(&self) -> Option<&'static dyn BufferIsa> {
        Some(&Amd)
    }
}

/// Returns the volatile flag and the nontemporal flag for a cache modifier. Triton translates cache modifiers in
/// the same way.
fn access_flags(cache: &CachePolicy, is_store: bool) -> AccessFlags {
    let (is_volatile, is_nontemporal) = match (&*cache.modifier, is_store) {
        ("cv", false) | ("wt", true) => (true, true),
        ("cg", false) | ("cs", _) => (false, true),
        _ => (false, false),
    };
    AccessFlags {
        is_volatile,
        is_nontemporal,
    }
}

const RESOURCE_SPACE: u32 = 8;

impl BufferIsa for Amd {
    fn resource<'c>(&self, e: &mut Emitter<'c>, base: Val<'c>, bytes: i64, flags: u32) -> Val<'c> {
        let stride = e.constant(e.types.i16, 0);
        let size = e.constant(e.types.i64, bytes);
        let flags = e.i32(flags);
        let type_ = e.pointer_type(RESOURCE_SPACE);
        e.pure(rocdl::make_buffer_rsrc(base, stride, size, flags, type_))
    }

    fn load<'c>(
        &self,
        e: &mut Emitter<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
        words: Type<'c>,
    ) -> Val<'c> {
        let (zero, cache) = (e.i32(0), e.i32(cache));
        e.effect(rocdl::raw_ptr_buffer_load(
            resource, offset, zero, cache, words,
        ))
    }

    fn store<'c>(
        &self,
        e: &mut Emitter<'c>,
        words: Val<'c>,
        resource: Val<'c>,
        offset: Val<'c>,
        cache: u32,
    ) {
        let (zero, cache) = (e.i32(0), e.i32(cache));
        e.operation(rocdl::raw_ptr_buffer_store(
            words, resource, offset, zero, cache,
        ));
    }

    fn copy<'c>(
        &self,
        e: &mut Emitter<'c>,
        [resource, offset]: [Val<'c>; 2],
        to: Val<'c>,
        (bytes, cache): (u32, u32),
    ) {
        let [_, scope] = e.alias_scopes();
        let (bytes, zero, cache) = (e.i32(bytes), e.i32(0), e.i32(cache));
        let load = rocdl::raw_ptr_buffer_load_lds(resource, to, bytes, offset, zero, zero, cache);
        e.operation(load.alias_scopes(scope));
    }

    fn has_atomic(&self, op: Option<RMWOp>, element: Type<'_>) -> bool {
        atomic::has_buffer_instruction(op, element)
    }

    fn atomic<'c>(
        &self,
        e: &mut Emitter<'c>,
        op: Option<RMWOp>,
        values: &[Val<'c>],
        [resource, offset]: [Val<'c>; 2],
        cache: u32,
    ) -> Val<'c> {
        let type_ = values[0].r#type();
        let name = op.map_or(atomic::BUFFER_COMPARISON, atomic::buffer_instruction);
        let place = [resource, offset, e.i32(0), e.i32(cache)];
        if op == Some(RMWOp::Fadd) {
            let operands = [values, &place].concat();
            return e.call_intrinsic_with_effect(name, &operands, type_);
        }
        // The instructions take integers; the new value comes first.
        let bits = bits_of(type_);
        let words = values.iter().rev();
        let words: Vec<Val<'c>> = words.map(|v| words::as_integer(e, *v, bits)).collect();
        let operands = [&words[..], &place].concat();
        let found = e.call_intrinsic_with_effect(name, &operands, words[0].r#type());
        words::integer_as(e, found, type_)
    }
}

/// Emits a DPP move with control word `ctrl`, enabled for all rows and banks.
fn dpp<'c>(e: &mut Emitter<'c>, value: Val<'c>, ctrl: u32) -> Val<'c> {
    e.effect(rocdl::update_dpp(
        value,
        value,
        i64::from(ctrl),
        0xf,
        0xf,
        true,
    ))
}

/// Returns the value of the lane whose index differs from the own lane's index only in bit 4. The two rows of 16
/// lanes in each group of 32 lanes thus exchange their values.
fn permlane_x16<'c>(e: &mut Emitter<'c>, value: Val<'c>) -> Val<'c> {
    let (low, high) = (e.i32(0x7654_3210), e.i32(0xfedc_ba98));
    e.effect(rocdl::permlanex16(value, value, low, high, true, false))
}
