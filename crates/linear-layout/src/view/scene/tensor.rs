//! The tensor view, which shows the holders of each element.

use super::{Cell, Frame, NUM_TINTS, Paint, Panel, Scene, Space, Window};
use crate::f2::shl;
use crate::layout::{Dim, LinearLayout};
use crate::view::holders::{Holders, InPoint};
use crate::view::words::neighbours;

/// Maximum number of holders that a cell names.
pub(super) const NAMED_HOLDERS: usize = 4;
/// Maximum number of threads that a cell names in the format of Tilus. This is the number of lanes of an AMD
/// wavefront.
const NAMED_THREADS: usize = 64;

impl Scene {
    /// Returns a picture of the tensor. Each cell corresponds to an element, and shows the holders of the element.
    ///
    /// The second-to-last output dim runs down the rows, and the last output dim runs across the columns. Each
    /// index along the other dims has a grid of its own. Holders print as [`InPoint`] and are separated by `|`. An
    /// element without a holder prints as `-`. The thread of the first holder determines the colour of a cell. If
    /// there are several warps, they have different hues.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// # use linear_layout::view::{Scene, Window};
    /// let swizzled = LinearLayout::from_bases(
    ///     &[(Dim::OFFSET, &[&[0, 1], &[1, 1]])], &[Dim::out(0), Dim::out(1)])?;
    /// assert_eq!(Scene::tensor(&swizzled, Window::default()).to_string(), "\
    /// 2 x 2: dim0 down, dim1 across; a cell is <offset>
    ///     0  1
    /// 0:  0  1
    /// 1:  3  2
    /// ");
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn tensor(layout: &LinearLayout, window: Window) -> Self {
        let mut scene = of_elements(layout, window, NAMED_HOLDERS, |held, more| {
            holders_text(layout, held, more)
        });
        let shape: Vec<String> = layout.out_shape().map(|(_, s)| s.to_string()).collect();
        let dims: Vec<Dim> = layout.out_dims().collect();
        let said = match dims.as_slice() {
            [.., down, across] => format!("{}: {down} down, {across} across", shape.join(" x ")),
            [across] => format!("{}: {across} across", shape.join(" x ")),
            [] => "one element".to_owned(),
        };
        scene.caption = format!("{said}; a cell is {}", InPoint::legend(layout));
        scene
    }

    /// Returns a picture of the tensor in the format of Tilus: a grid with a cell for each element. A cell is
    /// `thread: register`, or `[thread, thread]: register` if several threads hold the element. Threads are
    /// numbered through all warps and CTAs.
    /// ```
    /// # use linear_layout::layout::{Dim, LinearLayout};
    /// # use linear_layout::view::{Scene, Window};
    /// let layout = LinearLayout::from_bases(
    ///     &[(Dim::REGISTER, &[&[1, 0]]), (Dim::LANE, &[&[0, 1], &[0, 0]])], &[Dim::out(0), Dim::out(1)])?;
    /// assert_eq!(Scene::boxed(&layout, Window::default()).to_string(), "\
    /// ┌───────────┬───────────┐
    /// │ [0, 2]: 0 │ [1, 3]: 0 │
    /// ├───────────┼───────────┤
    /// │ [0, 2]: 1 │ [1, 3]: 1 │
    /// └───────────┴───────────┘
    /// ");
    /// # Ok::<(), linear_layout::layout::LayoutError>(())
    /// ```
    #[must_use]
    pub fn boxed(layout: &LinearLayout, window: Window) -> Self {
        let mut scene = of_elements(layout, window, NAMED_THREADS, |held, more| {
            let points = || held.iter().map(|input| InPoint::new(layout, *input));
            let Some(register) = points().next().map(|point| point.index(Dim::REGISTER)) else {
                return "-".to_owned();
            };
            let threads: Option<Vec<u64>> = points().map(|point| point.thread()).collect();
            let Some(mut threads) = threads else {
                let names: Vec<String> = points().map(|point| point.to_string()).collect();
                return names.join("|");
            };
            threads.sort_unstable();
            // A thread may hold the element in several registers.
            threads.dedup();
            let mut names: Vec<String> = threads.iter().map(u64::to_string).collect();
            if more > 0 {
                names.push("...".to_owned());
            }
            match names.as_slice() {
                [only] => format!("{only}: {register}"),
                names => format!("[{}]: {register}", names.join(", ")),
            }
        });
        for panel in &mut scene.panels {
            panel.frame = Frame::Boxed;
        }
        scene
    }
}

