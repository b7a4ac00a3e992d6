//! What settles the encodings that are left open: demands, carried along ties.

use super::ties::{Class, Link, Passage, Ties};
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

/// That an operation asks for an encoding of a value.
pub(crate) struct Demand<'c> {
    pub(crate) value: Val<'c>,
    pub(crate) encoding: Arc<Encoding>,
    pub(crate) by: Op<'c>,
}

/// Encodings for values that were left open.
pub(crate) type Settled<'c> = Vec<(Val<'c>, Arc<Encoding>)>;
/// One way to lay out values that are settled together.
pub(crate) type Variant<'c> = Settled<'c>;

/// What became of all that was left open.
pub(crate) struct Settling<'c> {
    pub(crate) settled: Settled<'c>,
    /// Of each set of values that conversions alone settle, the ways to lay it out: at least one.
    pub(crate) variants: Vec<Vec<Variant<'c>>>,
    /// What is asked for in two ways, or in none.
    pub(crate) wrong: Vec<(Op<'c>, Diagnostic)>,
}

/// How many ways to lay out one set of values are looked at.
const MOST_VARIANTS: usize = 16;

/// Finds what settles each value; where `by_conversions` is, also what only conversions settle.
pub(crate) fn settle<'c>(
    ties: &Ties<'c>,
    demands: &[Demand<'c>],
    by_conversions: bool,
) -> Settling<'c> {
    let mut adjacent: BTreeMap<Class, Vec<Link<'c>>> = BTreeMap::new();
    for link in &ties.links {
        adjacent.entry(link.operand).or_default().push(*link);
        adjacent.entry(link.result).or_default().push(*link);
    }
    let mut solver = Solver {
        ties,
        adjacent,
        wrong: Vec::new(),
        in_conflict: BTreeSet::new(),
    };
    let known = solver.fixed(demands);
    let mut settled = Vec::new();
    for (number, value) in ties.values.iter().enumerate() {
        if let Some(known) = known.get(&ties.class_of(number)) {
            settled.push((*value, Arc::clone(&known.encoding)));
        }
    }
    let mut variants = Vec::new();
    // One error is followed by others that say nothing more.
    if solver.wrong.is_empty() {
        variants = solver.offered(&known, by_conversions);
    }
    Settling {
        settled,
        variants,
        wrong: solver.wrong,
    }
}

/// An encoding, and who asked for it.
#[derive(Clone)]
struct Known<'c> {
    encoding: Arc<Encoding>,
    by: Op<'c>,
}

type AllKnown<'c> = BTreeMap<Class, Known<'c>>;

