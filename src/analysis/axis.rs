//! Axis information: contiguity, divisibility and constancy of all values of a function.
//!
//! A forward data-flow analysis ([`AxisAnalysis::of`]) with the transfer functions of [`linear_layout::access`]. A
//! block argument or loop-carried value has the join over all incoming values. Operations with the trait
//! `LL_UnknownAxes` have unknown results.
//!
//! Facts come from `tt.divisibility`, `tt.contiguity` and `tt.constancy` on function arguments and on operations (set
//! by `tl.multiple_of`), and from constants and ranges. An `llvm.intr.assume` in the entry block can state `x >= 0`.
//!
//! Deliberately absent: facts about loaded values, and facts across function calls.

use crate::ir::discardable::{CONSTANCY, CONTIGUITY, DIVISIBILITY};
use crate::ir::ops::{arith, cf, llvm, scf, tt, ttg};
use crate::ir::{AnyKind, OpKind, OpView, TensorType, UpstreamKind, element_bits, kinds};
use crate::sys::{self, build};
use linear_layout::access::{AxisInfo, BinaryOp, Comparison, GlobalAccess, VectorAccess};
use linear_layout::layout::{LinearLayout, MAX_DIMS};
use melior::ir::attribute::{
    ArrayAttribute, DenseElementsAttribute, DictionaryAttribute, IntegerAttribute,
};
use melior::ir::operation::{OperationLike, OperationResult};
use melior::ir::{
    Attribute, BlockLike, BlockRef, OperationRef, RegionLike, RegionRef, Type, TypeLike, Value,
    ValueLike,
};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

/// Maximum number of elements of a dense constant that is analysed. The axis information of a larger constant is
/// unknown.
const MAX_CONSTANT_ELEMENTS: usize = 1 << 14;

/// Maximum number of nested operations of a mask that are analysed. Conjunctions with shared operands would otherwise take
/// exponential time.
const MAX_MASK_DEPTH: u32 = 16;

/// The axis information of a value about which nothing is known, indexed by the rank of the value.
static UNKNOWN: [AxisInfo; MAX_DIMS + 1] = {
    let mut table = [AxisInfo::scalar(); MAX_DIMS + 1];
    let mut rank = 0;
    while rank <= MAX_DIMS {
        table[rank] = AxisInfo::unknown(rank);
        rank += 1;
    }
    table
};

/// The axis information of all values of a function.
#[derive(Debug, Default)]
pub struct AxisAnalysis {
    facts: HashMap<usize, AxisInfo>,
    /// Ids of the values that an `llvm.intr.assume` in an entry block asserts to be non-negative.
    assumed: HashSet<usize>,
    indices: Indices,
    changed: bool,
}

/// Assumptions about the indices of global accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Indices {
    /// No assumption.
    #[default]
    Any,
    /// As Triton's analysis assumes, dividends of signed divisions are not negative, and offsets of pointers do not overflow.
    Triton,
}

impl Indices {
    /// Returns the assumption that corresponds to the value of the pass option `triton-indices`.
    pub(crate) const fn of_option(triton_indices: bool) -> Self {
        match triton_indices {
            true => Self::Triton,
            false => Self::Any,
        }
    }

    /// Returns the axis information of a sign-extended index.
    fn extended(self, index: &AxisInfo, from_bits: u32, to_bits: u32) -> AxisInfo {
        match self {
            Self::Any => index.extend(from_bits, to_bits, true),
            Self::Triton => index.extend_without_wrap(from_bits, to_bits),
        }
    }
}

/// Width in bits of the widest buffer instruction.
const BUFFER_BITS: u32 = 128;

impl AxisAnalysis {
    /// Analyses `function`, which may be any operation with a region. For a `tt.func`, the attribute `arg_attrs`
    /// contains hints about the arguments.
    #[must_use]
    pub fn of(function: OperationRef<'_, '_>) -> Self {
        Self::with(function, Indices::Any)
    }

