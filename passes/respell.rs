//! Replacement of encodings by equivalent encodings in a whole module.
//!
//! Operations such as `tt.broadcast` require *equal* encodings on different shapes, so replacements apply everywhere.
//! Old and new encoding must have the same layout on every shape of the encoding or of its slices. An encoding is kept
//! if an operation requires its kind, as a product requires `#ttg.nvidia_mma`.

use super::context::PassContext;
use super::inventory::Inventory;
use crate::ir::ops::tt;
use crate::ir::{Layouts, TensorType, verify};
use crate::sys::build::{self, Op};
use crate::sys::{Diagnostic, Reported};
use linear_layout::encoding::Encoding;
use linear_layout::layout::Dim;
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, OperationRef, Type, ValueLike};

impl Inventory<'_> {
    pub(super) fn allows(&self, layouts: &Layouts, old: &Encoding, new: &Encoding) -> bool {
        !has_implied_tile(new)
            && self.tensors.iter().all(|tensor| {
                if tensor.encoding.is_none() {
                    return true;
                }
                let Ok(found) = layouts.of_tensor(tensor) else {
                    return false;
                };
                let Some(respelled) = substitute(&found, old, new) else {
                    return true;
                };
                let Ok(before) = layouts.tensor(tensor) else {
                    return false;
                };
                respelled
                    .to_linear_layout(tensor.shape)
                    .and_then(|full| full.remove_zero_bases(Dim::REGISTER).map_err(Into::into))
                    .is_ok_and(|unique| unique == before.unique)
            })
    }
}

/// Replacements of encodings and of types in a module. Each replacement is a pair (old, new).
#[derive(Default)]
pub(super) struct Respelling<'c> {
    pub(super) encodings: Vec<(Attribute<'c>, Attribute<'c>)>,
    /// Pairs (old, new) that replace whole types instead of encodings. They are for buffer types, and for tensor
    /// types whose layout depends on the tensor's shape, i.e. types with a CuTe encoding that was written without a
    /// tile.
    pub(super) types: Vec<(Type<'c>, Type<'c>)>,
}

pub(super) const ALIGNMENT_BYTES: u32 = 16;

impl<'c> Respelling<'c> {
    /// Adds a replacement for each buffer type for which `new` returns an encoding.
    pub(super) fn add_buffers(
        &mut self,
        inventory: &Inventory<'c>,
        layouts: &Layouts,
        new: impl Fn(&Encoding, &[u64]) -> Option<Encoding>,
    ) {
        for buffer in &inventory.buffers {
            let Ok(old) = layouts.encoding(buffer.encoding) else {
                continue;
            };
            let new = new(&old, &buffer.shape).and_then(|new| buffer.with_encoding(layouts, &new));
            self.types.extend(new.map(|new| (buffer.type_, new)));
        }
    }

    /// Adds a replacement for each tensor type for which `new` returns an encoding. Only types whose encoding
    /// depends on the shape are considered.
    pub(super) fn add_tensors(
        &mut self,
        module: Op<'c>,
        inventory: &Inventory<'c>,
        layouts: &Layouts,
        new: impl Fn(&Encoding, &[u64]) -> Option<Encoding>,
    ) {
        for tensor in &inventory.tensors {
            let Ok(old) = layouts.of_tensor(tensor) else {
                continue;
            };
            if !has_implied_tile(&old) {
                continue;
            }
            let new = new(&old, tensor.shape).and_then(|new| attribute(module, &new));
            self.types
                .extend(new.map(|new| (tensor.type_, tensor.with_encoding(new))));
        }
    }

