//! Mutation of a module at one place, or at all equal places.
//!
//! A change at one place violates the equality of types; the same change everywhere preserves it, and
//! reaches the other rules.

use super::memory;
use super::random::Rng;
use super::registers::{self, INTEGERS, NUMBERS, POINTERS};
use super::text::{
    Attr, Module, Op, OperandSource, SHARED, Setting, Shaped, ShapedKind, TENSOR_MEMORY, Type,
};

/// Calls `f` with every operand, result and region argument type of an operation, including nested operations.
fn for_each_type(op: &mut Op, f: &mut impl FnMut(&mut Type)) {
    op.operands.iter_mut().for_each(|o| f(&mut o.type_));
    op.results.iter_mut().for_each(&mut *f);
    for region in &mut op.regions {
        region.arguments.iter_mut().for_each(&mut *f);
        region.ops.iter_mut().for_each(|op| for_each_type(op, f));
    }
}

/// Returns a random type among the types in `op` that satisfy `wanted`. Returns `None` if there is none.
fn pick_type(rng: &mut Rng, op: &mut Op, wanted: impl Fn(&Type) -> bool) -> Option<Type> {
    let mut found = Vec::new();
    for_each_type(op, &mut |type_| {
        if wanted(type_) {
            found.push(type_.clone());
        }
    });
    let i = rng.below(found.len());
    found.get(i).cloned()
}

/// Replaces the type `old` by `new`, either at all its occurrences in an operation or at a random one.
fn replace(rng: &mut Rng, op: &mut Op, old: &Type, new: &Type) {
    let mut places = 0;
    for_each_type(op, &mut |type_| places += usize::from(type_ == old));
    let only = (!rng.chance(45)).then(|| rng.below(places));
    let mut place = 0;
    for_each_type(op, &mut |type_| {
        if type_ == old {
            if only.is_none_or(|only| only == place) {
                *type_ = new.clone();
            }
            place += 1;
        }
    });
}

fn change_shaped(
    rng: &mut Rng,
    op: &mut Op,
    wanted: impl Fn(&Shaped) -> bool,
    change: impl FnOnce(&mut Rng, &mut Shaped),
) -> bool {
    let picked = pick_type(rng, op, |t| matches!(t, Type::Shaped(s) if wanted(s)));
    let Some(Type::Shaped(old)) = picked else {
        return false;
    };
    let mut new = old.clone();
    change(rng, &mut new);
    replace(rng, op, &Type::Shaped(old), &Type::Shaped(new));
    true
}

fn size(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    change_shaped(
        rng,
        op,
        |s| s.rank() > 0,
        |rng, s| {
            let dim = rng.below(s.rank());
            let old = s.shape[dim];
            s.shape[dim] = match rng.below(10) {
                0..=3 => old * 2,
                4..=6 => (old / 2).max(1),
                7 => old + old / 2 + 1,
                8 => 1,
                _ => old * 128,
            };
        },
    )
}

fn rank(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    change_shaped(
        rng,
        op,
        |_| true,
        |rng, s| {
            if rng.chance(50) || s.rank() == 0 {
                let at = rng.below(s.rank() + 1);
                s.shape.insert(at, rng.power(0, 1));
            } else {
                let at = rng.below(s.rank());
                s.shape.remove(at);
            }
        },
    )
}

fn element(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    change_shaped(
        rng,
        op,
        |_| true,
        |rng, s| {
            s.element = match rng.below(10) {
                0 => rng.choose(POINTERS),
                1 => rng.choose(INTEGERS),
                2 => rng.choose(&["f64", "i4", "i128", "index", "f8E4M3FNUZ", "!tt.ptr<f32>"]),
                _ => rng.choose(NUMBERS),
            }
            .to_owned();
        },
    )
}

fn encoding(rng: &mut Rng, op: &mut Op, setting: &Setting) -> bool {
    change_shaped(
        rng,
        op,
        |s| s.encoding.is_some(),
        |rng, s| {
            let registers = (s.kind == ShapedKind::Tensor) != rng.chance(6);
            s.encoding = if rng.chance(8) {
                None
            } else if registers {
                Some(registers::any(rng, setting, &s.shape))
            } else if s.space == TENSOR_MEMORY && rng.chance(70) {
                memory::tensor_memory(rng, setting, &s.element).encoding
            } else {
                let bits = memory::width(&s.element);
                Some(memory::any(rng, setting, &s.shape, bits))
            };
        },
    )
}