/// Returns the text of a cell whose element has the holders `held`.
///
/// `more` is the number of further holders, or `u64::MAX` if there are too many to count.
pub(super) fn holders_text(layout: &LinearLayout, held: &[u64], more: u64) -> String {
    let named: Vec<String> = held
        .iter()
        .map(|input| InPoint::new(layout, *input).to_string())
        .collect();
    match more {
        0 if named.is_empty() => "-".to_owned(),
        0 => named.join("|"),
        u64::MAX => format!("{}|+..", named.join("|")),
        more => format!("{}|+{more}", named.join("|")),
    }
}

/// Returns a picture with one cell per tensor element. `name` returns the text of a cell, given the first `most`
/// holders of the element and the number of further holders (`u64::MAX` if there are too many to count).
pub(super) fn of_elements(
    layout: &LinearLayout,
    window: Window,
    most: usize,
    name: impl Fn(&[u64], u64) -> String,
) -> Scene {
    let holders = Holders::new(layout);
    let tints = Tints::of(layout);
    let shape: Vec<(String, u64)> = layout
        .out_shape()
        .map(|(dim, size)| (dim.to_string(), size))
        .collect();
    let shifts: Vec<usize> = layout
        .out_dims()
        .scan(0, |at, dim| {
            let shift = *at;
            *at += layout.out_bits(dim);
            Some(shift)
        })
        .collect();
    let mut scene = grids(&shape, window, |index| {
        let steps = index.iter().zip(&shifts);
        let output = steps.fold(0, |packed, (i, shift)| packed | shl(*i, *shift));
        let held: Vec<u64> = holders.of(output).take(most).collect();
        let more = match holders.copies() {
            _ if held.is_empty() => 0,
            Some(copies) => copies - held.len() as u64,
            None => u64::MAX,
        };
        Cell {
            text: name(&held, more),
            paint: held.first().map_or(Paint::Gap, |input| tints.paint(*input)),
            group: held.first().map_or(u64::MAX, |input| tints.warp(*input)),
            slots: held,
            more_slots: more,
            elements: vec![output],
        }
    });
    if InPoint::new(layout, 0).thread().is_some() {
        for panel in &mut scene.panels {
            panel.break_at = Some(':');
        }
    }
    scene.legend = tints.legend("");
    scene.slots = Space::of_ins(layout);
    scene.elements = Space::of_outs(layout);
    scene
}

/// Returns a picture of a tensor. The last two dims run down and across, and each index along the other dims has
/// its own panel. `cell` returns the cell for a tensor index.
pub(super) fn grids(
    shape: &[(String, u64)],
    window: Window,
    mut cell: impl FnMut(&[u64]) -> Cell,
) -> Scene {
    let (before, down, across) = match shape {
        [before @ .., (_, down), (_, across)] => (before, *down, *across),
        [(_, across)] => (&[][..], 1, *across),
        [] => (&[][..], 1, 1),
    };
    let rows = down.min(window.rows);
    let columns = across.min(window.columns);
    let count = before
        .iter()
        .fold(1u64, |n, (_, size)| n.saturating_mul(*size));
    let shown = count.min(window.grids);
    let mut scene = Scene::default();
    for which in 0..shown {
        let (mut rest, mut first, mut title) = (which, Vec::new(), Vec::new());
        for (name, size) in before.iter().rev() {
            first.push(rest % size);
            title.push(format!("{name} = {}", rest % size));
            rest /= size;
        }
        first.reverse();
        title.reverse();
        let mut index = first.clone();
        index.resize(shape.len(), 0);
        let mut cells = Vec::new();
        for row in 0..rows {
            if let [.., i, _] = index.as_mut_slice() {
                *i = row;
            }
            for column in 0..columns {
                if let Some(j) = index.last_mut() {
                    *j = column;
                }
                cells.push(cell(&index));
            }
        }
        scene.panels.push(Panel {
            title: title.join(", "),
            columns: (0..columns).map(|j| j.to_string()).collect(),
            rows: (0..rows).map(|i| i.to_string()).collect(),
            cells,
            ..Panel::default()
        });
    }
    scene.left_out(rows, down, "rows");
    scene.left_out(columns, across, "columns");
    scene.left_out(shown, count, "grids");
    scene
}

impl Space {
    /// Returns the space of those input dims that have more than one index.
    pub(super) fn of_ins(layout: &LinearLayout) -> Self {
        let dims = layout.in_shape().filter(|(_, size)| *size > 1);
        Self(dims.map(|(dim, size)| (dim.to_string(), size)).collect())
    }

