//! Pictures of shared memory: the words of each bank, and the wavefronts of accesses.

use super::{Cell, Paint, Panel, Scene, Space, Window};
use crate::f2::shl;
use crate::layout::{Dim, LinearLayout};
use crate::number::narrow;
use crate::plan::memory::{BufferLayout, MemoryPlan};
use crate::plan::program::{Program, Step, ValueId};
use crate::target::{Access, Banks, Fragment, Target};
use crate::view::words::neighbours;

impl Scene {
    /// Returns a picture of a buffer. Each column is a bank, and each row has one word of every bank.
    ///
    /// Each row of the tensor consists of vectors in different colours. All tensor rows use the same sequence of
    /// colours, so a swizzle is visible as a permutation of the colours.
    /// # Units
    /// The label of a row is an address in bytes. A cell shows the elements in its word. If an element is larger
    /// than a word, the cell shows the element that contains the word.
    #[must_use]
    pub fn banks(place: &BufferLayout, target: &Target, window: Window) -> Self {
        let layout = place.layout();
        let banks = Banks::of(target);
        let (bytes, word) = (place.element_bytes(), u64::from(banks.bytes));
        let count = u64::from(banks.count);
        let line = count * word;
        let columns = count.min(window.columns.max(1));
        let whole = place.size_bytes(1).div_ceil(line);
        let rows = whole.min(window.rows);
        let mut cells = vec![
            Cell {
                paint: Paint::Gap,
                ..Cell::default()
            };
            narrow::<usize>(rows * columns)
        ];
        let (along, run) = match neighbours(layout) {
            Some((dim, run)) => (layout.out_index(dim), run),
            None => (None, 1),
        };
        // Partitions are stored one after the other.
        for input in 0..shl(1, layout.total_in_bits()) {
            let address = place.padded(input * bytes);
            if address >= rows * line {
                break;
            }
            let output = layout.apply_packed(input);
            let element = layout.unpack(output);
            let column = along.and_then(|along| element.iter().nth(along));
            let column = column.unwrap_or(0);
            for part in address / word..(address + bytes).div_ceil(word) {
                let (row, bank) = (part / count, part % count);
                if bank >= columns {
                    continue;
                }
                let cell = &mut cells[narrow::<usize>(row * columns + bank)];
                if cell.elements.is_empty() {
                    cell.paint = Paint::hue(column / run);
                }
                cell.slots.push(input);
                cell.elements.push(output);
            }
        }
        for cell in &mut cells {
            cell.text = names(layout, &cell.elements);
        }
        let panel = Panel {
            groups: vec![("bank".to_owned(), narrow(columns))],
            columns: (0..columns).map(|bank| bank.to_string()).collect(),
            rows: (0..rows).map(|row| (row * line).to_string()).collect(),
            cells,
            break_at: Some(','),
            ..Panel::default()
        };
        let outs: Vec<&str> = layout.out_dims().map(Dim::name).collect();
        let mut scene = Self {
            caption: format!(
                "shared memory of {target}: address in bytes down, bank of {word} bytes across; a cell is {}",
                outs.join(",")
            ),
            panels: vec![panel],
            slots: Space::of_ins(layout),
            elements: Space::of_outs(layout),
            ..Self::default()
        };
        scene.left_out(rows, whole, "rows");
        scene.left_out(columns, count, "banks");
        scene
    }

