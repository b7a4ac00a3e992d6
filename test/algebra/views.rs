//! Views of one layout.

use crate::testing::{INS, OUTS, between, layout as any_layout, shape};
use linear_layout::encoding::Encoding;
use linear_layout::layout::{Dim, LinearLayout, Surjectivity};
use linear_layout::view::{Scene, Window, html, svg, words};
use proptest::prelude::*;

#[test]
fn the_largest_layouts_have_words() {
    let outs = [(Dim::out(0), 1 << 63), (Dim::out(1), 2), (Dim::out(2), 1)];
    let bases: &[&[u64]] = &[&[1 << 62, 1, 0]];
    let layout =
        LinearLayout::from_bases_sized(&[(Dim::LANE, bases)], &outs, Surjectivity::NotRequired)
            .unwrap();
    assert!(
        words(&layout).ends_with("goes on by 1 along dim1\n"),
        "{}",
        words(&layout)
    );
}

#[test]
fn a_layout_is_shown_as_tensor_hardware_and_matrix() {
    let encoding: Encoding = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [2, 1], order = [1, 0]}>"
        .parse()
        .unwrap();
    let layout = encoding.to_linear_layout(&[4, 4]).unwrap();
    let window = Window::default();
    assert_eq!(
        Scene::tensor(&layout, window).to_string(),
        "4 x 4: dim0 down, dim1 across; a cell is T<4 * warp + lane>:<register>
       0     1     2     3
0:  T0:0  T0:1  T1:0  T1:1
1:  T2:0  T2:1  T3:0  T3:1
2:  T4:0  T4:1  T5:0  T5:1
3:  T6:0  T6:1  T7:0  T7:1
"
    );
    assert_eq!(
        Scene::hardware(&layout, window).to_string(),
        "lane down, register across; a cell is (dim0, dim1)
warp = 0
         0       1
0:  (0, 0)  (0, 1)
1:  (0, 2)  (0, 3)
2:  (1, 0)  (1, 1)
3:  (1, 2)  (1, 3)
warp = 1
         0       1
0:  (2, 0)  (2, 1)
1:  (2, 2)  (2, 3)
2:  (3, 0)  (3, 1)
3:  (3, 2)  (3, 3)
"
    );
    assert_eq!(
        Scene::matrix(&layout).to_string(),
        "        register  lane  warp
               1  1  2     1
dim0=1         .  .  1     .
dim0=2         .  .  .     1
dim1=1         1  .  .     .
dim1=2         .  1  .     .
"
    );
}

/// A picture states the numbers of rows, columns and grids that lie outside its window. It states nothing if all of
/// them lie inside.
#[test]
fn a_window_says_what_it_leaves_out() {
    let layout = LinearLayout::identity_nd(Dim::REGISTER, &[2, 4, 8], &[0, 1, 2]).unwrap();
    let tail = |rows, columns, grids| {
        let window = Window {
            rows,
            columns,
            grids,
        };
        let text = Scene::tensor(&layout, window).to_string();
        let left: Vec<&str> = text.lines().filter(|l| l.starts_with("...")).collect();
        left.join("; ")
    };
    assert_eq!(tail(4, 8, 2), "");
    assert_eq!(tail(9, 9, 9), "");
    assert_eq!(tail(3, 8, 2), "... 1 more rows");
    assert_eq!(tail(4, 6, 2), "... 2 more columns");
    assert_eq!(
        tail(1, 2, 1),
        "... 3 more rows; ... 6 more columns; ... 1 more grids"
    );
}

