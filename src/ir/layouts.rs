//! What encodings and tensor types mean, computed once per context.

use crate::encoding::Encoding;
use crate::ir::tensor::TensorType;
use crate::layout::{Dim, LinearLayout};
use crate::sys;
use melior::ir::{Attribute, Type};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A tensor type's layout.
#[derive(Debug)]
pub struct TensorLayout {
    /// The encoding as data.
    pub encoding: Arc<Encoding>,
    /// (register, lane, warp, block) -> (dim0, ...), registers with their broadcast bits.
    pub full: LinearLayout,
    /// The same with zero register bases removed: register i is the i-th LLVM value of a thread.
    pub unique: LinearLayout,
}

impl TensorLayout {
    /// How many values a thread holds: 2 to the number of non-zero register bases.
    #[must_use]
    pub fn num_registers(&self) -> usize {
        1 << self.unique.in_bits(Dim::REGISTER)
    }
}

type Answer<T> = Result<Arc<T>, Arc<str>>;

/// The cache: one per MLIR context, kept by its `ttg` dialect.
#[derive(Debug, Default)]
pub struct Layouts {
    encodings: Mutex<HashMap<usize, Answer<Encoding>>>,
    spellings: Mutex<HashMap<usize, Answer<Option<String>>>>,
    tensors: Mutex<HashMap<usize, Answer<TensorLayout>>>,
    types: Mutex<HashMap<usize, Answer<()>>>,
}

impl Layouts {
    /// The cache of the context that an object lives in.
    ///
    /// # Panics
    /// The dialects were registered without [`install`](crate::install), which cannot be.
    #[must_use]
    pub fn of<'c>(context: melior::ContextRef<'c>) -> &'c Self {
        sys::layout_cache(context)
            .get()
            .expect("the cache was made by `install`")
    }

    /// The encoding that an attribute spells.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn encoding(&self, attribute: Attribute<'_>) -> Answer<Encoding> {
        cached(&self.encodings, sys::attribute_id(attribute), || {
            attribute
                .to_string()
                .parse::<Encoding>()
                .map_err(|e| e.to_string())
        })
    }

    /// How an encoding is normally spelled, where its attribute spells it differently.
    ///
    /// # Errors
    /// The reason why it is none.
    pub fn normal_spelling(&self, attribute: Attribute<'_>) -> Result<Option<String>, Arc<str>> {
        // Asked each time an encoding is parsed, also one that is there already.
        cached(&self.spellings, sys::attribute_id(attribute), || {
            let encoding = self.encoding(attribute).map_err(|e| e.to_string())?;
            let text = encoding.to_string();
            Ok((text != attribute.to_string()).then_some(text))
        })
        .map(|spelling| spelling.as_ref().clone())
    }

    /// The rules of a type on its own.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn type_rules(&self, type_: Type<'_>) -> Result<(), Arc<str>> {
        cached(&self.types, sys::type_id(type_), || {
            super::verify::type_rules(self, type_)
        })
        .map(drop)
    }

    /// The layout of whatever has one: a tensor, or a buffer, whose whole allocation it describes.
    ///
    /// # Errors
    /// The reason why the type has none.
    pub fn of_type(&self, type_: Type<'_>) -> Result<LinearLayout, Arc<str>> {
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
        // A view keeps the addresses of what it is cut from, less the dims it has dropped.
        let whole = if buffer.alloc_shape.is_empty() {
            &buffer.shape
        } else {
            &buffer.alloc_shape
        };
        let shape = &whole[whole.len().saturating_sub(buffer.shape.len())..];
        let encoding = self.encoding(attribute)?;
        encoding
            .to_linear_layout(shape)
            .map_err(|e| e.to_string().into())
    }

    /// The layout of a tensor type.
    ///
    /// # Errors
    /// The reason why its encoding does not lay out its shape, or that it has none.
    pub fn tensor(&self, tensor: &TensorType<'_>) -> Answer<TensorLayout> {
        cached(&self.tensors, sys::type_id(tensor.type_), || {
            let attribute = tensor.encoding.ok_or("the tensor has no encoding")?;
            let encoding = self
                .encoding(attribute)
                .map_err(|reason| reason.to_string())?;
            if !encoding.is_distributed() {
                return Err(format!(
                    "a tensor lives in registers, but `{attribute}` is a layout of shared memory"
                ));
            }
            if encoding.rank() != tensor.shape.len() {
                return Err(format!(
                    "the encoding is for tensors of rank {}, but the tensor has rank {}",
                    encoding.rank(),
                    tensor.shape.len()
                ));
            }
            let full = encoding
                .to_linear_layout(&tensor.shape)
                .map_err(|e| e.to_string())?;
            let unique = full
                .remove_zero_bases(Dim::REGISTER)
                .map_err(|e| e.to_string())?;
            Ok(TensorLayout {
                encoding,
                full,
                unique,
            })
        })
    }
}

fn cached<T>(
    map: &Mutex<HashMap<usize, Answer<T>>>,
    key: usize,
    compute: impl FnOnce() -> Result<T, String>,
) -> Answer<T> {
    if let Some(known) = map.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    // Computed without the lock: a tensor asks for its encoding.
    let answer = compute().map(Arc::new).map_err(Arc::from);
    map.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(key, answer.clone());
    answer
}
