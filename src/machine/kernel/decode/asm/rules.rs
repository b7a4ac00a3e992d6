//! What PTX allows of the instructions that are known here: modifiers in their order, types, operands.
//!
//! A kernel that an assembler would refuse must not run, so each statement is held to a row of [`RULES`].
//! Source: PTX ISA 8.x, "Instruction Set"; `test/rust/ptx_forms.rs` asks `ptxas` the same questions.

use super::text::{Arg, Name, Statement, ptx_type};
use std::collections::HashMap;

/// One form of an instruction.
struct Rule {
    name: &'static str,
    /// Modifiers in order, each a list of alternatives; one that begins with `?` may be left out.
    modifiers: &'static [&'static str],
    /// The types; empty where the form has none.
    types: &'static str,
    /// One letter for each operand:
    /// `d` a register of the type, `s` a register of the type or a number, `D` and `S` a result and a source of two
    /// types in registers that may be wider, `w` 32 bits or a number, `p` a predicate, `P` a predicate that is written, `a` an address,
    /// `V` and `v` what vectors are loaded into and stored from, `q` 64 bits written, `n` a number.
    operands: &'static str,
}

const INTEGERS: &str = "u16 u32 u64 s16 s32 s64";
const BITS: &str = "b16 b32 b64";
const ANY: &str = "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64";
const MEMORY: &str = "b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64";
const SPACE: &str = "?global shared shared::cta const local";
const SCOPE: &str = "cta cluster gpu sys";
const EVICT: &str =
    "?L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate";
const PREFETCH: &str = "?L2::64B L2::128B L2::256B";
const VECTOR: &str = "?v2 v4";
const HALVES: &str = "f16 bf16";