    /// Returns a picture of the accesses of warp 0 to a buffer, with one table per access.
    ///
    /// A table has one column per bank. The hardware executes an access in phases, each for some of the lanes; a
    /// phase has one row per wavefront. A cell is a word that the phase requests from this bank, and names the
    /// lanes that request the word. If a phase requests several words from one bank, these words are marked as a
    /// bank conflict and occupy consecutive rows. `registers` is the layout of the tensor that is stored or loaded;
    /// it maps (register, lane, warp) to elements.
    #[must_use]
    pub fn accesses(
        plan: &MemoryPlan,
        registers: &LinearLayout,
        access: Access,
        target: &Target,
        window: Window,
    ) -> Self {
        let bytes = plan.vector() as u64 * plan.buffer().element_bytes();
        let lanes = registers.in_size(Dim::LANE);
        let one = |number: usize| {
            let addresses = (0..lanes).map(|lane| plan.address(number, [lane, 0], 0));
            let name = format!("access {number}");
            WarpAccess::new(name, addresses.collect(), (access, narrow(bytes)), target)
        };
        let element = |number: usize, (lane, part): &Request| {
            let held = &plan.accesses()[number].registers;
            let register = held[narrow::<usize>(part / plan.buffer().element_bytes())];
            let (mut at, mut packed) = (0, 0);
            for (dim, size) in registers.in_shape() {
                let index = match dim {
                    Dim::REGISTER => u64::from(register),
                    Dim::LANE => *lane,
                    _ => 0,
                };
                packed |= shl(index, at);
                at += size.trailing_zeros() as usize;
            }
            Some(registers.apply_packed(packed))
        };
        let accesses = (0..plan.accesses().len()).map(one);
        let mut scene = access_tables(accesses, lanes, target, element, window);
        let verb = match access {
            Access::Load => "loads",
            Access::Store => "stores",
        };
        scene.caption = format!(
            "warp 0 {verb} {bytes} bytes a lane on {target}, {}",
            scene.caption
        );
        scene.elements = Space::of_outs(registers);
        scene
    }

    /// Returns a picture of all shared-memory loads and stores of a program, in the format of [`Scene::accesses`].
    /// Returns `None` if the program has no such steps. In the tables of matrix loads and matrix stores, cells name
    /// matrix rows instead of lanes.
    #[must_use]
    pub fn steps(program: &Program, target: &Target, window: Window) -> Option<Self> {
        let lanes = 1u64 << program.lanes_log2();
        let width = |values: &[ValueId]| -> u32 {
            values.iter().map(|value| program.value_bytes(*value)).sum()
        };
        let mut all = Vec::new();
        for (number, step) in program.steps().iter().enumerate() {
            let made = |first: ValueId, count: u32| -> u32 {
                (0..count).map(|i| program.value_bytes(first.plus(i))).sum()
            };
            let (address, bytes, access, rows) = match *step {
                Step::Store {
                    address, values, ..
                } => (
                    address,
                    width(program.operands(values)),
                    Access::Store,
                    None,
                ),
                Step::Load {
                    address,
                    first,
                    count,
                    ..
                } => (address, made(first, count), Access::Load, None),
                Step::StoreMatrices {
                    address,
                    values,
                    fragment,
                } => {
                    let (bytes, rows) = rows(fragment, narrow(values.len()));
                    (address, bytes, Access::Store, Some(rows))
                }
                Step::LoadMatrices {
                    address,
                    count,
                    fragment,
                    ..
                } => {
                    let (bytes, rows) = rows(fragment, count);
                    (address, bytes, Access::Load, Some(rows))
                }
                _ => continue,
            };
            let base = &program.address_bases()[address.base as usize];
            let at = |lane: u64| u64::from((base.apply(narrow(lane)) ^ address.xor) + address.add);
            let count = rows.map_or(lanes, u64::from);
            let name = format!("step {number}, {}", step.kind_name());
            let addresses = (0..count).map(at).collect();
            all.push(WarpAccess::new(name, addresses, (access, bytes), target));
        }
        if all.is_empty() {
            return None;
        }
        let mut scene = access_tables(all.into_iter(), lanes, target, |_, _| None, window);
        scene.caption = format!("the plan on {target}, warp 0: {}", scene.caption);
        Some(scene)
    }
}

/// Returns two properties of an instruction that moves matrices in the form `fragment`: the size of a matrix row in
/// bytes, and the number of matrix rows that a warp moves. Each lane holds `words` 32-bit words of the matrices.
fn rows(fragment: Fragment, words: u32) -> (u32, u32) {
    let deal = fragment.layout();
    (
        deal.row_bytes(),
        deal.row_count() * (4 * words).div_ceil(deal.lane_bytes()),
    )
}

