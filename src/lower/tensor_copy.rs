//! Tensor descriptors, and copies by the tensor memory accelerator.
//!
//! A block is copied box by box ([`linear_layout::plan::tensor_copy`]). One thread of each warp issues a copy, so that
//! several boxes take one instruction. A descriptor is a by-value kernel argument of 128 bytes, or is built in shared
//! memory and copied to global memory; only the first warp uses the latter.

use super::calls::is_kernel;
use super::emit::Fork;
use super::gpu::{BoxAccess, BoxDirection, CachePolicy, DescriptorField, UnitIsa};
use super::local::{MemdescLayout, check_alignment};
use super::mbarrier::{issuer, object, units};
use super::memory::cache_policy;
use super::plans::wrong;
use super::state::{Lowering, Outcome};
use crate::analysis::effects::{AccessTarget, Act, Effects, Request};
use crate::ir::ops::{tt, ttng};
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::encoding::Encoding;
use linear_layout::machine;
use linear_layout::plan::tensor_copy::{BoxCopy, CopyRound, distribute_copies, plan_tensor_copy};
use melior::ir::{BlockLike, RegionLike, ValueLike};
use std::sync::Arc;

#[derive(Debug)]
struct Boxes {
    rounds: Vec<CopyRound>,
    /// Required alignment of the buffer in bytes: the size of eight rows of the swizzle pattern.
    alignment: u64,
}

/// Maximum number of pixels that one im2col copy can read.
const MAX_PIXELS: u64 = 1024;

/// The block of a tensor in global memory that an operation copies.
struct Block<'c> {
    descriptor: Val<'c>,
    /// Coordinates of the first element, outermost dimension first.
    start: Vec<Val<'c>>,
    /// Offsets that are added to the spatial coordinates of each pixel in im2col mode, outermost dimension first. Empty
    /// if the block is a tile.
    pixel_offsets: Vec<Val<'c>>,
    cache: CachePolicy,
}

