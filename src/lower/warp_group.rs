//! Warp-group products (`ttng.warp_group_dot`), asynchronous on shared-memory descriptors.
//!
//! The plan assigns an instruction to each tile; verification resolves every descriptor. The emitted code is a fence,
//! the instructions, and a commit of the group. `ttng.warp_group_dot_wait` returns the registers in flight as results,
//! so no use moves above the wait.

use super::allocate::PlanContext;
use super::asynchronous;
use super::emit::block_arguments;
use super::gpu::{Accumulation, GroupFactor, GroupProduct, UnitIsa};
use super::index::emit_index;
use super::local::{MemdescLayout, check_alignment};
use super::mbarrier::units;
use super::plans::{layout_of, wrong};
use super::state::{Lowering, Outcome};
use super::types::is_buffer;
use super::words;
use crate::analysis::effects::{Buffers, Effects};
use crate::ir::builders::llvm;
use crate::ir::ops::{scf, ttng};
use crate::ir::{Layouts, OpKind, TensorType, group_product_types};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::machine;
use linear_layout::plan::program::IndexProgram;
use linear_layout::plan::warp_group::{
    FactorBuffer, IssuedFactor, LeftFactor, MatrixDescriptor, WarpGroupIssue, WarpGroupOperands,
    WarpGroupPlan, plan_warp_group_product,
};
use linear_layout::target::{Number, Target};
use melior::ir::ValueLike;
use melior::ir::operation::{OperationLike, WalkOrder, WalkResult};
use std::collections::HashMap;

