//! Resolution of open encodings: required encodings are propagated along constraints.

use super::constraints::{Class, Constraints, InferenceEdge, OpenConversion};
use crate::analysis::assignment::ValueEncodings;
use crate::ir::infer::{self, Dependence};
use crate::ir::ops::{gluon, ttg};
use crate::ir::{Layouts, TensorType};
use crate::sys::build::{self, Op, Val};
use crate::sys::{self, Diagnostic};
use linear_layout::encoding::{Encoding, infer::equivalent};
use melior::ir::operation::OperationLike;
use melior::ir::{BlockLike, Type, TypeLike, ValueLike};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// An encoding that operation `by` requires of a value.
pub(crate) struct Requirement<'c> {
    pub(crate) value: Val<'c>,
    pub(crate) encoding: Arc<Encoding>,
    pub(crate) by: Op<'c>,
}

pub(crate) struct Resolution<'c> {
    pub(crate) resolved: ValueEncodings<'c>,
    /// The candidate encodings of the values without a resolved encoding. Each entry covers one set of classes that
    /// inference edges connect, and whose encodings do not follow from any requirement. An entry holds at least one
    /// candidate. Each candidate is derived from a layout conversion that has a value of the set as its operand or
    /// result.
    pub(crate) variants: Vec<Vec<ValueEncodings<'c>>>,
    /// Errors about conflicting or missing requirements, each with the operation at which it is reported.
    pub(crate) errors: Vec<(Op<'c>, Diagnostic)>,
}

/// Maximum number of candidates for one set of connected classes.
const MAX_VARIANTS: usize = 16;

/// Resolves all open encodings.
///
/// If `by_conversions` is true, a value that no requirement reaches gets candidates from its layout conversions:
/// the encoding of the operand if the value is the result of a conversion, and the encoding of the result if it is
/// the operand.
pub(crate) fn resolve<'c>(
    constraints: &Constraints<'c>,
    requirements: &[Requirement<'c>],
    by_conversions: bool,
) -> Resolution<'c> {
    let mut adjacent: BTreeMap<Class, Vec<InferenceEdge<'c>>> = BTreeMap::new();
    for link in &constraints.links {
        adjacent.entry(link.operand).or_default().push(*link);
        adjacent.entry(link.result).or_default().push(*link);
    }
    let mut solver = Solver {
        constraints,
        adjacent,
        errors: Vec::new(),
        in_conflict: BTreeSet::new(),
    };
    let known = solver.fixed(requirements);
    let mut resolved = Vec::new();
    for (number, value) in constraints.values.iter().enumerate() {
        if let Some(known) = known.get(&constraints.class_of(number)) {
            resolved.push((*value, Arc::clone(&known.encoding)));
        }
    }
    let mut variants = Vec::new();
    // After an error, missing requirements would be follow-up errors.
    if solver.errors.is_empty() {
        variants = solver.variants(&known, by_conversions);
    }
    Resolution {
        resolved,
        variants,
        errors: solver.errors,
    }
}

#[derive(Clone)]
struct RequiredEncoding<'c> {
    encoding: Arc<Encoding>,
    by: Op<'c>,
}

type Encodings<'c> = BTreeMap<Class, RequiredEncoding<'c>>;

