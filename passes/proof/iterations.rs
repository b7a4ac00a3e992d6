//! Execution of functions with chosen integers, for passes that move operations between iterations.
//!
//! The control flow and the integers are executed; tensors, pointers and floats are terms. An integer that the function
//! does not compute, such as an argument or a loaded number, is drawn from its term: equal terms, equal integers. The
//! result is the list of effects on memory and of returned values. Two functions with equal lists for all
//! [`TRIALS`] compute the same, for the loop bounds that occur in them.
//!
//! A buffer in shared memory holds the term that was stored or copied last. Copies arrive at once, and waits do nothing:
//! the analysis of accesses in flight checks the waits of every function.
//!
//! Not here: functions with branches between blocks (`cf`), which are not compared.

use super::terms::Terms;
use crate::analysis::assignment::Role;
use crate::analysis::concrete::{evaluate, width, wrapped};
use crate::ir::ops::{scf, tt};
use crate::ir::{OpKind, OpView, TensorType, UpstreamKind, element_bits};
use crate::sys;
use crate::sys::build::{self, Blk, Op, Val};
use melior::ir::ValueLike;
use melior::ir::operation::OperationLike;
use rustc_hash::FxHashMap;

/// Limits of the pseudo-random integers that replace unknown integers, such as function arguments. A function is
/// executed once for each limit, with integers below the limit. The loops of the function thus execute different
/// numbers of iterations: none, few or many.
const TRIALS: [u64; 7] = [1, 2, 4, 9, 40, 300, 3000];

/// Maximum number of iterations of a loop that are executed. Later iterations are skipped.
const MAX_ITERATIONS: usize = 24;

/// Maximum number of operations in a trial. A trial that needs more operations is abandoned.
const MAX_OPERATIONS: usize = 20_000;
const MOST_OPERATIONS_AFTER: usize = 4 * MAX_OPERATIONS;

/// The effects of a function in each trial, i.e. for each bound in [`TRIALS`]. The entry of a trial is `None` if
/// the function cannot be executed in it.
pub(super) struct Traces {
    terms: Terms,
    distinct_arguments: bool,
    effects: Vec<Option<Vec<usize>>>,
}

impl Traces {
    /// Executes a function in all trials, and records its effects. If `distinct_arguments` is true, different
    /// arguments are assumed to point to disjoint memory.
    pub(super) fn of(function: Op<'_>, distinct_arguments: bool) -> Self {
        let mut terms = Terms::default();
        let effects = TRIALS.map(|limit| {
            let limits = (limit, MAX_OPERATIONS);
            execute(&mut terms, function, limits, distinct_arguments)
        });
        Self {
            terms,
            distinct_arguments,
            effects: effects.into(),
        }
    }

    /// Executes a function after a pass in the same trials as before the pass, and compares the effects.
    ///
    /// # Errors
    /// Describes the first difference.
    pub(super) fn compare(&mut self, function: Op<'_>) -> Result<(), String> {
        for (limit, before) in TRIALS.iter().zip(&self.effects) {
            let Some(before) = before else {
                continue;
            };
            let limits = (*limit, MOST_OPERATIONS_AFTER);
            let now = execute(&mut self.terms, function, limits, self.distinct_arguments);
            let now = now.ok_or("the function can no longer be executed")?;
            let end = before.len().min(now.len());
            let at = before.iter().zip(&now).position(|(a, b)| a != b);
            if let Some(at) = at.or_else(|| (before.len() != now.len()).then_some(end)) {
                return Err(format!(
                    "effect {at} of {} differs from the effect before the pass, for integers below {limit}",
                    before.len()
                ));
            }
        }
        Ok(())
    }
}

fn execute(
    terms: &mut Terms,
    function: Op<'_>,
    (limit, most_operations): (u64, usize),
    distinct_arguments: bool,
) -> Option<Vec<usize>> {
    let mut execution = Execution {
        terms,
        limit,
        values: FxHashMap::default(),
        memory: FxHashMap::default(),
        effects: Vec::new(),
        distinct_arguments,
        bases: FxHashMap::default(),
        writes: FxHashMap::default(),
        allocations: 0,
        operations_left: most_operations,
    };
    execution.function(function)?;
    Some(execution.effects)
}

