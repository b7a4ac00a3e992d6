//! The emitter: an insertion point with value numbering of pure operations.

use super::types::Types;
use super::upstream::FastMathFlags;
use crate::ir::UpstreamKind;
use crate::ir::builders::{AttributeSource, Building, Parts};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Rewriter, attribute_id, identifier_id, type_id, value_id};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, Identifier, Location};
use rustc_hash::FxHashMap;

pub(crate) type NamedAttr<'c> = (&'c str, Attribute<'c>);

/// Key of a pure operation: name, result type, number of operands, operands, then attribute names and values. The
/// components are addresses of uniqued objects, so equal keys mean equal operations.
type OpKey = Vec<usize>;

pub(crate) fn attributes_of<'c>(op: Op<'c>) -> Vec<NamedAttr<'c>> {
    op.attributes()
        .map(|(key, value)| (sys::identifier_text(key), value))
        .collect()
}

/// An IR builder for one function. Blocks must be entered in dominance order.
pub(crate) struct Emitter<'c> {
    pub(super) rewriter: Rewriter<'c>,
    pub(crate) context: &'c Context,
    pub(crate) location: Location<'c>,
    pub(super) block: Blk<'c>,
    entry: Blk<'c>,
    at_entry: usize,
    /// The blocks to which [`Self::leave_block`] returns, outermost first. Each block is paired with the keys that
    /// were added to `available` after [`Self::enter_block`] moved the insertion point out of the block.
    /// [`Self::leave_block`] removes these keys again.
    pub(super) outer: Vec<(Blk<'c>, Vec<OpKey>)>,
    /// Results of the pure operations that dominate the insertion point.
    pub(super) available: FxHashMap<OpKey, Val<'c>>,
    pub(super) constants: FxHashMap<usize, u64>,
    /// Identifiers, keyed by the address and the length of their text. The text outlives the emitter.
    identifiers: FxHashMap<(usize, usize), Identifier<'c>>,
    pub(super) parsed_attrs: FxHashMap<&'static str, Attribute<'c>>,
    /// Fast-math flags, keyed by the address of their attribute.
    pub(super) fast: FxHashMap<usize, FastMathFlags<'c>>,
    /// Range attributes, keyed by the exclusive upper bound of the range. All ranges start at 0.
    pub(super) ranges: FxHashMap<u32, Attribute<'c>>,
    /// All emitted pure operations. [`Self::sweep`] erases those without uses.
    pure: Vec<Op<'c>>,
    /// True if copies to shared memory get their own alias scope. LLVM then assumes that a copy does not alias any
    /// other access. Barriers and waits keep copies and other accesses in order.
    pub(crate) separates_copies: bool,
    pub(crate) types: Types<'c>,
}

impl<'c> Emitter<'c> {
    pub(crate) fn new(
        rewriter: Rewriter<'c>,
        context: &'c Context,
        location: Location<'c>,
        block: Blk<'c>,
    ) -> Self {
        Self {
            rewriter,
            context,
            location,
            block,
            entry: block,
            at_entry: 0,
            outer: Vec::new(),
            available: FxHashMap::default(),
            constants: FxHashMap::default(),
            identifiers: FxHashMap::default(),
            parsed_attrs: FxHashMap::default(),
            separates_copies: false,
            fast: FxHashMap::default(),
            ranges: FxHashMap::default(),
            pure: Vec::new(),
            types: Types::new(context),
        }
    }

    pub(crate) fn identifier(&mut self, name: &'c str) -> Identifier<'c> {
        *self
            .identifiers
            .entry((name.as_ptr() as usize, name.len()))
            .or_insert_with(|| Identifier::new(self.context, name))
    }

    pub(super) fn attributes(
        &mut self,
        parts: &Parts<'_, 'c>,
    ) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        let attributes = parts.attributes.iter().map(|(key, source)| {
            let value = match source {
                AttributeSource::Parsed(text) => self.cached_attr(text),
                source => source.attribute(self.context),
            };
            (self.identifier(key), value)
        });
        attributes.collect()
    }

    pub(crate) fn operation<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Op<'c> {
        let parts = op.into();
        let attributes = self.attributes(&parts);
        self.append(parts, &attributes)
    }

    fn append(
        &mut self,
        mut parts: Parts<'_, 'c>,
        attributes: &[(Identifier<'c>, Attribute<'c>)],
    ) -> Op<'c> {
        // Operation names are constants, so a failure is a bug here.
        self.rewriter
            .append(self.block, parts.spec(self.location, attributes))
            .expect("every operation emitted is registered")
    }

    pub(super) fn at_entry<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        let mut parts = op.into();
        let attributes = self.attributes(&parts);
        let spec = parts.spec(self.location, &attributes);
        // Earlier insertions come first.
        let operations = build::operations(self.entry);
        let made = match operations.get(self.at_entry) {
            Some(next) => self.rewriter.insert_before(*next, spec),
            None => self.rewriter.append(self.entry, spec),
        };
        self.at_entry += 1;
        build::only_result(made.expect("every operation emitted is registered"))
    }

    /// Copies an upstream operation with all its attributes, but with the given operands.
    pub(crate) fn rebuild(&mut self, op: Op<'c>, operands: &[Val<'c>]) {
        let kind = UpstreamKind::of(op).expect("only upstream operations are rebuilt");
        let same = Building::<()>::new(kind.into()).with_attributes(&attributes_of(op));
        self.operation(same.operands(operands));
    }

    pub(crate) fn effect<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        build::only_result(self.operation(op))
    }

    /// Emits a pure operation, or reuses an equal operation that dominates the insertion point.
    pub(crate) fn pure<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        self.pure_of(op.into())
    }

    fn pure_of(&mut self, parts: Parts<'_, 'c>) -> Val<'c> {
        let attributes = self.attributes(&parts);
        let operands = &parts.operands;
        let mut key = OpKey::with_capacity(3 + operands.len() + 2 * attributes.len());
        key.extend([
            identifier_id(self.identifier(parts.name.text())),
            type_id(parts.results[0]),
            operands.len(),
        ]);
        key.extend(operands.iter().map(|v| value_id(*v)));
        for (name, value) in &attributes {
            key.extend([identifier_id(*name), attribute_id(*value)]);
        }
        if let Some(value) = self.available.get(&key) {
            return *value;
        }
        let op = self.append(parts, &attributes);
        self.pure.push(op);
        let value = build::only_result(op);
        if let Some((_, added)) = self.outer.last_mut() {
            added.push(key.clone());
        }
        self.available.insert(key, value);
        value
    }

    pub(crate) fn sweep(&mut self) {
        for op in self.pure.drain(..).rev() {
            if sys::is_unused(build::only_result(op)) {
                self.rewriter.erase(op);
            }
        }
        self.available.clear();
        self.constants.clear();
    }
}