struct WarpAccess {
    name: String,
    /// Byte address that each lane accesses. For a step that moves matrices, byte address of each matrix row.
    addresses: Vec<u64>,
    bytes: u64,
    /// Mask of lane bits. Lanes that differ only in these bits are served in the same phase.
    served: u64,
}

impl WarpAccess {
    fn new(
        name: String,
        addresses: Vec<u64>,
        (access, bytes): (Access, u32),
        target: &Target,
    ) -> Self {
        let same = |mask| {
            (0..addresses.len())
                .all(|lane| addresses.get(lane ^ mask as usize) == addresses.get(lane))
        };
        Self {
            served: target.phase_lane_bits_with(access, bytes, same).into(),
            bytes: bytes.into(),
            name,
            addresses,
        }
    }
}

/// Returns a picture with one table per access. `element` takes the index of an access and one of its requests, and
/// returns the tensor element that is requested.
fn access_tables(
    accesses: impl ExactSizeIterator<Item = WarpAccess>,
    lanes: u64,
    target: &Target,
    element: impl Fn(usize, &Request) -> Option<u64>,
    window: Window,
) -> Scene {
    let banks = Banks::of(target);
    let mut scene = Scene {
        slots: Space(vec![("lane".to_owned(), lanes)]),
        ..Scene::default()
    };
    let whole = accesses.len() as u64;
    let (mut taken, mut ideal) = (0, 0);
    for (number, access) in accesses.enumerate() {
        let mut panel = Panel {
            groups: vec![("bank".to_owned(), banks.count as usize)],
            columns: (0..banks.count).map(|bank| bank.to_string()).collect(),
            ..Panel::default()
        };
        let (mut waves, mut phases) = (0, 0);
        let count = access.addresses.len() as u64;
        for first in (0..count).filter(|lane| lane & access.served == 0) {
            let members = (first..count).filter(|lane| lane & !access.served == first);
            let words = words(&access, members, banks);
            let deepest = words.iter().map(Vec::len).max().unwrap_or(0);
            for wave in 0..deepest {
                panel.rows.push(match wave {
                    0 => format!("phase {phases}"),
                    _ => format!("+{wave}"),
                });
                for bank in &words {
                    let cell = match bank.get(wave) {
                        Some((_, requests)) => {
                            word_cell(requests, bank.len() > 1, |request| element(number, request))
                        }
                        None => Cell::default(),
                    };
                    panel.cells.push(Cell {
                        group: phases as u64,
                        ..cell
                    });
                }
            }
            (waves, phases) = (waves + deepest, phases + 1);
        }
        (taken, ideal) = (taken + waves, ideal + phases);
        if (number as u64) < window.grids {
            panel.title = format!(
                "{}: {waves} wavefronts in {phases} phases, {}",
                access.name,
                conflicts(waves - phases)
            );
            scene.panels.push(panel);
        }
    }
    scene.caption = format!(
        "{taken} wavefronts where {ideal} would do, {}; a cell is the lanes that ask for a word",
        conflicts(taken - ideal)
    );
    if taken > ideal {
        let text = "bank conflict: a bank has several words of one phase";
        scene.legend.push((Paint::Warning, text.to_owned()));
    }
    scene.left_out(scene.panels.len() as u64, whole, "accesses");
    scene
}

fn conflicts(count: usize) -> String {
    match count {
        0 => "no bank conflict".to_owned(),
        1 => "1 bank conflict".to_owned(),
        _ => format!("{count} bank conflicts"),
    }
}

/// A lane's request for a word: `(lane, byte offset of the word from the lane's address)`.
type Request = (u64, u64);