/// The value that the execution assigns to an SSA value: a known integer, the number of a symbolic term, or a view
/// of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Datum {
    Integer(i64),
    Term(usize),
    Buffer(Buffer),
}

/// A view of a buffer: an allocation or one of its slots, to which transpositions are applied.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Buffer {
    allocation: usize,
    slot: Option<i64>,
    transpositions: Vec<(Vec<i32>, Vec<u64>)>,
}

struct Execution<'t> {
    terms: &'t mut Terms,
    limit: u64,
    values: FxHashMap<usize, Datum>,
    /// The contents of buffers, each as the number (the identity) of a symbolic term. The key consists of the
    /// allocation and the slot. The slot is `None` if the allocation is used as a whole.
    memory: FxHashMap<(usize, Option<i64>), usize>,
    effects: Vec<usize>,
    distinct_arguments: bool,
    /// The argument on which each pointer or descriptor is based. The key is the number of the term of the pointer
    /// or descriptor.
    bases: FxHashMap<usize, usize>,
    /// Number of writes to global memory so far, keyed by the function argument on which the written pointer is
    /// based. The key is `None` if this argument is unknown. The number of earlier writes that may affect a load is
    /// part of the load's term, so loads before and after such a write have different terms.
    writes: FxHashMap<Option<usize>, usize>,
    allocations: usize,
    operations_left: usize,
}