struct Solver<'t, 'c> {
    ties: &'t Ties<'c>,
    /// The links of each class.
    adjacent: BTreeMap<Class, Vec<Link<'c>>>,
    wrong: Vec<(Op<'c>, Diagnostic)>,
    /// The classes that an error has named.
    in_conflict: BTreeSet<Class>,
}

impl<'c> Solver<'_, 'c> {
    /// What demands settle.
    fn fixed(&mut self, demands: &[Demand<'c>]) -> AllKnown<'c> {
        let mut known = AllKnown::new();
        let mut queue = VecDeque::new();
        for demand in demands {
            let Some(class) = self.ties.class(demand.value) else {
                continue;
            };
            let asked = Known {
                encoding: Arc::clone(&demand.encoding),
                by: demand.by,
            };
            self.ask(&mut known, &mut queue, (class, demand.value), asked);
        }
        while let Some(class) = queue.pop_front() {
            for (link, other, encoding) in self.following(&known, class) {
                if matches!(link.how, Dependence::Spelled | Dependence::Usual) {
                    continue;
                }
                let asked = Known {
                    encoding,
                    by: known[&class].by,
                };
                let value = self.value_of(link, other);
                self.ask(&mut known, &mut queue, (other, value), asked);
            }
        }
        self.spread(&mut known, None);
        if self.wrong.is_empty() {
            for link in &self.ties.links {
                if let Some(found) = self.conflict(&known, *link) {
                    self.wrong.push((link.op, found));
                }
            }
        }
        known
    }

    /// Takes in what is asked of a class, by the name of one of its values.
    fn ask(
        &mut self,
        known: &mut AllKnown<'c>,
        queue: &mut VecDeque<Class>,
        (class, value): (Class, Val<'c>),
        asked: Known<'c>,
    ) {
        match known.get(&class) {
            None => {
                known.insert(class, asked);
                queue.push_back(class);
            }
            Some(first) if first.encoding != asked.encoding && self.in_conflict.insert(class) => {
                let mut said = Diagnostic::new(format!(
                    "found conflicting encodings for `{}`: `{}` and `{}`",
                    value.r#type(),
                    first.encoding,
                    asked.encoding
                ))
                .note(asks(first))
                .note(asks(&asked));
                let shape = TensorType::of(value.r#type()).map(|tensor| tensor.shape);
                let is_one =
                    shape.is_some_and(|shape| equivalent(&first.encoding, &asked.encoding, shape));
                said = if is_one {
                    said.note("both are the same layout: use one spelling")
                } else {
                    said.note(format!(
                        "compute the value once per layout, or convert it with `{}`",
                        ttg::ConvertLayout::KIND.name()
                    ))
                };
                self.wrong.push((place(value).0, said));
            }
            Some(_) => {}
        }
    }

    /// Carries what is known to classes of which nothing is known, of a set or of all.
    fn spread(&self, known: &mut AllKnown<'c>, within: Option<&[Class]>) {
        let mut queue: VecDeque<Class> = known.keys().copied().collect();
        while let Some(class) = queue.pop_front() {
            for (_, other, encoding) in self.following(known, class) {
                let is_within = within.is_none_or(|within| within.contains(&other));
                if is_within && !known.contains_key(&other) {
                    let by = known[&class].by;
                    known.insert(other, Known { encoding, by });
                    queue.push_back(other);
                }
            }
        }
    }

    /// The encodings that follow from that of a class, for the classes linked to it.
    fn following(
        &self,
        known: &AllKnown<'c>,
        class: Class,
    ) -> Vec<(Link<'c>, Class, Arc<Encoding>)> {
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

    /// The value of a class that an operation links to another.
    fn value_of(&self, link: Link<'c>, class: Class) -> Val<'c> {
        if link.operand == class {
            return build::operand(link.op, link.at);
        }
        let mut results = build::results(link.op).into_iter();
        let found = results.find(|value| self.ties.class(*value) == Some(class));
        found.expect("a link has a result")
    }

    /// Why the encodings of the two sides of a link do not go together, if they do not.
    fn conflict(&self, known: &AllKnown<'c>, link: Link<'c>) -> Option<Diagnostic> {
        let (operand, result) = (known.get(&link.operand)?, known.get(&link.result)?);
        // What may be put in another order is for the operation's own rules.
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
        // Two halves may be joined in more ways than the usual one.
        let back = infer::operand_encoding(link.op, link.at, &result.encoding);
        if let Ok(back) = &back
            && equivalent(back, &operand.encoding, of_operand)
        {
            return None;
        }
        let said = Diagnostic::new(format!(
            "found conflicting encodings: operand {} is `{}`, and the result `{}`",
            link.at, operand.encoding, result.encoding
        ));
        let said = match (follows, back) {
            (Ok(follows), _) => said.note(format!("the operand implies the result `{follows}`")),
            (Err(_), Ok(back)) => said.note(format!("the result implies the operand `{back}`")),
            (Err(reason), Err(_)) => said.note(reason.to_string()),
        };
        Some(said.note(asks(operand)).note(asks(result)))
    }

    /// What conversions alone settle, and errors for what nothing does.
    fn offered(&mut self, known: &AllKnown<'c>, by_conversions: bool) -> Vec<Vec<Variant<'c>>> {
        let sets = self.open_sets(known);
        let mut variants: Vec<Vec<AllKnown<'c>>> = vec![Vec::new(); sets.len()];
        let set_of = |class: Class| sets.iter().position(|set| set.contains(&class));
        let passages = &self.ties.passages[..];
        // What one set takes, the next may take from it.
        let rounds = if by_conversions {
            sets.len().min(MOST_VARIANTS)
        } else {
            0
        };
        for _ in 0..rounds {
            let before: usize = variants.iter().map(Vec::len).sum();
            for passage in passages {
                for (here, there) in [(passage.from, passage.to), (passage.to, passage.from)] {
                    let class = self.ties.class(here);
                    let Some((class, set)) = class.and_then(|c| Some((c, set_of(c)?))) else {
                        continue;
                    };
                    for encoding in self.encodings_of(there, known, &variants, &set_of) {
                        self.add_variant(&mut variants[set], &sets[set], class, encoding, passage);
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
                let value = self.ties.values[set[0]];
                self.wrong.push(unsettled(value, by_conversions));
                continue;
            }
            let of_values = |known: AllKnown<'c>| -> Variant<'c> {
                let numbered = self.ties.values.iter().enumerate();
                numbered
                    .filter_map(|(number, value)| {
                        let known = known.get(&self.ties.class_of(number))?;
                        Some((*value, Arc::clone(&known.encoding)))
                    })
                    .collect()
            };
            all.push(variants.into_iter().map(of_values).collect());
        }
        all
    }

    /// Classes that nothing settles, those together that are linked; each by its first class.
    fn open_sets(&self, known: &AllKnown<'c>) -> Vec<Vec<Class>> {
        let mut sets: Vec<Vec<Class>> = Vec::new();
        for number in 0..self.ties.values.len() {
            let class = self.ties.class_of(number);
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

    /// The encodings that a value has, or may get.
    fn encodings_of(
        &self,
        value: Val<'c>,
        known: &AllKnown<'c>,
        variants: &[Vec<AllKnown<'c>>],
        set_of: &impl Fn(Class) -> Option<usize>,
    ) -> Vec<Arc<Encoding>> {
        let Some(class) = self.ties.class(value) else {
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

    /// Adds the way to lay out a set in which one class has an encoding, if there is one.
    fn add_variant(
        &self,
        variants: &mut Vec<AllKnown<'c>>,
        set: &[Class],
        class: Class,
        encoding: Arc<Encoding>,
        passage: &Passage<'c>,
    ) {
        let is_there =
            |known: &AllKnown<'c>| known.get(&class).is_some_and(|k| k.encoding == encoding);
        if variants.len() >= MOST_VARIANTS || variants.iter().any(is_there) {
            return;
        }
        let mut known = AllKnown::from([(
            class,
            Known {
                encoding,
                by: passage.op,
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

    /// Whether each encoding lays out all that it is for.
    fn lays_out(&self, known: &AllKnown<'c>) -> bool {
        let mut numbered = self.ties.values.iter().enumerate();
        numbered.all(|(number, value)| {
            let Some(known) = known.get(&self.ties.class_of(number)) else {
                return true;
            };
            TensorType::of(value.r#type()).is_some_and(|tensor| {
                known.encoding.rank() == tensor.shape.len()
                    && known.encoding.to_surjective_layout(tensor.shape).is_ok()
            })
        })
    }
}

/// Who asks for an encoding, and where it stands.
fn asks(known: &Known<'_>) -> String {
    let name = known.by.name();
    let name = name.as_string_ref();
    let name = name.as_str().unwrap_or_default();
    let place = sys::file_location(known.by.location()).map_or_else(String::new, |place| {
        format!(" at {}:{}:{}", place.file, place.line, place.column)
    });
    format!("`{name}`{place} requires `{}`", known.encoding)
}

/// The operation that makes a value or takes it as an argument, and what the value is there.
fn place(value: Val<'_>) -> (Op<'_>, String) {
    if let Some(op) = sys::defining_operation(value) {
        return (op, "its result".to_owned());
    }
    let block = sys::block_of_argument(value).expect("a value has a maker");
    let parent = build::operations(block)
        .first()
        .and_then(|op| build::parent(*op))
        .expect("a block lies in an operation");
    let arguments = block.argument_count();
    let number = (0..arguments).find(|i| build::argument(block, *i) == value);
    (parent, format!("argument {}", number.unwrap_or_default()))
}

fn unsettled(value: Val<'_>, by_conversions: bool) -> (Op<'_>, Diagnostic) {
    let (op, what) = place(value);
    let type_: Type<'_> = value.r#type();
    let said = Diagnostic::new(format!("cannot infer the layout of {what}: `{type_}`"));
    let note = if by_conversions {
        format!(
            "set the layout with `{}`, on this value or on one computed from it",
            gluon::SetAutoLayout::KIND.name()
        )
    } else {
        "a load, store or atomic operation on pointers of this layout determines it".to_owned()
    };
    (op, said.note(note))
}
