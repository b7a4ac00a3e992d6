//! Pictures of matrix products: A is at the left, B is at the top, and D is to the right of A and below B.

use super::tensor::{NAMED_HOLDERS, holders_text, of_elements};
use super::{Arrangement, Cell, Frame, Paint, Panel, Scene, Space, Window};
use crate::layout::{Dim, LayoutError, LinearLayout};
use crate::plan::product::{MatrixProduct, ProductPlan, operand_layout};
use crate::target::{Number, Product, Target, TileBit};
use crate::view::holders::InPoint;

/// Name and dims of each operand of a matrix product.
const OPERANDS: [(&str, [&str; 2]); 3] = [("A", ["m", "k"]), ("B", ["k", "n"]), ("D", ["m", "n"])];

impl Scene {
    /// Returns a picture of the operands of a matrix instruction. Each cell shows the lane and the register that
    /// hold its element. A lane has the same colour in all operands.
    ///
    /// ```
    /// # use linear_layout::target::Target;
    /// # use linear_layout::view::{Scene, Window};
    /// let rows = Target::parse("cuda:80")?.products();
    /// let row = rows.iter().find(|row| row.name == "mma.m8n8k4.f64.f64").unwrap();
    /// let text = Scene::instruction(row, Window::ALL)?.to_string();
    /// assert!(text.starts_with("D = A B + D, m n k = 8 8 4; a cell is T<lane>:<register>\n"), "{text}");
    /// assert!(text.contains("\n1:   T4:0   T5:0   T6:0   T7:0            1:   T4:0   T4:1   T5:0   T5:1 "), "{text}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// # Errors
    /// Returns an error if the operand layouts of the instruction are invalid.
    pub fn instruction(row: &Product, window: Window) -> Result<Self, LayoutError> {
        let mut layouts = Vec::new();
        for operand in 0..OPERANDS.len() {
            layouts.push(operand_layout(row, operand)?);
        }
        let mut scene = of_operands(&layouts, row.types(), NAMED_HOLDERS, window);
        let sizes = row.sizes().map(|size| size.to_string());
        scene.caption = format!(
            "D = A B + D, m n k = {}; {}",
            sizes.join(" "),
            scene.caption
        );
        scene.title.clone_from(&row.name);
        Ok(scene)
    }

    /// Returns a picture of the operands of a matrix product. If the operands are batches of matrices, the picture
    /// shows the first product.
    ///
    /// Only the elements that the first instruction of warp 0 processes are coloured. The lane that holds an
    /// element determines its colour.
    /// # Errors
    /// Returns an error if the layouts do not have two or three dims.
    pub fn product(
        product: &MatrixProduct<'_>,
        plan: &ProductPlan,
        window: Window,
    ) -> Result<Self, LayoutError> {
        let mut layouts = Vec::new();
        for (layout, (_, dims)) in [product.a, product.b, product.d].into_iter().zip(OPERANDS) {
            let sizes: Vec<u64> = layout.out_shape().map(|(_, size)| size).collect();
            let names = ["matrix"].into_iter().chain(dims);
            let names = names.skip(3usize.saturating_sub(sizes.len()));
            let outs: Vec<(Dim, u64)> = names.map(Dim::named).zip(sizes).collect();
            layouts.push(layout.reshape_outs(&outs)?);
        }
        let [left, right] = product.factors.first().copied().unwrap_or([product.sum; 2]);
        let window = Window { grids: 1, ..window };
        let mut scene = of_operands(&layouts, [left, right, product.sum], 1, window);
        let tile = |index: u64, dim: &str| is_of_tile(plan.renaming(), index, dim);
        for panel in &mut scene.panels {
            let Some(Space(dims)) = &panel.elements else {
                continue;
            };
            for cell in &mut panel.cells {
                let mut rest = cell.elements.first().copied().unwrap_or(0);
                let is_inside = dims.iter().all(|(dim, size)| {
                    let index = rest % size;
                    rest /= size;
                    tile(index, dim)
                });
                cell.paint = if is_inside {
                    let lane = scene
                        .slots
                        .index(cell.slots.first().copied().unwrap_or(0), Dim::LANE);
                    Paint::shade(lane, product.target.lanes.into())
                } else {
                    Paint::Blank
                };
            }
        }
        scene.caption = format!(
            "D = A B + D; {}; coloured: the first {} of warp 0",
            scene.caption,
            plan.instruction()
        );
        Ok(scene)
    }
}