/// Changes a field of a random encoding, which is the encoding of a type or the parent of such an encoding. Either
/// this encoding is changed in all types that contain it, or only one of these types is changed. Returns false if
/// no type has an encoding.
fn field(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let picked = pick_type(
        rng,
        op,
        |t| matches!(t, Type::Shaped(s) if s.encoding.is_some()),
    );
    let Some(Type::Shaped(old)) = picked else {
        return false;
    };
    let whole = old.encoding.clone().unwrap_or_default();
    // A parent can be changed on its own, for all that have it.
    let mut from = whole.clone();
    if let Some(at) = whole.find("parent = ").filter(|_| rng.chance(50)) {
        from = inner_encoding(&whole[at + "parent = ".len()..]).to_owned();
    }
    let to = changed_text(rng, &from);
    if rng.chance(60) {
        for_each_type(op, &mut |type_| {
            if let Type::Shaped(s) = type_
                && let Some(encoding) = &mut s.encoding
            {
                *encoding = encoding.replace(&from, &to);
            }
        });
    } else {
        let new = old.with_encoding(Some(whole.replace(&from, &to)));
        replace(rng, op, &Type::Shaped(old), &Type::Shaped(new));
    }
    true
}

/// Returns the encoding at the start of a text.
fn inner_encoding(text: &str) -> &str {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if depth == 1 => return &text[..=i],
            '>' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// Returns the start and end of each number in a text. Digits that are part of a word are not numbers.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        while i < bytes.len() && bytes[i].is_ascii_digit() {
            i += 1;
        }
        let is_word = start > 0 && bytes[start - 1].is_ascii_alphanumeric();
        if i > start && !is_word {
            found.push((start, i));
        }
        i = i.max(start + 1);
    }
    found
}

/// Returns the start and end of each `, key = value` entry in a text, at any nesting depth.
fn entries(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (start, _) in text.match_indices(", ") {
        let rest = &text[start + 2..];
        let key = rest.split(' ').next().unwrap_or_default();
        if !key.starts_with(|c: char| c.is_ascii_alphabetic())
            || !rest[key.len()..].starts_with(" = ")
        {
            continue;
        }
        let mut depth = 0_i32;
        for (i, c) in rest.char_indices() {
            match c {
                '[' | '{' | '<' => depth += 1,
                ']' | '}' | '>' => depth -= 1,
                _ => {}
            }
            if depth < 0 || depth == 0 && rest[i..].starts_with(", ") {
                found.push((start, start + 2 + i));
                break;
            }
        }
    }
    found
}

fn spliced(text: &str, (start, end): (usize, usize), with: &str) -> String {
    format!("{}{with}{}", &text[..start], &text[end..])
}

fn changed_text(rng: &mut Rng, text: &str) -> String {
    let (numbers, entries) = (numbers(text), entries(text));
    match rng.below(20) {
        0 | 1 if !entries.is_empty() => spliced(text, rng.choose(&entries), ""),
        2 if !entries.is_empty() => {
            let (start, end) = rng.choose(&entries);
            let again = text[start..end].to_owned();
            spliced(text, (end, end), &again)
        }
        3 if !entries.is_empty() => {
            let (start, _) = rng.choose(&entries);
            spliced(text, (start, start), ", surplus = 1")
        }
        4 if text.contains("= true") => text.replacen("= true", "= false", 1),
        4 if text.contains("= false") => text.replacen("= false", "= true", 1),
        5 if text.contains(", 1]") => text.replacen(", 1]", "]", 1),
        6 if text.contains("[1, ") => text.replacen("[1, ", "[", 1),
        7 if text.contains(']') => text.replacen(']', ", 1]", 1),
        _ if !numbers.is_empty() => {
            let (start, end) = rng.choose(&numbers);
            let old: u64 = text[start..end].parse().unwrap_or(0);
            let new = match rng.below(10) {
                0..=3 => old * 2,
                4 | 5 => old / 2,
                6 => old + 1,
                7 => 0,
                8 => rng.choose(&[1, 3, 4, 8, 16]),
                _ => rng.choose(&[u64::from(u32::MAX), 1 << 31, 1 << 20]),
            };
            spliced(text, (start, end), &new.to_string())
        }
        _ => text.to_owned(),
    }
}

fn buffer(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    change_shaped(
        rng,
        op,
        |s| s.kind == ShapedKind::Buffer,
        |rng, s| {
            match rng.below(10) {
                0..=3 => s.mutable = !s.mutable,
                4 => {
                    s.space = if s.space == SHARED {
                        TENSOR_MEMORY
                    } else {
                        SHARED
                    };
                }
                5 | 6 => {
                    if s.alloc.is_empty() {
                        s.alloc.clone_from(&s.shape);
                    }
                    let dim = rng.below(s.alloc.len());
                    if let Some(size) = s.alloc.get_mut(dim) {
                        *size *= 2;
                    }
                }
                7 => {
                    if s.alloc.is_empty() {
                        s.alloc.clone_from(&s.shape);
                    }
                    let at = rng.below(2) * s.alloc.len();
                    s.alloc.insert(at, 2);
                }
                8 => {
                    s.alloc.clone_from(&s.shape);
                    if !s.alloc.is_empty() {
                        s.alloc.remove(0);
                    }
                }
                _ => {
                    s.alloc.clone_from(&s.shape);
                    let dim = rng.below(s.shape.len());
                    if let Some(size) = s.shape.get_mut(dim) {
                        *size *= 2;
                    }
                }
            };
        },
    )
}

