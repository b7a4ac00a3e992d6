//! Application of a layout assignment to a function: types, rematerialisation, conversions.

use crate::analysis::assignment::{
    Assignment, DatumId, EncodingId, Kernel, Materialisation, Role, Spelling,
};
use crate::ir::ops::arith;
use crate::ir::{TensorType, builders};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Rewriter};
use melior::ir::operation::OperationLike;
use melior::ir::{Location, Type, ValueLike};
use std::collections::BTreeMap;

type EncodedDatum = (DatumId, EncodingId);

struct Rewriting<'r, 'c> {
    rewriter: Rewriter<'c>,
    kernel: &'r mut Kernel<'c>,
    computed: BTreeMap<EncodedDatum, Val<'c>>,
    /// Results of inserted conversions, keyed by value and new encoding.
    converted: BTreeMap<EncodedDatum, Val<'c>>,
    /// Operands to replace. Each entry has the operation, the operand index, and the value and encoding of the new
    /// operand.
    uses: Vec<(Op<'c>, usize, EncodedDatum)>,
}

pub(super) fn functions(module: Op<'_>) -> Vec<Op<'_>> {
    let all = build::module_body(module).map(build::operations);
    let mut all = all.unwrap_or_default();
    all.retain(|op| op.region_count() > 0);
    all
}

pub(super) fn rewrite<'c>(
    rewriter: Rewriter<'c>,
    kernel: &mut Kernel<'c>,
    assignment: &Assignment,
) {
    let mut rewriting = Rewriting {
        rewriter,
        kernel,
        computed: BTreeMap::new(),
        converted: BTreeMap::new(),
        uses: Vec::new(),
    };
    rewriting.nodes(&assignment.nodes);
    rewriting.slices(assignment);
    rewriting.conversions(assignment);
    for (op, at, wanted) in std::mem::take(&mut rewriting.uses) {
        let value = rewriting.value(wanted);
        if build::operand(op, at) != value {
            rewriter.set_operand(op, at, value);
        }
    }
    // Users first.
    for conversion in rewriting.kernel.conversions.iter().rev() {
        rewriter.erase(conversion.op);
    }
}

impl<'c> Rewriting<'_, 'c> {
    fn value(&self, wanted: EncodedDatum) -> Val<'c> {
        let made = self
            .computed
            .get(&wanted)
            .or_else(|| self.converted.get(&wanted));
        *made.expect("an assignment has a source for each demand")
    }

    fn type_of(&mut self, (datum, encoding): EncodedDatum) -> Type<'c> {
        let value = self.kernel.datums[datum].value;
        let context = build::context(self.kernel.function);
        let attribute = self.kernel.catalogue.attribute(context, encoding);
        let tensor = TensorType::of(value.r#type()).expect("a datum is a tensor");
        tensor.with_encoding(attribute.expect("the printed encoding parses"))
    }

    fn retype(&mut self, value: Val<'c>, wanted: EncodedDatum) {
        let type_ = self.type_of(wanted);
        if value.r#type() != type_ {
            self.rewriter.set_type(value, type_);
        }
    }

    fn nodes(&mut self, spellings: &[Spelling]) {
        for (node, spelling) in spellings.iter().enumerate() {
            for i in 0..spelling.defs.len() {
                let wanted = (self.kernel.nodes[node].defs[i], spelling.defs[i]);
                let value = self.kernel.datums[wanted.0].value;
                self.retype(value, wanted);
                self.computed.insert(wanted, value);
            }
            let uses = self.kernel.nodes[node].uses.iter().zip(&spelling.uses);
            let uses = uses.map(|(used, encoding)| (used.op, used.at, (used.datum, *encoding)));
            self.uses.extend(uses);
        }
    }

    /// Rematerialises the operations for which the assignment requires this. An operation is copied once for each
    /// required encoding of its results; the original operation serves as one of these copies.
    fn slices(&mut self, assignment: &Assignment) {
        let mut wanted: BTreeMap<usize, Vec<&Spelling>> = BTreeMap::new();
        for (item, cost) in &assignment.materialisations {
            if let (Materialisation::Recompute(slice, _), Some(spelling)) = (item, &cost.spelling) {
                wanted.entry(*slice).or_default().push(spelling);
            }
        }
        for (slice, spellings) in wanted {
            let own = self.kernel.slices[slice].op;
            let defs = self.kernel.slices[slice].defs.clone();
            let is_present = |spelling: &&Spelling| {
                let encodings = spelling.defs.iter();
                let mut pairs = defs.iter().zip(encodings);
                pairs.all(|(datum, encoding)| self.kernel.datums[*datum].present == *encoding)
            };
            let itself = spellings.iter().position(is_present).unwrap_or(0);
            for (i, spelling) in spellings.into_iter().enumerate() {
                let op = if i == itself {
                    own
                } else {
                    self.rewriter.copy_before(own, own)
                };
                let tensors: Vec<Val<'c>> = build::results(op)
                    .into_iter()
                    .filter(|value| TensorType::of(value.r#type()).is_some())
                    .collect();
                for ((datum, encoding), value) in defs.iter().zip(&spelling.defs).zip(tensors) {
                    let wanted = (*datum, *encoding);
                    self.retype(value, wanted);
                    self.computed.insert(wanted, value);
                }
                if let Some(constant) = arith::Constant::of(op)
                    && let Some(element) = build::splat_value(constant.value())
                {
                    let value = build::splat(build::only_result(op).r#type(), element);
                    self.rewriter
                        .set_attribute(op, arith::Constant::VALUE_KEY, value);
                }
                let uses = self.kernel.slices[slice].uses.iter().zip(&spelling.uses);
                let uses = uses.map(|(used, encoding)| (op, used.at, (used.datum, *encoding)));
                self.uses.extend(uses);
            }
        }
    }

    fn conversions(&mut self, assignment: &Assignment) {
        let mut users: BTreeMap<EncodedDatum, Vec<Op<'c>>> = BTreeMap::new();
        for (op, _, wanted) in &self.uses {
            users.entry(*wanted).or_default().push(*op);
        }
        for item in assignment.materialisations.keys() {
            let Materialisation::Convert(datum, from, to) = *item else {
                continue;
            };
            let source = self.computed[&(datum, from)];
            let users = users.get(&(datum, to)).map_or(&[][..], Vec::as_slice);
            let place = insertion_point(source, users);
            // The attributes of an existing conversion are kept.
            let known = self
                .kernel
                .conversions
                .iter()
                .find(|known| known.datum == datum && known.to == to)
                .map(|known| known.op);
            let location: Location<'c> = known.unwrap_or(place).location();
            let noted = known.map(build::discardable_attributes);
            let made = builders::ttg::convert_layout(source, self.type_of((datum, to)))
                .with_discardable(&noted.unwrap_or_default())
                .insert(self.rewriter, place, location)
                .expect("a conversion can be made");
            self.converted.insert((datum, to), build::only_result(made));
        }
    }
}

fn after<'c>(value: Val<'c>) -> Op<'c> {
    match sys::defining_operation(value) {
        Some(op) => build::next(op).expect("a block has a terminator"),
        None => {
            let block = sys::block_of_argument(value).expect("a value has a block or an operation");
            build::operations(block)[0]
        }
    }
}

