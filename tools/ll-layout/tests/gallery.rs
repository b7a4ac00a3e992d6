//! Figures of the gallery, compared with the formulas of the PTX manual.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../docs/gallery/figures.rs"]
mod figures;

use figures::{Fragment, fragments, sections};
use linear_layout::layout::{Dim, LinearLayout};
use linear_layout::target::Target;
use linear_layout::view::svg;

/// Maps a lane and an element index within the lane to the row and the column of the element.
type Formula = fn(u64, u64) -> (u64, u64);

/// Returns `groupID` and `threadID_in_group` of a lane, as the PTX manual defines them.
fn group(lane: u64) -> (u64, u64) {
    (lane >> 2, lane % 4)
}

/// Name of each fragment, its number of elements per lane, and the formula in the PTX manual.
const FORMULAS: [(&str, u64, Formula); 12] = [
    ("mma-m16n8-c", 4, |lane, i| {
        let (g, t) = group(lane);
        (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))
    }),
    ("mma-m16n8k16-f16-a", 8, |lane, i| {
        let (g, t) = group(lane);
        let row = if i < 2 || (4..6).contains(&i) {
            g
        } else {
            g + 8
        };
        let column = t * 2 + (i & 1);
        (row, if i < 4 { column } else { column + 8 })
    }),
    ("mma-m16n8k16-f16-b", 4, |lane, i| {
        let (g, t) = group(lane);
        let row = t * 2 + (i & 1);
        (if i < 2 { row } else { row + 8 }, g)
    }),
    ("mma-m16n8k8-f16-a", 4, |lane, i| {
        let (g, t) = group(lane);
        (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))
    }),
    ("mma-m16n8k8-f16-b", 2, |lane, i| {
        let (g, t) = group(lane);
        (t * 2 + i, g)
    }),
    ("mma-m16n8k4-tf32-a", 2, |lane, i| {
        let (g, t) = group(lane);
        (if i == 0 { g } else { g + 8 }, t)
    }),
    ("mma-m16n8k8-tf32-a", 4, |lane, i| {
        let (g, t) = group(lane);
        let row = if i == 0 || i == 2 { g } else { g + 8 };
        (row, if i < 2 { t } else { t + 4 })
    }),
    ("mma-m16n8k16-f64-a", 8, |lane, i| {
        let (g, t) = group(lane);
        (if i % 2 == 0 { g } else { g + 8 }, t + 4 * (i >> 1))
    }),
    ("mma-m16n8k32-s8-a", 16, |lane, i| {
        let (g, t) = group(lane);
        let row = if i < 4 || (8..12).contains(&i) {
            g
        } else {
            g + 8
        };
        let column = t * 4 + (i & 3);
        (row, if i < 8 { column } else { column + 16 })
    }),
    ("mma-m16n8k32-s8-b", 8, |lane, i| {
        let (g, t) = group(lane);
        let row = t * 4 + (i & 3);
        (if i < 4 { row } else { row + 16 }, g)
    }),
    ("mma-m16n8k64-s4-a", 32, |lane, i| {
        let (g, t) = group(lane);
        let row = if i < 8 || (16..24).contains(&i) {
            g
        } else {
            g + 8
        };
        let column = t * 8 + (i & 7);
        (row, if i < 16 { column } else { column + 32 })
    }),
    ("mma-m16n8k256-b1-b", 64, |lane, i| {
        let (g, t) = group(lane);
        let row = t * 32 + (i & 31);
        (if i < 32 { row } else { row + 128 }, g)
    }),
];

fn find(name: &str) -> (Fragment, LinearLayout) {
    let all = fragments();
    let found = all.into_iter().find(|fragment| fragment.name == name);
    let found = found.unwrap_or_else(|| panic!("{name} is no figure"));
    let layout = found.layout().unwrap();
    (found, layout)
}

fn element(layout: &LinearLayout, register: u64, lane: u64, warp: u64) -> (u64, u64) {
    let point = [
        (Dim::REGISTER, register),
        (Dim::LANE, lane),
        (Dim::WARP, warp),
    ];
    let found = layout
        .apply(&[&point[..], &[(Dim::BLOCK, 0)]].concat())
        .unwrap();
    let index = found.to_vec();
    (index[0], index[1])
}

#[test]
fn fragments_are_those_of_the_manual() {
    for (name, registers, formula) in FORMULAS {
        let (_, layout) = find(name);
        assert_eq!(layout.in_size(Dim::REGISTER), registers, "{name}");
        for lane in 0..32 {
            for i in 0..registers {
                let found = element(&layout, i, lane, 0);
                assert_eq!(found, formula(lane, i), "{name}: lane {lane}, element {i}");
            }
        }
    }
}

