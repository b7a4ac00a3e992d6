//! `tt.elementwise_inline_asm`: inline assembly that processes `packed_element` elements at a time.
//!
//! ```text
//! packed_element = 4, i8 -> f16      $0, $1: two words of two f16      $2: a word of four i8
//! ```
//! Elements narrower than 32 bits are packed into words, lowest bits first. Wider elements, and single elements, are
//! passed in registers of their own type. The assembly gets the words of all results, then the words of all operands. A
//! partial group repeats its last element, since undefined values could trap.

use super::emit::Emitter;
use super::state::{Lowering, Outcome};
use super::types::{bits_of, bits_of_several};
use super::value::Registers;
use crate::ir::ops::tt;
use crate::sys::Diagnostic;
use crate::sys::build::{Op, Val};
use melior::ir::{Type, ValueLike};

pub(crate) fn elementwise<'c>(l: &mut Lowering<'c>, op: Op<'c>) -> Outcome {
    let view = tt::ElementwiseInlineAsm::of(op).expect("the dispatch goes by kind");
    let group = usize::try_from(view.packed_element()).unwrap_or_default();
    if group == 0 {
        return Err(Diagnostic::new(format!(
            "requires a `packed_element` of at least 1, but got {}",
            view.packed_element()
        )));
    }
    let results = view.result();
    let types: Vec<Vec<Type<'c>>> = results
        .iter()
        .map(|result| l.types_of(result.r#type()))
        .collect::<Result<_, _>>()?;
    let sources: Vec<Registers<'c>> = view.args().into_iter().map(|arg| l.get(arg)).collect();
    let text = view.asm_string();
    let text = text.checked(tt::ElementwiseInlineAsm::ASM_STRING_KEY)?;
    let constraints = view.constraints();
    let constraints = constraints.checked(tt::ElementwiseInlineAsm::CONSTRAINTS_KEY)?;
    let registers = types.first().map_or(0, Vec::len);
    let mut counts = types
        .iter()
        .map(Vec::len)
        .chain(sources.iter().map(|list| list.len()));
    if let Some(other) = counts.find(|count| *count != registers) {
        return Err(Diagnostic::new(format!(
            "requires the same layout for operands and results, but found {registers} and {other} \
             elements per thread"
        )));
    }
    // Each word of the results as (type, number of elements).
    let words: Vec<(Type<'c>, usize)> = types
        .iter()
        .flat_map(|list| words_of(&l.e, list[0], group))
        .collect();
    let inputs = sources
        .iter()
        .map(|list| words_of(&l.e, list[0].r#type(), group).len());
    check_constraints(constraints, words.len(), inputs.sum())?;

    let word_types: Vec<Type<'c>> = words.iter().map(|(type_, _)| *type_).collect();
    let whole = match word_types[..] {
        [only] => only,
        _ => l.e.struct_type(&word_types),
    };
    let mut lists: Vec<Vec<Val<'c>>> = vec![Vec::new(); results.len()];
    for first in (0..registers).step_by(group) {
        let operands: Vec<Val<'c>> = sources
            .iter()
            .flat_map(|list| {
                let last = list.len() - 1;
                let own: Vec<Val<'c>> = (first..first + group).map(|r| list[r.min(last)]).collect();
                pack(&mut l.e, &own)
            })
            .collect();
        let result = if view.pure() {
            l.e.pure_asm(text, constraints, &operands, whole)
        } else {
            l.e.inline_asm(text, constraints, &operands, Some(whole))
                .expect("assembly with a result gives one")
        };
        let mut parts = (0..words.len()).map(|i| match words.len() {
            1 => result,
            _ => l.e.extract_value(result, i, words[i].0),
        });
        let parts: Vec<Val<'c>> = parts.by_ref().collect();
        let mut next = parts.into_iter().zip(&words);
        for (list, types) in lists.iter_mut().zip(&types) {
            let count = words_of(&l.e, types[0], group).len();
            for (word, (_, elements)) in next.by_ref().take(count) {
                list.extend(unpack(&mut l.e, word, *elements, types[0]));
            }
        }
    }
    for (result, mut list) in results.into_iter().zip(lists) {
        list.truncate(registers);
        l.set(result, list);
    }
    Ok(())
}

fn per_word(type_: Type<'_>) -> usize {
    (32 / bits_of(type_)).max(1) as usize
}

fn words_of<'c>(e: &Emitter<'c>, type_: Type<'c>, group: usize) -> Vec<(Type<'c>, usize)> {
    let per_word = per_word(type_);
    (0..group)
        .step_by(per_word)
        .map(|first| match per_word.min(group - first) {
            1 => (type_, 1),
            count => (e.int_type(bits_of_several(bits_of(type_), count)), count),
        })
        .collect()
}

fn pack<'c>(e: &mut Emitter<'c>, elements: &[Val<'c>]) -> Vec<Val<'c>> {
    let type_ = elements[0].r#type();
    elements
        .chunks(per_word(type_))
        .map(|chunk| match chunk {
            [only] => *only,
            _ => {
                let word = e.int_type(bits_of_several(bits_of(type_), chunk.len()));
                let vector = e.gather(chunk);
                e.bitcast(vector, word)
            }
        })
        .collect()
}

fn unpack<'c>(e: &mut Emitter<'c>, word: Val<'c>, count: usize, element: Type<'c>) -> Vec<Val<'c>> {
    if count == 1 {
        return vec![word];
    }
    let vector = e.vector_type(count, element);
    let vector = e.bitcast(word, vector);
    e.scatter(vector, count, element)
}

/// Checks that there are `outputs` result constraints and `inputs` operand constraints. LLVM aborts on a missing
/// constraint.
fn check_constraints(constraints: &str, outputs: usize, inputs: usize) -> Outcome {
    let items = || {
        let all = constraints.split(',').map(str::trim);
        all.filter(|one| !one.is_empty() && !one.starts_with('~'))
    };
    let found_outputs = items().filter(|one| one.starts_with('=')).count();
    let found = [found_outputs, items().count() - found_outputs];
    let expected = [outputs, inputs];
    if found == expected {
        return Ok(());
    }
    Err(Diagnostic::new(format!(
        "requires {outputs} result and {inputs} operand constraints, \
         but `{constraints}` has {} result and {} operand constraints",
        found[0], found[1]
    ))
    .note("give one constraint per 32-bit word of a group of `packed_element` elements"))
}
