//! Builders of operations, generated from TableGen records.
//!
//! `llvm::load(pointer, type_).alignment(4)` is a load that is not yet in the IR. Operands, required attributes,
//! blocks, regions and non-inferable result types are parameters; optional operands and attributes are methods. Wrong
//! or missing names do not compile. [`Building::before`] inserts before another operation; lowering inserts by its
//! emitter. `dialect/Output.td` lists the operations with builders.

use super::ops::{OpKind, UpstreamKind};
use crate::sys::build::{Blk, Op, Spec, Val};
use crate::sys::{self, Rewriter, build};
use melior::Context;
use melior::ir::attribute::{
    BoolAttribute, DenseI32ArrayAttribute, DenseI64ArrayAttribute, IntegerAttribute,
    StringAttribute, TypeAttribute,
};
use melior::ir::operation::OperationLike;
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Location, Region, Type, ValueLike};
use std::marker::PhantomData;

include!(concat!(env!("OUT_DIR"), "/generated/builders.rs"));

#[derive(Clone, Copy, Debug)]
pub(crate) struct Name(&'static str);

impl Name {
    pub(crate) const fn text(self) -> &'static str {
        self.0
    }
}

impl From<OpKind> for Name {
    fn from(kind: OpKind) -> Self {
        Self(kind.name())
    }
}

impl From<UpstreamKind> for Name {
    fn from(kind: UpstreamKind) -> Self {
        Self(kind.name())
    }
}