struct Solver<'t, 'c> {
    constraints: &'t Constraints<'c>,
    adjacent: BTreeMap<Class, Vec<InferenceEdge<'c>>>,
    errors: Vec<(Op<'c>, Diagnostic)>,
    /// Classes for which a conflict has been reported.
    in_conflict: BTreeSet<Class>,
}

impl<'c> Solver<'_, 'c> {
    /// Propagates the required encodings along the edges, and records conflicts.
    ///
    /// First, only those edges are followed that imply a unique encoding. Then the other edges are followed. From
    /// the encodings that such an edge allows, the default is taken.
    fn fixed(&mut self, requirements: &[Requirement<'c>]) -> Encodings<'c> {
        let mut known = Encodings::new();
        let mut queue = VecDeque::new();
        for requirement in requirements {
            let Some(class) = self.constraints.class(requirement.value) else {
                continue;
            };
            let required = RequiredEncoding {
                encoding: Arc::clone(&requirement.encoding),
                by: requirement.by,
            };
            self.require(&mut known, &mut queue, (class, requirement.value), required);
        }
        while let Some(class) = queue.pop_front() {
            for (link, other, encoding) in self.following(&known, class) {
                if matches!(link.how, Dependence::Spelled | Dependence::Usual) {
                    continue;
                }
                let required = RequiredEncoding {
                    encoding,
                    by: known[&class].by,
                };
                let value = self.value_of(link, other);
                self.require(&mut known, &mut queue, (other, value), required);
            }
        }
        self.spread(&mut known, None);
        if self.errors.is_empty() {
            for link in &self.constraints.links {
                if let Some(found) = self.conflict(&known, *link) {
                    self.errors.push((link.op, found));
                }
            }
        }
        known
    }

    /// Sets the encoding of a class. If the class already has a different encoding, reports a conflict at `value`.
    fn require(
        &mut self,
        known: &mut Encodings<'c>,
        queue: &mut VecDeque<Class>,
        (class, value): (Class, Val<'c>),
        required: RequiredEncoding<'c>,
    ) {
        match known.get(&class) {
            None => {
                known.insert(class, required);
                queue.push_back(class);
            }
            Some(first)
                if first.encoding != required.encoding && self.in_conflict.insert(class) =>
            {
                let mut diagnostic = Diagnostic::new(format!(
                    "found conflicting encodings for `{}`: `{}` and `{}`",
                    value.r#type(),
                    first.encoding,
                    required.encoding
                ))
                .note(requires(first))
                .note(requires(&required));
                let shape = TensorType::of(value.r#type()).map(|tensor| tensor.shape);
                let is_one = shape
                    .is_some_and(|shape| equivalent(&first.encoding, &required.encoding, shape));
                diagnostic = if is_one {
                    diagnostic.note("both encodings are the same layout: use one of them")
                } else {
                    diagnostic.note(format!(
                        "compute the value once per layout, or convert the value with `{}`",
                        ttg::ConvertLayout::KIND.name()
                    ))
                };
                self.errors.push((definition(value).0, diagnostic));
            }
            Some(_) => {}
        }
    }

    /// Propagates known encodings along the edges to classes without an encoding. If `within` is `Some`, only the
    /// classes in this list get an encoding.
    fn spread(&self, known: &mut Encodings<'c>, within: Option<&[Class]>) {
        let mut queue: VecDeque<Class> = known.keys().copied().collect();
        while let Some(class) = queue.pop_front() {
            for (_, other, encoding) in self.following(known, class) {
                let is_within = within.is_none_or(|within| within.contains(&other));
                if is_within && !known.contains_key(&other) {
                    let by = known[&class].by;
                    known.insert(other, RequiredEncoding { encoding, by });
                    queue.push_back(other);
                }
            }
        }
    }

    /// Follows the edges of `class`. Returns each edge, the class at its other end, and the encoding that the
    /// encoding of `class` implies for that class. Edges that imply no encoding are omitted.
    fn following(
        &self,
        known: &Encodings<'c>,
        class: Class,
    ) -> Vec<(InferenceEdge<'c>, Class, Arc<Encoding>)> {
        let encoding = &known[&class].encoding;
        let links = self.adjacent.get(&class).map_or(&[][..], Vec::as_slice);
        let mut found = Vec::new();
        for link in links {
            let (other, follows) = if link.operand == class {
                (
                    link.result,
                    infer::default_result_encoding(link.op, link.at, encoding),
                )
            } else {
                (
                    link.operand,
                    infer::default_operand_encoding(link.op, link.at, encoding),
                )
            };
            if let Ok(encoding) = follows {
                found.push((*link, other, Arc::new(encoding)));
            }
        }
        found
    }

    /// Returns the operand or the result of `link.op` whose class is `class`.
    fn value_of(&self, link: InferenceEdge<'c>, class: Class) -> Val<'c> {
        if link.operand == class {
            return build::operand(link.op, link.at);
        }
        let mut results = build::results(link.op).into_iter();
        let found = results.find(|value| self.constraints.class(*value) == Some(class));
        found.expect("an edge has a result")
    }

    /// Returns a diagnostic if the operand and the result of an edge have known encodings that are inconsistent.
    fn conflict(&self, known: &Encodings<'c>, link: InferenceEdge<'c>) -> Option<Diagnostic> {
        let (operand, result) = (known.get(&link.operand)?, known.get(&link.result)?);
        // The verifier of the operation checks orders that it may choose.
        if link.how == Dependence::Usual {
            return None;
        }
        let follows = infer::result_encoding(link.op, link.at, &operand.encoding);
        let shape =
            |class| TensorType::of(self.value_of(link, class).r#type()).map(|tensor| tensor.shape);
        let (of_operand, of_result) = (shape(link.operand)?, shape(link.result)?);
        if let Ok(follows) = &follows
            && equivalent(follows, &result.encoding, of_result)
        {
            return None;
        }
        // A join supports more encodings than the usual one.
        let back = infer::operand_encoding(link.op, link.at, &result.encoding);
        if let Ok(back) = &back
            && equivalent(back, &operand.encoding, of_operand)
        {
            return None;
        }
        let diagnostic = Diagnostic::new(format!(
            "found conflicting encodings: operand {} has `{}`, and the result has `{}`",
            link.at, operand.encoding, result.encoding
        ));
        let diagnostic = match (follows, back) {
            (Ok(follows), _) => diagnostic.note(format!(
                "the encoding of the operand implies `{follows}` for the result"
            )),
            (Err(_), Ok(back)) => diagnostic.note(format!(
                "the encoding of the result implies `{back}` for the operand"
            )),
            (Err(reason), Err(_)) => diagnostic.note(reason.to_string()),
        };
        Some(diagnostic.note(requires(operand)).note(requires(result)))
    }

    /// Returns the candidate encodings of the classes without a known encoding, grouped into the sets that
    /// [`Self::open_sets`] returns. A set without candidates is omitted, and an error is reported for it.
    fn variants(
        &mut self,
        known: &Encodings<'c>,
        by_conversions: bool,
    ) -> Vec<Vec<ValueEncodings<'c>>> {
        let sets = self.open_sets(known);
        let mut variants: Vec<Vec<Encodings<'c>>> = vec![Vec::new(); sets.len()];
        let set_of = |class: Class| sets.iter().position(|set| set.contains(&class));
        let conversions = &self.constraints.conversions[..];
        // Candidates propagate from set to set.
        let rounds = if by_conversions {
            sets.len().min(MAX_VARIANTS)
        } else {
            0
        };
        for _ in 0..rounds {
            let before: usize = variants.iter().map(Vec::len).sum();
            for conversion in conversions {
                for (here, there) in [
                    (conversion.from, conversion.to),
                    (conversion.to, conversion.from),
                ] {
                    let class = self.constraints.class(here);
                    let Some((class, set)) = class.and_then(|c| Some((c, set_of(c)?))) else {
                        continue;
                    };
                    for encoding in self.encodings_of(there, known, &variants, &set_of) {
                        self.add_variant(
                            &mut variants[set],
                            &sets[set],
                            class,
                            encoding,
                            conversion,
                        );
                    }
                }
            }
            if variants.iter().map(Vec::len).sum::<usize>() == before {
                break;
            }
        }
        let mut all = Vec::new();
        for (set, variants) in sets.iter().zip(variants) {
            if variants.is_empty() {
                let value = self.constraints.values[set[0]];
                self.errors.push(unresolved(value, by_conversions));
                continue;
            }
            let of_values = |known: Encodings<'c>| -> ValueEncodings<'c> {
                let numbered = self.constraints.values.iter().enumerate();
                numbered
                    .filter_map(|(number, value)| {
                        let known = known.get(&self.constraints.class_of(number))?;
                        Some((*value, Arc::clone(&known.encoding)))
                    })
                    .collect()
            };
            all.push(variants.into_iter().map(of_values).collect());
        }
        all
    }

    /// Returns the connected components that the inference edges form among the classes without a known encoding.
    fn open_sets(&self, known: &Encodings<'c>) -> Vec<Vec<Class>> {
        let mut sets: Vec<Vec<Class>> = Vec::new();
        for number in 0..self.constraints.values.len() {
            let class = self.constraints.class_of(number);
            if known.contains_key(&class) || sets.iter().any(|set| set.contains(&class)) {
                continue;
            }
            let mut set = vec![class];
            let mut at = 0;
            while let Some(class) = set.get(at).copied() {
                at += 1;
                for link in self.adjacent.get(&class).into_iter().flatten() {
                    for other in [link.operand, link.result] {
                        if !known.contains_key(&other) && !set.contains(&other) {
                            set.push(other);
                        }
                    }
                }
            }
            set.sort_unstable();
            sets.push(set);
        }
        sets
    }

    /// Returns the possible encodings of a value. If the value has a known encoding, this is the only one.
    /// Otherwise, each candidate found so far contributes the encoding that it assigns to the value's class.
    fn encodings_of(
        &self,
        value: Val<'c>,
        known: &Encodings<'c>,
        variants: &[Vec<Encodings<'c>>],
        set_of: &impl Fn(Class) -> Option<usize>,
    ) -> Vec<Arc<Encoding>> {
        let Some(class) = self.constraints.class(value) else {
            let tensor = TensorType::of(value.r#type());
            let layouts = Layouts::of(value.r#type().context());
            return tensor
                .and_then(|tensor| layouts.of_tensor(&tensor).ok())
                .into_iter()
                .collect();
        };
        if let Some(known) = known.get(&class) {
            return vec![Arc::clone(&known.encoding)];
        }
        let variants = set_of(class).map_or(&[][..], |set| &variants[set][..]);
        variants
            .iter()
            .filter_map(|known| known.get(&class))
            .map(|known| Arc::clone(&known.encoding))
            .collect()
    }

    /// Adds the candidate in which `class` has `encoding`. The encodings of the other classes in `set` follow by
    /// propagation.
    ///
    /// The candidate is dropped if it is inconsistent, incomplete or invalid, or if there are already
    /// [`MAX_VARIANTS`] candidates.
    fn add_variant(
        &self,
        variants: &mut Vec<Encodings<'c>>,
        set: &[Class],
        class: Class,
        encoding: Arc<Encoding>,
        conversion: &OpenConversion<'c>,
    ) {
        let is_there =
            |known: &Encodings<'c>| known.get(&class).is_some_and(|k| k.encoding == encoding);
        if variants.len() >= MAX_VARIANTS || variants.iter().any(is_there) {
            return;
        }
        let mut known = Encodings::from([(
            class,
            RequiredEncoding {
                encoding,
                by: conversion.op,
            },
        )]);
        self.spread(&mut known, Some(set));
        let is_whole = set.iter().all(|class| known.contains_key(class));
        let mut links = set
            .iter()
            .filter_map(|class| self.adjacent.get(class))
            .flatten();
        let is_consistent = links.all(|link| self.conflict(&known, *link).is_none());
        if is_whole && is_consistent && self.lays_out(&known) {
            variants.push(known);
        }
    }

    /// Returns true if each known encoding gives a valid layout for the shapes of all values in its class.
    fn lays_out(&self, known: &Encodings<'c>) -> bool {
        let mut numbered = self.constraints.values.iter().enumerate();
        numbered.all(|(number, value)| {
            let Some(known) = known.get(&self.constraints.class_of(number)) else {
                return true;
            };
            TensorType::of(value.r#type()).is_some_and(|tensor| {
                known.encoding.rank() == tensor.shape.len()
                    && known.encoding.to_surjective_layout(tensor.shape).is_ok()
            })
        })
    }
}

fn requires(known: &RequiredEncoding<'_>) -> String {
    let name = known.by.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    let place = sys::file_location(known.by.location()).map_or_else(String::new, |place| {
        format!(" at {}:{}:{}", place.file, place.line, place.column)
    });
    format!("`{name}`{place} requires `{}`", known.encoding)
}

/// Returns the operation that defines a value, and a name of the value for diagnostics. For a block argument,
/// returns the parent operation of its block.
fn definition(value: Val<'_>) -> (Op<'_>, String) {
    if let Some(op) = sys::defining_operation(value) {
        return (op, "the result".to_owned());
    }
    let block = sys::block_of_argument(value).expect("a value has a block or an operation");
    let parent = build::operations(block)
        .first()
        .and_then(|op| build::parent(*op))
        .expect("a block has a parent");
    let arguments = block.argument_count();
    let number = (0..arguments).find(|i| build::argument(block, *i) == value);
    (parent, format!("argument {}", number.unwrap_or_default()))
}

fn unresolved(value: Val<'_>, by_conversions: bool) -> (Op<'_>, Diagnostic) {
    let (op, what) = definition(value);
    let type_: Type<'_> = value.r#type();
    let diagnostic = Diagnostic::new(format!("cannot infer the layout of {what}: `{type_}`"));
    let note = if by_conversions {
        format!(
            "set the layout of this value, or of a value computed from it, with `{}`",
            gluon::SetAutoLayout::KIND.name()
        )
    } else {
        "use the pointers in a load, store or atomic operation, which determines the layout"
            .to_owned()
    };
    (op, diagnostic.note(note))
}
