//! What differs between NVVM and ROCDL, down to the operation: threads, barriers, lane exchanges.

use super::emit::Emitter;
use crate::sys::build::Val;
use crate::target::{Target, Vendor, XorShuffle};
use melior::ir::{Attribute, Type};

/// Emits the operations of one GPU.
#[derive(Clone, Copy)]
pub(crate) struct Gpu {
    pub(crate) target: &'static Target,
    pub(crate) num_warps: u32,
}

/// All lanes of a warp.
const FULL_WARP: u32 = u32::MAX;

impl Gpu {
    fn is_nvidia(self) -> bool {
        matches!(self.target.vendor, Vendor::Nvidia)
    }

    pub(crate) fn threads(self) -> u32 {
        self.target.lanes * self.num_warps
    }

    /// The attributes that make a function a kernel of this GPU, whose threads use at most so many
    /// `registers`: AMD's compiler has no such limit.
    pub(crate) fn kernel_attributes<'c>(
        self,
        e: &Emitter<'c>,
        registers: Option<u64>,
    ) -> Vec<(&'static str, Attribute<'c>)> {
        let threads = self.threads();
        if self.is_nvidia() {
            #[allow(
                clippy::cast_possible_wrap,
                reason = "a block has at most 1024 threads"
            )]
            let shape = e.i32_array(&[threads as i32]);
            let limit = registers
                .and_then(|n| i32::try_from(n).ok())
                .map(|n| ("nvvm.maxnreg", e.i32_attr(i64::from(n))));
            let kernel = [("nvvm.kernel", e.unit()), ("nvvm.reqntid", shape)];
            return kernel.into_iter().chain(limit).collect();
        }
        vec![
            ("rocdl.kernel", e.unit()),
            (
                "rocdl.flat_work_group_size",
                e.string(&format!("{threads},{threads}")),
            ),
            (
                "rocdl.reqd_work_group_size",
                e.i32_array(&[threads.cast_signed(), 1, 1]),
            ),
        ]
    }

    /// The index of the thread in its block, warps one after another.
    pub(crate) fn thread_id<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let range = e.parsed(&format!("#llvm.constant_range<i32, 0, {}>", self.threads()));
        let name = if self.is_nvidia() {
            "nvvm.read.ptx.sreg.tid.x"
        } else {
            "rocdl.workitem.id.x"
        };
        e.pure(name, &[], e.types.i32, &[("range", range)])
    }

    pub(crate) fn lane<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        let thread = self.thread_id(e);
        let mask = e.i32(self.target.lanes - 1);
        e.and(thread, mask)
    }

    pub(crate) fn warp<'c>(self, e: &mut Emitter<'c>) -> Val<'c> {
        if self.num_warps == 1 {
            return e.i32(0);
        }
        let thread = self.thread_id(e);
        let warp = e.lshr(thread, self.target.lanes_log2());
        if self.is_nvidia() {
            return warp;
        }
        // The same in all lanes: a scalar register.
        e.pure("rocdl.readfirstlane", &[warp], e.types.i32, &[])
    }

    pub(crate) fn program_id<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Val<'c> {
        let axis = ["x", "y", "z"][axis];
        let name = if self.is_nvidia() {
            format!("nvvm.read.ptx.sreg.ctaid.{axis}")
        } else {
            format!("rocdl.workgroup.id.{axis}")
        };
        e.pure(&name, &[], e.types.i32, &[])
    }

    /// The number of blocks along an axis, or nothing where the GPU has no register for it.
    pub(crate) fn num_programs<'c>(self, e: &mut Emitter<'c>, axis: usize) -> Option<Val<'c>> {
        let axis = ["x", "y", "z"][axis];
        self.is_nvidia().then(|| {
            e.pure(
                &format!("nvvm.read.ptx.sreg.nctaid.{axis}"),
                &[],
                e.types.i32,
                &[],
            )
        })
    }

    /// All threads of the block wait; shared memory is in order across it.
    pub(crate) fn block_barrier(self, e: &mut Emitter<'_>) {
        let name = if self.is_nvidia() {
            "nvvm.barrier0"
        } else {
            "rocdl.barrier"
        };
        e.operation(name, &[], &[], &[], Vec::new());
    }

    /// The lanes of a warp wait; shared memory is in order among them.
    pub(crate) fn warp_barrier(self, e: &mut Emitter<'_>) {
        if self.is_nvidia() {
            let mask = e.i32(FULL_WARP);
            e.operation("nvvm.bar.warp.sync", &[mask], &[], &[], Vec::new());
            return;
        }
        // A wave's accesses to LDS are carried out in order: only the compiler must keep it.
        let acq_rel = e.i64_attr(6);
        let scope = e.string("wavefront");
        e.operation(
            "llvm.fence",
            &[],
            &[],
            &[("ordering", acq_rel), ("syncscope", scope)],
            vec![],
        );
    }

    /// An `i32` from lane `lane ^ mask`.
    pub(crate) fn shuffle_xor<'c>(self, e: &mut Emitter<'c>, value: Val<'c>, mask: u32) -> Val<'c> {
        match self.target.xor_shuffle(mask) {
            XorShuffle::Bfly => {
                let mask = e.i32(mask);
                self.shfl_sync(e, value, mask, "bfly")
            }
            XorShuffle::DppQuadPerm => {
                let ctrl = (0..4).fold(0, |ctrl, i| ctrl | (i ^ mask) << (2 * i));
                dpp(e, value, ctrl)
            }
            XorShuffle::DppRowHalfMirror => dpp(e, value, 0x141),
            XorShuffle::DppRowMirror => dpp(e, value, 0x140),
            XorShuffle::DppRowRor8 => dpp(e, value, 0x128),
            XorShuffle::DppRowXmask => dpp(e, value, 0x160 + mask),
            XorShuffle::PermlaneX16 => {
                let (low, high) = (e.i32(0x7654_3210), e.i32(0xfedc_ba98));
                let (fetch, bound) = (e.parsed("true"), e.parsed("false"));
                e.effect(
                    "rocdl.permlanex16",
                    &[value, value, low, high],
                    e.types.i32,
                    &[("fi", fetch), ("boundControl", bound)],
                )
            }
            XorShuffle::DsSwizzle => {
                // Bit-mask mode: and-mask 31, or-mask 0, xor-mask in bits 10 to 14.
                let offset = e.i32(0x1f | mask << 10);
                e.effect("rocdl.ds_swizzle", &[value, offset], e.types.i32, &[])
            }
            XorShuffle::DsBpermute => {
                let lane = self.lane(e);
                let mask = e.i32(mask);
                let source = e.xor(lane, mask);
                self.shuffle_index(e, value, source)
            }
        }
    }

    /// An `i32` from another lane of the warp.
    pub(crate) fn shuffle_index<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        source: Val<'c>,
    ) -> Val<'c> {
        if self.is_nvidia() {
            return self.shfl_sync(e, value, source, "idx");
        }
        let address = e.shl(source, 2);
        e.effect("rocdl.ds_bpermute", &[address, value], e.types.i32, &[])
    }

    fn shfl_sync<'c>(
        self,
        e: &mut Emitter<'c>,
        value: Val<'c>,
        offset: Val<'c>,
        kind: &str,
    ) -> Val<'c> {
        let (all, clamp) = (e.i32(FULL_WARP), e.i32(self.target.lanes - 1));
        let kind = e.parsed(&format!("#nvvm<shfl_kind {kind}>"));
        let operands = [all, value, offset, clamp];
        e.effect("nvvm.shfl.sync", &operands, e.types.i32, &[("kind", kind)])
    }

    /// Exchanges `low` in lanes with the bit set and `high` in lanes with it clear.
    pub(crate) fn swap_lanes<'c>(
        self,
        e: &mut Emitter<'c>,
        low: Val<'c>,
        high: Val<'c>,
        lane_bit: u32,
    ) -> [Val<'c>; 2] {
        let name = format!("rocdl.permlane{}.swap", 1 << lane_bit);
        let pair = e.parsed_type("!llvm.struct<(i32, i32)>");
        let no = e.parsed("false");
        let both = e.effect(
            &name,
            &[low, high],
            pair,
            &[("fi", no), ("boundControl", no)],
        );
        [extract(e, both, 0), extract(e, both, 1)]
    }
}

/// A data-parallel primitive over all rows and banks.
fn dpp<'c>(e: &mut Emitter<'c>, value: Val<'c>, ctrl: u32) -> Val<'c> {
    let all = e.i32_attr(0xf);
    let ctrl = e.i32_attr(i64::from(ctrl));
    let bound = e.parsed("true");
    e.effect(
        "rocdl.update.dpp",
        &[value, value],
        e.types.i32,
        &[
            ("dppCtrl", ctrl),
            ("rowMask", all),
            ("bankMask", all),
            ("boundCtrl", bound),
        ],
    )
}

/// One member of a struct.
pub(crate) fn extract<'c>(e: &mut Emitter<'c>, value: Val<'c>, i: i64) -> Val<'c> {
    extract_as(e, value, i, e.types.i32)
}

/// One member of a struct, of a given type.
pub(crate) fn extract_as<'c>(
    e: &mut Emitter<'c>,
    value: Val<'c>,
    i: i64,
    type_: Type<'c>,
) -> Val<'c> {
    let position = e.parsed(&format!("array<i64: {i}>"));
    e.pure(
        "llvm.extractvalue",
        &[value],
        type_,
        &[("position", position)],
    )
}