/// A description of an attribute value, from which the attribute is created when the context is known.
#[derive(Clone, Debug)]
pub(crate) enum AttributeSource<'s, 'c> {
    Existing(Attribute<'c>),
    Unit,
    Bool(bool),
    /// An integer, given by the bit width of its type and by its value.
    Integer(u32, i64),
    Text(&'s str),
    Type(Type<'c>),
    Array32(&'s [i32]),
    Array64(&'s [i64]),
    Sizes(Vec<i32>),
    /// An attribute that is parsed from text, since the C API cannot build it.
    Parsed(&'static str),
}

impl<'c> AttributeSource<'_, 'c> {
    pub(crate) fn attribute(&self, context: &'c Context) -> Attribute<'c> {
        match self {
            Self::Existing(attribute) => *attribute,
            Self::Unit => Attribute::unit(context),
            Self::Bool(value) => BoolAttribute::new(context, *value).into(),
            Self::Integer(bits, value) => {
                let type_ = IntegerType::new(context, *bits);
                IntegerAttribute::new(type_.into(), *value).into()
            }
            Self::Text(text) => StringAttribute::new(context, text).into(),
            Self::Type(type_) => TypeAttribute::new(*type_).into(),
            Self::Array32(values) => DenseI32ArrayAttribute::new(context, values).into(),
            Self::Array64(values) => DenseI64ArrayAttribute::new(context, values).into(),
            Self::Sizes(sizes) => DenseI32ArrayAttribute::new(context, sizes).into(),
            Self::Parsed(text) => Attribute::parse(context, text).expect("the text is MLIR's"),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Parts<'s, 'c> {
    pub(crate) name: Name,
    pub(crate) operands: Vec<Val<'c>>,
    pub(crate) results: Vec<Type<'c>>,
    pub(crate) attributes: Vec<(&'c str, AttributeSource<'s, 'c>)>,
    pub(crate) regions: Vec<Region<'c>>,
    pub(crate) successors: Vec<Blk<'c>>,
}

impl<'c> Parts<'_, 'c> {
    /// Returns the specification of the operation for the C++ bindings. Moves the regions out of `self`.
    pub(crate) fn spec<'p>(
        &'p mut self,
        location: Location<'c>,
        attributes: &'p [(Identifier<'c>, Attribute<'c>)],
    ) -> Spec<'p, 'c> {
        Spec {
            name: self.name.text(),
            location,
            operands: &self.operands,
            results: &self.results,
            attributes,
            regions: std::mem::take(&mut self.regions),
            successors: &self.successors,
        }
    }
}

/// An operation that is not yet in the IR. The type parameter `O` is the type of the operation. It determines which
/// methods for optional attributes are available.
#[derive(Debug)]
pub(crate) struct Building<'s, 'c, O = ()> {
    parts: Parts<'s, 'c>,
    operation: PhantomData<O>,
}

impl<'s, 'c, O> From<Building<'s, 'c, O>> for Parts<'s, 'c> {
    fn from(building: Building<'s, 'c, O>) -> Self {
        building.parts
    }
}

impl<'s, 'c, O> Building<'s, 'c, O> {
    pub(crate) fn new(name: Name) -> Self {
        let parts = Parts {
            name,
            operands: Vec::new(),
            results: Vec::new(),
            attributes: Vec::new(),
            regions: Vec::new(),
            successors: Vec::new(),
        };
        Self {
            parts,
            operation: PhantomData,
        }
    }

    pub(crate) fn operands(mut self, operands: &[Val<'c>]) -> Self {
        self.parts.operands.extend_from_slice(operands);
        self
    }

    pub(crate) fn results(mut self, types: &[Type<'c>]) -> Self {
        self.parts.results.extend_from_slice(types);
        self
    }

    pub(crate) fn region(mut self, region: Region<'c>) -> Self {
        self.parts.regions.push(region);
        self
    }

    /// Adds inherent or discardable attributes by name.
    pub(crate) fn with_attributes(mut self, attributes: &[(&'c str, Attribute<'c>)]) -> Self {
        let given = attributes
            .iter()
            .map(|(key, value)| (*key, AttributeSource::Existing(*value)));
        self.parts.attributes.extend(given);
        self
    }

    /// Adds attributes whose names are given as MLIR identifiers, for example the discardable attributes of another
    /// operation.
    pub(crate) fn with_discardable(
        mut self,
        attributes: &[(Identifier<'c>, Attribute<'c>)],
    ) -> Self {
        let given = attributes.iter().map(|(key, value)| {
            (
                sys::identifier_text(*key),
                AttributeSource::Existing(*value),
            )
        });
        self.parts.attributes.extend(given);
        self
    }

    fn successors(mut self, blocks: &[Blk<'c>]) -> Self {
        self.parts.successors.extend(blocks);
        self
    }

    fn with_some(mut self, key: &'static str, value: Option<AttributeSource<'s, 'c>>) -> Self {
        if let Some(value) = value {
            self.parts.attributes.push((key, value));
        }
        self
    }

    fn sizes(self, key: &'static str, sizes: impl IntoIterator<Item = usize>) -> Self {
        let size = |n| i32::try_from(n).expect("an operation has far fewer operands");
        let sizes = AttributeSource::Sizes(sizes.into_iter().map(size).collect());
        self.with_some(key, Some(sizes))
    }

    /// Inserts the operation before `place`. Returns `None` if the operation is invalid.
    pub(crate) fn insert(
        self,
        rewriter: Rewriter<'c>,
        place: Op<'c>,
        location: Location<'c>,
    ) -> Option<Op<'c>> {
        let context = build::context(place);
        let mut parts = self.parts;
        let attributes = parts.attributes.iter();
        let attributes: Vec<_> = attributes
            .map(|(key, value)| (Identifier::new(context, key), value.attribute(context)))
            .collect();
        let spec = parts.spec(location, &attributes);
        rewriter.insert_before(place, spec).ok()
    }

    /// Inserts the operation before `place`, with the location of `place`. Returns the result, or `None` if the
    /// operation is invalid.
    pub(crate) fn before(self, rewriter: Rewriter<'c>, place: Op<'c>) -> Option<Val<'c>> {
        let made = self.insert(rewriter, place, place.location())?;
        Some(build::only_result(made))
    }
}
