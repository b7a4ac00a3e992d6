//! Mutations of text and of bytecode: the result is mostly still a module, and seldom a valid one.

use crate::referee::random::Rng;

/// Numbers at the limits of widths, shapes and counts.
const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "64",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
];

/// Bytes that a lexer does not expect in most places.
const BYTES: [u8; 8] = [0, b'"', b'\\', b'<', b'{', 0x7f, 0xc3, 0xff];

/// Splits text into tokens: words, numbers, and runs of blanks. Any other character is a token of its own.
fn tokens(text: &[u8]) -> Vec<&[u8]> {
    let class = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'.' => 0,
        b'0'..=b'9' => 1,
        b' ' | b'\t' => 2,
        _ => 3,
    };
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(&first) = rest.first() {
        let kind = class(first);
        let length = match kind {
            3 => 1,
            // A word may contain digits.
            0 => rest.iter().take_while(|b| class(**b) <= 1).count(),
            _ => rest.iter().take_while(|b| class(**b) == kind).count(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Deletes, repeats or moves some lines of `text`, replaces them by lines of `other`, or inserts lines of `other`
/// before them.
fn change_lines(text: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    let others: Vec<&[u8]> = other.split_inclusive(|b| *b == b'\n').collect();
    let at = rng.below(lines.len());
    let mut place = at..(at + 1 + rng.below(3)).min(lines.len());
    match rng.below(5) {
        0 => drop(lines.drain(place)),
        1 => {
            let copy: Vec<&[u8]> = lines[place.clone()].to_vec();
            let times = 1 << rng.below(7);
            let copies = std::iter::repeat_n(copy, times).flatten();
            lines.splice(place.end..place.end, copies);
        }
        2 => {
            let moved: Vec<&[u8]> = lines.drain(place).collect();
            let to = rng.below(lines.len() + 1);
            lines.splice(to..to, moved);
        }
        other => {
            let from = rng.below(others.len());
            let to = (from + 1 + rng.below(4)).min(others.len());
            if other == 3 {
                place.end = place.start;
            }
            lines.splice(place, others[from..to].iter().copied());
        }
    }
    lines.concat()
}

/// Deletes or repeats a token of `text`, swaps it with a second token of `text`, or replaces it by a token of
/// `text` or `other`.
fn change_tokens(text: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut all = tokens(text);
    let others = tokens(other);
    let (at, with) = (rng.below(all.len()), rng.below(all.len()));
    match rng.below(5) {
        0 => drop(all.remove(at)),
        1 => all.insert(at, all[at]),
        2 => all.swap(at, with),
        3 => all[at] = all[with],
        _ => {
            all[at] = others
                .get(rng.below(others.len()))
                .copied()
                .unwrap_or_default();
        }
    }
    all.concat()
}

/// Replaces a random number by its successor, by its double, or by one of [`NUMBERS`].
fn change_number(text: &[u8], rng: &mut Rng) -> Vec<u8> {
    let all = tokens(text);
    let places: Vec<usize> = (0..all.len())
        .filter(|i| all[*i][0].is_ascii_digit())
        .collect();
    let Some(&at) = places.get(rng.below(places.len())) else {
        return text.to_vec();
    };
    let old: u64 = String::from_utf8_lossy(all[at]).parse().unwrap_or(0);
    let new = match rng.below(4) {
        0 => old.wrapping_add(1).to_string(),
        1 => old.wrapping_mul(2).to_string(),
        _ => rng.choose(&NUMBERS).to_owned(),
    };
    let mut all = all;
    all[at] = new.as_bytes();
    all.concat()
}

/// Draws a random range with `start <= end <= n`.
fn range(rng: &mut Rng, n: usize) -> std::ops::Range<usize> {
    let (a, b) = (rng.below(n + 1), rng.below(n + 1));
    a.min(b)..a.max(b)
}

/// Applies one to four random changes to a text. Some changes copy parts of the text `other`.
pub(crate) fn text(text: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=rng.below(4) {
        if text.is_empty() {
            break;
        }
        text = match rng.below(12) {
            0..=3 => change_tokens(&text, other, rng),
            4..=6 => change_number(&text, rng),
            7..=9 => change_lines(&text, other, rng),
            10 => {
                let at = rng.below(text.len());
                text[at] = rng.choose(&BYTES);
                text
            }
            _ => {
                text.truncate(rng.below(text.len()));
                text
            }
        };
    }
    text
}

/// Applies one to eight random changes to bytes: single bits and bytes change, or pieces are deleted, repeated, or
/// taken from `other`.
pub(crate) fn bytes(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=rng.below(8) {
        if bytes.is_empty() {
            break;
        }
        let at = rng.below(bytes.len());
        let few = at..(at + 1 + rng.below(16)).min(bytes.len());
        match rng.below(16) {
            0..=4 => bytes[at] ^= 1 << rng.below(8),
            5..=7 => bytes[at] = (rng.next() & 0xff) as u8,
            // Bytecode encodes a number shifted by one, so a neighbour differs by two.
            8 => bytes[at] = bytes[at].wrapping_add(2),
            9 => bytes[at] = rng.choose(&BYTES),
            10 => drop(bytes.drain(few)),
            11 => {
                let copy = bytes[few].to_vec();
                let to = rng.below(bytes.len());
                bytes.splice(to..to, copy);
            }
            12 | 13 => {
                let from = rng.below(other.len());
                let to = (from + few.len()).min(other.len());
                bytes.splice(few, other[from..to].iter().copied());
            }
            14 => {
                let (place, from) = (range(rng, bytes.len()), range(rng, other.len()));
                bytes.splice(place, other[from].iter().copied());
            }
            _ => bytes.truncate(at),
        }
    }
    bytes
}
