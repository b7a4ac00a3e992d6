//! Another spelling for encodings, everywhere at once.
//!
//! Operations ask for the *same* encoding on operands of different shapes (`tt.broadcast`), so an
//! encoding can only be respelled everywhere in a module, and only if the new spelling has the same
//! layout on every shape that the old one is used with, slices of it included. Some operations ask
//! for an encoding by its kind (a product for `#ttg.nvidia_mma`); it keeps its spelling there, and
//! so everywhere.

use super::context::{Analyses, Analysis, PassContext, Slot};
use crate::encoding::Encoding;
use crate::ir::{Layouts, TensorType, verify};
use crate::layout::Dim;
use crate::sys::build::{self, Op};
use crate::sys::{self, Rewriter};
use melior::ir::operation::OperationLike;
use melior::ir::{Attribute, BlockLike, OperationRef, RegionLike, Type, ValueLike};
use std::collections::HashMap;

/// The tensor types of a module, each once, and every operation.
pub(super) struct Inventory<'c> {
    pub(super) tensors: Vec<TensorType<'c>>,
    pub(super) operations: Vec<Op<'c>>,
}

impl<'c> Analysis<'c> for Inventory<'c> {
    /// Collects what lies below an operation.
    fn of(root: Op<'c>) -> Self {
        let mut types: HashMap<usize, Type<'c>> = HashMap::new();
        let mut order = Vec::new();
        let mut operations = Vec::new();
        let mut stack = vec![root];
        while let Some(op) = stack.pop() {
            operations.push(op);
            let mut add = |type_: Type<'c>| {
                if types.insert(sys::type_id(type_), type_).is_none() {
                    order.push(type_);
                }
            };
            for i in 0..op.result_count() {
                add(build::result(op, i).r#type());
            }
            for region in op.regions() {
                let mut next = region.first_block();
                while let Some(block) = next {
                    for i in 0..block.argument_count() {
                        add(build::argument(block, i).r#type());
                    }
                    stack.extend(build::operations(block));
                    next = block.next_in_region();
                }
            }
        }
        let tensors = order
            .into_iter()
            .filter_map(TensorType::of)
            .filter(|tensor| tensor.encoding.is_some())
            .collect();
        Self {
            tensors,
            operations,
        }
    }

    fn slot<'s>(analyses: &'s Analyses<'c>) -> &'s Slot<Self> {
        &analyses.inventory
    }
}

impl Inventory<'_> {
    /// Whether spelling `old` as `new` keeps the layout of every tensor.
    pub(super) fn allows(&self, layouts: &Layouts, old: &Encoding, new: &Encoding) -> bool {
        self.tensors.iter().all(|tensor| {
            let Some(attribute) = tensor.encoding else {
                return true;
            };
            let Ok(found) = layouts.encoding(attribute) else {
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

/// The operations below one, in the order of the text.
pub(super) fn in_order(root: Op<'_>) -> Vec<Op<'_>> {
    let mut all = Vec::new();
    let mut stack = vec![root];
    while let Some(op) = stack.pop() {
        all.push(op);
        let below = (0..op.region_count()).flat_map(|i| build::blocks(op, i));
        let mut below: Vec<Op<'_>> = below.flat_map(build::operations).collect();
        below.reverse();
        stack.append(&mut below);
    }
    all
}

/// Replaces encodings everywhere in a module, less those that an operation keeps.
///
/// Which operations ask for an encoding by its kind is for their rules to say: they are asked about
/// a copy of the module.
///
/// # Errors
/// None is left to replace, because of this operation.
pub(super) fn respell<'c>(
    context: &PassContext<'c>,
    mut replacements: Vec<(Attribute<'c>, Attribute<'c>)>,
) -> Result<(), Option<Op<'c>>> {
    let (rewriter, module, layouts) = (context.rewriter(), context.module(), context.layouts());
    let inventory = context.get::<Inventory<'_>>();
    let mut asked_by = None;
    while !replacements.is_empty() {
        let refused = refused(rewriter, module, &inventory, &replacements);
        let Some(first) = refused.first() else {
            rewriter.replace_attributes(module, &replacements);
            return Ok(());
        };
        asked_by = Some(*first);
        let kept: Vec<_> = refused.iter().flat_map(|op| types(*op)).collect();
        let before = replacements.len();
        replacements.retain(|(old, _)| {
            let old = layouts.text_of_attribute(*old);
            !kept
                .iter()
                .any(|type_| layouts.text_of_type(*type_).contains(&*old))
        });
        if replacements.len() == before {
            break;
        }
    }
    Err(asked_by)
}

/// The operations of a module that would break a rule of theirs after the replacements.
fn refused<'c>(
    rewriter: Rewriter<'c>,
    module: Op<'c>,
    inventory: &Inventory<'c>,
    replacements: &[(Attribute<'c>, Attribute<'c>)],
) -> Vec<Op<'c>> {
    rewriter.with_copy(module, |rewriter, copy| {
        rewriter.replace_attributes(copy, replacements);
        let copies = Inventory::of(copy).operations;
        let both = inventory.operations.iter().zip(copies);
        both.filter(|(_, copy)| verify::operation(*copy).is_err())
            .map(|(op, _)| *op)
            .collect()
    })
}

fn types<'c>(op: Op<'c>) -> impl Iterator<Item = Type<'c>> {
    let operands = (0..op.operand_count()).map(move |i| build::operand(op, i).r#type());
    operands.chain((0..op.result_count()).map(move |i| build::result(op, i).r#type()))
}

/// `found` with `old` replaced in it, or nothing where `old` does not occur.
fn substitute(found: &Encoding, old: &Encoding, new: &Encoding) -> Option<Encoding> {
    if found == old {
        return Some(new.clone());
    }
    let (text, old, new) = (found.to_string(), old.to_string(), new.to_string());
    text.contains(&old)
        .then(|| text.replace(&old, &new).parse().ok())
        .flatten()
}

/// An encoding as an attribute.
pub(super) fn attribute<'c>(
    op: OperationRef<'_, 'c>,
    encoding: &Encoding,
) -> Option<Attribute<'c>> {
    Attribute::parse(build::context(op), &encoding.to_string())
}

/// The encoding that a slice (of a slice ...) is cut from; any other encoding itself.
pub(super) fn root(encoding: &Encoding) -> &Encoding {
    match encoding {
        Encoding::Slice(slice) => root(slice.parent()),
        other => other,
    }
}
