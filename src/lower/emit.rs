//! Emitting operations, each pure one once.
//!
//! A pure operation with the same operands, attributes and type is emitted once per block and
//! seen by the blocks that it dominates, so shared index arithmetic needs no clean-up pass afterwards.

use crate::sys::build::{self, Blk, Op, Spec, Val};
use crate::sys::{self, attribute_id, identifier_id, type_id, value_id};
use melior::Context;
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, FloatAttribute, IntegerAttribute, StringAttribute,
    TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::{IntegerType, TypeLike};
use melior::ir::{Attribute, BlockLike, Identifier, Location, Region, Type, ValueLike};
use std::collections::HashMap;

/// A named attribute by its name.
pub(crate) type Named<'s, 'c> = (&'s str, Attribute<'c>);

/// What a pure operation is: its name, its type, how many operands, the operands, then each
/// attribute's name and value; all of them unique in a context, so equal numbers are equal operations.
type Key = Vec<usize>;

/// All attributes of an operation, inherent and discardable.
pub(crate) fn attributes_of<'c>(op: Op<'c>) -> Vec<Named<'c, 'c>> {
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
    pub(crate) context: &'c Context,
    pub(crate) location: Location<'c>,
    block: Blk<'c>,
    /// The blocks that it was entered from, outermost first, and what each newer one made known.
    outer: Vec<(Blk<'c>, Vec<Key>)>,
    /// The pure operations that dominate what is emitted next.
    known: HashMap<Key, Val<'c>>,
    constants: HashMap<usize, u64>,
    identifiers: HashMap<String, Identifier<'c>>,
    /// Every pure operation emitted, for the sweep at the end.
    pure: Vec<Op<'c>>,
    pub(crate) types: Types<'c>,
}

/// Types that every lowering needs.
#[derive(Clone, Copy)]
pub(crate) struct Types<'c> {
    pub(crate) i1: Type<'c>,
    pub(crate) i8: Type<'c>,
    pub(crate) i16: Type<'c>,
    pub(crate) i32: Type<'c>,
    pub(crate) i64: Type<'c>,
    pub(crate) f32: Type<'c>,
}

impl<'c> Emitter<'c> {
    pub(crate) fn new(context: &'c Context, location: Location<'c>, block: Blk<'c>) -> Self {
        let int = |bits| IntegerType::new(context, bits).into();
        Self {
            context,
            location,
            block,
            outer: Vec::new(),
            known: HashMap::new(),
            constants: HashMap::new(),
            identifiers: HashMap::new(),
            pure: Vec::new(),
            types: Types {
                i1: int(1),
                i8: int(8),
                i16: int(16),
                i32: int(32),
                i64: int(64),
                f32: Type::float32(context),
            },
        }
    }