/// A tensor of more than two dims is shown as one grid for each combination of coordinates in the leading dims. The
/// last of these dims varies fastest.
#[test]
fn grids_of_a_tensor_are_numbered() {
    let layout = LinearLayout::identity_nd(Dim::REGISTER, &[2, 4, 2, 2], &[0, 1, 2, 3]).unwrap();
    let text = Scene::tensor(&layout, Window::ALL).to_string();
    let titles: Vec<&str> = text.lines().filter(|l| l.starts_with("dim0 =")).collect();
    let expected = (0..8).map(|grid| format!("dim0 = {}, dim1 = {}", grid / 4, grid % 4));
    assert_eq!(titles, expected.collect::<Vec<_>>());
    let firsts: Vec<&str> = text.lines().filter(|l| l.starts_with("0:")).collect();
    let cells: Vec<&str> = firsts
        .iter()
        .map(|l| l.split_whitespace().nth(1).unwrap())
        .collect();
    // Dim 0 is the fastest of the registers.
    let expected = (0..8).map(|grid| format!("T0:{}", grid / 4 + 2 * (grid % 4)));
    assert_eq!(cells, expected.collect::<Vec<_>>());
}

#[test]
fn copies_are_named_or_counted() {
    let copies = |lanes: u64| {
        let layout = LinearLayout::identity_1d(2, Dim::REGISTER, Dim::out(0));
        let lanes = LinearLayout::zeros_1d(lanes, Dim::LANE, Dim::out(0), 1).unwrap();
        let layout = layout.unwrap().product(&lanes).unwrap();
        let text = Scene::tensor(&layout, Window::default()).to_string();
        text.lines()
            .last()
            .unwrap()
            .trim_start_matches("0:")
            .trim()
            .to_owned()
    };
    let named = |register: u32| {
        let holders: Vec<String> = (0..4).map(|lane| format!("T{lane}:{register}")).collect();
        holders.join("|")
    };
    assert_eq!(copies(2), "T0:0|T1:0  T0:1|T1:1");
    assert_eq!(copies(4), format!("{}  {}", named(0), named(1)));
    assert_eq!(copies(8), format!("{}|+4  {}|+4", named(0), named(1)));
}

/// The title of each grid states its block and its warp. All warps of a block precede the next block.
#[test]
fn grids_of_slots_are_numbered() {
    let one = |size: u64, dim: Dim| LinearLayout::identity_1d(size, dim, Dim::out(0)).unwrap();
    let layout = [
        (2, Dim::REGISTER),
        (2, Dim::LANE),
        (4, Dim::WARP),
        (2, Dim::BLOCK),
    ]
    .into_iter()
    .fold(LinearLayout::empty(), |all, (size, dim)| {
        all.product(&one(size, dim)).unwrap()
    });
    let text = Scene::hardware(&layout, Window::ALL).to_string();
    let titles: Vec<&str> = text.lines().filter(|l| l.starts_with("block")).collect();
    let expected = (0..8).map(|grid| format!("block = {}, warp = {}", grid / 4, grid % 4));
    assert_eq!(titles, expected.collect::<Vec<_>>());
    let firsts: Vec<&str> = text.lines().filter(|l| l.starts_with("0:")).collect();
    for (grid, first) in firsts.iter().enumerate() {
        let elements: Vec<&str> = first.split_whitespace().skip(1).collect();
        assert_eq!(
            elements,
            [format!("({})", 4 * grid), format!("({})", 4 * grid + 1)]
        );
    }
}

/// Lanes are shown as rows and registers as columns, even if the layout has only lanes or only registers.
#[test]
fn lanes_go_down_and_registers_across() {
    let one = |dim: Dim| LinearLayout::identity_1d(2, dim, Dim::out(0)).unwrap();
    let warps = one(Dim::WARP);
    for (dim, expected) in [(Dim::LANE, "lane down"), (Dim::REGISTER, "register across")] {
        let layout = one(dim).product(&warps).unwrap();
        let text = Scene::hardware(&layout, Window::ALL).to_string();
        assert_eq!(
            text.lines().next(),
            Some(&*format!("{expected}; a cell is (dim0)"))
        );
        assert!(text.contains("warp = 1"), "{text}");
    }
}