fn plan<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    block: &Block<'c>,
    buffer: Val<'c>,
) -> Result<Arc<Boxes>, Diagnostic> {
    let layouts = l.layouts;
    let is_tile = block.pixel_offsets.is_empty();
    let warps = match is_kernel_argument(block.descriptor) {
        true => l.gpu.num_warps,
        false => 1,
    };
    let key = vec![
        sys::type_id(buffer.r#type()),
        usize::from(is_tile),
        warps as usize,
    ];
    l.allocation.plan_late(op, key, || {
        let view = MemdescLayout::of(layouts, buffer.r#type())?;
        if view.shape() != view.alloc_shape() {
            return Err(Diagnostic::new(format!(
                "requires a whole buffer, but `{}` is a view of a part",
                buffer.r#type()
            )));
        }
        let encoding = view.type_.encoding.and_then(|e| layouts.encoding(e).ok());
        let Some(Encoding::NvmmaShared(encoding)) = encoding.as_deref() else {
            return Err(Diagnostic::new(format!(
                "requires a buffer whose encoding is `#ttg.nvmma_shared`, but got `{}`",
                buffer.r#type()
            )));
        };
        let mut tensor_box = encoding
            .tensor_box(view.shape())
            .map_err(|e| Diagnostic::new(e.to_string()))?;
        if !is_tile {
            // The coordinates of later pixels depend on the size of the image, so one copy reads all pixels.
            let pixels = view.shape()[0];
            if pixels > MAX_PIXELS {
                return Err(Diagnostic::new(format!(
                    "requires a block of at most {MAX_PIXELS} pixels, but got {pixels}"
                )));
            }
            tensor_box.sizes[0] = pixels;
        }
        let copies = plan_tensor_copy(&view.place, &tensor_box)
            .map_err(|e| Diagnostic::new(e.to_string()))?;
        let rounds = distribute_copies(&copies, warps);
        let copies: Vec<BoxCopy> = rounds.iter().flat_map(CopyRound::copies).collect();
        machine::check_tensor_copy(&copies, &tensor_box, &view.place).map_err(wrong)?;
        Ok(Boxes {
            rounds,
            alignment: 8 * u64::from(tensor_box.swizzle_bytes.max(16)),
        })
    })
}

/// Returns true for an argument of a kernel. Such a descriptor is valid in all warps; a descriptor that the kernel
/// builds is acquired by the first warp only.
fn is_kernel_argument(descriptor: Val<'_>) -> bool {
    let Some(block) = sys::block_of_argument(descriptor) else {
        return false;
    };
    let function = block.parent_operation().and_then(tt::Func::of);
    function.is_some_and(|f| is_kernel(f) && f.body().first_block() == Some(block))
}

/// Copies a block between shared and global memory if `pred` is true or `None`.
fn copy<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    (units, pred): (&dyn UnitIsa, Option<Val<'c>>),
    block: &Block<'c>,
    (buffer, direction): (Val<'c>, BoxDirection<'c>),
) -> Outcome {
    let boxes = plan(l, op, block, buffer)?;
    check_alignment(l.layouts, buffer, boxes.alignment)?;
    let base = l.buffer(buffer)?.address(&mut l.e);
    let descriptor = l.get(block.descriptor)[0];
    let start: Vec<Val<'c>> = block.start.iter().map(|c| l.get(*c)[0]).collect();
    let innermost_first = block.pixel_offsets.iter().rev();
    let pixel_offsets: Vec<Val<'c>> = innermost_first.map(|o| l.get(*o)[0]).collect();
    let rank = boxes
        .rounds
        .first()
        .map_or(0, |round| round.first.coordinates.len());
    let Some(outer) = start.len().checked_sub(rank) else {
        return Err(Diagnostic::new(format!(
            "has a buffer of rank {rank}, expected at most {}, the rank of the descriptor",
            start.len()
        )));
    };
    for round in &boxes.rounds {
        let by = issuer(l, units, round.warps, pred);
        let warp = (round.warps > 1).then(|| l.gpu.warp(&mut l.e));
        let mut offset = |first: u64, step: u64| {
            let first = l.e.i32(small(first));
            let Some(warp) = warp.filter(|_| step != 0) else {
                return first;
            };
            let step = l.e.i32(small(step));
            let steps = l.e.mul(warp, step);
            l.e.add(first, steps)
        };
        let steps = round.first.coordinates.iter().zip(&round.step.coordinates);
        let inner: Vec<Val<'c>> = steps.map(|(first, step)| offset(*first, *step)).collect();
        let position = offset(round.first.position, round.step.position);
        let mut coordinates = start.clone();
        // The block has size 1 along dimensions that the buffer lacks.
        for (coordinate, offset) in coordinates[outer..].iter_mut().zip(inner) {
            *coordinate = l.e.add(*coordinate, offset);
        }
        coordinates.reverse();
        let i8 = l.e.types.i8;
        let access = BoxAccess {
            direction,
            descriptor,
            coordinates,
            pixel_offsets: pixel_offsets.clone(),
            shared: l.e.gep(base, i8, position),
            second: block.cache.second.clone(),
        };
        units.copy_box(&mut l.e, &access, by);
    }
    Ok(())
}

fn small(number: u64) -> u32 {
    u32::try_from(number).expect("a block fits into shared memory")
}

pub(crate) fn load<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let load = ttng::AsyncTMACopyGlobalToLocal::of(op).expect("the dispatch goes by kind");
    if load.multicast() {
        return Err(Diagnostic::new("is not supported with `multicast`"));
    }
    let units = units(l)?;
    let mbarrier = object(l, load.barrier())?;
    let direction = BoxDirection::Load { mbarrier };
    let block = Block {
        descriptor: load.desc(),
        start: load.coord(),
        pixel_offsets: load.offsets(),
        cache: cache_policy(load.cache_policy()),
    };
    let to = (load.result(), direction);
    copy(l, op, (units, Some(load.pred())), &block, to)
}

pub(crate) fn store<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let store = ttng::AsyncTMACopyLocalToGlobal::of(op).expect("the dispatch goes by kind");
    let block = Block {
        cache: cache_policy(store.cache_policy()),
        ..tile(store.desc(), store.coord())
    };
    to_global(l, op, &block, (store.src(), BoxDirection::Store))
}

pub(crate) fn reduce<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let reduce = ttng::AsyncTMAReduce::of(op).expect("the dispatch goes by kind");
    let block = tile(reduce.desc(), reduce.coord());
    let direction = BoxDirection::Reduce(reduce.kind());
    to_global(l, op, &block, (reduce.src(), direction))
}

fn tile<'c>(descriptor: Val<'c>, start: Vec<Val<'c>>) -> Block<'c> {
    Block {
        descriptor,
        start,
        pixel_offsets: Vec::new(),
        cache: CachePolicy::default(),
    }
}

fn to_global<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    block: &Block<'c>,
    to: (Val<'c>, BoxDirection<'c>),
) -> Outcome {
    let units = units(l)?;
    copy(l, op, (units, None), block, to)?;
    units.commit_boxes(&mut l.e);
    Ok(())
}