/// Replaces a random type by one of another kind.
fn plain(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(old) = pick_type(rng, op, |_| true) else {
        return false;
    };
    let new = match (&old, rng.below(3)) {
        (Type::Shaped(s), 0) => Type::from(s.element.as_str()),
        (Type::Plain(text), 1) => Shaped::tensor(&[32], text, None).into(),
        (Type::Shaped(s), 2) => {
            let mut s = s.clone();
            s.kind = rng.choose(&[
                ShapedKind::Tensor,
                ShapedKind::Buffer,
                ShapedKind::Descriptor,
                ShapedKind::Image,
            ]);
            s.into()
        }
        _ => Type::from(rng.choose(&["i32", "i1", "f32", "i64", "!tt.ptr<f32>", "index"])),
    };
    replace(rng, op, &old, &new);
    true
}

/// Returns either `op` itself or a random operation in its regions. Returns `None` if the operation that was chosen
/// does not satisfy `wanted`.
fn pick_op<'a>(rng: &mut Rng, op: &'a mut Op, wanted: fn(&Op) -> bool) -> Option<&'a mut Op> {
    if wanted(op) && (op.regions.is_empty() || rng.chance(60)) {
        return Some(op);
    }
    let mut inner: Vec<&mut Op> = op.regions.iter_mut().flat_map(|r| &mut r.ops).collect();
    if inner.is_empty() {
        return None;
    }
    let i = rng.below(inner.len());
    let chosen = inner.swap_remove(i);
    wanted(chosen).then_some(chosen)
}

fn attribute(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(op) = pick_op(rng, op, |op| !op.attributes.is_empty()) else {
        return false;
    };
    let i = rng.below(op.attributes.len());
    let number = |rng: &mut Rng, n: &mut i64| {
        *n = match rng.below(8) {
            0 | 1 => *n + 1,
            2 | 3 => *n - 1,
            4 => *n * 2,
            5 => 0,
            6 => -1,
            _ => rng.choose(&[3, 5, 16, 64, i64::from(i32::MAX)]),
        }
        .clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    };
    match &mut op.attributes[i].1 {
        Attr::I32(n) => number(rng, n),
        Attr::Bool(b) => *b = !*b,
        Attr::I32s(list) | Attr::I64s(list) => match rng.below(5) {
            0 => list.push(rng.below(3) as i64),
            1 if !list.is_empty() => {
                let at = rng.below(list.len());
                list.remove(at);
            }
            2 => list.reverse(),
            _ if !list.is_empty() => {
                let at = rng.below(list.len());
                number(rng, &mut list[at]);
            }
            _ => {}
        },
        Attr::Unit => {
            op.attributes.remove(i);
        }
        Attr::Text(text) => *text = changed_text(rng, text),
    }
    true
}

fn no_attribute(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(op) = pick_op(rng, op, |op| !op.attributes.is_empty()) else {
        return false;
    };
    let i = rng.below(op.attributes.len());
    op.attributes.remove(i);
    true
}

fn operands(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(op) = pick_op(rng, op, |op| !op.operands.is_empty()) else {
        return false;
    };
    let count = op.operands.len();
    let (i, j) = (rng.below(count), rng.below(count));
    match rng.below(6) {
        0 => {
            op.operands.remove(i);
        }
        1 => {
            let again = op.operands[i].clone();
            op.operands.insert(i, again);
        }
        2 if i > 0 => {
            // The value of another operand.
            op.operands[i].type_ = op.operands[0].type_.clone();
            op.operands[i].source = OperandSource::SameAs(0);
        }
        3 if !op.results.is_empty() => {
            let i = rng.below(op.results.len());
            if rng.chance(50) {
                op.results.remove(i);
            } else {
                op.results.push(op.results[i].clone());
            }
        }
        _ => op.operands.swap(i, j),
    }
    true
}

fn regions(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    if op.regions.is_empty() {
        return false;
    }
    let i = rng.below(op.regions.len());
    let region = &mut op.regions[i];
    match rng.below(6) {
        0 => {
            region.ops.pop();
        }
        1 => region.arguments.push(Type::from("i32")),
        2 => {
            region.arguments.pop();
        }
        3 => {
            op.regions.remove(i);
        }
        4 => {
            let again = region.clone();
            op.regions.push(again);
        }
        _ => {
            if let Some(last) = region.ops.last_mut() {
                last.operands.pop();
            }
        }
    }
    true
}

