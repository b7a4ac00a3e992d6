//! Value numbering without layouts. Every value that reaches memory or control flow must keep its number.
//!
//! The number of a value, its *name*, follows from the operation and the names of the operands. A conversion has the
//! name of its operand. A load has the name of the stored value if only the allocation writes the buffer. A
//! `ttng.warp_group_dot` that has finished has the name of the `tt.dot` of the contents of its buffers. Operations with
//! effects and control flow form a list in program order, which must not change.

use super::terms::Terms;
use crate::analysis::assignment::Role;
use crate::ir::ops::{tt, ttg, ttng};
use crate::ir::{Layouts, OpView, TensorType};
use crate::sys;
use crate::sys::build::{self, Op, Val};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, ValueLike};
use rustc_hash::FxHashMap;

pub(super) struct Names {
    terms: Terms,
    /// Value numbers of operations with effects, in program order.
    effects: Vec<usize>,
}

struct Numbering<'n> {
    names: &'n mut Names,
    values: FxHashMap<usize, usize>,
    /// Value number of the contents of each immutable buffer, by buffer id.
    contents: FxHashMap<usize, usize>,
    effects: Vec<usize>,
    arguments: usize,
    error: Option<String>,
}

pub(super) fn names(function: Op<'_>) -> Names {
    let mut names = Names {
        terms: Terms::default(),
        effects: Vec::new(),
    };
    let (effects, _) = read(&mut names, function);
    names.effects = effects;
    names
}

/// Numbers the values of a function after a pass, and compares its effects with those in `before`.
///
/// # Errors
/// Describes the first difference.
pub(super) fn compare(before: &mut Names, function: Op<'_>) -> Result<(), String> {
    let then = std::mem::take(&mut before.effects);
    let (now, error) = read(before, function);
    match error {
        Some(error) => Err(error),
        None if then == now => Ok(()),
        None => {
            let at = then.iter().zip(&now).position(|(a, b)| a != b);
            Err(format!(
                "effect {} of {} differs from the effect before the pass",
                at.unwrap_or(then.len().min(now.len())),
                then.len()
            ))
        }
    }
}

fn read(names: &mut Names, function: Op<'_>) -> (Vec<usize>, Option<String>) {
    let mut reader = Numbering {
        names,
        values: FxHashMap::default(),
        contents: FxHashMap::default(),
        effects: Vec::new(),
        arguments: 0,
        error: None,
    };
    reader.regions(function);
    (reader.effects, reader.error)
}

/// Returns true for element-by-element memory accesses and for matrix products. The elements of their results do
/// not depend on the layouts. For products, this holds because the order of summation is unspecified.
fn is_of_elements(op: Op<'_>) -> bool {
    matches!(
        OpView::of(op),
        Some(
            OpView::TtLoad(_)
                | OpView::TtStore(_)
                | OpView::TtAtomicRMW(_)
                | OpView::TtAtomicCAS(_)
                | OpView::TtDescriptorLoad(_)
                | OpView::TtDescriptorStore(_)
                | OpView::TtgAsyncCopyGlobalToLocal(_)
                | OpView::TtDot(_)
        )
    )
}

/// Returns true if every user of a buffer only reads it, and is one of the operations that this function lists.
///
/// An asynchronous product is not in the list, because its result has no value before a wait.
fn is_only_read(buffer: Val<'_>) -> bool {
    sys::uses(buffer)
        .into_iter()
        .all(|(user, _)| match OpView::of(user) {
            Some(OpView::TtgLocalLoad(_)) => true,
            Some(OpView::TtgMemDescTrans(trans)) => is_only_read(trans.result()),
            Some(OpView::TtngWarpGroupDot(dot)) => !dot.is_async(),
            _ => false,
        })
}

impl<'n> Numbering<'n> {
    fn text(&mut self, text: String) -> usize {
        self.names.terms.text(text)
    }

    fn name(&mut self, term: Vec<usize>) -> usize {
        self.names.terms.name(term)
    }

    fn bare(&mut self, value: Val<'_>) -> usize {
        self.names.terms.bare(value)
    }

    /// Returns the term of a product. Returns `None` for all other operations, and if the contents of a buffer are
    /// unknown.
    fn product(&mut self, op: Op<'_>) -> Option<Vec<usize>> {
        let (factors, c, precision) = if let Some(dot) = tt::Dot::of(op) {
            let factors = [dot.a(), dot.b()].map(|factor| self.of(factor));
            let precision = (dot.input_precision(), dot.max_num_imprecise_acc());
            (factors, dot.c(), precision)
        } else {
            let dot = ttng::WarpGroupDot::of(op)?;
            if dot.is_async() || dot.use_c().is_some() {
                return None;
            }
            let right = self.contents.get(&sys::value_id(dot.b())).copied()?;
            let left = match sys::buffer(dot.a().r#type()) {
                Some(_) => self.contents.get(&sys::value_id(dot.a())).copied()?,
                None => self.of(dot.a()),
            };
            let precision = (dot.input_precision(), dot.max_num_imprecise_acc());
            ([left, right], dot.c(), precision)
        };
        let [left, right] = factors;
        let c_name = self.of(c);
        let precision = format!("{} {}", precision.0.name(), precision.1);
        let term = self
            .names
            .terms
            .product(op, (left, right, c_name), precision, c);
        Some(term)
    }

