//! Per-context cache of layouts.

use crate::ir::reason::Reason;
use crate::ir::rules::labels;
use crate::ir::tensor::TensorType;
use crate::sys;
use linear_layout::encoding::{Encoding, LinearEncoding, key_offset};
use linear_layout::layout::{Dim, LinearLayout};
use melior::ir::{Attribute, Type};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The encoding and layout of a tensor type.
#[derive(Debug)]
pub struct TensorLayout {
    /// The encoding.
    pub encoding: Arc<Encoding>,
    /// The layout (register, lane, warp, block) -> (dim0, ...). Some of its register bases may be zero. Registers
    /// whose indices differ only in the bits of zero bases hold replicas of the same element.
    pub full: LinearLayout,
    /// The same layout without those register bases that are zero, and thus without replicas in a thread. Register
    /// i is the i-th LLVM value of a thread.
    pub unique: LinearLayout,
}

impl TensorLayout {
    /// Returns the number of registers per thread, without replicas.
    #[must_use]
    pub fn num_registers(&self) -> usize {
        1 << self.unique.in_bits(Dim::REGISTER)
    }
}

/// Properties of a type that the rules for operands and results check.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeFacts {
    /// Neither tensor nor buffer, for example a number, pointer or token.
    Other,
    Tensor {
        /// Number of elements, or `None` if it does not fit in 64 bits.
        elements: Option<u64>,
        units: Units,
        /// True if a warp basis may step along several dimensions, as in `#ttg.generic_linear`.
        is_generic: bool,
    },
    /// A buffer. Contains the number of CTAs in the buffer's encoding, or `None` if the encoding is invalid.
    Buffer(Option<u64>),
}

/// The numbers of lanes, warps and CTAs over which an encoding distributes a tensor.
#[derive(Clone, Copy, Debug)]
pub(super) enum Units {
    /// The tensor has no encoding.
    None,
    /// The layout is open: a pass has yet to infer it.
    Open,
    /// The encoding is invalid for the shape.
    Invalid,
    /// Numbers of lanes per warp, warps per CTA, and CTAs, in this order.
    Of([u64; 3]),
}

type LayoutResult<T> = Result<Arc<T>, Reason>;
/// A cache that is keyed by the address of a uniqued type or attribute.
type CacheMap<T> = Mutex<FxHashMap<usize, T>>;

/// The layout cache of a context, owned by the `ttg` dialect.
#[derive(Debug, Default)]
pub struct Layouts {
    texts: CacheMap<Arc<str>>,
    encodings: CacheMap<LayoutResult<Encoding>>,
    spellings: CacheMap<LayoutResult<Option<String>>>,
    tensors: CacheMap<LayoutResult<TensorLayout>>,
    types: CacheMap<LayoutResult<()>>,
    facts: CacheMap<TypeFacts>,
}