/// Returns the words that `lanes` request in one phase, with one list per bank. Each list contains pairs of a word
/// and the requests for this word, in ascending order of the words.
fn words(
    access: &WarpAccess,
    lanes: impl Iterator<Item = u64>,
    banks: Banks,
) -> Vec<Vec<(u64, Vec<Request>)>> {
    let width = u64::from(banks.bytes);
    let mut found: Vec<Vec<(u64, Vec<Request>)>> = vec![Vec::new(); banks.count as usize];
    for lane in lanes {
        let address = access.addresses[narrow::<usize>(lane)];
        for word in address / width..(address + access.bytes).div_ceil(width) {
            let part = (word * width).saturating_sub(address);
            let bank = &mut found[narrow::<usize>(word % u64::from(banks.count))];
            match bank.iter_mut().find(|(known, _)| *known == word) {
                Some((_, requests)) => requests.push((lane, part)),
                None => bank.push((word, vec![(lane, part)])),
            }
        }
    }
    for bank in &mut found {
        bank.sort_unstable_by_key(|(word, _)| *word);
    }
    found
}

fn word_cell(
    requests: &[Request],
    is_conflict: bool,
    element: impl Fn(&Request) -> Option<u64>,
) -> Cell {
    let text = match requests {
        [(lane, _)] => format!("T{lane}"),
        [(first, _), .., (last, _)] if last - first + 1 == requests.len() as u64 => {
            format!("T{first}-{last}")
        }
        [(first, _), rest @ ..] => format!("T{first}+{}", rest.len()),
        [] => String::new(),
    };
    let mut elements: Vec<u64> = requests.iter().filter_map(element).collect();
    elements.sort_unstable();
    elements.dedup();
    Cell {
        text: if is_conflict {
            format!("!{text}")
        } else {
            text
        },
        paint: match requests.first() {
            _ if is_conflict => Paint::Warning,
            Some((lane, _)) => Paint::Tint(narrow(*lane)),
            None => Paint::Blank,
        },
        slots: requests.iter().map(|(lane, _)| *lane).collect(),
        elements,
        ..Cell::default()
    }
}