pub(crate) fn effects(
    context: &mut PlanContext<'_>,
    op: Op<'_>,
    buffers: &Buffers,
) -> Result<Effects, Diagnostic> {
    let dot = ttng::WarpGroupDot::of(op).expect("the dispatch goes by kind");
    let mut key = [dot.a(), dot.b(), dot.c()]
        .map(|value| sys::type_id(value.r#type()))
        .to_vec();
    key.push(dot.input_precision() as usize);
    let (layouts, target) = (context.layouts, context.gpu.target);
    let plan = context.plans.plan(op, key, || plan(layouts, target, dot))?;
    for (number, operand) in [dot.a(), dot.b()].into_iter().enumerate() {
        if let Some(descriptor) = plan.descriptor(number) {
            check_alignment(layouts, operand, descriptor.alignment_bytes())?;
        }
    }
    Ok(asynchronous::effects(OpKind::TtngWarpGroupDot, op, buffers))
}

fn plan(
    layouts: &Layouts,
    target: &Target,
    dot: ttng::WarpGroupDot<'_, '_>,
) -> Result<WarpGroupPlan, Diagnostic> {
    let d = layout_of(layouts, dot.c().r#type())?;
    let b = MemdescLayout::of(layouts, dot.b().r#type())?;
    let b = FactorBuffer {
        view_mask: b.view_mask()?,
        layout: &b.place,
    };
    let (registers, buffer);
    let (a, k) = if is_buffer(dot.a().r#type()) {
        buffer = MemdescLayout::of(layouts, dot.a().r#type())?;
        let factor = FactorBuffer {
            view_mask: buffer.view_mask()?,
            layout: &buffer.place,
        };
        (LeftFactor::Buffer(factor), buffer.shape().last().copied())
    } else {
        registers = layout_of(layouts, dot.a().r#type())?;
        let tensor = TensorType::of(dot.a().r#type());
        let k = tensor.and_then(|tensor| tensor.shape.last().copied());
        (LeftFactor::Registers(&registers.unique), k)
    };
    let (factors, sum) = group_product_types(dot)?;
    let operands = WarpGroupOperands {
        d: &d.unique,
        a,
        b,
        k: k.unwrap_or(1),
        factors,
        sum,
        target,
    };
    let plan = plan_warp_group_product(&operands).map_err(|e| Diagnostic::new(e.to_string()))?;
    machine::check_warp_group_product(&plan, &operands).map_err(wrong)?;
    Ok(plan)
}

pub(crate) fn dot<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let dot = ttng::WarpGroupDot::of(op).expect("the dispatch goes by kind");
    let Some((plan, _)) = l.allocation.plan::<WarpGroupPlan>(op) else {
        // Planning failed and was reported.
        l.set_placeholders(op);
        return Ok(());
    };
    let units = units(l)?;
    let left = match plan.descriptor(0) {
        Some(descriptor) => {
            let start = descriptor_of(l, dot.a(), descriptor, plan.group_positions(0))?;
            LeftOperand::Buffer(start, *descriptor)
        }
        None => LeftOperand::Registers(left_words(l, units, dot.a(), &plan)),
    };
    let Some(of_b) = plan.descriptor(1) else {
        return Err(wrong("B is in no buffer"));
    };
    let right = descriptor_of(l, dot.b(), of_b, plan.group_positions(1))?;
    let use_c = dot.use_c().map(|value| l.get(value)[0]);
    let mut sums = l.get(dot.c()).to_vec();
    let zero = l.e.zero(sums[0].r#type());
    let initial = match use_c.map(|use_c| (use_c, l.e.known_constant(use_c))) {
        Some((_, Some(0))) => Accumulation::None,
        _ if sums.iter().all(|sum| *sum == zero) => Accumulation::None,
        Some((use_c, None)) => Accumulation::If(use_c),
        _ => Accumulation::Always,
    };
    let most = partial_sums(dot, &plan);
    let emitter = ProductEmitter {
        units,
        plan: &plan,
        left,
        right: (right, *of_b),
    };
    units.fence_products(&mut l.e);
    // The instructions of one tile are consecutive.
    for issues in plan.issues().chunk_by(|_, next| !next.is_first_k()) {
        match most {
            None => {
                let mut accumulation = initial;
                for issue in issues {
                    emitter.issue(l, issue, &mut sums, accumulation);
                    accumulation = Accumulation::Always;
                }
            }
            Some(most) => emitter.issue_in_parts(l, issues, &mut sums, (most, initial)),
        }
    }
    units.commit_products(&mut l.e);
    if !dot.is_async() {
        sums = wait_and_tie(l, units, 0, &[sums]).remove(0);
    }
    l.set(dot.d(), sums);
    Ok(())
}

/// If all registers of the initial accumulator of a loop's warp-group products are equal, materialises the
/// accumulator in registers before the loop.
///
/// Otherwise, LLVM would set these registers a second time on the back edge of the loop. `ptxas` serialises
/// products whose accumulator is set at two positions (message C7515).
pub(crate) fn materialise_sums<'c>(
    l: &mut Lowering<'c>,
    loop_: scf::For<'c, 'c>,
    initial: &mut [Val<'c>],
) {
    let (Some(units), Some(block)) = (l.gpu.units(), build::block_of(loop_.region())) else {
        return;
    };
    let dots = build::operations(block);
    let sums: Vec<Val<'c>> = dots
        .into_iter()
        .filter_map(|op| Some(before_waits(ttng::WarpGroupDot::of(op)?.c())))
        .collect();
    if sums.is_empty() {
        return;
    }
    let arguments = &block_arguments(block)[1..];
    let (types, counts) = l.carried_types(arguments.iter().map(ValueLike::r#type));
    let mut at = 0;
    for (argument, count) in arguments.iter().zip(counts) {
        let registers = &mut initial[at..at + count];
        let types = &types[at..at + count];
        at += count;
        let is_constant = registers.windows(2).all(|pair| pair[0] == pair[1]);
        if !is_constant || !sums.contains(argument) {
            continue;
        }
        // Instructions take pairs of 16-bit floats as words.
        let words: Vec<Val<'c>> = registers
            .iter()
            .map(|register| match sys::float_width(register.r#type()) {
                Some(32) => *register,
                _ => words::as_integer(&mut l.e, *register, 32),
            })
            .collect();
        let copies = units.opaque_copies(&mut l.e, &words);
        for ((register, type_), copy) in registers.iter_mut().zip(types).zip(copies) {
            *register = l.e.bitcast(copy, *type_);
        }
    }
}

/// Returns the value that `value` has before all waits for products that pass it on.
fn before_waits<'c>(mut value: Val<'c>) -> Val<'c> {
    while let Some(wait) = sys::defining_operation(value).and_then(ttng::WarpGroupDotWait::of) {
        let at = wait.outputs().iter().position(|output| *output == value);
        let Some(input) = at.and_then(|at| wait.inputs().get(at).copied()) else {
            break;
        };
        value = input;
    }
    value
}

/// Returns the maximum number of instructions that accumulate into one partial sum. Returns `None` if the product
/// needs no partial sums, and all instructions accumulate directly.
///
/// The partial sums are added in full precision.
fn partial_sums(dot: ttng::WarpGroupDot<'_, '_>, plan: &WarpGroupPlan) -> Option<usize> {
    let [a, _, sum] = plan.types();
    let imprecise = u64::try_from(dot.max_num_imprecise_acc()).unwrap_or(0);
    let k = plan.sizes()[2];
    let all = plan.issues().iter().skip(1);
    let issues = 1 + all.take_while(|issue| !issue.is_first_k()).count();
    let is_partial = matches!(a, Number::E4m3 | Number::E5m2) && sum == Number::F32;
    let most = usize::try_from((imprecise / k).max(1)).unwrap_or(usize::MAX);
    // A limit equal to the length of the product counts, since the product may be a part of a loop's sum.
    (is_partial && most <= issues).then_some(most)
}

enum LeftOperand<'c> {
    /// The left operand A is in shared memory. The variant contains the lower half of the matrix descriptor of the
    /// first tile, and the planned descriptor.
    Buffer(Val<'c>, MatrixDescriptor),
    /// The left operand A is in registers. The variant contains the words of A, keyed by the indices of the
    /// registers that each word packs.
    Registers(HashMap<Vec<u32>, Val<'c>>),
}

/// Copies the left operand A to new 32-bit words. Returns the words, keyed by the indices of the registers that
/// each word packs.
///
/// Products in flight read the copies, so the original registers can be overwritten.
fn left_words<'c>(
    l: &mut Lowering<'c>,
    units: &dyn UnitIsa,
    a: Val<'c>,
    plan: &WarpGroupPlan,
) -> HashMap<Vec<u32>, Val<'c>> {
    let registers = l.get(a);
    let mut copies = HashMap::new();
    for issue in plan.issues() {
        let IssuedFactor::Words(words) = issue.a() else {
            continue;
        };
        for word in words {
            copies.entry(word.clone()).or_insert_with_key(|word| {
                let parts: Vec<Val<'c>> = word.iter().map(|r| registers[*r as usize]).collect();
                let word = words::pack(&mut l.e, &parts)[0];
                units.copy_word(&mut l.e, word)
            });
        }
    }
    copies
}

/// Computes the lower half of the matrix descriptor for the first tile in `buffer`.
///
/// `groups[i]` is the byte offset that bit `i` of the warp-group index contributes.
fn descriptor_of<'c>(
    l: &mut Lowering<'c>,
    buffer: Val<'c>,
    descriptor: &MatrixDescriptor,
    groups: &[u64],
) -> Result<Val<'c>, Diagnostic> {
    let mut pointer = l.buffer(buffer)?.address(&mut l.e);
    let (i8, i32) = (l.e.types.i8, l.e.types.i32);
    if groups.iter().any(|bytes| *bytes != 0) {
        let group = l
            .warp_group
            .ok_or_else(|| wrong("a product of several warp groups in one"))?;
        let program = IndexProgram::new(&[count(groups)], &[groups.to_vec()]);
        let offset = emit_index(&mut l.e, &program, &[group])[0];
        pointer = l.e.gep(pointer, i8, offset);
    }
    let address = l.e.pure(llvm::ptrtoint(pointer, i32));
    let units = l.e.lshr(address, 4);
    let mask = l.e.i32(MatrixDescriptor::field_mask());
    let start = l.e.and(units, mask);
    let [low, _] = halves(descriptor.word());
    let low = l.e.i32(low);
    Ok(l.e.or_disjoint(start, low))
}

/// Splits a 64-bit word into its 32-bit halves `[low, high]`.
fn halves(word: u64) -> [u32; 2] {
    [word, word >> 32].map(|half| u32::try_from(half & u64::from(u32::MAX)).expect("32 bits"))
}

/// Base-2 logarithm of the number of warps in a warp group.
const WARPS_LOG2: u32 = 2;

/// Computes the warp-group index before all loops, if warp-group products need the index.
///
/// The index comes from a shuffle. The shuffle makes the index uniform, but LLVM cannot hoist it out of a loop.
pub(crate) fn begin_region<'c>(l: &mut Lowering<'c>, around: Op<'c>) {
    if l.gpu.num_warps <= 1 << WARPS_LOG2 {
        return;
    }
    let mut has_products = false;
    around.walk(WalkOrder::PreOrder, |op| {
        has_products |= ttng::WarpGroupDot::of(op).is_some();
        match has_products {
            true => WalkResult::Interrupt,
            false => WalkResult::Advance,
        }
    });
    if has_products {
        let warp = l.gpu.warp(&mut l.e);
        let group = l.e.lshr(warp, WARPS_LOG2);
        let first = l.e.i32(0);
        l.warp_group = Some(l.gpu.shuffle_index(&mut l.e, group, first));
    }
}

fn count(groups: &[u64]) -> u32 {
    u32::try_from(groups.len()).expect("a block has few warp groups")
}

struct ProductEmitter<'a, 'c> {
    units: &'a dyn UnitIsa,
    plan: &'a WarpGroupPlan,
    left: LeftOperand<'c>,
    right: (Val<'c>, MatrixDescriptor),
}

impl<'c> ProductEmitter<'_, 'c> {
    fn issue(
        &self,
        l: &mut Lowering<'c>,
        issue: &WarpGroupIssue,
        sums: &mut [Val<'c>],
        accumulation: Accumulation<'c>,
    ) {
        let own = issue.accumulators().iter().map(|r| sums[*r as usize]);
        let own: Vec<Val<'c>> = own.collect();
        let added = self.multiply(l, issue, &own, accumulation);
        for (register, sum) in issue.accumulators().iter().zip(added) {
            sums[*register as usize] = sum;
        }
    }

    /// Issues the instructions of one tile in parts of at most `most` instructions. The instructions of a part
    /// accumulate into a partial sum. After each part, waits for the partial sum and adds it to the accumulator in
    /// full precision.
    fn issue_in_parts(
        &self,
        l: &mut Lowering<'c>,
        issues: &[WarpGroupIssue],
        sums: &mut [Val<'c>],
        (most, initial): (usize, Accumulation<'c>),
    ) {
        let registers = issues[0].accumulators();
        for (i, part) in issues.chunks(most).enumerate() {
            let before: Vec<Val<'c>> = registers.iter().map(|r| sums[*r as usize]).collect();
            let mut partial = before.clone();
            let mut accumulation = Accumulation::None;
            for issue in part {
                partial = self.multiply(l, issue, &partial, accumulation);
                accumulation = Accumulation::Always;
            }
            self.units.commit_products(&mut l.e);
            let partial = wait_and_tie(l, self.units, 0, &[partial]).remove(0);
            for ((register, before), partial) in registers.iter().zip(before).zip(partial) {
                let added = |l: &mut Lowering<'c>| l.e.pure(llvm::fadd(before, partial));
                sums[*register as usize] = match initial {
                    Accumulation::None if i == 0 => partial,
                    Accumulation::If(use_c) if i == 0 => {
                        let added = added(l);
                        l.e.select(use_c, added, partial)
                    }
                    _ => added(l),
                };
            }
            self.units.fence_products(&mut l.e);
        }
    }

    fn multiply(
        &self,
        l: &mut Lowering<'c>,
        issue: &WarpGroupIssue,
        sums: &[Val<'c>],
        accumulation: Accumulation<'c>,
    ) -> Vec<Val<'c>> {
        let at = |l: &mut Lowering<'c>, (first, descriptor): (Val<'c>, MatrixDescriptor), bytes| {
            let i64 = l.e.types.i64;
            let [offset, _] = halves(descriptor.start(bytes));
            let offset = l.e.i32(offset);
            let low = l.e.add(first, offset);
            let low = l.e.zext(low, i64);
            let high = descriptor.word() & !u64::from(u32::MAX);
            let high = l.e.constant(i64, high.cast_signed());
            l.e.or_disjoint(low, high)
        };
        let (a, a_is_transposed) = match (&self.left, issue.a()) {
            (LeftOperand::Buffer(first, descriptor), IssuedFactor::Position(bytes)) => {
                let tile = at(l, (*first, *descriptor), *bytes);
                (GroupFactor::Tile(tile), Some(!descriptor.is_k_major))
            }
            (LeftOperand::Registers(copies), IssuedFactor::Words(words)) => {
                let words = words.each_ref().map(|word| copies[word]);
                (GroupFactor::Words(words), None)
            }
            _ => unreachable!("a plan issues words of A if it has no descriptor of A"),
        };
        let b = at(l, self.right, issue.b());
        let type_ = sums[0].r#type();
        let product = GroupProduct {
            instruction: self.plan.instruction(),
            sums: words::pack(&mut l.e, sums),
            a,
            b,
            accumulation,
            is_integer: self.plan.types()[2].is_integer(),
            transposed: (self.plan.types()[0].bits() == 16)
                .then_some((a_is_transposed, !self.right.1.is_k_major)),
        };
        let added = self.units.multiply(&mut l.e, &product);
        words::unpack(&mut l.e, &added, sums.len(), type_)
    }
}

/// Waits until at most `most` product groups are in flight.
///
/// Returns `values` as results of the wait, so that LLVM cannot move uses before the wait.
fn wait_and_tie<'c>(
    l: &mut Lowering<'c>,
    units: &dyn UnitIsa,
    most: u32,
    values: &[Vec<Val<'c>>],
) -> Vec<Vec<Val<'c>>> {
    let packed: Vec<Vec<Val<'c>>> = values
        .iter()
        .map(|registers| words::pack(&mut l.e, registers))
        .collect();
    let waited = units.wait_for_products(&mut l.e, most, &packed.concat());
    let mut rest = &waited[..];
    let mut all = Vec::new();
    for (registers, packed) in values.iter().zip(&packed) {
        let (own, others) = rest.split_at(packed.len());
        rest = others;
        let type_ = registers.first().map(|register| register.r#type());
        all.push(match type_ {
            Some(type_) => words::unpack(&mut l.e, own, registers.len(), type_),
            None => Vec::new(),
        });
    }
    all
}

pub(crate) fn wait<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let wait = ttng::WarpGroupDotWait::of(op).expect("the dispatch goes by kind");
    let units = units(l)?;
    let most = wait.pendings().try_into().unwrap_or(0);
    let pairs: Vec<_> = wait.inputs().into_iter().zip(wait.outputs()).collect();
    let (buffers, tensors): (Vec<_>, Vec<_>) = pairs
        .into_iter()
        .partition(|(input, _)| is_buffer(input.r#type()));
    for (input, output) in buffers {
        let buffer = l.buffer(input)?;
        l.set_buffer(output, buffer);
    }
    let registers = tensors.iter().map(|(input, _)| l.get(*input).to_vec());
    let registers: Vec<Vec<Val<'c>>> = registers.collect();
    let waited = wait_and_tie(l, units, most, &registers);
    for ((_, output), registers) in tensors.into_iter().zip(waited) {
        l.set(output, registers);
    }
    Ok(())
}
