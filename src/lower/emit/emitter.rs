//! The emitter: where operations go, and which pure ones are known.

use super::fast::Fast;
use super::types::Types;
use crate::ir::UpstreamKind;
use crate::ir::builders::{AttributeSource, Building, Parts};
use crate::sys::build::{self, Blk, Op, Val};
use crate::sys::{self, Rewriter, attribute_id, identifier_id, type_id, value_id};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, Identifier, Location};
use rustc_hash::FxHashMap;

/// A named attribute by its name.
pub(crate) type Named<'c> = (&'c str, Attribute<'c>);

/// What a pure operation is: its name, its type, how many operands, the operands, then each
/// attribute's name and value; all of them unique in a context, so equal numbers are equal operations.
type Key = Vec<usize>;

/// All attributes of an operation, inherent and discardable.
pub(crate) fn attributes_of<'c>(op: Op<'c>) -> Vec<Named<'c>> {
    op.attributes()
        .map(|(key, value)| (sys::identifier_text(key), value))
        .collect()
}

/// The arguments of a block.
pub(crate) fn block_arguments<'c>(block: Blk<'c>) -> Vec<Val<'c>> {
    (0..block.argument_count())
        .map(|i| build::argument(block, i))
        .collect()
}

/// Emits into one block after another; a block is entered from one that dominates it.
pub(crate) struct Emitter<'c> {
    pub(super) rewriter: Rewriter<'c>,
    pub(crate) context: &'c Context,
    pub(crate) location: Location<'c>,
    pub(super) block: Blk<'c>,
    /// The block that the function begins with.
    entry: Blk<'c>,
    /// How many operations stand at its beginning that were put there later.
    at_entry: usize,
    /// The blocks that it was entered from, outermost first, and what each newer one made known.
    pub(super) outer: Vec<(Blk<'c>, Vec<Key>)>,
    /// The pure operations that dominate what is emitted next.
    pub(super) known: FxHashMap<Key, Val<'c>>,
    pub(super) constants: FxHashMap<usize, u64>,
    /// By where the text lies and how long it is: texts outlive the emitter, so the same place is the same text.
    identifiers: FxHashMap<(usize, usize), Identifier<'c>>,
    /// Attributes by their text.
    pub(super) kept: FxHashMap<&'static str, Attribute<'c>>,
    /// What flags of `arith` say, by what they are.
    pub(super) fast: FxHashMap<usize, Fast<'c>>,
    /// Ranges from 0 by their end.
    pub(super) ranges: FxHashMap<u32, Attribute<'c>>,
    /// Every pure operation emitted, for the sweep at the end.
    pure: Vec<Op<'c>>,
    /// Whether LLVM is told that no access to shared memory meets a copy to it: barriers and waits order them.
    pub(crate) are_copies_apart: bool,
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
            known: FxHashMap::default(),
            constants: FxHashMap::default(),
            identifiers: FxHashMap::default(),
            kept: FxHashMap::default(),
            are_copies_apart: false,
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

    /// Makes the attributes of an operation, each once where making it takes a parser.
    pub(super) fn attributes(
        &mut self,
        parts: &Parts<'_, 'c>,
    ) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        let attributes = parts.attributes.iter().map(|(key, said)| {
            let value = match said {
                AttributeSource::Parsed(text) => self.kept(text),
                said => said.attribute(self.context),
            };
            (self.identifier(key), value)
        });
        attributes.collect()
    }

    /// Emits an operation with any number of results.
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
        // The names are ours: a failure is a mistake of this room, caught at the border.
        self.rewriter
            .append(self.block, parts.spec(self.location, attributes))
            .expect("every operation emitted is registered")
    }

    /// Emits an operation with one result where the function begins, however deep the emitter stands.
    pub(super) fn at_entry<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        let mut parts = op.into();
        let attributes = self.attributes(&parts);
        let spec = parts.spec(self.location, &attributes);
        // After those that were put there before.
        let operations = build::operations(self.entry);
        let made = match operations.get(self.at_entry) {
            Some(next) => self.rewriter.insert_before(*next, spec),
            None => self.rewriter.append(self.entry, spec),
        };
        self.at_entry += 1;
        build::only_result(made.expect("every operation emitted is registered"))
    }

    /// Emits an operation like one that is there, with other operands: it keeps all its attributes, inherent and
    /// discardable, since nothing about what it does is said elsewhere.
    pub(crate) fn rebuild(&mut self, op: Op<'c>, operands: &[Val<'c>]) {
        let kind = UpstreamKind::of(op).expect("what is built again is of MLIR's own dialects");
        let same = Building::<()>::new(kind.into()).with_attributes(&attributes_of(op));
        self.operation(same.operands(operands));
    }

    /// Emits an operation with effects and one result.
    pub(crate) fn effect<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        build::only_result(self.operation(op))
    }

    /// Emits a pure operation with one result, or finds it.
    pub(crate) fn pure<'s>(&mut self, op: impl Into<Parts<'s, 'c>>) -> Val<'c> {
        self.pure_of(op.into())
    }

    fn pure_of(&mut self, parts: Parts<'_, 'c>) -> Val<'c> {
        let attributes = self.attributes(&parts);
        let operands = &parts.operands;
        let mut key = Key::with_capacity(3 + operands.len() + 2 * attributes.len());
        key.extend([
            identifier_id(self.identifier(parts.name.text())),
            type_id(parts.results[0]),
            operands.len(),
        ]);
        key.extend(operands.iter().map(|v| value_id(*v)));
        for (name, value) in &attributes {
            key.extend([identifier_id(*name), attribute_id(*value)]);
        }
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let op = self.append(parts, &attributes);
        self.pure.push(op);
        let value = build::only_result(op);
        if let Some((_, added)) = self.outer.last_mut() {
            added.push(key.clone());
        }
        self.known.insert(key, value);
        value
    }

    /// Erases pure operations that nothing uses.
    pub(crate) fn sweep(&mut self) {
        for op in self.pure.drain(..).rev() {
            if sys::is_unused(build::only_result(op)) {
                self.rewriter.erase(op);
            }
        }
        self.known.clear();
        self.constants.clear();
    }
}
