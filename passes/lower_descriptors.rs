//! `lower-descriptors`: accesses through tensor descriptors as TMA copies to and from buffers.
//!
//! ```text
//! %x = tt.descriptor_load %d[%i]     becomes     copy of the block to a buffer, wait at an mbarrier, load of the buffer
//! tt.descriptor_store %d[%i], %x     becomes     store to a buffer, copy of the buffer, wait for the copy
//! ```
//! A load that only fills a buffer fills it directly. A store waits until its bytes are in global memory, so that a
//! later read of the same program finds them.
//!
//! `tt.make_tensor_descriptor` becomes `ttng.tensormap_create` in the scratch memory of the program instance.
//!
//! # Source
//! Triton's `triton-nvidia-tma-lowering`, whose stores in loops overlap the next iteration.
//!
//! Not here: `tt.descriptor_gather` and `tt.descriptor_scatter`, which no GPU before `sm_100` supports.

use super::Pass;
use super::block_copies::{block_bytes, buffer_of, copies_blocks, loaded_buffer, replace_buffer};
use super::context::PassContext;
use super::insertion::{Constants, Insertion};
use super::table::LowerDescriptorsOptions;
use crate::ir::descriptor::{block, block_buffer, block_encoding, with_block_encoding};
use crate::ir::ops::{PaddingOption, tt};
use crate::ir::{OpView, builders, element_bits, element_name};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic, FollowUp, Reported};
use melior::ir::{Type, ValueLike};

/// Size and alignment of a descriptor in bytes.
const DESCRIPTOR_BYTES: i64 = 128;

/// Maximum number of dimensions of a block that TMA can copy. The constant below, `ROW_BYTES`, is the minimum size
/// in bytes of such a block along its last dimension.
///
/// # Source
/// PTX ISA, "Tensors"; CUDA driver API, `cuTensorMapEncodeTiled`.
const MAX_RANK: usize = 5;
const ROW_BYTES: u64 = 16;

impl Pass for LowerDescriptorsOptions {
    fn run(&self, context: &PassContext<'_>) -> Result<Vec<FollowUp>, Reported> {
        let target = context.known_gpu(self.target.as_deref())?;
        let module = context.module();
        if !copies_blocks(target, module) {
            return Ok(Vec::new());
        }
        let mut reported = None;
        for op in build::in_order(module) {
            let at = Insertion {
                context,
                place: op,
                front: op,
                constants: &Constants::default(),
            };
            if let Err(error) = lower(at, op) {
                reported = Some(sys::emit_error(op, &error));
            }
        }
        match reported {
            Some(reported) => Err(reported),
            None => Ok(Vec::new()),
        }
    }
}

/// Lowers `op` if it is an operation on descriptors. Leaves all other operations unchanged.
fn lower<'c>(at: Insertion<'_, 'c>, op: Op<'c>) -> Result<(), Diagnostic> {
    match OpView::of(op) {
        Some(OpView::TtMakeTensorDesc(make)) => {
            let fields = Fields::of(make)?;
            // MLIR has reported what it rejects, here and below.
            let _ = fields.create(at, make);
        }
        Some(OpView::TtDescriptorLoad(load)) => {
            let _ = load_block(at, load);
        }
        Some(OpView::TtDescriptorStore(store)) => {
            let _ = stored(at, store.desc(), store.src()).and_then(|buffer| {
                let indices = store.indices();
                let copy = builders::ttng::async_tma_copy_local_to_global;
                at.insert(copy(store.desc(), &indices, buffer))?;
                finish(at, op)
            });
        }
        Some(OpView::TtDescriptorReduce(reduce)) => {
            let _ = stored(at, reduce.desc(), reduce.src()).and_then(|buffer| {
                let indices = reduce.indices();
                let copy = builders::ttng::async_tma_reduce;
                at.insert(copy(reduce.kind(), reduce.desc(), &indices, buffer))?;
                finish(at, op)
            });
        }
        _ => {}
    }
    Ok(())
}

/// Lowers `load` to a TMA copy of the block to a new buffer, and a wait for the copy. If the only use of the loaded
/// tensor is to initialise a buffer of a suitable type, the new buffer replaces the initialised one. Otherwise, a
/// load from the new buffer replaces `load`.
fn load_block<'c>(at: Insertion<'_, 'c>, load: tt::DescriptorLoad<'c, 'c>) -> Option<()> {
    let (op, rewriter) = (load.op(), at.context.rewriter());
    let type_ = loaded_buffer(load)?;
    let buffer = at.add(builders::ttg::local_alloc(None, type_))?;
    let mbarrier = at.add(builders::ttg::local_alloc(None, at.mbarrier_type()?))?;
    at.init_mbarrier(mbarrier)?;
    let always = at.integer(at.integer_type(1), 1)?;
    let bytes = i64::try_from(block_bytes(load)?).ok()?;
    at.insert(builders::ttng::barrier_expect(mbarrier, bytes, always))?;
    let block = (load.desc(), &load.indices()[..]);
    at.copy_block(load, block, (buffer, mbarrier), always)?;
    at.insert(builders::ttng::wait_barrier(
        mbarrier,
        at.index(0)?,
        None,
        &[],
    ))?;
    at.insert(builders::ttng::inval_barrier(mbarrier))?;
    let around = build::block_around(op)?;
    let filled = buffer_of(load.result(), around).filter(|alloc| {
        let immutable = block_buffer(load.desc().r#type(), load.result().r#type(), false);
        immutable == Some(alloc.result().r#type())
    });
    if let Some(alloc) = filled {
        replace_buffer(rewriter, alloc.result(), buffer)?;
        rewriter.erase(alloc.op());
        rewriter.erase(op);
    } else {
        let value = at.add(builders::ttg::local_load(
            buffer,
            None,
            load.result().r#type(),
        ))?;
        rewriter.replace(op, &[value]);
    }
    Some(())
}

/// Stores `tensor` to a new buffer from which TMA can copy the block. Returns the buffer.
fn stored<'c>(at: Insertion<'_, 'c>, descriptor: Val<'c>, tensor: Val<'c>) -> Option<Val<'c>> {
    let type_ = block_buffer(descriptor.r#type(), tensor.r#type(), false)?;
    at.add(builders::ttg::local_alloc(Some(tensor), type_))
}

/// Waits for the copy that replaces `op`, and erases `op`.
fn finish<'c>(at: Insertion<'_, 'c>, op: Op<'c>) -> Option<()> {
    at.insert(builders::ttng::async_tma_store_wait(0))?;
    at.context.rewriter().erase(op);
    Some(())
}

/// The fields of a tensor descriptor that are known at compile time.
struct Fields<'c> {
    type_: Type<'c>,
    /// Number of elements of a TMA box along each dim.
    box_sizes: Vec<u64>,
    element_bytes: u64,
    element_type: i64,
    swizzle_mode: i64,
    fill_mode: i64,
}