fn change_setting(rng: &mut Rng, setting: &mut Setting) {
    match rng.below(8) {
        0 | 1 => setting.warps *= 2,
        2 => setting.warps = rng.choose(&[1, 3, 8]),
        3 => setting.lanes = 96 - setting.lanes,
        4 => setting.ctas *= 2,
        5 if rng.chance(30) => setting.own_warps = Some(setting.warps * rng.power(0, 1)),
        5 => setting.ctas = 1,
        6 if rng.chance(30) => setting.pairs = Some(!setting.pairs.unwrap_or(false)),
        6 => {
            setting.target =
                rng.choose(&["cuda:70", "cuda:90", "hip:gfx942", "cuda:100", "hopper"]);
        }
        _ => setting.without.push(rng.below(4)),
    }
}

/// Operation names for the mutation `name`. The mutation replaces the name of an operation by one of them, and
/// keeps the operands and results.
const NAMES: [&str; 28] = [
    "arith.addf",
    "tt.addptr",
    "tt.assert",
    "tt.atomic_cas",
    "tt.bitcast",
    "tt.broadcast",
    "tt.cat",
    "tt.dot",
    "tt.expand_dims",
    "tt.gather",
    "tt.histogram",
    "tt.join",
    "tt.load",
    "tt.reshape",
    "tt.split",
    "tt.store",
    "tt.trans",
    "ttg.async_copy_global_to_local",
    "ttg.convert_layout",
    "ttg.fp4_to_fp",
    "ttg.local_alloc",
    "ttg.local_load",
    "ttg.local_store",
    "ttg.memdesc_reshape",
    "ttg.memdesc_trans",
    "ttng.tmem_copy",
    "ttng.wait_barrier",
    "amdg.concat",
];

fn name(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(op) = pick_op(rng, op, |_| true) else {
        return false;
    };
    op.name = rng.choose(&NAMES).to_owned();
    true
}

/// Adds a random attribute that the operation does not declare.
fn surplus(rng: &mut Rng, op: &mut Op, _: &Setting) -> bool {
    let Some(op) = pick_op(rng, op, |_| true) else {
        return false;
    };
    let name = rng.choose(&[
        "\"ttg.num-warps\"",
        "\"ttg.num-ctas\"",
        "\"ttg.threads-per-warp\"",
        "ttg.target",
        "ttg.partition",
        "tt.divisibility",
        "tt.contiguity",
        "\"ttng.two-ctas\"",
        "allocation.offset",
        "amdg.other",
        "axis",
        "other",
    ]);
    let value = match rng.below(4) {
        0 => Attr::Unit,
        1 => Attr::Text("\"cuda:90\"".to_owned()),
        2 => Attr::I32s(vec![0, 1]),
        _ => Attr::I32(rng.power(0, 5) as i64),
    };
    op.discardable.push((name.to_owned(), value));
    true
}

/// Returns true if MLIR 22 would crash on the operation. This happens for `arith.select` with a shaped condition
/// and an unshaped result.
fn ends_the_process(op: &Op) -> bool {
    let is_shaped = |type_: Option<&Type>| matches!(type_, Some(Type::Shaped(_)));
    op.name == "arith.select"
        && is_shaped(op.operands.first().map(|o| &o.type_))
        && !is_shaped(op.results.first())
}

type Mutation = fn(&mut Rng, &mut Op, &Setting) -> bool;

/// Mutations with their names and weights.
const MUTATIONS: &[(&str, Mutation, usize)] = &[
    ("size", size, 14),
    ("rank", rank, 6),
    ("element", element, 10),
    ("encoding", encoding, 18),
    ("field", field, 18),
    ("buffer", buffer, 8),
    ("plain", plain, 3),
    ("attribute", attribute, 14),
    ("no-attribute", no_attribute, 3),
    ("operands", operands, 5),
    ("regions", regions, 5),
    ("name", name, 2),
    ("surplus", surplus, 2),
];

/// Applies a random mutation to a module. Returns the name of the mutation.
pub(crate) fn break_one(rng: &mut Rng, module: &mut Module) -> &'static str {
    if rng.chance(8) {
        change_setting(rng, &mut module.setting);
        return "module";
    }
    let total: usize = MUTATIONS.iter().map(|(_, _, weight)| weight).sum();
    for _ in 0..20 {
        let mut at = rng.below(total);
        let index = MUTATIONS
            .iter()
            .position(|(_, _, weight)| {
                let found = at < *weight;
                at = at.saturating_sub(*weight);
                found
            })
            .unwrap_or(0);
        let (name, change, _) = MUTATIONS[index];
        let i = rng.below(module.ops.len());
        let before = module.ops[i].clone();
        let setting = module.setting.clone();
        let changed = change(rng, &mut module.ops[i], &setting) && module.ops[i] != before;
        if changed && !ends_the_process(&module.ops[i]) {
            return name;
        }
        module.ops[i] = before;
    }
    "nothing"
}