    /// Returns the index along `dim` that is packed in `number`. Returns 0 if the space does not have this dim.
    pub(super) fn index(&self, mut number: u64, dim: Dim) -> u64 {
        for (name, size) in &self.0 {
            if *name == dim.name() {
                return number % size;
            }
            number /= size;
        }
        0
    }

    pub(super) fn of_outs(layout: &LinearLayout) -> Self {
        let dims = layout.out_shape();
        Self(dims.map(|(dim, size)| (dim.to_string(), size)).collect())
    }
}

/// The bits of a packed input that hold the index in one input dim.
#[derive(Clone, Copy, Debug, Default)]
struct IndexField {
    shift: usize,
    mask: u64,
}

impl IndexField {
    fn of(layout: &LinearLayout, dim: Dim) -> Self {
        let before = layout.in_dims().take_while(|other| *other != dim);
        let shift = before.map(|other| layout.in_bits(other)).sum();
        let mask = layout.in_size(dim) - 1;
        Self { shift, mask }
    }

    fn size(self) -> u64 {
        self.mask + 1
    }

    fn index(self, input: u64) -> u64 {
        if self.mask == 0 {
            return 0;
        }
        crate::f2::shr(input, self.shift) & self.mask
    }
}

/// The rule that selects the fill of a slot. If there are several warps, the warp selects the hue and the lane
/// selects the shade. If there is only one warp, the lane alone selects the fill.
///
/// If the layout has no lanes, the first input dim with more than one index takes the role of the lane in this
/// rule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tints {
    /// The bits of a packed input that select the fill, or only the shade if the warp selects the hue. If
    /// consecutive offsets hold adjacent elements, the low offset bits that distinguish these elements are not
    /// included, so that the elements have the same fill.
    by: IndexField,
    is_by_hue: bool,
    warp: IndexField,
    block: IndexField,
}

impl Tints {
    pub(super) fn of(layout: &LinearLayout) -> Self {
        let mut distinct = layout.in_dims().filter(|dim| layout.in_bits(*dim) > 0);
        let dim = match layout.in_bits(Dim::LANE) {
            0 => distinct.next().unwrap_or(Dim::LANE),
            _ => Dim::LANE,
        };
        let field = IndexField::of(layout, dim);
        // Adjacent offsets with adjacent elements have the same colour.
        let run = match neighbours(layout) {
            Some((_, run)) if dim == Dim::OFFSET => run,
            _ => 1,
        };
        let bits = layout.in_bits(dim);
        let run_bits = (run.trailing_zeros() as usize).min(bits.saturating_sub(1));
        Self {
            by: IndexField {
                shift: field.shift + run_bits,
                mask: shl(1, bits - run_bits) - 1,
            },
            is_by_hue: dim != Dim::LANE,
            warp: IndexField::of(layout, Dim::WARP),
            block: IndexField::of(layout, Dim::BLOCK),
        }
    }

    /// Returns the index of the warp that `input` selects, counted through all CTAs.
    pub(super) fn warp(self, input: u64) -> u64 {
        self.block.index(input) * self.warp.size() + self.warp.index(input)
    }

    fn has_warps(self) -> bool {
        self.warp.mask > 0
    }

    pub(super) fn paint(self, input: u64) -> Paint {
        let index = self.by.index(input);
        if self.has_warps() {
            Paint::of_warp(self.warp(input), index)
        } else if self.is_by_hue {
            Paint::hue(index)
        } else {
            Paint::shade(index, self.by.size())
        }
    }

    /// Returns a legend entry for each warp, at most for the first eight warps of all CTAs. The text is e.g.
    /// `warp 0`, followed by `suffix`.
    ///
    /// The legend is empty if each CTA has a single warp.
    pub(super) fn legend(self, suffix: &str) -> Vec<(Paint, String)> {
        if !self.has_warps() {
            return Vec::new();
        }
        let [warps, blocks] = [self.warp, self.block].map(IndexField::size);
        let count = warps.saturating_mul(blocks);
        let hues = u64::from(NUM_TINTS) / 4;
        let entries = (0..count.min(hues)).map(|number| {
            let cta = match blocks {
                1 => String::new(),
                _ => format!("CTA {}, ", number / warps),
            };
            let others = if count > hues { ", ..." } else { "" };
            let text = format!("{cta}warp {}{others}{suffix}", number % warps);
            (Paint::of_warp(number, 1), text)
        });
        entries.collect()
    }
}