/// Returns the label of a memory word that contains `elements`.
///
/// The label `3,4` denotes one element. The label `3,4-5` denotes consecutive elements along the last dim, here
/// `3,4` and `3,5`. The label `3,4+1` denotes the element `3,4` and one further element that is not named.
fn names(layout: &LinearLayout, elements: &[u64]) -> String {
    let index = |element: u64| layout.unpack(element).to_vec();
    let text = |element: u64| {
        let index: Vec<String> = index(element).iter().map(u64::to_string).collect();
        index.join(",")
    };
    match elements {
        [] => String::new(),
        [only] => text(*only),
        [first, .., last] => {
            let (a, b) = (index(*first), index(*last));
            let count = elements.len() as u64;
            match (a.as_slice(), b.as_slice()) {
                ([a @ .., i], [b @ .., j]) if a == b && i + count == j + 1 => {
                    format!("{}-{j}", text(*first))
                }
                _ => format!("{}+{}", text(*first), count - 1),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::Encoding;

    const LOAD: Access = Access::Load;

    /// Plans loads in which each lane reads 16 bytes from its own row of 128 bytes. `max_phase` is the `maxPhase`
    /// of the buffer's swizzle.
    fn column_reads(max_phase: u32) -> (MemoryPlan, LinearLayout) {
        let registers = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [1, 1], order = [1, 0]}>";
        let shared = format!(
            "#ttg.swizzled_shared<{{vec = 8, perPhase = 1, maxPhase = {max_phase}, order = [1, 0]}}>"
        );
        let layout = |text: &str| {
            let encoding: Encoding = text.parse().unwrap();
            encoding.to_linear_layout(&[32, 64]).unwrap()
        };
        let registers = layout(registers);
        let place = BufferLayout::new(layout(&shared), &[], 16).unwrap();
        let target = Target::parse("cuda:90").unwrap();
        let plan = MemoryPlan::new(&registers, &place, 0, LOAD, target).unwrap();
        (plan, registers)
    }

    #[test]
    fn conflicts_are_those_that_the_target_counts() {
        let target = Target::parse("cuda:90").unwrap();
        for (max_phase, waves) in [(1, 8), (2, 4), (4, 2), (8, 1)] {
            let (plan, registers) = column_reads(max_phase);
            let scene = Scene::accesses(&plan, &registers, LOAD, target, Window::ALL);
            let addresses: Vec<_> = (0..32).map(|l| Some(plan.address(0, [l, 0], 0))).collect();
            let counted = target.wavefronts(&addresses, 16, LOAD);
            let panel = &scene.panels[0];
            assert_eq!(panel.rows.len() as u64, counted.taken);
            assert_eq!(counted.taken, 4 * waves);
            let marked = panel.cells.iter().filter(|c| c.paint == Paint::Warning);
            assert_eq!(marked.count() > 0, waves > 1, "{scene}");
            // Each lane requests one word from each of four adjacent banks.
            let named: usize = panel.cells.iter().map(|c| c.slots.len()).sum();
            assert_eq!(named, 32 * 4);
        }
    }

    #[test]
    fn wavefronts_of_plans_are_those_that_are_counted() {
        let blocked = |size: &str, threads: &str, warps: &str, order: &str| {
            let text = format!(
                "#ttg.blocked<{{sizePerThread = {size}, threadsPerWarp = {threads}, warpsPerCTA = {warps}, order = {order}}}>"
            );
            let encoding: Encoding = text.parse().unwrap();
            encoding.to_linear_layout(&[64, 64]).unwrap()
        };
        let layouts = [
            blocked("[1, 8]", "[4, 8]", "[4, 1]", "[1, 0]"),
            blocked("[8, 1]", "[8, 4]", "[1, 4]", "[0, 1]"),
            blocked("[1, 1]", "[1, 32]", "[2, 2]", "[1, 0]"),
            blocked("[2, 2]", "[16, 2]", "[2, 2]", "[0, 1]"),
        ];
        let mut drawn = 0;
        for name in ["cuda:80", "cuda:90", "hip:gfx1100"] {
            let target = Target::parse(name).unwrap();
            for src in &layouts {
                for dst in &layouts {
                    for bits in [8, 16, 32] {
                        let options = crate::plan::PlanOptions::default();
                        let plan =
                            crate::plan::plan_conversion(src, dst, bits, target, &options).unwrap();
                        let program = plan.program();
                        let report = crate::machine::check_plan(program, src, dst, target).unwrap();
                        let counted = report.store_wavefronts + report.load_wavefronts;
                        let scene = Scene::steps(program, target, Window::ALL);
                        let panels = scene.map(|scene| scene.panels).unwrap_or_default();
                        let rows: usize = panels.iter().map(|panel| panel.rows.len()).sum();
                        assert_eq!(
                            (rows as u64) << program.warps_log2(),
                            counted,
                            "{name} {bits} {plan:?}"
                        );
                        drawn += usize::from(rows > 0);
                    }
                }
            }
        }
        assert!(drawn > 50, "{drawn}");
    }

    #[test]
    fn a_swizzle_changes_the_places_of_vectors() {
        let target = Target::parse("cuda:90").unwrap();
        let (plan, _) = column_reads(8);
        let scene = Scene::banks(plan.buffer(), target, Window::ALL);
        let panel = &scene.panels[0];
        assert_eq!((panel.rows.len(), panel.columns.len()), (32, 32));
        assert_eq!(panel.rows[1], "128");
        let row = |i: usize| -> Vec<&str> {
            let cells = panel.cells[32 * i..32 * i + 8].iter();
            cells.map(|c| c.text.as_str()).step_by(4).collect()
        };
        assert_eq!(row(0), ["0,0-1", "0,8-9"]);
        assert_eq!(row(1), ["1,8-9", "1,0-1"]);
        // The same vector has the same colour in each row.
        assert_eq!(panel.cells[0].paint, panel.cells[32 + 4].paint);
    }
}