impl Scene {
    /// Returns a table of the matrix instructions of a target. The columns are the sizes, the element types, the
    /// numbers of 32-bit registers per lane, and the issue time of a warp in clocks.
    #[must_use]
    pub fn instructions(target: &Target) -> Self {
        let rows = target.matrix_instructions();
        let mut cells = Vec::new();
        for row in &rows {
            let clocks = f64::from(row.issue(target.lanes)) / 4.0;
            let texts = [
                &row.sizes().map(|size| size.to_string())[..],
                &row.types().map(|type_| type_.to_string()),
                &row.registers().map(|count| count.to_string()),
                &[clocks.to_string()],
            ]
            .concat();
            cells.extend(texts.into_iter().map(|text| Cell {
                text,
                ..Cell::default()
            }));
        }
        let groups = [("size", 3), ("types", 3), ("registers", 3), ("clocks", 1)];
        let columns = "m n k A B D A B D warp".split(' ');
        let panel = Panel {
            frame: Frame::Named,
            groups: groups
                .map(|(name, count)| (name.to_owned(), count))
                .to_vec(),
            columns: columns.map(str::to_owned).collect(),
            rows: rows.into_iter().map(|row| row.name).collect(),
            cells,
            ..Panel::default()
        };
        Self {
            caption: format!(
                "matrix instructions of {target}, the fastest first; registers of 32 bits of a lane"
            ),
            panels: vec![panel],
            ..Self::default()
        }
    }
}

/// Returns true if the tile of the first instruction contains the index `index` along the dim `dim`.
fn is_of_tile(renaming: &[(TileBit, u64)], index: u64, dim: &str) -> bool {
    let images = renaming.iter().filter(|(bit, _)| match bit {
        TileBit::M(_) => dim == "m",
        TileBit::N(_) => dim == "n",
        TileBit::K(_) => dim == "k",
        TileBit::Copy => false,
    });
    let mut span = crate::f2::Span::empty();
    for (_, image) in images {
        span.insert(*image);
    }
    span.reduce(index) == 0
}