/// Name of an instruction, index of an operand, and name of the fragment that the operand must have.
const OPERANDS: [(&str, usize, &str); 11] = [
    ("mma.m16n8k16.f32.f16", 0, "mma-m16n8k16-f16-a"),
    ("mma.m16n8k16.f32.f16", 1, "mma-m16n8k16-f16-b"),
    ("mma.m16n8k16.f32.f16", 2, "mma-m16n8-c"),
    ("mma.m16n8k8.f32.f16", 0, "mma-m16n8k8-f16-a"),
    ("mma.m16n8k8.f32.f16", 1, "mma-m16n8k8-f16-b"),
    ("mma.m16n8k16.i32.i8", 2, "mma-m16n8-c"),
    ("mma.m16n8k32.i32.i8", 0, "mma-m16n8k32-s8-a"),
    ("mma.m16n8k32.f32.e4m3", 1, "mma-m16n8k32-s8-b"),
    ("mma.m16n8k4.f32.tf32", 0, "mma-m16n8k4-tf32-a"),
    ("mma.m16n8k8.f32.tf32", 0, "mma-m16n8k8-tf32-a"),
    ("mma.m16n8k8.f32.tf32", 2, "mma-m16n8-c"),
];

#[test]
fn operands_of_instructions_are_the_fragments_of_the_manual() {
    let rows = Target::parse("cuda:90").unwrap().matrix_instructions();
    for (name, operand, fragment) in OPERANDS {
        let row = rows.iter().find(|row| row.name == name).unwrap();
        let (_, registers, formula) = FORMULAS
            .iter()
            .find(|(name, ..)| *name == fragment)
            .unwrap();
        assert_eq!(
            1 << row.operands[operand].registers.len(),
            *registers,
            "{name}"
        );
        for lane in 0..32u8 {
            for i in 0..u8::try_from(*registers).unwrap() {
                let [down, across] = row.coordinates(operand, i.into(), lane.into());
                let found = (down as u64, across as u64);
                let expected = formula(lane.into(), i.into());
                assert_eq!(found, expected, "{name}: lane {lane}, element {i}");
            }
        }
    }
}

/// Checks that a common rule describes all fragments. A 32-bit register holds neighbours along k. In an A operand
/// or accumulator, the next register holds the elements eight rows below. All further registers continue along k.
#[test]
fn every_fragment_follows_one_rule() {
    for fragment in fragments() {
        let layout = fragment.layout().unwrap();
        let width = fragment
            .encoding
            .split_once("kWidth = ")
            .map(|(_, rest)| rest.trim_end_matches("}>").parse::<u64>().unwrap());
        let is_second = fragment.encoding.contains("opIdx = 1");
        // An accumulator has pairs of columns.
        let width = width.unwrap_or(2);
        for warp in 0..layout.in_size(Dim::WARP) {
            for lane in 0..32 {
                for i in 0..layout.in_size(Dim::REGISTER) {
                    let (g, t) = group(lane);
                    let (within, rest) = (i % width, i / width);
                    let (half, on) = if is_second {
                        (0, rest)
                    } else {
                        (rest % 2, rest / 2)
                    };
                    let (m, k) = (
                        16 * warp + g + 8 * half,
                        4 * width * on + width * t + within,
                    );
                    let expected = if is_second { (k, m) } else { (m, k) };
                    let found = element(&layout, i, lane, warp);
                    assert_eq!(found, expected, "{}: {warp} {lane} {i}", fragment.title);
                }
            }
        }
    }
}

#[test]
fn every_figure_is_drawn_and_has_a_name_of_its_own() {
    let sections = sections().unwrap();
    for section in &sections {
        assert!(!section.title.is_empty() && !section.description.is_empty());
    }
    let figures = || sections.iter().flat_map(|section| &section.figures);
    let mut names: Vec<&str> = figures().map(|figure| figure.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    let swizzles = names.iter().filter(|name| name.starts_with("swizzle-"));
    assert!(swizzles.count() >= 10);
    for figure in figures() {
        assert!(!figure.title.is_empty() && !figure.subject.is_empty());
        for scene in &figure.scenes {
            let picture = svg(scene);
            assert!(
                picture.len() < 1_000_000,
                "{}: {}",
                figure.name,
                picture.len()
            );
        }
    }
}

#[test]
fn figures_say_which_swizzles_have_no_conflict() {
    let sections = sections().unwrap();
    let conflict_free: Vec<&str> = sections
        .iter()
        .flat_map(|section| &section.figures)
        .filter(|figure| {
            figure
                .scenes
                .iter()
                .any(|scene| scene.caption.contains("no bank conflict"))
        })
        .map(|figure| figure.name.as_str())
        .collect();
    assert_eq!(
        conflict_free,
        [
            "swizzle-vec8-max8",
            "swizzle-vec4-max16",
            "swizzle-nvmma-32",
            "swizzle-nvmma-64",
            "swizzle-nvmma-128",
            "swizzle-rotating"
        ]
    );
}