/// A row shows sixteen offsets, and its label is the first of them.
#[test]
fn offsets_go_on_from_row_to_row() {
    let one = |size: u64, dim: Dim| LinearLayout::identity_1d(size, dim, Dim::out(0)).unwrap();
    for (offsets, rows) in [(8, 1), (16, 1), (64, 4)] {
        let layout = one(offsets, Dim::OFFSET)
            .product(&one(2, Dim::BLOCK))
            .unwrap();
        let text = Scene::hardware(&layout, Window::ALL).to_string();
        let lines = text
            .lines()
            .filter(|line| line.ends_with(')') && line.contains(": "));
        let lines: Vec<Vec<&str>> = lines
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(lines.len(), 2 * rows, "{text}");
        let mut element = 0;
        for (row, cells) in lines.iter().enumerate() {
            assert_eq!(cells[0], format!("{}:", 16 * (row % rows)), "{text}");
            for cell in &cells[1..] {
                assert_eq!(*cell, format!("({element})"), "{text}");
                element += 1;
            }
        }
        assert_eq!(element, 2 * offsets);
    }
}

#[test]
fn a_matrix_is_labelled_with_what_each_bit_is_worth() {
    let layout = LinearLayout::from_bases(
        &[(Dim::OFFSET, &[&[0, 1], &[0, 2], &[1, 2]])],
        &[Dim::out(0), Dim::out(1)],
    )
    .unwrap();
    assert_eq!(
        Scene::matrix(&layout).to_string(),
        "        offset
        1  2  4
dim0=1  .  .  1
dim1=1  1  .  .
dim1=2  .  1  1
"
    );
}

/// Checks that each opening tag has a closing tag, and that tags are properly nested.
fn check_xml(text: &str) -> Result<(), TestCaseError> {
    let mut open = Vec::new();
    for tag in text.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag ends");
        if let Some(name) = tag.strip_prefix('/') {
            prop_assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    prop_assert!(open.is_empty(), "{open:?}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn cells_say_what_the_layout_says(l in any_layout()) {
        let window = Window { rows: 16, columns: 16, grids: 4 };
        for scene in [Scene::tensor(&l, window), Scene::boxed(&l, window), Scene::hardware(&l, window)] {
            for panel in &scene.panels {
                prop_assert_eq!(panel.cells.len(), panel.rows.len() * panel.columns.len());
                for cell in &panel.cells {
                    for slot in &cell.slots {
                        prop_assert_eq!(&cell.elements, &[l.apply_packed(*slot)]);
                    }
                }
            }
            check_xml(&svg(&scene))?;
        }
        let matrix = Scene::matrix(&l);
        for cell in &matrix.panels[0].cells {
            let is_set = l.apply_packed(cell.slots[0]) & cell.elements[0] != 0;
            prop_assert_eq!(cell.text.as_str(), if is_set { "1" } else { "." });
        }
        let bits = l.in_dims().map(|d| l.in_bits(d)).sum::<usize>();
        prop_assert_eq!(words(&l).lines().filter(|line| line.starts_with("  ")).count(), bits);
    }

    /// If both layouts give the same picture, the caption of their comparison states that no elements differ. If
    /// the pictures differ, the caption does not state this.
    #[test]
    fn a_comparison_marks_what_differs(
        (a, b) in (shape(&INS, 5), shape(&OUTS, 5))
            .prop_flat_map(|(ins, outs)| (between(ins.clone(), outs.clone()), between(ins, outs)))
    ) {
        let scene = Scene::comparison(&a, &b, Window::ALL);
        let is_same = Scene::tensor(&a, Window::ALL).panels == Scene::tensor(&b, Window::ALL).panels;
        prop_assert_eq!(scene.caption.starts_with("none of "), is_same, "{}", scene.caption);
        check_xml(&svg(&scene))?;
    }
}

#[test]
fn a_large_picture_is_small() {
    let text = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>";
    let encoding: Encoding = text.parse().unwrap();
    let layout = encoding.to_linear_layout(&[128, 128]).unwrap();
    let scene = Scene::tensor(&layout, Window::PICTURE);
    for bytes in [svg(&scene).len(), html("layout", &[scene]).len()] {
        assert!(bytes < 1_000_000, "{bytes} bytes");
    }
}