    fn of(&mut self, value: Val<'_>) -> usize {
        let known = self.values.get(&sys::value_id(value)).copied();
        // A value of a later block is numbered by its type and definition.
        known.unwrap_or_else(|| {
            let bare = self.bare(value);
            self.name(vec![usize::MAX, bare])
        })
    }

    fn regions(&mut self, op: Op<'_>) {
        for region in 0..op.region_count() {
            for block in build::blocks(op, region) {
                for i in 0..block.argument_count() {
                    let argument = build::argument(block, i);
                    let bare = self.bare(argument);
                    let name = self.name(vec![usize::MAX - 1, self.arguments, bare]);
                    self.arguments += 1;
                    self.values.insert(sys::value_id(argument), name);
                }
                for inner in build::operations(block) {
                    self.operation(inner);
                }
            }
        }
    }

    /// Assigns a value number to the result of an operation that only moves data:
    ///
    /// - a conversion;
    /// - a transposition;
    /// - the initialisation of an immutable buffer;
    /// - a load from a buffer whose contents are known.
    ///
    /// Returns false for all other operations.
    fn movement(&mut self, op: Op<'_>, operands: &[usize]) -> bool {
        if Role::of(op) == Role::Conversion {
            let (from, to) = (build::only_operand(op), build::only_result(op));
            if self.bare(from) != self.bare(to) {
                self.error
                    .get_or_insert_with(|| format!("`{op}` changes the shape or the element type"));
            }
            self.values.insert(sys::value_id(to), operands[0]);
            return true;
        }
        if let Some(alloc) = ttg::LocalAlloc::of(op)
            && alloc.src().is_some()
            && sys::buffer(alloc.result().r#type()).is_some_and(|buffer| !buffer.is_mutable)
            && is_only_read(alloc.result())
        {
            self.contents
                .insert(sys::value_id(alloc.result()), operands[0]);
            return true;
        }
        if let Some(load) = ttg::LocalLoad::of(op)
            && let Some(contents) = self.contents.get(&sys::value_id(load.src())).copied()
        {
            self.values.insert(sys::value_id(load.result()), contents);
            return true;
        }
        if let Some(trans) = ttg::MemDescTrans::of(op)
            && let Some(contents) = self.contents.get(&sys::value_id(trans.src())).copied()
            && let Some(buffer) = sys::buffer(trans.result().r#type())
        {
            let (order, shape) = (trans.order(), buffer.shape);
            let contents = self
                .names
                .terms
                .transposition(contents, &order, &shape, buffer.element);
            let result = sys::value_id(trans.result());
            self.contents.insert(result, contents);
            return true;
        }
        if let Some(trans) = tt::Trans::of(op)
            && let Some(tensor) = TensorType::of(trans.result().r#type())
        {
            let (order, shape) = (trans.order(), tensor.shape);
            let name = self
                .names
                .terms
                .transposition(operands[0], &order, shape, tensor.element);
            self.values.insert(sys::value_id(trans.result()), name);
            return true;
        }
        false
    }

    /// Returns the term of an operation: its name, operands, attributes and types.
    fn term(&mut self, op: Op<'_>, operands: Vec<usize>) -> Vec<usize> {
        let role = Role::of(op);
        let mut term = vec![self.text(sys::identifier_text(op.name()).to_owned())];
        term.push(op.region_count());
        term.extend(operands);
        term.extend(self.names.terms.attributes(op));
        // The results of a pinned operation may depend on its layouts.
        let keeps = role == Role::Fixed && !is_of_elements(op);
        for value in build::results(op).into_iter().chain(build::operands(op)) {
            let text = if keeps {
                let type_ = value.r#type();
                let text = Layouts::of(value.context()).text_of_type(type_);
                self.text(text.to_string())
            } else {
                self.bare(value)
            };
            term.push(text);
        }
        term
    }

    fn operation(&mut self, op: Op<'_>) {
        let operands: Vec<usize> = build::operands(op)
            .into_iter()
            .map(|v| self.of(v))
            .collect();
        if self.movement(op, &operands) {
            return;
        }
        let product = self.product(op);
        let mut term = product.unwrap_or_else(|| self.term(op, operands));
        let is_pure = Role::of(op).is_pure();
        if op.region_count() > 0 {
            let first = self.effects.len();
            // The arguments of combining regions are numbered by position.
            let arguments = self.arguments;
            if is_pure {
                self.arguments = usize::MAX / 2;
            }
            self.regions(op);
            if is_pure {
                self.arguments = arguments;
            }
            let within = self.effects.split_off(first);
            term.extend(within);
        }
        let name = self.name(term);
        // Two equal effects have different names.
        let name = if is_pure {
            name
        } else {
            self.effects.push(name);
            self.name(vec![usize::MAX - 2, name, self.effects.len()])
        };
        for i in 0..op.result_count() {
            let of_result = self.name(vec![usize::MAX - 3, name, i]);
            self.values
                .insert(sys::value_id(build::result(op, i)), of_result);
        }
    }
}
