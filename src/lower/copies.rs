//! Copies from global memory to a buffer that arrive later: `ttg.async_copy_global_to_local`, and the waits for them.
//!
//! A copy is the store that a plan makes of registers, but for each store an instruction moves as many neighbours as lie
//! side by side in both memories. What no instruction moves, because it is too narrow or the GPU has none, is loaded and
//! stored at once: early arrival, which a right program cannot tell.

use super::gpu::{CachePolicy, GlobalAccess, SharedCopy};
use super::local::View;
use super::memory::{cache_policy, memory_element, owner, to_memory};
use super::plans::wrong;
use super::state::{Lowering, Outcome};
use super::steps::{self, Given};
use super::types::{bits_of, bits_of_several};
use super::value::Registers;
use crate::ir::ops::ttg;
use crate::sys::build::{Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::access::VectorAccess;
use linear_layout::layout::LinearLayout;
use linear_layout::machine;
use linear_layout::plan::memory::{BufferAccess, MemoryError, plan_access};
use linear_layout::plan::program::Program;
use linear_layout::target::Access;
use melior::ir::{Type, ValueLike};

/// The stores of a copy.
#[derive(Debug)]
struct CopyProgram(Program);

/// The most bits that one instruction copies.
const COPIED_BITS: u32 = 128;

/// Lowers `ttg.async_copy_global_to_local`.
pub(crate) fn copy<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let copy = ttg::AsyncCopyGlobalToLocal::of(op).expect("the dispatch goes by kind");
    let (pointer, mask) = (copy.src(), copy.mask());
    let (element, _) = memory_element(l, pointer)?;
    let layout = l.tensor_layout(pointer)?;
    let promised = u64::try_from(copy.contiguity()).unwrap_or(1);
    let vector = l.axis.promised_vector(
        pointer,
        mask,
        promised,
        bits_of(element),
        &layout.unique,
        COPIED_BITS,
    );
    let program = program(l, op, copy, &vector, &layout.unique)?;
    let buffer = l.buffer(copy.result())?;
    // Of threads that hold the same elements, one copies.
    let (owner, repeated) = owner(l, Some(&layout));
    let fork = owner.map(|owner| l.e.fork(owner));
    let cache = cache_policy(copy.cache_policy());
    let elements = Elements {
        pointers: l.get(pointer),
        masks: mask.map(|mask| l.get(mask)),
        others: copy.other().map(|other| l.get(other)),
        repeated,
        element,
        cache: &cache,
        is_volatile: copy.is_volatile(),
    };
    let mut sources = elements.pointers.to_vec();
    sources.push(buffer.position);
    let i32 = l.e.types.i32;
    let given = Given {
        sources: &sources,
        elements: vec![element, i32],
        scratch: 0,
        buffer: Some(buffer.base),
        region: None,
        store: Some(&|l, to, registers| elements.copy(l, to, registers)),
    };
    steps::emit(l, &program.0, given)?;
    if let Some(fork) = fork {
        l.e.join_or(fork, &[], &[]);
    }
    l.set(copy.token(), []);
    Ok(())
}