/// Returns a picture of the operands A, B and D. The slot numbers of all operands are packed in the same dims, so
/// that they can be compared. A cell names at most `spelled` holders.
fn of_operands(
    layouts: &[LinearLayout],
    types: [Number; 3],
    spelled: usize,
    window: Window,
) -> Scene {
    let mut slots: Vec<(Dim, u64)> = Vec::new();
    for (dim, size) in layouts.iter().flat_map(LinearLayout::in_shape) {
        match slots.iter_mut().find(|(known, _)| *known == dim) {
            Some((_, known)) => *known = (*known).max(size),
            None => slots.push((dim, size)),
        }
    }
    slots.retain(|(_, size)| *size > 1);
    let number = |layout: &LinearLayout, input: u64| {
        let point = InPoint::new(layout, input);
        let dims = slots.iter().rev();
        dims.fold(0, |number, (dim, size)| number * size + point.index(*dim))
    };
    let mut scene = Scene {
        arrangement: Arrangement::Product,
        ..Scene::default()
    };
    for ((layout, (letter, _)), type_) in layouts.iter().zip(OPERANDS).zip(types) {
        let of_tensor = of_elements(layout, window, NAMED_HOLDERS, |held, more| {
            let spelled = held.len().min(spelled);
            let more = more.saturating_add((held.len() - spelled) as u64);
            holders_text(layout, &held[..spelled], more)
        });
        let Some(mut panel) = of_tensor.panels.into_iter().next() else {
            continue;
        };
        for slot in panel.cells.iter_mut().flat_map(|cell| &mut cell.slots) {
            *slot = number(layout, *slot);
        }
        let sizes: Vec<String> = layout
            .out_shape()
            .map(|(d, n)| format!("{d} {n}"))
            .collect();
        let held = match type_.registers(layout.in_size(Dim::REGISTER)) {
            1 => "1 register".to_owned(),
            count => format!("{count} registers"),
        };
        panel.title = format!("{letter}: {} of {type_}, {held} a lane", sizes.join(" x "));
        panel.elements = Some(of_tensor.elements);
        scene.panels.push(panel);
        let remarks = of_tensor.remarks.into_iter();
        scene
            .remarks
            .extend(remarks.map(|remark| format!("{letter}: {remark}")));
        scene.caption = format!("a cell is {}", InPoint::legend(layout));
    }
    scene.slots = Space(slots.iter().map(|(d, n)| (d.to_string(), *n)).collect());
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::product::plan_product;
    use crate::target::TARGETS;
    use crate::view::scene::svg::tests::check_texts;
    use crate::view::{Text, svg};

    /// Returns the matrix instructions of all targets, without duplicates.
    fn instructions() -> Vec<Product> {
        let mut rows: Vec<Product> = Vec::new();
        for row in TARGETS.iter().flat_map(Target::products) {
            let is_known =
                |known: &Product| (&known.name, &known.operands) == (&row.name, &row.operands);
            if !rows.iter().any(is_known) {
                rows.push(row);
            }
        }
        rows
    }

    #[test]
    fn cells_say_which_register_holds_an_element() {
        for row in instructions() {
            let scene = Scene::instruction(&row, Window::ALL).unwrap();
            for (operand, panel) in scene.panels.iter().enumerate() {
                let held = &row.operands[operand];
                let mut count = 0;
                for (lane, register) in (0..1usize << held.lanes.len())
                    .flat_map(|lane| (0..1usize << held.registers.len()).map(move |r| (lane, r)))
                {
                    let [down, across] = row.coordinates(operand, register, lane);
                    let cell = &panel.cells[down * panel.columns.len() + across];
                    let name = format!("T{lane}:{register}");
                    let is_named = cell.text.split('|').any(|text| text == name);
                    assert!(is_named, "{}: {} has no {name}", row.name, cell.text);
                    let slot = lane * scene.slots.0[0].1 as usize + register;
                    assert!(cell.slots.contains(&(slot as u64)), "{}", row.name);
                    count += 1;
                }
                let named = panel.cells.iter().map(|cell| cell.slots.len());
                assert_eq!(named.sum::<usize>(), count, "{}", row.name);
            }
        }
    }

    #[test]
    fn labels_stay_apart_and_inside_of_the_picture() {
        for row in instructions() {
            let scene = Scene::instruction(&row, Window::PICTURE).unwrap();
            check_texts(&svg(&scene.titled(&*row.name)));
        }
        for target in TARGETS {
            check_texts(&svg(&Scene::instructions(target)));
        }
    }

    #[test]
    fn text_is_aligned_as_far_as_it_is_wide() {
        let rows = Target::parse("cuda:80").unwrap().products();
        let row = rows.iter().find(|row| row.name == "mma.m16n8k16.f32.f16");
        let scene = Scene::instruction(row.unwrap(), Window::ALL).unwrap();
        let text = scene.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let width = lines.iter().map(|line| line.len()).max().unwrap();
        let row_of = |text: &str| lines.iter().position(|line| line.contains(text)).unwrap();
        assert_eq!(lines.len(), 1 + 18 + 18);
        let [b, d] = ["B: k 16", "D: m 16"].map(|title| lines[row_of(title)].find(title));
        assert_eq!(b, d);
        assert_eq!(row_of("A: m 16"), row_of("D: m 16"));
        // The last cells of B and D end in the same column.
        assert_eq!(lines[18].len(), lines[36].len());
        assert_eq!(Text::new(&scene).within(width).to_string(), text);
        let narrow = Text::new(&scene).within(width - 1).to_string();
        assert_eq!(narrow.lines().count(), 1 + 3 * 18);
        // The colour of a cell ends with the cell, and escape sequences do not count as characters.
        let coloured = Text::new(&scene).coloured(crate::view::Theme::Light);
        let coloured = coloured.to_string();
        let (before, after) = coloured.split_once('\x1b').unwrap();
        let seen = after
            .split('\x1b')
            .map(|part| part.split_once('m').unwrap().1);
        let plain: String = [before].into_iter().chain(seen).collect();
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        assert_eq!(words(&plain), words(&text));
    }

    #[test]
    fn a_product_marks_what_the_first_instruction_multiplies() {
        let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>";
        let operand =
            |index: u32| format!("#ttg.dot_op<{{opIdx = {index}, parent = {mma}, kWidth = 4}}>");
        let layout = |text: &str, shape: [u64; 2]| -> LinearLayout {
            let encoding: crate::encoding::Encoding = text.parse().unwrap();
            encoding.to_linear_layout(&shape).unwrap()
        };
        let [a, b] = [layout(&operand(0), [64, 32]), layout(&operand(1), [32, 16])];
        let product = MatrixProduct {
            d: &layout(mma, [64, 16]),
            a: &a,
            b: &b,
            scales: None,
            factors: &[[Number::F16; 2]],
            sum: Number::F32,
            target: Target::parse("cuda:80").unwrap(),
        };
        let plan = plan_product(&product).unwrap();
        let scene = Scene::product(&product, &plan, Window::PICTURE).unwrap();
        check_texts(&svg(&scene));
        let coloured = scene.panels.iter().map(|panel| {
            let cells = panel.cells.iter().enumerate();
            cells
                .filter(|(_, cell)| cell.paint != Paint::Blank)
                .map(|(i, _)| [i / panel.columns.len(), i % panel.columns.len()])
                .collect::<Vec<_>>()
        });
        let [a, b, d] = coloured.collect::<Vec<_>>().try_into().unwrap();
        // Four lanes have four registers each side by side, of which an instruction uses two.
        let k: Vec<usize> = a.iter().filter(|at| at[0] == 0).map(|at| at[1]).collect();
        assert_eq!(k.len(), 16);
        assert_eq!(a, grid(&(0..16).collect::<Vec<_>>(), &k));
        assert_eq!(b, grid(&k, &(0..8).collect::<Vec<_>>()));
        assert_eq!(
            d,
            grid(&(0..16).collect::<Vec<_>>(), &(0..8).collect::<Vec<_>>())
        );
        // The text of a cell names the first of two warps, and the cell has the slots of both warps.
        assert_eq!(
            (
                &*scene.panels[1].cells[0].text,
                &*scene.panels[1].cells[0].slots
            ),
            ("T0:0|+1", &[0, 32 * 32][..])
        );
    }

    fn grid(down: &[usize], across: &[usize]) -> Vec<[usize; 2]> {
        let rows = down.iter();
        rows.flat_map(|i| across.iter().map(move |j| [*i, *j]))
            .collect()
    }
}