impl Execution<'_> {
    fn function(&mut self, function: Op<'_>) -> Option<()> {
        let [body] = build::blocks_of(tt::Func::of(function)?.body())[..] else {
            return None;
        };
        for (i, argument) in build::block_arguments(body).into_iter().enumerate() {
            let term = vec![usize::MAX - 1, i, self.terms.bare(argument)];
            if self.distinct_arguments {
                let name = self.terms.name(term.clone());
                self.bases.insert(name, name);
            }
            self.define(argument, term);
        }
        self.block(body)
    }

    /// Assigns a value whose result is only known as the symbolic term `term`. If the value is an integer, it is
    /// assigned the pseudo-random integer of the term instead; see [`Self::drawn`].
    fn define(&mut self, value: Val<'_>, term: Vec<usize>) {
        let name = self.terms.name(term);
        let datum = match width(value) {
            Some(bits) => Datum::Integer(wrapped(self.drawn(name), bits)),
            None => Datum::Term(name),
        };
        self.set(value, datum);
    }

    /// Returns a pseudo-random integer that depends only on the limit and on the term with the number `name`. The
    /// integer is nonnegative and below the limit, or in rare cases -1.
    fn drawn(&self, name: usize) -> i64 {
        let mut bits = (name as u64 + self.limit).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits ^= bits >> 29;
        bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits ^= bits >> 32;
        match bits % 16 {
            0 => -1,
            _ => (bits / 16 % self.limit).cast_signed(),
        }
    }

    /// Executes the operations of a block. Returns `None` if the execution cannot continue.
    fn block(&mut self, block: Blk<'_>) -> Option<()> {
        let mut ops = build::operations(block);
        let end = ops.pop()?;
        for op in ops {
            self.operation(op)?;
        }
        if OpKind::TtReturn.is(end) {
            let term = self.term(end);
            let name = self.terms.name(term);
            self.effects.push(name);
        }
        Some(())
    }

    fn operation(&mut self, op: Op<'_>) -> Option<()> {
        self.operations_left = self.operations_left.checked_sub(1)?;
        if self.control(op)? || self.is_integer(op) || self.movement(op)? || is_wait(op) {
            return Some(());
        }
        let term = self.term(op);
        if !is_pure(op) {
            let name = self.terms.name(term.clone());
            self.effects.push(name);
            let store = tt::Store::of(op);
            let base = store.and_then(|store| self.base(store.ptr()));
            *self.writes.entry(base).or_default() += 1;
        }
        for (i, result) in build::results(op).into_iter().enumerate() {
            // Two equal effects may have different results.
            let state = if is_pure(op) { 0 } else { self.effects.len() };
            let term = [&term[..], &[i, state]].concat();
            self.inherit_base(op, &term);
            self.define(result, term);
        }
        Some(())
    }

    /// Records the function argument on which the result of `op` is based. This is the argument on which the
    /// pointer operands of `op` are based, if it is the same for all operands with a known argument.
    fn inherit_base(&mut self, op: Op<'_>, term: &[usize]) {
        let bases: Vec<usize> = { build::operands(op).into_iter() }
            .filter_map(|operand| self.base(operand))
            .collect();
        if let [first, rest @ ..] = &bases[..]
            && rest.iter().all(|base| base == first)
        {
            let name = self.terms.name(term.to_vec());
            self.bases.insert(name, *first);
        }
    }

    /// Returns the argument on which a pointer or a descriptor is based, or `None` if it is unknown.
    fn base(&self, value: Val<'_>) -> Option<usize> {
        match self.values.get(&sys::value_id(value))? {
            Datum::Term(name) => self.bases.get(name).copied(),
            _ => None,
        }
    }

    /// Returns the number of earlier writes that may change what a load based on `base` reads.
    fn writes_before(&self, base: Option<usize>) -> usize {
        let of = |base| self.writes.get(&base).copied().unwrap_or_default();
        match base {
            Some(_) => of(base) + of(None),
            None => self.writes.values().sum(),
        }
    }

    fn is_integer(&mut self, op: Op<'_>) -> bool {
        let [result] = build::results(op)[..] else {
            return false;
        };
        let bits = width(result).filter(|_| !OpKind::TtGetProgramId.is(op));
        let Some((bits, number)) = bits.zip(evaluate(op, |value| self.integer(value))) else {
            return false;
        };
        self.set(result, Datum::Integer(wrapped(number, bits)));
        true
    }

    /// Executes a loop or a conditional. Returns false for other operations.
    fn control(&mut self, op: Op<'_>) -> Option<bool> {
        if let Some(looped) = scf::For::of(op) {
            self.counted_loop(looped)?;
        } else if let Some(looped) = scf::While::of(op) {
            let [before, after] = [looped.before(), looped.after()].map(build::block_of);
            let (before, after) = (before?, after?);
            let mut carried = self.all(&build::operands(op));
            for _ in 0..=MAX_ITERATIONS {
                self.bind(&build::block_arguments(before), &carried);
                self.block(before)?;
                let end = build::terminator_operands(before);
                let (condition, rest) = end.split_first()?;
                carried = self.all(rest);
                if self.integer(*condition)? == 0 {
                    break;
                }
                self.bind(&build::block_arguments(after), &carried);
                self.block(after)?;
                carried = self.all(&build::terminator_operands(after));
            }
            self.bind(&build::results(op), &carried);
        } else if let Some(conditional) = scf::If::of(op) {
            let region = match self.integer(conditional.condition())? {
                0 => conditional.else_region(),
                _ => conditional.then_region(),
            };
            if let Some(block) = build::block_of(region) {
                self.block(block)?;
                let yielded = self.all(&build::terminator_operands(block));
                self.bind(&build::results(op), &yielded);
            }
        } else {
            // Other operations with regions are combinations, which are terms.
            return Some(false);
        }
        Some(true)
    }

    fn counted_loop(&mut self, looped: scf::For<'_, '_>) -> Option<()> {
        let bounds = [looped.lower_bound(), looped.upper_bound(), looped.step()];
        let [lower, upper, step] = bounds.map(|bound| self.integer(bound));
        let (mut at, upper, step) = (lower?, upper?, step?);
        if step <= 0 || looped.unsigned_cmp() {
            return None;
        }
        let body = build::block_of(looped.region())?;
        let arguments = build::block_arguments(body);
        let mut carried = self.all(&looped.init_args());
        for _ in 0..MAX_ITERATIONS {
            if at >= upper {
                break;
            }
            self.set(arguments[0], Datum::Integer(at));
            self.bind(&arguments[1..], &carried);
            self.block(body)?;
            carried = self.all(&build::terminator_operands(body));
            at = at.checked_add(step)?;
        }
        self.bind(&build::results(looped.op()), &carried);
        Some(())
    }

    fn integer(&self, value: Val<'_>) -> Option<i64> {
        match self.values.get(&sys::value_id(value)) {
            Some(Datum::Integer(number)) => Some(*number),
            _ => None,
        }
    }

    fn buffer(&self, value: Val<'_>) -> Option<Buffer> {
        match self.values.get(&sys::value_id(value)) {
            Some(Datum::Buffer(buffer)) => Some(buffer.clone()),
            _ => None,
        }
    }

    fn set(&mut self, value: Val<'_>, datum: Datum) {
        self.values.insert(sys::value_id(value), datum);
    }

    fn get(&mut self, value: Val<'_>) -> Datum {
        let known = self.values.get(&sys::value_id(value)).cloned();
        known.unwrap_or_else(|| {
            let term = vec![usize::MAX, self.terms.bare(value)];
            Datum::Term(self.terms.name(term))
        })
    }

    fn all(&mut self, values: &[Val<'_>]) -> Vec<Datum> {
        values.iter().map(|value| self.get(*value)).collect()
    }

    fn bind(&mut self, values: &[Val<'_>], data: &[Datum]) {
        for (value, datum) in values.iter().zip(data) {
            self.set(*value, datum.clone());
        }
    }

    /// Returns the number (the identity) of the symbolic term of a value. For a buffer, this is the term of its
    /// contents.
    fn name(&mut self, value: Val<'_>) -> usize {
        match self.get(value) {
            Datum::Term(name) => name,
            Datum::Integer(number) => {
                let text = self.terms.text(format!("integer {number}"));
                let term = vec![text, self.terms.bare(value)];
                self.terms.name(term)
            }
            Datum::Buffer(buffer) => self.contents(&buffer, value),
        }
    }

    fn contents(&mut self, buffer: &Buffer, value: Val<'_>) -> usize {
        let stored = self.memory.get(&(buffer.allocation, buffer.slot)).copied();
        let mut name = stored.unwrap_or_else(|| self.unspecified());
        let element = sys::buffer(value.r#type()).map(|buffer| buffer.element);
        for (order, shape) in &buffer.transpositions {
            if let Some(element) = element {
                name = self.terms.transposition(name, order, shape, element);
            }
        }
        name
    }

    fn unspecified(&mut self) -> usize {
        let text = self.terms.text("unspecified".to_owned());
        self.terms.name(vec![text])
    }

    /// Returns the term of an operation: its name, operands, attributes, types and regions.
    fn term(&mut self, op: Op<'_>) -> Vec<usize> {
        let mut term = vec![self.terms.text(sys::identifier_text(op.name()).to_owned())];
        for operand in build::operands(op) {
            term.push(self.name(operand));
        }
        term.extend(self.terms.attributes(op));
        for value in build::results(op) {
            term.push(self.terms.bare(value));
        }
        for region in 0..op.region_count() {
            for block in build::blocks(op, region) {
                term.extend(self.combination(block));
            }
        }
        term
    }

    /// Returns the term of a combining region, such as that of a reduction. The arguments of the region are
    /// numbered by position.
    fn combination(&mut self, block: Blk<'_>) -> Vec<usize> {
        for (i, argument) in build::block_arguments(block).into_iter().enumerate() {
            let term = vec![usize::MAX - 2, i, self.terms.bare(argument)];
            let name = self.terms.name(term);
            self.set(argument, Datum::Term(name));
        }
        let mut all = Vec::new();
        for op in build::operations(block) {
            let term = self.term(op);
            let name = self.terms.name(term);
            for (i, result) in build::results(op).into_iter().enumerate() {
                let name = self.terms.name(vec![usize::MAX - 3, name, i]);
                self.set(result, Datum::Term(name));
            }
            all.push(name);
        }
        all
    }

    /// Executes an operation that moves or combines data in a form that a pass may change: a load, an operation on
    /// buffers or masks, or a warp-group product. Returns false for all other operations.
    fn movement(&mut self, op: Op<'_>) -> Option<bool> {
        match OpView::of(op) {
            Some(OpView::TtLoad(load)) => {
                let term = self.load(load.ptr(), load.mask(), load.other());
                self.define(load.result(), term);
            }
            Some(OpView::TtDescriptorLoad(load)) => {
                let term = self.block_load(load.desc(), &load.indices());
                self.define(load.result(), term);
            }
            Some(OpView::TtgAsyncCopyGlobalToLocal(copy)) => {
                let term = self.load(copy.src(), copy.mask(), copy.other());
                let name = self.terms.name(term);
                self.store(copy.result(), name)?;
            }
            Some(OpView::TtngAsyncTMACopyGlobalToLocal(copy)) => {
                if self.integer(copy.pred())? != 0 {
                    let term = self.block_load(copy.desc(), &copy.coord());
                    let name = self.terms.name(term);
                    self.store(copy.result(), name)?;
                }
            }
            Some(OpView::TtgLocalAlloc(alloc)) => {
                self.allocations += 1;
                let buffer = Buffer {
                    allocation: self.allocations,
                    slot: None,
                    transpositions: Vec::new(),
                };
                self.set(alloc.result(), Datum::Buffer(buffer));
                if let Some(src) = alloc.src() {
                    let name = self.name(src);
                    self.store(alloc.result(), name)?;
                }
            }
            Some(OpView::TtgLocalStore(store)) => {
                let name = self.name(store.src());
                self.store(store.dst(), name)?;
            }
            Some(OpView::TtgMemDescIndex(index)) => {
                let slot = Some(self.integer(index.index())?);
                let buffer = self.buffer(index.src())?;
                self.set(index.result(), Datum::Buffer(Buffer { slot, ..buffer }));
            }
            Some(OpView::TtgMemDescTrans(view)) => {
                let mut buffer = self.buffer(view.src())?;
                let shape = sys::buffer(view.result().r#type())?.shape;
                buffer.transpositions.push((view.order().to_vec(), shape));
                self.set(view.result(), Datum::Buffer(buffer));
            }
            Some(OpView::TtgLocalLoad(load)) => {
                let name = self.name(load.src());
                self.set(load.result(), Datum::Term(name));
            }
            // A layout changes no value.
            Some(OpView::TtgConvertLayout(cvt)) => {
                let datum = self.get(cvt.src());
                self.set(cvt.result(), datum);
            }
            Some(OpView::TtTrans(trans)) => {
                let (name, tensor) = (
                    self.name(trans.src()),
                    TensorType::of(trans.result().r#type())?,
                );
                let order = trans.order();
                let name = self
                    .terms
                    .transposition(name, &order, tensor.shape, tensor.element);
                self.set(trans.result(), Datum::Term(name));
            }
            Some(OpView::TtngWarpGroupDot(dot)) => {
                let [left, right, sum] = [dot.a(), dot.b(), dot.c()].map(|value| self.name(value));
                let used = dot.use_c().map(|use_c| self.name(use_c));
                let precision = format!(
                    "{} {} {used:?}",
                    dot.input_precision().name(),
                    dot.max_num_imprecise_acc()
                );
                let factors = (left, right, sum);
                let term = self.terms.product(op, factors, precision, dot.c());
                self.define(dot.d(), term);
            }
            Some(OpView::TtngWarpGroupDotWait(wait)) => {
                let inputs = self.all(&wait.inputs());
                self.bind(&build::results(op), &inputs);
            }
            Some(OpView::TtSplat(splat)) if self.is_truth(splat.result()) => {
                let datum = self.get(splat.src());
                self.set(splat.result(), datum);
            }
            _ if UpstreamKind::ArithAndI.is(op) => return Some(self.is_mask(op)),
            _ => return Some(false),
        }
        Some(true)
    }

    /// Returns true for a tensor of `i1`. If all elements of such a tensor are known to be equal, the execution
    /// represents the tensor by this element.
    fn is_truth(&self, tensor: Val<'_>) -> bool {
        let tensor = TensorType::of(tensor.r#type());
        tensor.is_some_and(|tensor| element_bits(tensor.element) == Some(1))
    }

    /// Executes `op`, an `arith.andi`, if it is the conjunction of two masks and at least one of the masks has
    /// equal, known elements. Returns true if `op` has been executed.
    fn is_mask(&mut self, op: Op<'_>) -> bool {
        let (operands, result) = (build::operands(op), build::only_result(op));
        let [left, right] = [0, 1].map(|i| (self.integer(operands[i]), self.get(operands[i])));
        let datum = match (left, right) {
            ((Some(0), known), _) | (_, (Some(0), known)) => known,
            ((Some(_), _), (_, other)) | ((_, other), (Some(_), _)) => other,
            _ => return false,
        };
        let is_known = self.is_truth(result);
        if is_known {
            self.set(result, datum);
        }
        is_known
    }

    fn store(&mut self, buffer: Val<'_>, name: usize) -> Option<()> {
        let buffer = self.buffer(buffer)?;
        self.memory.insert((buffer.allocation, buffer.slot), name);
        Some(())
    }

    /// Returns the term of a load that is executed after all writes so far.
    fn load(
        &mut self,
        pointer: Val<'_>,
        mask: Option<Val<'_>>,
        other: Option<Val<'_>>,
    ) -> Vec<usize> {
        let known = mask.and_then(|mask| self.integer(mask));
        let other = other.map(|other| self.name(other));
        let mask = mask.filter(|_| known.is_none());
        let mask = mask.map(|mask| self.name(mask));
        match (known, other) {
            (Some(0), Some(other)) => return vec![usize::MAX - 4, other],
            (Some(0), None) => return vec![self.unspecified()],
            _ => {}
        }
        let other = other.filter(|_| mask.is_some());
        let writes = self.writes_before(self.base(pointer));
        let mut term = vec![self.terms.text("load".to_owned()), writes];
        term.push(self.name(pointer));
        term.extend([mask, other].map(|value| value.map_or(0, |value| value + 1)));
        term
    }

    fn block_load(&mut self, descriptor: Val<'_>, indices: &[Val<'_>]) -> Vec<usize> {
        let writes = self.writes_before(self.base(descriptor));
        let mut term = vec![self.terms.text("block".to_owned()), writes];
        term.push(self.name(descriptor));
        for index in indices {
            term.push(self.name(*index));
        }
        term
    }
}

/// Returns true for operations that only order memory accesses, or that manage barriers and buffers.
fn is_wait(op: Op<'_>) -> bool {
    matches!(
        OpView::of(op),
        Some(
            OpView::TtgAsyncCommitGroup(_)
                | OpView::TtgAsyncWait(_)
                | OpView::TtgLocalDealloc(_)
                | OpView::TtngBarrierExpect(_)
                | OpView::TtngInitBarrier(_)
                | OpView::TtngInvalBarrier(_)
                | OpView::TtngWaitBarrier(_)
                | OpView::TtngFenceAsyncShared(_)
        )
    )
}

/// Returns true for operations without effects on memory.
fn is_pure(op: Op<'_>) -> bool {
    Role::of(op).is_pure()
        || matches!(
            OpView::of(op),
            Some(
                OpView::TtDot(_)
                    | OpView::TtDotScaled(_)
                    | OpView::TtGather(_)
                    | OpView::TtGetProgramId(_)
                    | OpView::TtGetNumPrograms(_)
                    | OpView::TtMakeTensorDesc(_)
                    | OpView::TtgMemDescReshape(_)
                    | OpView::TtgMemDescSubslice(_)
            )
        )
}

#[cfg(test)]
mod tests;