impl Layouts {
    /// Returns the cache of a context.
    ///
    /// # Panics
    /// Panics if the dialects are registered without [`install`](crate::install).
    #[must_use]
    pub fn of<'c>(context: melior::ContextRef<'c>) -> &'c Self {
        sys::layout_cache(context)
            .get()
            .expect("the cache was made by `install`")
    }

    /// Returns the text of a type, for example `f8E5M2`.
    pub fn text_of_type(&self, type_: Type<'_>) -> Arc<str> {
        cached(&self.texts, sys::type_id(type_), || {
            type_.to_string().into()
        })
    }

    /// Returns the text of an attribute, for example `#ttg.shared_memory`.
    pub fn text_of_attribute(&self, attribute: Attribute<'_>) -> Arc<str> {
        cached(&self.texts, sys::attribute_id(attribute), || {
            attribute.to_string().into()
        })
    }

    /// Parses the encoding in an attribute.
    ///
    /// # Errors
    /// Returns an error if the attribute is not a valid encoding.
    pub fn encoding(&self, attribute: Attribute<'_>) -> LayoutResult<Encoding> {
        cached(&self.encodings, sys::attribute_id(attribute), || {
            let text = self.text_of_attribute(attribute);
            if sys::open_layout(attribute).is_some() {
                return Err(format!("`{text}` is an unresolved layout").into());
            }
            let encoding: Encoding = text.parse()?;
            Ok(Arc::new(encoding))
        })
    }

    /// Returns the encoding of a tensor, adapted to the tensor's shape if the encoding depends on shapes.
    ///
    /// # Errors
    /// Returns an error if the tensor has no valid encoding.
    pub fn of_tensor(&self, tensor: &TensorType<'_>) -> LayoutResult<Encoding> {
        let attribute = tensor.encoding.ok_or("the tensor has no encoding")?;
        let encoding = self.encoding(attribute)?;
        // Only CuTe encodings depend on the shape.
        match &*encoding {
            Encoding::Cute(_) => Ok(Arc::new(encoding.for_tensor(tensor.shape)?.into_owned())),
            _ => Ok(encoding),
        }
    }

    /// Returns the canonical text of the encoding in `attribute`. Returns `None` if this text is the same as the
    /// text of `attribute`.
    ///
    /// # Errors
    /// Returns an error if the attribute is not a valid encoding.
    pub fn normal_spelling(&self, attribute: Attribute<'_>) -> Result<Option<String>, Reason> {
        // Cached, since every parse needs the spelling.
        cached(&self.spellings, sys::attribute_id(attribute), || {
            let normal = self.encoding(attribute)?.to_string();
            let differs = *normal != *self.text_of_attribute(attribute);
            Ok(Arc::new(differs.then_some(normal)))
        })
        .map(|spelling| spelling.as_ref().clone())
    }

    /// Returns the byte offset of the error in `text`, the user's spelling of `attribute`. Returns `None` if the
    /// attribute is a valid encoding, or if the offset is unknown.
    #[must_use]
    pub fn offset_of_error(attribute: Attribute<'_>, text: &[u8]) -> Option<usize> {
        let printed = attribute.to_string();
        let error = printed.parse::<Encoding>().err()?;
        if let Some(key) = error.key() {
            return key_offset(text, key);
        }
        // Offsets in quoted text are equal in the printed and in the written form.
        let within = error.offset()?.checked_sub(printed.find('"')?)?;
        let quote = text.iter().position(|byte| *byte == b'"')?;
        Some(quote + within).filter(|at| *at < text.len())
    }

    /// Checks the rules of a type that hold in every operation.
    ///
    /// # Errors
    /// Returns an error that names the broken rule.
    pub fn type_rules(&self, type_: Type<'_>) -> Result<(), Reason> {
        cached(&self.types, sys::type_id(type_), || {
            Ok(Arc::new(super::verify::type_rules(self, type_)?))
        })
        .map(drop)
    }

    /// Returns the layout of a tensor, or of the whole allocation of a buffer.
    ///
    /// # Errors
    /// Returns an error if the type has no layout.
    pub fn of_type(&self, type_: Type<'_>) -> Result<LinearLayout, Reason> {
        if let Some(tensor) = TensorType::of(type_) {
            return Ok(self.tensor(&tensor)?.full.clone());
        }
        let Some(buffer) = sys::buffer(type_) else {
            return Err(format!(
                "`{type_}` has no layout: expected a ranked tensor or a `!ttg.memdesc` of static shape"
            )
            .into());
        };
        let attribute = buffer.encoding.ok_or("the buffer has no encoding")?;
        // A view has the addresses of its allocation, without the dropped dims.
        let whole = if buffer.alloc_shape.is_empty() {
            &buffer.shape
        } else {
            &buffer.alloc_shape
        };
        let shape = &whole[whole.len().saturating_sub(buffer.shape.len())..];
        let encoding = self.encoding(attribute)?;
        encoding.to_surjective_layout(shape).map_err(Reason::from)
    }

    /// Returns the layout of a tensor type.
    ///
    /// # Errors
    /// Returns an error if the encoding is missing or invalid for the shape.
    pub fn tensor(&self, tensor: &TensorType<'_>) -> LayoutResult<TensorLayout> {
        cached(&self.tensors, sys::type_id(tensor.type_), || {
            let encoding = self.of_tensor(tensor)?;
            if let Some(attribute) = tensor.encoding.filter(|_| !encoding.is_distributed()) {
                let text = format!(
                    "a tensor requires a register layout, but `{attribute}` is a memory layout"
                );
                return Err(Reason::from(text).of_rule(labels::encoding_c8));
            }
            if encoding.rank() != tensor.shape.len() {
                let text = format!(
                    "the encoding is for tensors of rank {}, but the tensor has rank {}",
                    encoding.rank(),
                    tensor.shape.len()
                );
                return Err(Reason::from(text).of_rule(labels::encoding_c2));
            }
            let full = encoding.to_surjective_layout(tensor.shape)?;
            let unique = full
                .remove_zero_bases(Dim::REGISTER)
                .map_err(|e| e.to_string())?;
            Ok(Arc::new(TensorLayout {
                encoding,
                full,
                unique,
            }))
        })
    }

    /// Returns the properties of `type_` that the rules for operands and results check.
    pub(super) fn type_facts(&self, type_: Type<'_>) -> TypeFacts {
        cached(&self.facts, sys::type_id(type_), || {
            if let Some(tensor) = TensorType::of(type_) {
                let sizes = tensor.shape.iter();
                return TypeFacts::Tensor {
                    elements: sizes.copied().try_fold(1, u64::checked_mul),
                    units: self.units(&tensor),
                    is_generic: tensor
                        .encoding
                        .and_then(|_| self.of_tensor(&tensor).ok())
                        .is_some_and(|encoding| {
                            encoding.is_generic()
                                || (may_mix(&encoding)
                                    && self.tensor(&tensor).is_ok_and(|layout| {
                                        LinearEncoding::new(layout.full.clone()).is_err()
                                    }))
                        }),
                };
            }
            let Some(buffer) = sys::buffer(type_).filter(|b| b.memory_space.is_some()) else {
                return TypeFacts::Other;
            };
            let encoding = buffer
                .encoding
                .and_then(|attribute| self.encoding(attribute).ok());
            let cga = encoding.and_then(|encoding| encoding.cga_layout().ok());
            TypeFacts::Buffer(cga.map(|cga| u64::from(cga.num_ctas())))
        })
    }

    fn units(&self, tensor: &TensorType<'_>) -> Units {
        let Some(encoding) = tensor.encoding else {
            return Units::None;
        };
        if sys::open_layout(encoding).is_some() {
            return Units::Open;
        }
        self.tensor(tensor).map_or(Units::Invalid, |layout| {
            Units::Of([Dim::LANE, Dim::WARP, Dim::BLOCK].map(|dim| layout.full.in_size(dim)))
        })
    }
}

fn may_mix(encoding: &Encoding) -> bool {
    match encoding {
        Encoding::AmdWmma(_) => true,
        Encoding::Slice(slice) => may_mix(slice.parent()),
        Encoding::DotOperand(operand) => may_mix(operand.parent()),
        _ => false,
    }
}

fn cached<T: Clone>(map: &CacheMap<T>, key: usize, compute: impl FnOnce() -> T) -> T {
    if let Some(known) = map.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    // Computed without the lock, since a tensor looks up its encoding.
    let answer = compute();
    map.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, answer.clone());
    answer
}