pub(crate) fn wait<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = ttng::TMAStoreWait::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let most = wait.pendings().try_into().unwrap_or(0);
    units.wait_for_boxes(&mut l.e, most, wait.read_only());
    Ok(())
}

// --- descriptors ---

/// Size and alignment of a descriptor in bytes.
const DESCRIPTOR_BYTES: u32 = 128;

pub(crate) fn create_effects() -> Effects {
    Effects {
        scratch: Some(Request {
            bytes: DESCRIPTOR_BYTES,
            alignment: DESCRIPTOR_BYTES,
        }),
        acts: vec![
            Act::Write(AccessTarget::Scratch),
            Act::Read(AccessTarget::Scratch),
        ],
        ..Effects::default()
    }
}

fn fork_first_warp<'c>(l: &mut Lowering<'c>) -> Fork<'c> {
    let warp = l.gpu.warp(&mut l.e);
    let is_first = l.e.is_zero(warp);
    l.e.fork(is_first)
}

pub(crate) fn create<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let create = ttng::TensormapCreate::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let Some((offset, _)) = l.allocation.place(op) else {
        return Ok(());
    };
    let shared = l.shared_memory(offset);
    let (target, source) = (
        l.get(create.desc_ptr())[0],
        l.get(create.global_address())[0],
    );
    let scalars = |values: Vec<Val<'c>>| -> Vec<Val<'c>> {
        values.into_iter().map(|value| l.get(value)[0]).collect()
    };
    let [boxes, sizes, strides, steps] = [
        create.box_dim(),
        create.global_dim(),
        create.global_stride(),
        create.element_stride(),
    ]
    .map(scalars);
    let first_warp = fork_first_warp(l);
    // Unset fields are 0.
    let lane = l.gpu.lane(&mut l.e);
    let (i32, zero) = (l.e.types.i32, l.e.i32(0));
    let word = l.e.gep(shared, i32, lane);
    l.e.store(zero, word, 4);
    l.gpu.warp_barrier(&mut l.e);
    let is_lane = l.e.is_zero(lane);
    let first_lane = l.e.fork(is_lane);
    let mut fields = vec![
        DescriptorField::Long("global_address", None, source),
        DescriptorField::Constant("rank", i64::from(small(sizes.len() as u64)) - 1),
    ];
    let words = |name, values: Vec<Val<'c>>| {
        let values = values.into_iter().enumerate();
        values.map(move |(i, value)| DescriptorField::Word(name, Some(i), value))
    };
    fields.extend(words("box_dim", boxes));
    fields.extend(words("global_dim", sizes));
    let strides = strides.into_iter().enumerate();
    fields.extend(strides.map(|(i, v)| DescriptorField::Long("global_stride", Some(i), v)));
    fields.extend(words("element_stride", steps));
    fields.extend([
        DescriptorField::Constant("elemtype", create.elem_type()),
        DescriptorField::Constant("interleave_layout", create.interleave_layout()),
        DescriptorField::Constant("swizzle_mode", create.swizzle_mode()),
        DescriptorField::Constant("fill_mode", create.fill_mode()),
    ]);
    for field in fields {
        units.set_field(&mut l.e, shared, field);
    }
    l.e.join_or(first_lane, &[], &[]);
    l.gpu.warp_barrier(&mut l.e);
    units.publish_descriptor(&mut l.e, target, shared);
    l.e.join_or(first_warp, &[], &[]);
    Ok(())
}

/// Lowers `ttng.tensormap_fenceproxy_acquire`. Only the first warp executes it, because no other warp issues
/// copies.
pub(crate) fn acquire<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let acquire = ttng::TensormapFenceproxyAcquire::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let descriptor = l.get(acquire.desc_ptr())[0];
    let fork = fork_first_warp(l);
    units.acquire_descriptor(&mut l.e, descriptor);
    l.e.join_or(fork, &[], &[]);
    Ok(())
}

/// Lowers `ttng.reinterpret_tensor_descriptor` to an address-space cast. A lowered descriptor is a generic pointer.
pub(crate) fn reinterpret<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let cast = ttng::ReinterpretTensorDesc::of(op).expect("the dispatch goes by kind");
    let pointer = l.get(cast.raw_desc())[0];
    let generic = l.e.pointer_type(0);
    let descriptor =
        l.e.pure(crate::ir::builders::llvm::addrspacecast(pointer, generic));
    l.set(cast.result(), [descriptor]);
    Ok(())
}