    /// Analyses a function like [`Self::of`], under assumptions about indices.
    #[must_use]
    pub fn with(function: OperationRef<'_, '_>, indices: Indices) -> Self {
        let mut analysis = Self {
            indices,
            ..Self::default()
        };
        for region in function.regions() {
            if let Some(entry) = region.first_block() {
                analysis.add_assumptions(entry);
                analysis.add_arguments(function, entry);
            }
        }
        loop {
            analysis.changed = false;
            for region in function.regions() {
                analysis.visit_region(region);
            }
            if !analysis.changed {
                return analysis;
            }
        }
    }

    /// Returns the axis information of a value. Nothing is known about values in unreachable code.
    #[must_use]
    pub fn get(&self, value: Value<'_, '_>) -> &AxisInfo {
        self.facts
            .get(&sys::value_id(value))
            .unwrap_or_else(|| &UNKNOWN[rank_of(value.r#type()).min(MAX_DIMS)])
    }

    /// Returns the widest accesses that a `tt.load` or `tt.store` with a tensor of pointers can use.
    ///
    /// `layout` is the tensor's layout without the register bases that are zero, which only select replicas.
    /// `element_bits` is the width of an element in memory. `widest_bits` limits the width of one access.
    #[must_use]
    pub fn vector(
        &self,
        pointer: Value<'_, '_>,
        mask: Option<Value<'_, '_>>,
        element_bits: u32,
        layout: &LinearLayout,
        widest_bits: u32,
    ) -> VectorAccess {
        self.hinted_vector(pointer, mask, 1, element_bits, layout, widest_bits)
    }

    /// Returns the widest accesses as [`Self::vector`] does. In addition, uses a guarantee of the operation that
    /// groups of `hinted_elements` elements are contiguous.
    #[must_use]
    pub fn hinted_vector(
        &self,
        pointer: Value<'_, '_>,
        mask: Option<Value<'_, '_>>,
        hinted_elements: u64,
        element_bits: u32,
        layout: &LinearLayout,
        widest_bits: u32,
    ) -> VectorAccess {
        GlobalAccess {
            mask: mask.map(|m| self.get(m)),
            hinted_elements,
            ..self.unmasked_access(pointer, element_bits, layout, widest_bits)
        }
        .widest()
    }

    fn unmasked_access<'a>(
        &'a self,
        pointer: Value<'_, '_>,
        element_bits: u32,
        layout: &'a LinearLayout,
        widest_bits: u32,
    ) -> GlobalAccess<'a> {
        GlobalAccess {
            pointer: self.get(pointer),
            mask: None,
            element_bits,
            layout,
            hinted_elements: 1,
            widest_bits,
        }
    }

    /// Returns the longest groups of registers with consecutive addresses, at most `widest_bits` long.
    #[must_use]
    pub fn consecutive(
        &self,
        pointer: Value<'_, '_>,
        element_bits: u32,
        layout: &LinearLayout,
        widest_bits: u32,
    ) -> VectorAccess {
        self.unmasked_access(pointer, element_bits, layout, widest_bits)
            .consecutive()
    }

    /// Returns the part of the accesses `unmasked` that is legal in threads whose masks are true for the first and the last
    /// element of each access. Returns `None` if this part is not wider than `masked`. Both arguments are results of
    /// [`Self::vector`], with and without the mask.
    #[must_use]
    pub fn unmasked_vector(
        &self,
        mask: Value<'_, '_>,
        masked: &VectorAccess,
        unmasked: VectorAccess,
    ) -> Option<VectorAccess> {
        if unmasked.elements() <= masked.elements() {
            return None;
        }
        let convex = usize::try_from(self.convexity(mask, unmasked.dim(), MAX_MASK_DEPTH))
            .unwrap_or(usize::MAX);
        let unmasked = unmasked.at_most(convex);
        (unmasked.elements() > masked.elements()).then_some(unmasked)
    }

    /// Returns the size of the aligned groups of elements along `dim` in which the elements with a true mask are consecutive,
    /// as with `offset < n`. The search follows at most `depth` operations from a result to an operand.
    fn convexity(&self, mask: Value<'_, '_>, dim: usize, depth: u32) -> u64 {
        let constancy = self.get(mask).constancy(dim);
        let (Some(op), Some(depth)) = (sys::defining_operation(mask), depth.checked_sub(1)) else {
            return constancy;
        };
        let convexity = if let Some(and) = arith::AndI::of(op) {
            let [a, b] = [and.lhs(), and.rhs()].map(|side| self.convexity(side, dim, depth));
            a.min(b)
        } else if let Some(cmp) = arith::CmpI::of(op) {
            let [a, b] = [cmp.lhs(), cmp.rhs()].map(|side| self.get(side));
            let is_order = !matches!(comparison(cmp.predicate()), Comparison::Eq | Comparison::Ne);
            // An aligned group of consecutive numbers does not overflow.
            let within = |rising: &AxisInfo, bound: &AxisInfo| {
                let aligned = rising.contiguity(dim).min(rising.divisibility(dim));
                aligned.min(bound.constancy(dim))
            };
            u64::from(is_order) * within(a, b).max(within(b, a))
        } else if let Some(expand) = tt::ExpandDims::of(op) {
            let axis = usize::try_from(expand.axis()).unwrap_or(usize::MAX);
            match dim.cmp(&axis) {
                Ordering::Less => self.convexity(expand.src(), dim, depth),
                Ordering::Equal => 1,
                Ordering::Greater => self.convexity(expand.src(), dim - 1, depth),
            }
        } else if let Some(broadcast) = tt::Broadcast::of(op) {
            self.convexity(broadcast.src(), dim, depth)
        } else if let Some(cvt) = ttg::ConvertLayout::of(op) {
            self.convexity(cvt.src(), dim, depth)
        } else {
            1
        };
        convexity.max(constancy)
    }

    /// Returns the widest accesses that an `amdg.buffer_load` or `amdg.buffer_store` at `base` plus `offsets` can
    /// use.
    ///
    /// As in Triton, the operation's attribute `contiguity` is a guarantee.
    #[must_use]
    pub fn buffer_vector(
        &self,
        op: OperationRef<'_, '_>,
        base: Value<'_, '_>,
        offsets: Value<'_, '_>,
        mask: Option<Value<'_, '_>>,
        element_bits: u32,
        layout: &LinearLayout,
    ) -> VectorAccess {
        let shape = shape_of(offsets.r#type());
        let pointer = self
            .get(base)
            .with_element_bytes(u64::from(element_bits.div_ceil(8)))
            .at_offsets(self.get(offsets), bits_of(offsets.r#type()), &shape);
        GlobalAccess {
            pointer: &pointer,
            mask: mask.map(|m| self.get(m)),
            element_bits,
            layout,
            hinted_elements: attribute_contiguity(op)
                .and_then(|n| u64::try_from(n).ok())
                .unwrap_or(1),
            widest_bits: BUFFER_BITS,
        }
        .widest()
    }

    fn known(&self, value: Value<'_, '_>) -> Option<AxisInfo> {
        self.facts.get(&sys::value_id(value)).copied()
    }

    fn set(&mut self, value: Value<'_, '_>, mut info: AxisInfo) {
        let id = sys::value_id(value);
        if self.assumed.contains(&id) {
            info = info.with_non_negative();
        }
        if self.facts.insert(id, info) != Some(info) {
            self.changed = true;
        }
    }

    fn join_into(&mut self, argument: Value<'_, '_>, incoming: AxisInfo) {
        let info = self
            .known(argument)
            .map_or(incoming, |old| old.join(&incoming));
        self.set(argument, info);
    }

    fn add_arguments(&mut self, function: OperationRef<'_, '_>, entry: BlockRef<'_, '_>) {
        let attributes = tt::Func::of(function)
            .and_then(tt::Func::arg_attrs)
            .and_then(|a| ArrayAttribute::try_from(a).ok());
        for (i, argument) in arguments(entry).enumerate() {
            let mut info = unknown(argument.r#type());
            let dictionary = attributes
                .and_then(|a| a.element(i).ok())
                .and_then(|a| DictionaryAttribute::try_from(a).ok());
            if let Some(dictionary) = dictionary {
                info = with_attributes(info, argument.r#type(), |name| {
                    dictionary.element_by_name(name)
                });
            }
            self.set(argument, info);
        }
    }

    fn add_assumptions(&mut self, entry: BlockRef<'_, '_>) {
        for op in operations(entry) {
            if let Some(assume) = llvm::Assume::of(op)
                && let Some(value) = non_negative_value(assume.cond())
            {
                self.assumed.insert(value);
            }
        }
    }

    fn visit_region(&mut self, region: RegionRef<'_, '_>) {
        let mut block = region.first_block();
        while let Some(current) = block {
            for op in operations(current) {
                self.visit(op);
            }
            block = current.next_in_region();
        }
    }

    fn visit(&mut self, op: OperationRef<'_, '_>) {
        let kind = AnyKind::of(op);
        match kind {
            AnyKind::Own(OpKind::TtgMask | OpKind::TtgWarpSpecialize) => {
                return self.visit_conditional(op);
            }
            AnyKind::Own(OpKind::TtgWarpSpecializePartitions) => return self.visit_partitions(op),
            _ => {}
        }
        if let AnyKind::Upstream(kind) = kind {
            use UpstreamKind as U;
            match kind {
                U::ScfFor => return self.visit_for(op),
                U::ScfWhile => return self.visit_while(op),
                U::ScfIf | U::ScfExecuteRegion | U::ScfIndexSwitch => {
                    return self.visit_conditional(op);
                }
                U::CfBranch => return self.visit_branch(op),
                U::CfCondBranch => return self.visit_conditional_branch(op),
                _ => {}
            }
        }
        // The block has not been reached yet.
        if op.operands().any(|o| self.known(o).is_none()) {
            return;
        }
        for target in op.successors() {
            for argument in arguments(target).collect::<Vec<_>>() {
                self.set(argument, unknown(argument.r#type()));
            }
        }
        for region in op.regions() {
            let mut block = region.first_block();
            while let Some(current) = block {
                for argument in arguments(current).collect::<Vec<_>>() {
                    self.set(argument, unknown(argument.r#type()));
                }
                block = current.next_in_region();
            }
            self.visit_region(region);
        }
        let operands: Vec<AxisInfo> = op.operands().map(|o| *self.get(o)).collect();
        let info = match kind {
            // An error of melior for a missing result would print the whole operation.
            _ if op.result_count() == 0 => None,
            AnyKind::Own(kind) => transfer(op, kind, &operands, self.indices),
            AnyKind::Upstream(kind) => transfer_upstream(op, kind, &operands, self.indices),
            AnyKind::Other => None,
        };
        for result in op.results() {
            let value = Value::from(result);
            let info = info.unwrap_or_else(|| unknown(value.r#type()));
            let info = with_attributes(info, value.r#type(), |name| op.attribute(name).ok());
            self.set(value, info);
        }
    }

    fn visit_for(&mut self, op: OperationRef<'_, '_>) {
        let Some(loop_) = scf::For::of(op) else {
            return;
        };
        let Some(body) = loop_.region().first_block() else {
            return;
        };
        let carried: Vec<Value<'_, '_>> = arguments(body).collect();
        let starts = loop_.init_args();
        if carried.len() != starts.len() + 1 {
            return;
        }
        let bounds = (self.known(loop_.lower_bound()), self.known(loop_.step()));
        let (Some(first), Some(step)) = bounds else {
            return;
        };
        let mut counter = AxisInfo::counter(&first, &step);
        if loop_.unsigned_cmp() {
            // An unsigned counter may exceed the largest signed number.
            counter = AxisInfo::argument(counter.divisibility(0));
        }
        self.set(carried[0], counter);
        for (argument, start) in carried[1..].iter().zip(&starts) {
            if let Some(info) = self.known(*start) {
                self.join_into(*argument, info);
            }
        }
        self.visit_region(loop_.region());
        self.join_yielded(body, 0, &carried[1..]);
        // A result is the initial value or the last yielded value. The argument has the join of these two values.
        for (result, argument) in op.results().zip(&carried[1..]) {
            if let Some(info) = self.known(*argument) {
                self.set(result.into(), info);
            }
        }
    }

    /// Visits an `scf.while`. The condition region passes values to the body and to the results. The body passes
    /// its yielded values to the condition region.
    fn visit_while(&mut self, op: OperationRef<'_, '_>) {
        let Some(loop_) = scf::While::of(op) else {
            return;
        };
        let (before, after) = (loop_.before(), loop_.after());
        let (Some(condition), Some(body)) = (before.first_block(), after.first_block()) else {
            return;
        };
        let carried: Vec<Value<'_, '_>> = arguments(condition).collect();
        for (argument, start) in carried.iter().zip(op.operands()) {
            if let Some(info) = self.known(start) {
                self.join_into(*argument, info);
            }
        }
        self.visit_region(before);
        let forwarded: Vec<Value<'_, '_>> = arguments(body).collect();
        self.join_yielded(condition, 1, &forwarded);
        self.visit_region(after);
        self.join_yielded(body, 0, &carried);
        for (result, argument) in op.results().zip(&forwarded) {
            if let Some(info) = self.known(*argument) {
                self.set(result.into(), info);
            }
        }
    }

    /// Visits the partitions of a `ttg.warp_specialize`. Their block arguments receive the captured values.
    fn visit_partitions(&mut self, op: OperationRef<'_, '_>) {
        let captures: Vec<Value<'_, '_>> = op.operands().collect();
        for region in op.regions() {
            if let Some(entry) = region.first_block() {
                self.join_passed(entry, &captures);
            }
            self.visit_region(region);
        }
    }

    /// Visits an operation that executes one of its regions. Each result gets the join of the values that the
    /// regions yield for it. In `ttg.warp_specialize`, only the default region yields.
    fn visit_conditional(&mut self, op: OperationRef<'_, '_>) {
        let mut results: Vec<Option<AxisInfo>> = vec![None; op.result_count()];
        for region in op.regions() {
            self.visit_region(region);
            let mut block = region.first_block();
            while let Some(current) = block {
                if let Some(end) = current.terminator().filter(|t| is_yield(*t)) {
                    for (result, value) in results.iter_mut().zip(end.operands()) {
                        if let Some(info) = self.known(value) {
                            *result = Some(result.map_or(info, |r: AxisInfo| r.join(&info)));
                        }
                    }
                }
                block = current.next_in_region();
            }
        }
        for (result, info) in op.results().zip(results) {
            if let Some(info) = info {
                self.set(result.into(), info);
            }
        }
    }

    fn visit_branch(&mut self, op: OperationRef<'_, '_>) {
        if let (Some(branch), [target]) = (cf::Branch::of(op), &build::successors(op)[..]) {
            self.join_passed(*target, &branch.dest_operands());
        }
    }

    fn visit_conditional_branch(&mut self, op: OperationRef<'_, '_>) {
        let targets = build::successors(op);
        if let (Some(branch), [on_true, on_false]) = (cf::CondBranch::of(op), &targets[..]) {
            self.join_passed(*on_true, &branch.true_dest_operands());
            self.join_passed(*on_false, &branch.false_dest_operands());
        }
    }

    fn join_passed(&mut self, target: BlockRef<'_, '_>, passed: &[Value<'_, '_>]) {
        for (argument, value) in arguments(target).zip(passed) {
            if let Some(info) = self.known(*value) {
                self.join_into(argument, info);
            }
        }
    }

    /// Joins axis information into `targets` from the operands of the block's terminator. The first `skip` operands
    /// are skipped. The remaining operands correspond to `targets` in order.
    fn join_yielded(&mut self, block: BlockRef<'_, '_>, skip: usize, targets: &[Value<'_, '_>]) {
        let Some(end) = block.terminator() else {
            return;
        };
        for (target, value) in targets.iter().zip(end.operands().skip(skip)) {
            if let Some(info) = self.known(value) {
                self.join_into(*target, info);
            }
        }
    }
}

/// Returns true for a terminator whose operands become the results of the parent operation.
fn is_yield(op: OperationRef<'_, '_>) -> bool {
    let kind = AnyKind::of(op);
    kind == AnyKind::Upstream(UpstreamKind::ScfYield)
        || matches!(
            kind,
            AnyKind::Own(OpKind::TtgMaskReturn | OpKind::TtgWarpYield)
        )
}

/// Returns the axis information of the first result, or `None` if nothing is known about this result.
fn transfer(
    op: OperationRef<'_, '_>,
    kind: OpKind,
    operands: &[AxisInfo],
    indices: Indices,
) -> Option<AxisInfo> {
    use OpKind as K;
    let result = build::results(op).first()?.r#type();
    let shape = shape_of(result);
    let first = operands.first();
    let operand_type = |i: usize| op.operand(i).ok().map(|v| v.r#type());
    Some(match kind {
        K::TtMakeRange => {
            let range = tt::MakeRange::of(op)?;
            AxisInfo::range(range.start(), range.end())
        }
        K::TtSplat | K::TtUnsplat => first?.splat(&shape),
        K::TtExpandDims => {
            first?.expand_dims(usize::try_from(tt::ExpandDims::of(op)?.axis()).ok()?)
        }
        K::TtBroadcast => first?.broadcast(&shape_of(operand_type(0)?), &shape),
        K::TtTrans => {
            let order = tt::Trans::of(op)?.order().into_iter();
            let order: Vec<usize> = order.filter_map(|d| usize::try_from(d).ok()).collect();
            first?.transpose(&order)
        }
        // Reordering preserves only splats.
        K::TtReshape if tt::Reshape::of(op)?.allow_reorder() => {
            let value = first?.constant_value()?;
            AxisInfo::constant(&shape, value, bits_of(result))
        }
        K::TtReshape => first?.reshape(&shape_of(operand_type(0)?), &shape),
        K::TtJoin => first?.join_tensors(operands.get(1)?),
        K::TtSplit => first?.split_tensor(),
        K::TtAddPtr => {
            let bits = bits_of(operand_type(1)?);
            let address_bits = bits.max(64);
            let offset = indices.extended(operands.get(1)?, bits, address_bits);
            first?.add_offset(&offset, address_bits)
        }
        K::TtGetProgramId | K::TtGetNumPrograms => AxisInfo::scalar().with_non_negative(),
        K::TtgGlobalScratchAlloc => {
            let alignment = ttg::GlobalScratchAlloc::of(op)?.alignment();
            AxisInfo::argument(u64::try_from(alignment).unwrap_or(1))
        }
        K::TtgConvertLayout | K::AmdgInThreadTranspose | K::GluonSetAutoLayout => *first?,
        K::TtBitcast | K::TtPtrToInt | K::TtIntToPtr => {
            let (old, new) = (pointee_bytes(operand_type(0)?), pointee_bytes(result));
            if old.is_none() && new.is_none() {
                return Some(AxisInfo::elementwise(operands));
            }
            first?.repoint(old.unwrap_or(1), new.unwrap_or(1))
        }
        kinds!(LL_UnknownAxes) => return None,
    })
}

/// Returns the axis information of the first result, or `None` if nothing is known about this result.
fn transfer_upstream(
    op: OperationRef<'_, '_>,
    kind: UpstreamKind,
    operands: &[AxisInfo],
    indices: Indices,
) -> Option<AxisInfo> {
    use UpstreamKind as U;
    let result = build::results(op).first()?.r#type();
    let shape = shape_of(result);
    let first = operands.first();
    let operand_type = |i: usize| op.operand(i).ok().map(|v| v.r#type());
    if let (Some(binary), [a, b]) = (binary_op(kind), operands) {
        let combine = match indices {
            Indices::Any => AxisInfo::binary,
            Indices::Triton => AxisInfo::binary_of_non_negative,
        };
        return Some(combine(binary, a, b, bits_of(result)));
    }
    Some(match kind {
        U::ArithConstant => constant(arith::Constant::of(op)?.value(), result, &shape)?,
        U::ArithCmpI => {
            let [a, b] = operands else { return None };
            AxisInfo::compare(
                comparison(arith::CmpI::of(op)?.predicate()),
                a,
                b,
                bits_of(operand_type(0)?),
            )
        }
        U::ArithSelect => {
            let [condition, on_true, on_false] = operands else {
                return None;
            };
            let scalar = TensorType::of(operand_type(0)?).is_none();
            AxisInfo::select(condition, scalar, on_true, on_false)
        }
        U::ArithExtSI | U::ArithIndexCast => {
            let bits = bits_of(operand_type(0)?);
            signed(
                first?,
                indices.extended(first?, bits, bits_of(result)),
                result,
            )
        }
        U::ArithExtUI | U::ArithIndexCastUI => {
            let bits = bits_of(operand_type(0)?);
            signed(first?, first?.extend(bits, bits_of(result), false), result)
        }
        U::ArithTruncI => first?.truncate(bits_of(result)),
        _ if kind.is_elementwise() => AxisInfo::elementwise(operands),
        _ => return None,
    })
}

fn binary_op(kind: UpstreamKind) -> Option<BinaryOp> {
    use UpstreamKind as U;
    Some(match kind {
        U::ArithAddI => BinaryOp::Add,
        U::ArithSubI => BinaryOp::Sub,
        U::ArithMulI => BinaryOp::Mul,
        U::ArithDivSI => BinaryOp::DivS,
        U::ArithDivUI => BinaryOp::DivU,
        U::ArithRemSI => BinaryOp::RemS,
        U::ArithRemUI => BinaryOp::RemU,
        U::ArithShLI => BinaryOp::Shl,
        U::ArithShRSI => BinaryOp::ShrS,
        U::ArithShRUI => BinaryOp::ShrU,
        U::ArithAndI => BinaryOp::And,
        U::ArithOrI => BinaryOp::Or,
        U::ArithXOrI => BinaryOp::Xor,
        U::ArithMinSI => BinaryOp::MinS,
        U::ArithMaxSI => BinaryOp::MaxS,
        U::ArithMinUI => BinaryOp::MinU,
        U::ArithMaxUI => BinaryOp::MaxU,
        _ => return None,
    })
}

/// Adds to the axis information of an extended value, or of a cast from or to `index`, that it is not negative if `before` is not.
///
/// The result is correct only if the value is representable in the type `to`. Overflow is treated as undefined, as
/// it is for additions.
fn signed(before: &AxisInfo, after: AxisInfo, to: Type<'_>) -> AxisInfo {
    match before.is_non_negative() && bits_of(to) > 1 {
        true => after.with_non_negative(),
        false => after,
    }
}

fn constant(value: Attribute<'_>, type_: Type<'_>, shape: &[u64]) -> Option<AxisInfo> {
    let element = TensorType::of(type_).map_or(type_, |t| t.element);
    if !element.is_integer() && !element.is_index() {
        // For floats, only the constancy of a splat.
        let is_splat = DenseElementsAttribute::try_from(value).map_or(true, |d| d.is_splat());
        return is_splat.then(|| AxisInfo::scalar().splat(shape));
    }
    let bits = bits_of(type_);
    if let Some(number) = build::integer_value(value) {
        return Some(AxisInfo::constant(shape, number, bits));
    }
    let dense = DenseElementsAttribute::try_from(value).ok()?;
    if dense.is_splat() {
        let number = IntegerAttribute::try_from(dense.splat_value()).ok()?;
        return Some(AxisInfo::constant(shape, number.value(), bits));
    }
    if dense.len() > MAX_CONSTANT_ELEMENTS {
        return None;
    }
    let values: Option<Vec<i64>> = (0..dense.len())
        .map(|i| dense_element(dense, bits, i))
        .collect();
    AxisInfo::of_elements(shape, &values?, bits)
}

fn dense_element(dense: DenseElementsAttribute<'_>, bits: u32, i: usize) -> Option<i64> {
    match bits {
        1 => dense.bool_element(i).ok().map(i64::from),
        8 => dense.i8_element(i).ok().map(i64::from),
        16 => dense.i16_element(i).ok().map(i64::from),
        32 => dense.i32_element(i).ok().map(i64::from),
        64 => dense.i64_element(i).ok(),
        _ => None,
    }
}

/// Applies the hints `tt.contiguity`, `tt.divisibility` and `tt.constancy` to `info`.
fn with_attributes<'c>(
    mut info: AxisInfo,
    type_: Type<'c>,
    attribute: impl Fn(&str) -> Option<Attribute<'c>>,
) -> AxisInfo {
    let [contiguity, divisibility, constancy] =
        [CONTIGUITY, DIVISIBILITY, CONSTANCY].map(attribute);
    if contiguity.is_none() && divisibility.is_none() && constancy.is_none() {
        return info;
    }
    let shape = shape_of(type_);
    let along = |attribute: Option<Attribute<'c>>, d: usize| -> u64 {
        let Some(attribute) = attribute else { return 1 };
        let number = if let Some(number) = build::integer_value(attribute) {
            (d == 0).then_some(number)
        } else {
            DenseElementsAttribute::try_from(attribute)
                .ok()
                .filter(|dense| d < dense.len())
                .and_then(|dense| dense.i32_element(d).ok().map(i64::from))
        };
        number.and_then(|n| u64::try_from(n).ok()).unwrap_or(1)
    };
    for d in 0..info.rank() {
        info = info.with_hints(
            d,
            shape.get(d).copied().unwrap_or(1),
            along(contiguity, d),
            along(divisibility, d),
            along(constancy, d),
        );
    }
    info
}

/// Returns the id of the value `x` if `condition` implies `x >= 0`, for example `x > -1` or `2 <= x`.
fn non_negative_value(condition: Value<'_, '_>) -> Option<usize> {
    let op = OperationResult::try_from(condition).ok()?.owner();
    let compared = arith::CmpI::of(op)?;
    let (a, b) = (compared.lhs(), compared.rhs());
    let predicate = comparison(compared.predicate());
    let number = |value: Value<'_, '_>| -> Option<i64> {
        let op = OperationResult::try_from(value).ok()?.owner();
        build::integer_value(arith::Constant::of(op)?.value())
    };
    match predicate {
        Comparison::Sge if number(b)? >= 0 => Some(sys::value_id(a)),
        Comparison::Sgt if number(b)? >= -1 => Some(sys::value_id(a)),
        Comparison::Sle if number(a)? >= 0 => Some(sys::value_id(b)),
        Comparison::Slt if number(a)? >= -1 => Some(sys::value_id(b)),
        _ => None,
    }
}

fn arguments<'c, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = Value<'c, 'a>> {
    (0..block.argument_count()).filter_map(move |i| block.argument(i).ok().map(Value::from))
}

fn operations<'c, 'a>(block: BlockRef<'c, 'a>) -> impl Iterator<Item = OperationRef<'c, 'a>> {
    std::iter::successors(block.first_operation(), |op| op.next_in_block())
}

fn attribute_contiguity(op: OperationRef<'_, '_>) -> Option<i64> {
    Some(match OpView::of(op)? {
        OpView::AmdgBufferLoad(op) => op.contiguity(),
        OpView::AmdgBufferLoadToLocal(op) => op.contiguity(),
        OpView::AmdgBufferStore(op) => op.contiguity(),
        _ => return None,
    })
}

fn comparison(predicate: arith::CmpIPredicate) -> Comparison {
    use arith::CmpIPredicate as P;
    match predicate {
        P::Eq => Comparison::Eq,
        P::Ne => Comparison::Ne,
        P::Slt => Comparison::Slt,
        P::Sle => Comparison::Sle,
        P::Sgt => Comparison::Sgt,
        P::Sge => Comparison::Sge,
        P::Ult => Comparison::Ult,
        P::Ule => Comparison::Ule,
        P::Ugt => Comparison::Ugt,
        P::Uge => Comparison::Uge,
    }
}

/// Returns the shape of a tensor type, or `[]` for a scalar.
fn shape_of(type_: Type<'_>) -> Vec<u64> {
    TensorType::of(type_).map_or_else(Vec::new, |t| t.shape.to_vec())
}

fn rank_of(type_: Type<'_>) -> usize {
    TensorType::of(type_).map_or(0, |t| t.shape.len())
}

/// Returns the width in bits of an integer type, or of the elements of a tensor type. The width of `index` is 64.
fn bits_of(type_: Type<'_>) -> u32 {
    let element = TensorType::of(type_).map_or(type_, |t| t.element);
    element_bits(element).unwrap_or(64)
}

/// Returns the size in bytes of the pointee, for a pointer or a tensor of pointers. Returns `None` for other types.
fn pointee_bytes(type_: Type<'_>) -> Option<u64> {
    let element = TensorType::of(type_).map_or(type_, |t| t.element);
    let (pointee, _) = sys::pointer(element)?;
    Some(u64::from(element_bits(pointee).unwrap_or(8).div_ceil(8)))
}

fn unknown(type_: Type<'_>) -> AxisInfo {
    let info = AxisInfo::unknown(rank_of(type_));
    pointee_bytes(type_).map_or(info, |bytes| info.with_element_bytes(bytes))
}

mod facts;
#[cfg(test)]
mod tests;

pub(crate) use facts::AxisFacts;