impl<'c> Fields<'c> {
    fn of(make: tt::MakeTensorDesc<'c, 'c>) -> Result<Self, Diagnostic> {
        let own = make.result().r#type();
        let type_ = with_block_encoding(own).unwrap_or(own);
        let unsupported = || Diagnostic::new(format!("cannot encode '{own}' as a TMA descriptor"));
        let block = block(type_).ok_or_else(unsupported)?;
        let encoding = block_encoding(&block).ok_or_else(unsupported)?;
        let tensor_box = encoding
            .tensor_box(&block.shape)
            .map_err(|error| Diagnostic::new(error.to_string()))?;
        let bits = element_bits(block.element).ok_or_else(unsupported)?;
        let element_type = element_type(&element_name(block.element)).ok_or_else(|| {
            unsupported().note(format!(
                "the element type is {}, expected an integer or float of 8, 16, 32 or 64 bits",
                element_name(block.element)
            ))
        })?;
        if block.shape.len() > MAX_RANK {
            return Err(unsupported().note(format!(
                "the block has {} dimensions, expected at most {MAX_RANK}",
                block.shape.len()
            )));
        }
        let row_bytes = block
            .shape
            .last()
            .map_or(0, |row| row * u64::from(bits) / 8);
        if row_bytes < ROW_BYTES {
            return Err(unsupported().note(format!(
                "a row of the block has {row_bytes} bytes, expected at least {ROW_BYTES}"
            )));
        }
        Ok(Self {
            type_,
            box_sizes: tensor_box.sizes,
            element_bytes: u64::from(bits / 8),
            element_type,
            swizzle_mode: match encoding.swizzle_bytes() {
                0 => 0,
                bytes => i64::from(bytes.ilog2() - 4),
            },
            fill_mode: match make.padding() {
                PaddingOption::PadZero => 0,
                PaddingOption::PadNan => 1,
            },
        })
    }

    /// Inserts operations that write the descriptor to global scratch memory, and replaces the result of `make` by
    /// this descriptor. The tensor map in the descriptor lists the dimensions in reverse order, so the contiguous
    /// dimension comes first.
    fn create(&self, at: Insertion<'_, 'c>, make: tt::MakeTensorDesc<'c, 'c>) -> Option<()> {
        let bytes = Type::parse(build::context(at.place), "!tt.ptr<i8>")?;
        let (size, alignment) = (DESCRIPTOR_BYTES, DESCRIPTOR_BYTES);
        let memory = at.add(builders::ttg::global_scratch_alloc(size, alignment, bytes))?;
        let rank = self.box_sizes.len();
        let sizes = self.box_sizes.iter().rev();
        let boxes: Option<Vec<Val<'c>>> = sizes
            .map(|size| at.index(u32::try_from(*size).ok()?))
            .collect();
        let sizes: Vec<Val<'c>> = make.shape().into_iter().rev().collect();
        let element = at.integer(at.integer_type(64), self.element_bytes)?;
        let strides = make.strides().into_iter().rev().skip(1);
        let strides = strides.map(|stride| at.add(builders::arith::muli(stride, element)));
        let strides: Option<Vec<Val<'c>>> = strides.collect();
        let steps = vec![at.index(1)?; rank];
        at.insert(builders::ttng::tensormap_create(
            memory,
            make.base(),
            &boxes?,
            &sizes,
            &strides?,
            &steps,
            self.element_type,
            0,
            self.swizzle_mode,
            self.fill_mode,
        ))?;
        at.insert(builders::ttng::tensormap_fenceproxy_acquire(memory))?;
        let descriptor = builders::ttng::reinterpret_tensor_descriptor(memory, self.type_);
        let descriptor = at.add(descriptor)?;
        at.context.rewriter().replace(make.op(), &[descriptor]);
        Some(())
    }
}

/// Returns the number that denotes an element type in a tensor map, as defined for `.elemtype` of
/// `tensormap.replace` in the PTX ISA. All 8-bit types have the number of `.u8`. Returns `None` for an unsupported
/// type.
fn element_type(name: &str) -> Option<i64> {
    Some(match name {
        "i8" | "si8" | "ui8" => 0,
        "i16" | "si16" | "ui16" => 1,
        "i32" | "ui32" => 2,
        "si32" => 3,
        "i64" | "ui64" => 4,
        "si64" => 5,
        "f16" => 6,
        "f32" => 7,
        "f64" => 9,
        "bf16" => 10,
        _ if name.starts_with("f8") => 0,
        _ => return None,
    })
}