/// Rows of one name are tried one after the other.
const RULES: &[Rule] = &[
    rule("mov", &[], ANY, "ds"),
    rule("mov", &[], "pred", "Pp"),
    rule(
        "ld",
        &["?weak", SPACE, "?ca cg cs lu cv", PREFETCH, VECTOR],
        MEMORY,
        "Va",
    ),
    rule(
        "ld",
        &["?weak", SPACE, EVICT, PREFETCH, VECTOR],
        MEMORY,
        "Va",
    ),
    rule("ld", &["volatile", SPACE, PREFETCH, VECTOR], MEMORY, "Va"),
    rule(
        "ld",
        &["relaxed acquire", SCOPE, SPACE, EVICT, PREFETCH, VECTOR],
        MEMORY,
        "Va",
    ),
    rule(
        "ld",
        &["global", "?ca cg cs", "nc", PREFETCH, VECTOR],
        MEMORY,
        "Va",
    ),
    rule(
        "ld",
        &["global", "nc", EVICT, PREFETCH, VECTOR],
        MEMORY,
        "Va",
    ),
    rule(
        "st",
        &["?weak", SPACE, "?wb cg cs wt", VECTOR],
        MEMORY,
        "av",
    ),
    rule("st", &["?weak", SPACE, EVICT, VECTOR], MEMORY, "av"),
    rule("st", &["volatile", SPACE, VECTOR], MEMORY, "av"),
    rule(
        "st",
        &["relaxed release", SCOPE, SPACE, EVICT, VECTOR],
        MEMORY,
        "av",
    ),
    rule(
        "cvt",
        &["u8 u16 u32 u64 s8 s16 s32 s64"],
        "u8 u16 u32 u64 s8 s16 s32 s64",
        "DS",
    ),
    rule("selp", &[], ANY, "dssp"),
    rule("setp", &["eq ne"], ANY, "Pss"),
    rule("setp", &["lt le gt ge"], "u16 u32 u64 s16 s32 s64", "Pss"),
    rule("setp", &["lo ls hi hs"], "u16 u32 u64", "Pss"),
    rule("prmt", &[], "b32", "dsss"),
    rule("shfl", &["sync", "bfly up down idx"], "b32", "dswww"),
    rule("shfl", &["sync", "bfly up down idx"], "b32", "dPswww"),
    rule("bar", &["warp", "sync"], "", "w"),
    rule("bar", &["?cta", "sync"], "", "w"),
    rule("barrier", &["?cta", "sync", "?aligned"], "", "w"),
    rule("membar", &["cta gl sys"], "", ""),
    rule("fence", &["?sc acq_rel", SCOPE], "", ""),
    rule("fence", &["proxy", "alias async async.global"], "", ""),
    rule("prefetch", &["?global local", "L1 L2"], "", "a"),
    rule(
        "createpolicy",
        &[
            "fractional",
            "L2::evict_last L2::evict_normal L2::evict_first L2::evict_unchanged",
        ],
        "b64",
        "qn",
    ),
    rule("add", &[], INTEGERS, "dss"),
    rule("sub", &[], INTEGERS, "dss"),
    rule("mul", &["lo"], INTEGERS, "dss"),
    rule("min", &[], INTEGERS, "dss"),
    rule("max", &[], INTEGERS, "dss"),
    rule("and", &[], BITS, "dss"),
    rule("or", &[], BITS, "dss"),
    rule("xor", &[], BITS, "dss"),
    rule("shl", &[], BITS, "dsw"),
    rule("shr", &[], "b16 b32 b64 u16 u32 u64 s16 s32 s64", "dsw"),
    rule("add", &["?rn", "?ftz"], "f32", "dss"),
    rule("add", &["?rn"], "f64", "dss"),
    rule("add", &["?rn"], HALVES, "dss"),
    rule("sub", &["?rn", "?ftz"], "f32", "dss"),
    rule("sub", &["?rn"], "f64", "dss"),
    rule("sub", &["?rn"], HALVES, "dss"),
    rule("mul", &["?rn", "?ftz"], "f32", "dss"),
    rule("mul", &["?rn"], "f64", "dss"),
    rule("mul", &["?rn"], HALVES, "dss"),
    rule("div", &["approx full rn", "?ftz"], "f32", "dss"),
    rule("div", &["rn"], "f64", "dss"),
    rule("fma", &["rn", "?ftz"], "f32", "dsss"),
    rule("fma", &["rn"], "f64", "dsss"),
    rule("fma", &["rn"], HALVES, "dsss"),
    rule("min", &["?ftz", "?NaN"], "f32", "dss"),
    rule("min", &[], "f64", "dss"),
    rule("min", &["?NaN"], HALVES, "dss"),
    rule("max", &["?ftz", "?NaN"], "f32", "dss"),
    rule("max", &[], "f64", "dss"),
    rule("max", &["?NaN"], HALVES, "dss"),
    rule("neg", &["?ftz"], "f32", "ds"),
    rule("neg", &[], "f64 f16 bf16", "ds"),
    rule("abs", &["?ftz"], "f32", "ds"),
    rule("abs", &[], "f64 f16 bf16", "ds"),
    rule("ex2", &["approx", "?ftz"], "f32", "ds"),
    rule("ex2", &["approx"], "f16", "ds"),
    rule("ex2", &["approx", "ftz"], "bf16", "ds"),
    rule("lg2", &["approx", "?ftz"], "f32", "ds"),
    rule("rcp", &["approx rn", "?ftz"], "f32", "ds"),
    rule("rcp", &["rn"], "f64", "ds"),
    rule("rsqrt", &["approx", "?ftz"], "f32", "ds"),
    rule("rsqrt", &["approx"], "f64", "ds"),
    rule("sqrt", &["approx rn", "?ftz"], "f32", "ds"),
    rule("sqrt", &["rn"], "f64", "ds"),
    rule("sin", &["approx", "?ftz"], "f32", "ds"),
    rule("cos", &["approx", "?ftz"], "f32", "ds"),
    rule("tanh", &["approx"], "f32 f16 bf16", "ds"),
];

const fn rule(
    name: &'static str,
    modifiers: &'static [&'static str],
    types: &'static str,
    operands: &'static str,
) -> Rule {
    Rule {
        name,
        modifiers,
        types,
        operands,
    }
}

/// Why a statement is refused.
pub(super) enum Refusal {
    /// No row has this name, so nothing is known of it.
    Unknown,
    /// The form is not PTX, or is not one that is simulated; with what would be.
    Form(String),
    /// An operand does not fit.
    Operand(String),
}

