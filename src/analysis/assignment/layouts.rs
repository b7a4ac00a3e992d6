//! Interned encodings, shapes and layouts of one function.

use crate::ir::{Layouts, TensorType};
use crate::sys;
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};
use melior::Context;
use melior::ir::Attribute;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Index of an interned encoding. If two different encodings have the same layout, they still have different
/// indices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct EncodingId(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct ShapeId(u32);

/// Index of an interned layout. Encodings that assign the same threads and registers to all elements share an
/// index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct LayoutId(u32);

impl LayoutId {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Interned encodings, shapes and layouts, numbered in order of first use.
pub(crate) struct Catalogue<'c> {
    encodings: Vec<(Arc<Encoding>, Option<Attribute<'c>>)>,
    numbers: FxHashMap<Arc<Encoding>, EncodingId>,
    spelled: FxHashMap<usize, EncodingId>,
    shapes: Vec<Box<[u64]>>,
    shape_numbers: FxHashMap<Box<[u64]>, ShapeId>,
    layouts: Vec<LinearLayout>,
    layout_numbers: FxHashMap<LinearLayout, LayoutId>,
    known: FxHashMap<(EncodingId, ShapeId), Option<LayoutId>>,
}

impl<'c> Catalogue<'c> {
    pub(crate) fn new() -> Self {
        Self {
            encodings: Vec::new(),
            numbers: FxHashMap::default(),
            spelled: FxHashMap::default(),
            shapes: Vec::new(),
            shape_numbers: FxHashMap::default(),
            layouts: Vec::new(),
            layout_numbers: FxHashMap::default(),
            known: FxHashMap::default(),
        }
    }

    /// Returns the encoding and shape of a tensor, or `None` if its encoding is not distributed.
    pub(crate) fn tensor(
        &mut self,
        cache: &Layouts,
        tensor: &TensorType<'c>,
    ) -> Option<(EncodingId, ShapeId)> {
        let attribute = tensor.encoding?;
        let known = self.spelled.get(&sys::attribute_id(attribute)).copied();
        let encoding = match known {
            Some(known) => known,
            None => {
                let encoding = cache.of_tensor(tensor).ok()?;
                // A CuTe encoding with an implied tile depends on the shape.
                let has_implied_tile =
                    matches!(&*encoding, Encoding::Cute(e) if e.is_tile_implied());
                let number = self.encoding(encoding);
                self.encodings[number.0 as usize].1.get_or_insert(attribute);
                if !has_implied_tile {
                    self.spelled.insert(sys::attribute_id(attribute), number);
                }
                number
            }
        };
        let shape = self.shape(tensor.shape);
        self.layout(encoding, shape)?;
        Some((encoding, shape))
    }

    pub(crate) fn encoding(&mut self, encoding: Arc<Encoding>) -> EncodingId {
        if let Some(known) = self.numbers.get(&encoding) {
            return *known;
        }
        let number = EncodingId(index(self.encodings.len()));
        self.numbers.insert(Arc::clone(&encoding), number);
        self.encodings.push((encoding, None));
        number
    }

    pub(crate) fn get(&self, encoding: EncodingId) -> &Arc<Encoding> {
        &self.encodings[encoding.0 as usize].0
    }

    /// Returns true for `#ttg.generic_linear`, and for slices of it.
    pub(crate) fn is_generic(&self, encoding: EncodingId) -> bool {
        self.get(encoding).is_generic()
    }

    /// Returns the MLIR attribute of an encoding, or `None` if the text of the encoding does not parse.
    pub(crate) fn attribute(
        &mut self,
        context: &'c Context,
        encoding: EncodingId,
    ) -> Option<Attribute<'c>> {
        let (encoding, attribute) = &mut self.encodings[encoding.0 as usize];
        if attribute.is_none() {
            *attribute = Attribute::parse(context, &encoding.to_string());
        }
        *attribute
    }

    pub(crate) fn shape(&mut self, shape: &[u64]) -> ShapeId {
        if let Some(known) = self.shape_numbers.get(shape) {
            return *known;
        }
        let number = ShapeId(index(self.shapes.len()));
        self.shapes.push(shape.into());
        self.shape_numbers.insert(shape.into(), number);
        number
    }

    pub(crate) fn sizes(&self, shape: ShapeId) -> &[u64] {
        &self.shapes[shape.0 as usize]
    }

    /// Returns the layout of an encoding on a shape, or `None` if the shape is unsupported.
    pub(crate) fn layout(&mut self, encoding: EncodingId, shape: ShapeId) -> Option<LayoutId> {
        if let Some(known) = self.known.get(&(encoding, shape)) {
            return *known;
        }
        let found = self.lay_out(encoding, shape);
        self.known.insert((encoding, shape), found);
        found
    }

    fn lay_out(&mut self, encoding: EncodingId, shape: ShapeId) -> Option<LayoutId> {
        let encoding = &self.encodings[encoding.0 as usize].0;
        let sizes = &self.shapes[shape.0 as usize];
        if !encoding.is_distributed() || encoding.rank() != sizes.len() {
            return None;
        }
        let full = encoding.to_surjective_layout(sizes).ok()?;
        let unique = full.remove_zero_bases(Dim::REGISTER).ok()?;
        if let Some(known) = self.layout_numbers.get(&unique) {
            return Some(*known);
        }
        let number = LayoutId(index(self.layouts.len()));
        self.layouts.push(unique.clone());
        self.layout_numbers.insert(unique, number);
        Some(number)
    }

    /// Returns the linear layout with the index `layout`. Zero basis vectors of the registers, which represent
    /// replicas in a thread, have been removed.
    pub(crate) fn linear(&self, layout: LayoutId) -> &LinearLayout {
        &self.layouts[layout.0 as usize]
    }

    /// Returns the number of registers per thread, without replicas.
    pub(crate) fn registers(&self, layout: LayoutId) -> u64 {
        1 << self.linear(layout).in_bits(Dim::REGISTER)
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("memory ends before")
}