    pub(super) fn of(old: Attribute<'c>, new: Attribute<'c>) -> Self {
        Self {
            encodings: vec![(old, new)],
            types: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        self.encodings.len() + self.types.len()
    }

    /// Applies the replacements to the module. First tries them on a copy of the module, and drops the replacements
    /// that affect an operation which would become invalid.
    ///
    /// # Errors
    /// Fails if no replacement remains. The error is an operation that forbids the last replacement, or `None` if
    /// there were no replacements.
    pub(super) fn carry_out(mut self, context: &PassContext<'c>) -> Result<(), Option<Op<'c>>> {
        let (rewriter, module, layouts) = (context.rewriter(), context.module(), context.layouts());
        let inventory = context.get::<Inventory<'_>>();
        let mut asked_by = None;
        while self.len() > 0 {
            let refused = self.refused(context, &inventory);
            let Some(first) = refused.first() else {
                rewriter.replace_parts(module, &self.encodings, &self.types);
                return Ok(());
            };
            asked_by = Some(*first);
            let kept: Vec<_> = refused.iter().flat_map(|op| types(*op)).collect();
            let before = self.len();
            self.encodings.retain(|(old, _)| {
                let old = layouts.text_of_attribute(*old);
                !kept
                    .iter()
                    .any(|type_| layouts.text_of_type(*type_).contains(&*old))
            });
            self.types.retain(|(old, _)| !kept.contains(old));
            if self.len() == before {
                break;
            }
        }
        Err(asked_by)
    }

    /// Returns the operations that forbid replacements.
    ///
    /// These are the operations that would fail verification after the replacements, and the products that would
    /// lose their `#ttg.dot_op` operands.
    fn refused(&self, context: &PassContext<'c>, inventory: &Inventory<'c>) -> Vec<Op<'c>> {
        let layouts = context.layouts();
        context
            .rewriter()
            .with_copy(context.module(), |rewriter, copy| {
                rewriter.replace_parts(copy, &self.encodings, &self.types);
                let copies = Inventory::of(copy).operations;
                let both = inventory.operations.iter().zip(copies);
                both.filter(|(op, copy)| {
                    verify::operation(*copy).is_err()
                        || has_dot_operands(layouts, **op) && !has_dot_operands(layouts, *copy)
                })
                .map(|(op, _)| *op)
                .collect()
            })
    }
}

/// Returns true for a product whose operands have a `#ttg.dot_op` encoding. For such a product, Triton does not
/// accept `#ttg.linear` operands.
fn has_dot_operands(layouts: &Layouts, op: Op<'_>) -> bool {
    tt::Dot::of(op).is_some_and(|dot| {
        let encoding = TensorType::of(dot.a().r#type()).and_then(|tensor| tensor.encoding);
        let encoding = encoding.and_then(|encoding| layouts.encoding(encoding).ok());
        encoding.is_some_and(|encoding| matches!(&*encoding, Encoding::DotOperand(_)))
    })
}

fn types<'c>(op: Op<'c>) -> impl Iterator<Item = Type<'c>> {
    let operands = (0..op.operand_count()).map(move |i| build::operand(op, i).r#type());
    operands.chain((0..op.result_count()).map(move |i| build::result(op, i).r#type()))
}

/// Replaces `old` by `new` in the encoding `found`, which may be `old` itself or have `old` as a parent. Returns
/// `None` if `found` does not contain `old`.
fn substitute(found: &Encoding, old: &Encoding, new: &Encoding) -> Option<Encoding> {
    if found == old {
        return Some(new.clone());
    }
    let (text, old, new) = (found.to_string(), old.to_string(), new.to_string());
    text.contains(&old)
        .then(|| text.replace(&old, &new).parse().ok())
        .flatten()
}

/// Returns true for a CuTe encoding that was written without a tile, so that the shape of the tensor is its tile.
/// On a tensor of another shape, the encoding as written has another tile.
fn has_implied_tile(encoding: &Encoding) -> bool {
    matches!(encoding, Encoding::Cute(e) if e.is_tile_implied())
}

pub(super) fn attribute<'c>(
    op: OperationRef<'_, 'c>,
    encoding: &Encoding,
) -> Option<Attribute<'c>> {
    Attribute::parse(build::context(op), &encoding.to_string())
}

/// Returns the encoding from which `encoding` is sliced. If `encoding` is not a slice, returns `encoding` itself.
pub(super) fn root(encoding: &Encoding) -> &Encoding {
    match encoding {
        Encoding::Slice(slice) => root(slice.parent()),
        other => other,
    }
}

/// Returns the shape on which the root of `encoding` (see [`root`]) is used if `encoding` is used on `shape`. For
/// each slice, the removed dimension is inserted with the size 1.
fn widen(encoding: &Encoding, shape: &[u64]) -> Vec<u64> {
    match encoding {
        Encoding::Slice(slice) => {
            let mut wider = shape.to_vec();
            wider.insert(slice.dim().min(wider.len()), 1);
            widen(slice.parent(), &wider)
        }
        _ => shape.to_vec(),
    }
}

impl<'c> Inventory<'c> {
    /// Returns the distinct root encodings of all tensors, each with the shapes on which it is used. The shapes are
    /// sorted by size, largest first. See [`root`] and [`widen`].
    pub(super) fn roots(&self, layouts: &Layouts) -> Vec<(Encoding, Vec<Vec<u64>>)> {
        let mut roots: Vec<(Encoding, Vec<Vec<u64>>)> = Vec::new();
        for tensor in &self.tensors {
            let Ok(found) = layouts.of_tensor(tensor) else {
                continue;
            };
            if has_implied_tile(&found) {
                continue;
            }
            let (own, shape) = (root(&found), widen(&found, tensor.shape));
            if shape.len() != own.rank() {
                continue;
            }
            match roots.iter_mut().find(|(other, _)| other == own) {
                Some((_, shapes)) => shapes.push(shape),
                None => roots.push((own.clone(), vec![shape])),
            }
        }
        for (_, shapes) in &mut roots {
            shapes.sort_by_key(|shape| std::cmp::Reverse(shape.iter().product::<u64>()));
            shapes.dedup();
        }
        roots
    }
}

/// Encoding families selected by the user.
pub(super) struct Families<'o> {
    /// The families to replace. If the list is empty, all families are replaced.
    pub(super) only: &'o [String],
    /// These families are not replaced.
    pub(super) keep: &'o [String],
}

impl Families<'_> {
    pub(super) fn check(&self, context: &PassContext<'_>) -> Result<(), Reported> {
        let known = Encoding::families;
        let all = self.only.iter().chain(self.keep);
        let mut unknown = all.filter(|name| !known().any(|family| family == **name));
        let Some(name) = unknown.next() else {
            return Ok(());
        };
        let list: Vec<&str> = known().collect();
        let said = Diagnostic::new(format!(
            "unknown encoding family `{name}`, expected one of {}",
            list.join(", ")
        ));
        Err(context.fail_with_nearest(said, name, known()))
    }

    pub(super) fn has(&self, encoding: &Encoding) -> bool {
        let is_in = |list: &[String]| list.iter().any(|name| name == encoding.family());
        (self.only.is_empty() || is_in(self.only)) && !is_in(self.keep)
    }
}