    pub(crate) fn identifier(&mut self, name: &str) -> Identifier<'c> {
        if let Some(known) = self.identifiers.get(name) {
            return *known;
        }
        let new = Identifier::new(self.context, name);
        self.identifiers.insert(name.to_owned(), new);
        new
    }

    /// Emits an operation with any number of results and regions.
    pub(crate) fn operation(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        attributes: &[Named<'_, 'c>],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(key, value)| (self.identifier(key), *value))
            .collect();
        self.append(Spec {
            name,
            location: self.location,
            operands,
            results,
            attributes: &attributes,
            regions,
            successors: &[],
        })
    }

    fn append(&mut self, spec: Spec<'_, 'c>) -> Op<'c> {
        // The names are ours: a failure is a mistake of this room, caught at the border.
        build::append(self.block, spec).expect("every operation emitted is registered")
    }

    /// Emits a branch like one that is there, to other blocks with other operands: it keeps all its attributes
    /// but those given here, which say how the operands are shared out.
    pub(crate) fn rebuild_branch(
        &mut self,
        op: Op<'c>,
        operands: &[Val<'c>],
        successors: &[Blk<'c>],
        shares: &[Named<'_, 'c>],
    ) {
        let (name, kept) = (op.name(), attributes_of(op));
        let name = name.as_string_ref().as_str().unwrap_or_default();
        let attributes: Vec<_> = kept
            .iter()
            .map(|(key, value)| {
                let share = shares.iter().find(|(share, _)| share == key);
                (self.identifier(key), share.map_or(*value, |(_, new)| *new))
            })
            .collect();
        self.append(Spec {
            name,
            location: self.location,
            operands,
            results: &[],
            attributes: &attributes,
            regions: Vec::new(),
            successors,
        });
    }

    /// Emits an operation like one that is there, with other operands and regions: it keeps all its
    /// attributes, inherent and discardable, since nothing about what it does is said elsewhere.
    pub(crate) fn rebuild(
        &mut self,
        op: Op<'c>,
        operands: &[Val<'c>],
        results: &[Type<'c>],
        regions: Vec<Region<'c>>,
    ) -> Op<'c> {
        let (name, attributes) = (op.name(), attributes_of(op));
        let name = name.as_string_ref().as_str().unwrap_or_default();
        self.operation(name, operands, results, &attributes, regions)
    }

    /// Emits an operation with effects and one result.
    pub(crate) fn effect(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[Named<'_, 'c>],
    ) -> Val<'c> {
        build::result(
            self.operation(name, operands, &[result], attributes, Vec::new()),
            0,
        )
    }

    /// Emits a pure operation with one result, or finds it.
    pub(crate) fn pure(
        &mut self,
        name: &str,
        operands: &[Val<'c>],
        result: Type<'c>,
        attributes: &[Named<'_, 'c>],
    ) -> Val<'c> {
        let mut key = Key::with_capacity(3 + operands.len() + 2 * attributes.len());
        key.extend([
            identifier_id(self.identifier(name)),
            type_id(result),
            operands.len(),
        ]);
        key.extend(operands.iter().map(|v| value_id(*v)));
        for (name, value) in attributes {
            key.extend([identifier_id(self.identifier(name)), attribute_id(*value)]);
        }
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let op = self.operation(name, operands, &[result], attributes, Vec::new());
        self.pure.push(op);
        let value = build::result(op, 0);
        if let Some((_, added)) = self.outer.last_mut() {
            added.push(key.clone());
        }
        self.known.insert(key, value);
        value
    }

    /// Calls an intrinsic of LLVM that has no operation of its own and no effect.
    pub(crate) fn intrinsic(
        &mut self,
        name: Attribute<'c>,
        operands: &[Val<'c>],
        result: Type<'c>,
    ) -> Val<'c> {
        let count = i32::try_from(operands.len()).expect("an intrinsic has a few operands");
        let segments = self.i32_array(&[count, 0]);
        let bundles = self.i32_array(&[]);
        let attributes = [
            ("intrin", name),
            ("operandSegmentSizes", segments),
            ("op_bundle_sizes", bundles),
        ];
        self.pure("llvm.call_intrinsic", operands, result, &attributes)
    }

    /// A struct with one member replaced.
    pub(crate) fn insert(&mut self, struct_: Val<'c>, member: Val<'c>, i: i64) -> Val<'c> {
        let position = self.parsed(&format!("array<i64: {i}>"));
        self.pure(
            "llvm.insertvalue",
            &[struct_, member],
            struct_.r#type(),
            &[("position", position)],
        )
    }

    /// A region of several blocks in the middle of another.
    pub(crate) fn execute_region(&mut self, results: &[Type<'c>], region: Region<'c>) -> Op<'c> {
        self.operation("scf.execute_region", &[], results, &[], vec![region])
    }

    /// Calls a function of the module; returns its result, if it has one.
    pub(crate) fn call(
        &mut self,
        callee: Attribute<'c>,
        operands: &[Val<'c>],
        result: Option<Type<'c>>,
    ) -> Option<Val<'c>> {
        let count = i32::try_from(operands.len()).expect("far fewer registers");
        let attributes = [
            ("callee", callee),
            ("operandSegmentSizes", self.i32_array(&[count, 0])),
            ("op_bundle_sizes", self.i32_array(&[])),
        ];
        let results: Vec<Type<'c>> = result.into_iter().collect();
        let call = self.operation("llvm.call", operands, &results, &attributes, Vec::new());
        result.map(|_| build::result(call, 0))
    }

    /// Begins a region with one block; what is emitted goes there until [`Self::close_region`].
    pub(crate) fn open_region(&mut self, arguments: &[Type<'c>]) -> (Region<'c>, Vec<Val<'c>>) {
        let region = Region::new();
        let block = self.add_block(&region, arguments);
        self.enter_block(block);
        (region, block_arguments(block))
    }

    /// Goes back to the block that was current before [`Self::open_region`].
    pub(crate) fn close_region(&mut self) {
        self.leave_block();
    }

    /// Adds a block to a region, with arguments of the given types.
    pub(crate) fn add_block(&self, region: &Region<'c>, arguments: &[Type<'c>]) -> Blk<'c> {
        let typed: Vec<_> = arguments.iter().map(|t| (*t, self.location)).collect();
        build::append_block(region, &typed)
    }

    /// Goes on in a block that the current one dominates, until [`Self::leave_block`].
    pub(crate) fn enter_block(&mut self, block: Blk<'c>) {
        let outer = std::mem::replace(&mut self.block, block);
        self.outer.push((outer, Vec::new()));
    }

    /// Goes back to the block that was current before [`Self::enter_block`].
    pub(crate) fn leave_block(&mut self) {
        let (block, added) = self.outer.pop().expect("a block was entered");
        self.block = block;
        // What was made known there does not dominate what comes next.
        for key in added {
            self.known.remove(&key);
        }
    }

    /// Erases pure operations that nothing uses.
    pub(crate) fn sweep(&mut self) {
        for op in self.pure.drain(..).rev() {
            if sys::is_unused(build::result(op, 0)) {
                sys::erase(op);
            }
        }
        self.known.clear();
        self.constants.clear();
    }

    // --- attributes ---

    pub(crate) fn int_attr(&self, type_: Type<'c>, value: i64) -> Attribute<'c> {
        IntegerAttribute::new(type_, value).into()
    }

    pub(crate) fn i32_attr(&self, value: i64) -> Attribute<'c> {
        self.int_attr(self.types.i32, value)
    }

    pub(crate) fn i64_attr(&self, value: i64) -> Attribute<'c> {
        self.int_attr(self.types.i64, value)
    }

    pub(crate) fn string(&self, text: &str) -> Attribute<'c> {
        StringAttribute::new(self.context, text).into()
    }

    pub(crate) fn type_attr(&self, type_: Type<'c>) -> Attribute<'c> {
        TypeAttribute::new(type_).into()
    }

    pub(crate) fn i32_array(&self, values: &[i32]) -> Attribute<'c> {
        DenseI32ArrayAttribute::new(self.context, values).into()
    }

    pub(crate) fn unit(&self) -> Attribute<'c> {
        Attribute::unit(self.context)
    }

    /// An attribute or type of an upstream dialect by its text.
    pub(crate) fn parsed(&self, text: &str) -> Attribute<'c> {
        Attribute::parse(self.context, text).expect("the text is ours")
    }

    pub(crate) fn int_type(&self, bits: u32) -> Type<'c> {
        IntegerType::new(self.context, bits).into()
    }

    pub(crate) fn parsed_type(&self, text: &str) -> Type<'c> {
        Type::parse(self.context, text).expect("the text is ours")
    }

    // --- constants ---

    pub(crate) fn constant(&mut self, type_: Type<'c>, value: i64) -> Val<'c> {
        let attribute = if type_ == self.types.i1 {
            BoolAttribute::new(self.context, value != 0).into()
        } else {
            self.int_attr(type_, value)
        };
        let constant = self.pure("llvm.mlir.constant", &[], type_, &[("value", attribute)]);
        #[allow(clippy::cast_sign_loss, reason = "bits are what counts")]
        self.constants.insert(value_id(constant), value as u64);
        constant
    }

    /// A constant given as an attribute, known to the folds where it is an integer.
    pub(crate) fn constant_attr(
        &mut self,
        name: &str,
        type_: Type<'c>,
        value: Attribute<'c>,
    ) -> Val<'c> {
        let constant = self.pure(name, &[], type_, &[("value", value)]);
        if let Some(integer) = build::integer_value(value) {
            #[allow(clippy::cast_sign_loss, reason = "bits are what counts")]
            self.constants.insert(value_id(constant), integer as u64);
        }
        constant
    }

    pub(crate) fn i32(&mut self, value: u32) -> Val<'c> {
        #[allow(clippy::cast_possible_wrap, reason = "bits are what counts")]
        self.constant(self.types.i32, i64::from(value as i32))
    }

    /// A constant float.
    pub(crate) fn float(&mut self, type_: Type<'c>, value: f64) -> Val<'c> {
        let attribute = FloatAttribute::new(self.context, type_, value).into();
        self.pure("llvm.mlir.constant", &[], type_, &[("value", attribute)])
    }

    /// A constant of any number type, 0.
    pub(crate) fn zero(&mut self, type_: Type<'c>) -> Val<'c> {
        if sys::float_width(type_).is_some() {
            return self.float(type_, 0.0);
        }
        if type_.is_integer() {
            return self.constant(type_, 0);
        }
        self.pure("llvm.mlir.zero", &[], type_, &[])
    }

    pub(crate) fn undefined(&mut self, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.mlir.poison", &[], type_, &[])
    }

    fn known_constant(&self, value: Val<'c>) -> Option<u64> {
        self.constants.get(&value_id(value)).copied()
    }

    // --- arithmetic on i32, folded where a constant makes it trivial ---

    fn binary(&mut self, name: &str, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.pure(name, &[a, b], a.r#type(), &[])
    }

    pub(crate) fn and(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.known_constant(b) {
            Some(0) => b,
            _ => self.binary("llvm.and", a, b),
        }
    }

    pub(crate) fn xor(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.binary("llvm.xor", a, b),
        }
    }

    /// Or of values without a bit in common.
    pub(crate) fn or_disjoint(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => {
                let unit = self.unit();
                self.pure("llvm.or", &[a, b], a.r#type(), &[("isDisjoint", unit)])
            }
        }
    }

    pub(crate) fn add(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => self.binary("llvm.add", a, b),
        }
    }

    pub(crate) fn mul(&mut self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match (self.known_constant(a), self.known_constant(b)) {
            (_, Some(1)) => a,
            (Some(1), _) => b,
            _ => self.binary("llvm.mul", a, b),
        }
    }

    pub(crate) fn shl(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.i32(by);
        self.binary("llvm.shl", a, by)
    }

    pub(crate) fn lshr(&mut self, a: Val<'c>, by: u32) -> Val<'c> {
        if by == 0 {
            return a;
        }
        let by = self.i32(by);
        self.binary("llvm.lshr", a, by)
    }

    /// `a == 0`
    pub(crate) fn is_zero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.compare(0, a, zero)
    }

    /// `a != 0`
    pub(crate) fn is_nonzero(&mut self, a: Val<'c>) -> Val<'c> {
        let zero = self.zero(a.r#type());
        self.compare(1, a, zero)
    }

    /// An integer comparison: 0 is `eq`, 1 is `ne`.
    fn compare(&mut self, predicate: i64, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let predicate = self.i64_attr(predicate);
        self.pure(
            "llvm.icmp",
            &[a, b],
            self.types.i1,
            &[("predicate", predicate)],
        )
    }

    pub(crate) fn select(&mut self, condition: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        if a == b {
            return a;
        }
        self.pure("llvm.select", &[condition, a, b], a.r#type(), &[])
    }

    pub(crate) fn bitcast(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        if value.r#type() == type_ {
            return value;
        }
        self.pure("llvm.bitcast", &[value], type_, &[])
    }

    pub(crate) fn zext(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.zext", &[value], type_, &[])
    }

    pub(crate) fn trunc(&mut self, value: Val<'c>, type_: Type<'c>) -> Val<'c> {
        self.pure("llvm.trunc", &[value], type_, &[])
    }

    /// `base + index` elements of a type.
    pub(crate) fn gep(&mut self, base: Val<'c>, element: Type<'c>, index: Val<'c>) -> Val<'c> {
        if self.known_constant(index) == Some(0) {
            return base;
        }
        let dynamic = self.i32_array(&[i32::MIN]);
        let element = self.type_attr(element);
        self.pure(
            "llvm.getelementptr",
            &[base, index],
            base.r#type(),
            &[("rawConstantIndices", dynamic), ("elem_type", element)],
        )
    }

    /// `base + bytes`, a constant number of them.
    pub(crate) fn gep_bytes(&mut self, base: Val<'c>, bytes: u32) -> Val<'c> {
        if bytes == 0 {
            return base;
        }
        let constant = self.i32_array(&[i32::try_from(bytes).expect("shared memory is small")]);
        let element = self.type_attr(self.types.i8);
        self.pure(
            "llvm.getelementptr",
            &[base],
            base.r#type(),
            &[("rawConstantIndices", constant), ("elem_type", element)],
        )
    }

    // --- vectors ---

    pub(crate) fn vector_type(&self, count: usize, element: Type<'c>) -> Type<'c> {
        Type::vector(&[count as u64], element)
    }

    /// The elements side by side; one element stays as it is.
    pub(crate) fn gather(&mut self, elements: &[Val<'c>]) -> Val<'c> {
        if let [only] = elements {
            return *only;
        }
        let type_ = self.vector_type(elements.len(), elements[0].r#type());
        let mut vector = self.undefined(type_);
        for (i, element) in elements.iter().enumerate() {
            let index = self.i32(i as u32);
            vector = self.pure("llvm.insertelement", &[vector, *element, index], type_, &[]);
        }
        vector
    }

    /// The opposite of [`Self::gather`].
    pub(crate) fn scatter(
        &mut self,
        vector: Val<'c>,
        count: usize,
        element: Type<'c>,
    ) -> Vec<Val<'c>> {
        if count == 1 {
            return vec![vector];
        }
        (0..count)
            .map(|i| {
                let index = self.i32(i as u32);
                self.pure("llvm.extractelement", &[vector, index], element, &[])
            })
            .collect()
    }
}