/// Returns the operation in front of which a conversion of `source` is inserted. By default, this is the first
/// operation after the definition of `source`. If one branch of a conditional contains all users, the conversion
/// moves into this branch, in front of the first operation that is or contains a user. This repeats for nested
/// conditionals.
fn insertion_point<'c>(source: Val<'c>, users: &[Op<'c>]) -> Op<'c> {
    let first = after(source);
    let mut block = block_of(first);
    let mut place = first;
    'down: loop {
        // The operation of this block around all users, and the block of its region.
        let mut around: Option<(Op<'c>, Blk<'c>)> = None;
        for user in users {
            let Some(found) = holder(*user, block) else {
                break 'down;
            };
            match around {
                None => around = Some(found),
                Some((op, inner)) if op == found.0 && same(inner, found.1) => {}
                Some(_) => break 'down,
            }
        }
        let Some((op, inner)) = around else {
            break;
        };
        if Role::of(op) != Role::Conditional {
            break;
        }
        block = inner;
        place = first_use(users, block).unwrap_or(first);
    }
    place
}

/// Returns the first operation in `block` that is a user, or that contains a user in one of its regions.
pub(super) fn first_use<'c>(users: &[Op<'c>], block: Blk<'c>) -> Option<Op<'c>> {
    let holders: Vec<Op<'c>> = users
        .iter()
        .filter_map(|user| ancestor(*user, block))
        .collect();
    let mut operations = build::operations(block).into_iter();
    operations.find(|op| holders.contains(op))
}

pub(super) fn same(a: Blk<'_>, b: Blk<'_>) -> bool {
    sys::block_id(a) == sys::block_id(b)
}

fn block_of<'c>(op: Op<'c>) -> Blk<'c> {
    build::block_around(op).expect("an operation below a function lies in a block")
}

/// Returns the operation in `block` that is `op`, or that contains `op` in one of its regions.
fn ancestor<'c>(op: Op<'c>, block: Blk<'c>) -> Option<Op<'c>> {
    let mut op = op;
    while !same(block_of(op), block) {
        op = build::parent(op)?;
        build::block_around(op)?;
    }
    Some(op)
}

/// Returns the operation in `block` that contains `op` in one of its regions, and the block of this region that
/// contains `op`. Returns `None` if `op` is directly in `block`.
pub(super) fn holder<'c>(op: Op<'c>, block: Blk<'c>) -> Option<(Op<'c>, Blk<'c>)> {
    let mut inner = block_of(op);
    if same(inner, block) {
        return None;
    }
    loop {
        let around = build::parent(build::operations(inner)[0])?;
        let outer = build::block_around(around)?;
        if same(outer, block) {
            return Some((around, inner));
        }
        inner = outer;
    }
}

/// Erases the dead operations in the regions of `op`. Calls `dropped` with each operation before it is erased.
pub(super) fn drop_dead<'c>(rewriter: Rewriter<'c>, op: Op<'c>, dropped: &mut impl FnMut(Op<'c>)) {
    for region in 0..op.region_count() {
        let blocks = build::blocks(op, region);
        // Users follow definitions within a block, but blocks are in any order.
        loop {
            let mut is_erased = false;
            for block in blocks.iter().rev() {
                is_erased |= drop_dead_of(rewriter, *block, dropped);
            }
            if !is_erased || blocks.len() == 1 {
                break;
            }
        }
    }
}

/// Erases the dead operations of a block. Returns true if it erased an operation directly in the block.
fn drop_dead_of<'c>(
    rewriter: Rewriter<'c>,
    block: Blk<'c>,
    dropped: &mut impl FnMut(Op<'c>),
) -> bool {
    let mut is_erased = false;
    for inner in build::operations(block).into_iter().rev() {
        let is_unused = build::results(inner).into_iter().all(sys::is_unused);
        if is_unused && inner.result_count() > 0 && Role::of(inner).is_pure() {
            dropped(inner);
            rewriter.erase(inner);
            is_erased = true;
        } else {
            drop_dead(rewriter, inner, dropped);
        }
    }
    is_erased
}