/// Plans the stores, and has the machine prove them.
fn program<'c>(
    l: &mut Lowering<'c>,
    op: Op<'c>,
    copy: ttg::AsyncCopyGlobalToLocal<'c, '_>,
    vector: &VectorAccess,
    registers: &LinearLayout,
) -> Result<std::sync::Arc<CopyProgram>, Diagnostic> {
    let of_memory = |e: MemoryError| Diagnostic::new(e.to_string());
    let types = [copy.src(), copy.result()].map(|value| sys::type_id(value.r#type()));
    let mut key = types.to_vec();
    key.extend(vector.register_bits().iter().map(|bit| usize::from(*bit)));
    let (layouts, target) = (l.layouts, l.gpu.target);
    l.allocation.plan_late(op, key, || {
        let view = View::of(layouts, copy.result().r#type())?;
        let access = BufferAccess {
            registers,
            place: &view.place,
            view_mask: view.place.view_mask(view.shape()).map_err(of_memory)?,
            indexed: None,
            access: Access::Store,
            neighbours: Some(vector.register_bits()),
            target,
        };
        let program = plan_access(&access).map_err(of_memory)?;
        machine::check_access(&program, &access).map_err(wrong)?;
        Ok(CopyProgram(program))
    })
}

/// The elements that each thread copies.
struct Elements<'a, 'c> {
    pointers: Registers<'c>,
    masks: Option<Registers<'c>>,
    /// What is stored where the mask is false; 0 where nothing is given.
    others: Option<Registers<'c>>,
    /// Bits of registers that hold what a lower one holds.
    repeated: usize,
    element: Type<'c>,
    cache: &'a CachePolicy,
    is_volatile: bool,
}

impl<'c> Elements<'_, 'c> {
    /// Copies neighbouring registers, lowest address first.
    fn copy(&self, l: &mut Lowering<'c>, to: Val<'c>, registers: &[usize]) {
        let first = registers[0];
        if first & self.repeated != 0 {
            return;
        }
        let bytes = bits_of_several(bits_of(self.element), registers.len()) / 8;
        let mask = self.masks.as_ref().map(|masks| masks[first]);
        let copied = SharedCopy {
            from: self.pointers[first],
            to,
            bytes,
            read_bytes: None,
            cache: self.cache,
        };
        if !l.gpu.copies(bytes) {
            self.load_and_store(l, to, registers, mask);
            return;
        }
        match (mask, self.nonzero(l, registers)) {
            (None, _) => l.gpu.copy(&mut l.e, &copied),
            // What is not read becomes 0.
            (Some(mask), None) => {
                let (all, none) = (l.e.i32(bytes), l.e.i32(0));
                let read_bytes = Some(l.e.select(mask, all, none));
                let copied = SharedCopy {
                    read_bytes,
                    ..copied
                };
                l.gpu.copy(&mut l.e, &copied);
            }
            (Some(mask), Some(others)) => {
                let fork = l.e.fork(mask);
                l.gpu.copy(&mut l.e, &copied);
                let otherwise = l.e.otherwise(fork, &[]);
                let whole = l.e.gather(&others);
                l.e.store(whole, to, bytes);
                l.e.join(otherwise, &[]);
            }
        }
    }

    /// What masked elements become, if that is not 0 in all of these registers.
    fn nonzero(&self, l: &mut Lowering<'c>, registers: &[usize]) -> Option<Vec<Val<'c>>> {
        let others = self.others.as_ref()?;
        let others = registers.iter().map(|r| others[*r]);
        let others: Vec<Val<'c>> = others.map(|v| to_memory(l, v, self.element)).collect();
        let zero = l.e.zero(self.element);
        others.iter().any(|other| *other != zero).then_some(others)
    }

    fn load_and_store(
        &self,
        l: &mut Lowering<'c>,
        to: Val<'c>,
        registers: &[usize],
        mask: Option<Val<'c>>,
    ) {
        let bytes = bits_of_several(bits_of(self.element), registers.len()) / 8;
        let others = match self.nonzero(l, registers) {
            Some(others) => others,
            None => vec![l.e.zero(self.element); registers.len()],
        };
        let access = GlobalAccess {
            pointer: self.pointers[registers[0]],
            offset_bytes: 0,
            mask,
            cache: self.cache,
            is_volatile: self.is_volatile,
            element: self.element,
            element_bits: bits_of(self.element),
            width: registers.len(),
            alignment_bytes: bytes,
        };
        let whole = l.gpu.load(&mut l.e, &access, Some(&others));
        l.e.store(whole, to, bytes);
    }
}

/// Lowers `ttg.async_commit_group`.
pub(crate) fn commit<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let commit = ttg::AsyncCommitGroup::of(op).expect("the dispatch goes by kind");
    l.gpu.commit_copies(&mut l.e);
    l.set(commit.async_token(), []);
    Ok(())
}

/// Lowers `ttg.async_wait`.
pub(crate) fn wait<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = ttg::AsyncWait::of(op).expect("the dispatch goes by kind");
    // A negative count waits for all.
    let most = wait.num().try_into().unwrap_or(0);
    l.gpu.wait_for_copies(&mut l.e, most);
    l.set(wait.ret_token(), []);
    Ok(())
}