/// Checks one statement; `width` says how many bits a register has, if it is one.
pub(super) fn check(
    statement: &Statement,
    width: impl Fn(&Name) -> Option<u32>,
) -> Result<(), Refusal> {
    let words: Vec<&str> = statement.opcode.iter().map(String::as_str).collect();
    let rows: Vec<&Rule> = RULES.iter().filter(|rule| rule.name == words[0]).collect();
    if rows.is_empty() {
        return Err(Refusal::Unknown);
    }
    if let Some((name, _)) = &statement.guard
        && width(name) != Some(1)
    {
        return Err(Refusal::Operand(format!(
            "the guard {} is no predicate",
            show(name)
        )));
    }
    let mut problem = None;
    for rule in &rows {
        let Some(form) = rule.matches(&words[1..]) else {
            continue;
        };
        match rule.fits(&form, &statement.args, &width) {
            None => return Ok(()),
            Some(text) => problem = Some(text),
        }
    }
    Err(match problem {
        Some(text) => Refusal::Operand(text),
        None => {
            let mut forms: Vec<String> = rows.iter().take(3).map(|r| r.spelled()).collect();
            if rows.len() > forms.len() {
                forms.push(format!("{} more", rows.len() - forms.len()));
            }
            Refusal::Form(forms.join("; "))
        }
    })
}

/// What a statement's own words say.
struct Form {
    type_bits: u32,
    /// The width of what `cvt` makes.
    result_bits: u32,
    count: usize,
}

impl Rule {
    /// The words after the name, if this row allows them in this order.
    fn matches(&self, words: &[&str]) -> Option<Form> {
        let (modifiers, type_) = if self.types.is_empty() {
            (words, None)
        } else {
            let (last, rest) = words.split_last()?;
            (rest, Some(*last))
        };
        let mut form = Form {
            type_bits: 0,
            result_bits: words.first().and_then(|word| type_width(word)).unwrap_or(0),
            count: 1,
        };
        if let Some(type_) = type_ {
            self.types.split(' ').find(|t| *t == type_)?;
            form.type_bits = type_width(type_)?;
        }
        // `async.global` is two words.
        let joined = modifiers.join(".");
        let mut rest = joined.as_str();
        for slot in self.modifiers {
            let (list, optional) = match slot.strip_prefix('?') {
                Some(list) => (list, true),
                None => (*slot, false),
            };
            let taken = list
                .split(' ')
                .filter(|word| {
                    rest.strip_prefix(word)
                        .is_some_and(|after| after.is_empty() || after.starts_with('.'))
                })
                .max_by_key(|word| word.len());
            match taken {
                Some(word) => {
                    if let Some(count) = word.strip_prefix('v') {
                        form.count = count.parse().unwrap_or(form.count);
                    }
                    rest = rest[word.len()..].trim_start_matches('.');
                }
                None if optional => {}
                None => return None,
            }
        }
        rest.is_empty().then_some(form)
    }

    /// What is wrong with the operands.
    fn fits(
        &self,
        form: &Form,
        args: &[Arg],
        width: &impl Fn(&Name) -> Option<u32>,
    ) -> Option<String> {
        if args.len() != self.operands.len() {
            return Some(format!(
                "{} operands, expected {}",
                args.len(),
                self.operands.len()
            ));
        }
        if form.count as u32 * form.type_bits > 128 {
            return Some(format!(
                "a vector of {} bits, expected at most 128",
                form.count as u32 * form.type_bits
            ));
        }
        self.operands
            .chars()
            .zip(args)
            .find_map(|(letter, arg)| operand(letter, arg, form, width))
    }

    fn spelled(&self) -> String {
        let mut text = self.name.to_owned();
        for slot in self.modifiers {
            let (open, list, close) = match slot.strip_prefix('?') {
                Some(list) => ("{.", list, "}"),
                None => (".", *slot, ""),
            };
            text += &format!("{open}{}{close}", list.replace(' ', "|"));
        }
        if !self.types.is_empty() {
            text += &format!(".{}", self.types.replace(' ', "|"));
        }
        text
    }
}

fn type_width(word: &str) -> Option<u32> {
    ptx_type(word).map(|(bits, _)| bits)
}

fn show(name: &Name) -> String {
    match name {
        Name::Operand(index) => format!("`${index}`"),
        Name::Local(name) => format!("`{name}`"),
    }
}

