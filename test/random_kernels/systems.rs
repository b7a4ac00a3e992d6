//! Conversion of layouts to CuTe and Tilus, and back to bases.

use crate::referee::registers;
use linear_layout::bridge::{cute_from_linear, tilus_from_linear};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout};

/// Returns a hash of `text` that is less than `sides`. It is used in place of a random number where the state of
/// the random generator must not change.
fn drawn(text: &str, sides: usize) -> usize {
    let sum = text
        .bytes()
        .fold(7, |sum: usize, byte| sum.wrapping_mul(31) + byte as usize);
    (sum >> 3) % sides
}

/// Returns a Tilus or CuTe layout that equals the layout `text` on `shape`. A hash of `text` selects the kind of
/// layout. Returns `None` if the hash selects neither kind, if `text` is not a blocked or linear layout, or if
/// there is no such layout.
pub(super) fn of_registers(text: &str, shape: &[u64]) -> Option<String> {
    let is_plain = ["#ttg.blocked", "#ttg.linear", "#ttg.generic_linear"]
        .iter()
        .any(|family| text.starts_with(family));
    let layout = registers::known(text)
        .filter(|_| is_plain)?
        .to_linear_layout(shape)
        .ok()?;
    let threads = match layout.in_size(Dim::LANE) {
        32 => String::new(),
        lanes => format!(", threadsPerWarp = {lanes}"),
    };
    match drawn(text, 4) {
        0 => {
            let tilus = tilus_from_linear(&layout).ok()?;
            Some(format!("#tilus.register<\"{tilus}\"{threads}>"))
        }
        1 => {
            let of = |dims: &[Dim]| {
                dims.iter()
                    .flat_map(|dim| layout.columns_of(*dim))
                    .copied()
                    .collect()
            };
            let modes: [Vec<u64>; 2] = [of(&[Dim::LANE, Dim::WARP]), of(&[Dim::REGISTER])];
            let list = |item: &dyn Fn(&u64) -> String, empty: &str| {
                let of_mode = |columns: &Vec<u64>| match columns.is_empty() {
                    true => empty.to_owned(),
                    false => {
                        let items: Vec<String> = columns.iter().map(item).collect();
                        format!("({})", items.join(","))
                    }
                };
                format!("({},{})", of_mode(&modes[0]), of_mode(&modes[1]))
            };
            let sizes = list(&|_| "2".to_owned(), "1");
            let strides = list(&u64::to_string, "0");
            let found = format!("#cute.layout<\"{sizes}:{strides}\", tile = {shape:?}{threads}>");
            // Sums that carry have no CuTe layout with these modes.
            registers::known(&found).map(|_| found)
        }
        _ => None,
    }
}

/// Returns a CuTe layout that equals the shared-memory layout `text` on `shape`. Returns `None` if a hash of `text`
/// does not select it, or if there is no such layout.
pub(super) fn of_memory(text: &str, shape: &[u64]) -> Option<String> {
    let known = registers::known(text).filter(|known| known.interval_paddings().is_empty())?;
    let layout = known
        .to_linear_layout(shape)
        .ok()
        .filter(|_| drawn(text, 3) == 0)?;
    if layout.in_dims().ne([Dim::OFFSET, Dim::BLOCK]) || layout.in_size(Dim::BLOCK) != 1 {
        return None;
    }
    let offsets = layout.squeeze_ins(Dim::BLOCK).ok()?.invert().ok()?;
    let cute = cute_from_linear(&offsets).ok()?;
    Some(format!("#cute.layout<\"{cute}\">"))
}

/// Replaces each CuTe and Tilus layout in `module` by an encoding that lists its bases. Returns `None` if the
/// module contains no such layout, or one whose bases cannot be listed.
pub(super) fn with_bases(module: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), module);
    let next = |rest: &str| {
        let places = ["#cute.layout<", "#tilus.register<"].map(|name| rest.find(name));
        places.into_iter().flatten().min()
    };
    next(rest)?;
    while let Some(at) = next(rest) {
        // A swizzle, between the quotes, contains brackets.
        let quoted = rest[at..]
            .splitn(3, '"')
            .map(str::len)
            .take(2)
            .sum::<usize>()
            + 2;
        let end = at + quoted + rest[at + quoted..].find('>')? + 1;
        text += &rest[..at];
        text += &bases(&registers::known(&rest[at..end])?)?;
        rest = &rest[end..];
    }
    Some(text + rest)
}

fn bases(encoding: &Encoding) -> Option<String> {
    let shape: Vec<u64> = match encoding {
        Encoding::Tilus(tilus) => tilus.layout().shape().to_vec(),
        Encoding::Cute(cute) => match cute.tile() {
            Some(tile) => tile.to_vec(),
            None => {
                let modes = cute.layout().layout.modes();
                modes.map(|mode| mode.size().unsigned_abs()).collect()
            }
        },
        _ => return None,
    };
    let layout: LinearLayout = encoding.to_linear_layout(&shape).ok()?;
    if layout.total_in_bits() == 0 {
        // Without a basis the rank is unknown.
        return None;
    }
    let list = |dim: Dim| {
        let list: Vec<Vec<u64>> = (0..layout.in_bits(dim))
            .map(|bit| layout.basis(dim, bit).iter().collect())
            .collect();
        format!("{list:?}")
    };
    if encoding.is_shared() {
        return Some(format!(
            "#ttg.shared_linear<{{offset = {}}}, alignment = 16>",
            list(Dim::OFFSET)
        ));
    }
    let [register, lane, warp, block] = [Dim::REGISTER, Dim::LANE, Dim::WARP, Dim::BLOCK].map(list);
    let family = match encoding.is_generic() {
        true => "generic_linear",
        false => "linear",
    };
    Some(format!(
        "#ttg.{family}<{{register = {register}, lane = {lane}, warp = {warp}, block = {block}}}>"
    ))
}