/// What is wrong with one operand.
fn operand(
    letter: char,
    arg: &Arg,
    form: &Form,
    width: &impl Fn(&Name) -> Option<u32>,
) -> Option<String> {
    let bits = form.type_bits;
    let register = |name: &Name, expected: u32, wider: bool| {
        let Some(found) = width(name) else {
            return Some(format!("{} is declared nowhere", show(name)));
        };
        // There are no registers of 8 bits.
        let least = if wider { expected.max(16) } else { expected };
        let fits = if wider {
            found >= least
        } else {
            found == least
        };
        (!fits).then(|| {
            let or_more = if wider { " or more" } else { "" };
            format!(
                "{} is a register of {found} bits, expected {least}{or_more}",
                show(name)
            )
        })
    };
    let sink = |name: &Name| matches!(name, Name::Local(name) if name == "_");
    match (letter, arg) {
        ('V', Arg::Name(name)) if sink(name) => None,
        ('d' | 's', Arg::Name(name)) => register(name, bits, false),
        ('D', Arg::Name(name)) => register(name, form.result_bits, true),
        ('S', Arg::Name(name)) => register(name, bits, true),
        ('w', Arg::Name(name)) => register(name, 32, false),
        ('q', Arg::Name(name)) => register(name, 64, false),
        ('p' | 'P', Arg::Name(name)) => register(name, 1, false),
        ('s' | 'S' | 'w' | 'n', Arg::Immediate(_)) => None,
        ('n', Arg::Name(Name::Local(text))) if text.parse::<f64>().is_ok() => None,
        // `mov` takes registers apart and puts them together.
        ('d' | 's', Arg::Vector(parts)) => {
            let count = parts.len() as u32;
            if !matches!(count, 2 | 4) || bits / count < 16 {
                return Some(format!("{count} parts of {bits} bits"));
            }
            parts.iter().find_map(|part| match part {
                Arg::Name(name) if sink(name) && letter == 'd' => None,
                Arg::Name(name) => register(name, bits / count, false),
                _ => Some("a part that is no register".to_owned()),
            })
        }
        ('V' | 'v', Arg::Vector(parts)) => {
            if parts.len() != form.count {
                return Some(format!(
                    "{} registers for a vector of {}",
                    parts.len(),
                    form.count
                ));
            }
            parts.iter().find_map(|part| match part {
                Arg::Name(name) if sink(name) && letter == 'V' => None,
                Arg::Name(name) => register(name, bits, true),
                Arg::Immediate(_) if letter == 'v' => None,
                _ => Some("a part that is no register".to_owned()),
            })
        }
        ('V' | 'v', other) if form.count == 1 => match (letter, other) {
            (_, Arg::Name(name)) => register(name, bits, true),
            ('v', Arg::Immediate(_)) => None,
            _ => Some("an operand that is no register".to_owned()),
        },
        ('V' | 'v', _) => Some(format!("one register for a vector of {}", form.count)),
        ('a', Arg::Address(base, _)) => match &**base {
            Arg::Name(name) => match width(name) {
                Some(32 | 64) => None,
                Some(found) => Some(format!(
                    "the address {} has {found} bits, expected 32 or 64",
                    show(name)
                )),
                None => Some(format!("{} is declared nowhere", show(name))),
            },
            _ => None,
        },
        ('a', _) => Some("an operand that is no address: write `[register + offset]`".to_owned()),
        ('p' | 'P', _) => Some("an operand that is no predicate".to_owned()),
        _ => Some("an operand that is no register".to_owned()),
    }
}

/// The registers that `.reg` declares in the text: `.reg .b32 a, b<4>;`.
pub(super) fn declared(text: &str) -> HashMap<String, u32> {
    let mut found = HashMap::new();
    for piece in text.split([';', '{', '}']) {
        let Some(rest) = piece.trim().strip_prefix(".reg") else {
            continue;
        };
        let mut words = rest.trim().splitn(2, char::is_whitespace);
        let bits = words
            .next()
            .and_then(|word| type_width(word.trim_start_matches('.')));
        let (Some(bits), Some(names)) = (bits, words.next()) else {
            continue;
        };
        for name in names.split(',').map(str::trim) {
            match name.split_once('<') {
                Some((stem, count)) => {
                    let count: u32 = count.trim_end_matches('>').trim().parse().unwrap_or(0);
                    found.extend((0..count.min(1024)).map(|i| (format!("{stem}{i}"), bits)));
                }
                None => {
                    found.insert(name.to_owned(), bits);
                }
            }
        }
    }
    found
}
