//! Pictures of the layouts of CuTe and Tilus, whose extents need not be powers of two.

use super::tensor::grids;
use super::{Cell, Frame, Paint, Scene, Space, Window};
use crate::cute::ComposedLayout;
use crate::tilus::{RegisterLayout, SharedLayout};

/// Maximum number of threads that a cell names.
const NAMED_THREADS: usize = 1024;

impl Scene {
    /// Returns a picture of a CuTe layout. Each cell corresponds to a coordinate, and shows the index to which the
    /// layout maps the coordinate. The second-to-last mode runs down the rows, and the last mode runs across the
    /// columns. Each coordinate along the other modes has a grid of its own.
    /// ```
    /// # use linear_layout::view::{Scene, Window};
    /// let layout: linear_layout::cute::ComposedLayout = "Sw<1,0,2> o 0 o (2,3):(4,1)".parse()?;
    /// assert_eq!(Scene::cute(&layout, Window::default()).to_string(), "\
    /// Sw<1,0,2> o 0 o (2,3):(4,1): mode 0 down, mode 1 across; a cell is <index>
    ///     0  1  2
    /// 0:  0  1  2
    /// 1:  5  4  7
    /// ");
    /// # Ok::<(), linear_layout::cute::CuteError>(())
    /// ```
    #[must_use]
    pub fn cute(layout: &ComposedLayout, window: Window) -> Self {
        let modes = layout.layout.modes();
        let shape: Vec<(String, u64)> = modes
            .enumerate()
            .map(|(i, mode)| (format!("mode {i}"), mode.size().unsigned_abs()))
            .collect();
        let mut scene = grids(&shape, window, |index| {
            // The coordinate as one number. The first mode is the fastest.
            let digits = index.iter().zip(&shape).rev();
            let coordinate = digits.fold(0u64, |whole, (i, (_, size))| {
                whole.wrapping_mul(*size).wrapping_add(*i)
            });
            let found = layout.at(coordinate.cast_signed());
            let found = found.ok();
            Cell {
                text: found.map_or("-".to_owned(), |found| found.to_string()),
                paint: found.map_or(Paint::Gap, |found| Paint::hue(found.unsigned_abs())),
                slots: found
                    .and_then(|f| u64::try_from(f).ok())
                    .into_iter()
                    .collect(),
                elements: vec![coordinate],
                ..Cell::default()
            }
        });
        let said = match shape.as_slice() {
            [.., (down, _), (across, _)] => format!("{down} down, {across} across"),
            _ => "mode 0 across".to_owned(),
        };
        let is_plain = layout.swizzle.is_identity() && layout.offset == 0;
        let text = if is_plain {
            layout.layout.to_string()
        } else {
            layout.to_string()
        };
        scene.caption = format!("{text}: {said}; a cell is <index>");
        scene.elements = Space(shape);
        scene.slots = Space(vec![("index".to_owned(), u64::MAX)]);
        scene
    }

    /// Returns a picture of a register layout as Tilus prints it: the layout as text, followed by a grid with a
    /// cell for each element. A cell is `thread: register`, or `[thread, ...]: register` if several threads hold
    /// the element.
    ///
    /// If the rank is above 3, dims of extent 1 are omitted.
    /// ```
    /// # use linear_layout::view::{Scene, Window};
    /// let layout = linear_layout::tilus::spatial(&[3, 2])?.reduce(&[0], false)?;
    /// assert_eq!(Scene::register_layout(&layout, Window::default()).to_string(), "\
    /// RegisterLayout(shape=[2], mode_shape=[2], spatial_modes=[-3, 0], local_modes=[])
    /// ┌──────────────┬──────────────┐
    /// │ [0, 2, 4]: 0 │ [1, 3, 5]: 0 │
    /// └──────────────┴──────────────┘
    /// ");
    /// # Ok::<(), linear_layout::tilus::TilusError>(())
    /// ```
    #[must_use]
    pub fn register_layout(layout: &RegisterLayout, window: Window) -> Self {
        let threads = layout.spatial_size();
        let mut scene = of_tilus(layout.shape(), window, |index| {
            // Neither call fails for an index inside the shape.
            let held = layout.threads_of(index).ok()?;
            let place = layout.local_of(index).ok()?;
            let held: Vec<u64> = held.take(NAMED_THREADS).collect();
            let more_slots = layout.replications() - held.len() as u64;
            let mut names: Vec<String> = held.iter().map(u64::to_string).collect();
            if more_slots > 0 {
                names.push("...".to_owned());
            }
            let text = match names.as_slice() {
                [thread] => format!("{thread}: {place}"),
                names => format!("[{}]: {place}", names.join(", ")),
            };
            let slots = held.iter().map(|thread| thread + threads * place);
            Some(Cell {
                text,
                paint: held
                    .first()
                    .map_or(Paint::Gap, |thread| Paint::shade(*thread, threads)),
                slots: slots.collect(),
                more_slots,
                ..Cell::default()
            })
        });
        scene.caption = layout.to_string();
        for panel in &mut scene.panels {
            panel.break_at = Some(':');
        }
        let places = layout.local_size();
        scene.slots = Space(vec![
            ("thread".to_owned(), threads),
            ("place".to_owned(), places),
        ]);
        scene
    }

    /// Returns a picture of a shared layout as Tilus prints it: the layout as text, followed by a grid that shows
    /// the offset of each element.
    /// ```
    /// # use linear_layout::view::{Scene, Window};
    /// let layout = linear_layout::tilus::SharedLayout::column_major(&[2, 3])?;
    /// assert_eq!(Scene::shared_layout(&layout, Window::default()).to_string(), "\
    /// SharedLayout(shape=[2, 3], mode_shape=[2, 3], mode_strides=[1, 2], swizzle=None)
    /// ┌───┬───┬───┐
    /// │ 0 │ 2 │ 4 │
    /// ├───┼───┼───┤
    /// │ 1 │ 3 │ 5 │
    /// └───┴───┴───┘
    /// ");
    /// # Ok::<(), linear_layout::tilus::TilusError>(())
    /// ```
    #[must_use]
    pub fn shared_layout(layout: &SharedLayout, window: Window) -> Self {
        let mut scene = of_tilus(layout.shape(), window, |index| {
            let offset = layout.offset_of(index).ok()?;
            Some(Cell {
                text: offset.to_string(),
                paint: Paint::hue(offset),
                slots: vec![offset],
                ..Cell::default()
            })
        });
        scene.caption = layout.to_string();
        scene.slots = Space(vec![("offset".to_owned(), u64::MAX)]);
        scene
    }
}

/// Returns the text that Tilus prints for a register layout: the layout as text, followed by a grid with a cell for
/// each element. A cell is `thread: register`, or `[thread, ...]: register` if several threads hold the element.
///
/// If the rank is above 2, each index along the leading dims has its own grid. If the rank is above 3, dims of
/// extent 1 are omitted.
///
/// ```
/// use linear_layout::{tilus::spatial, view::register_grid};
/// assert_eq!(register_grid(&spatial(&[2, 3])?), "\
/// RegisterLayout(shape=[2, 3], mode_shape=[2, 3], spatial_modes=[0, 1], local_modes=[])
/// ┌──────┬──────┬──────┐
/// │ 0: 0 │ 1: 0 │ 2: 0 │
/// ├──────┼──────┼──────┤
/// │ 3: 0 │ 4: 0 │ 5: 0 │
/// └──────┴──────┴──────┘");
/// # Ok::<(), linear_layout::tilus::TilusError>(())
/// ```
#[must_use]
pub fn register_grid(layout: &RegisterLayout) -> String {
    let text = Scene::register_layout(layout, Window::ALL).to_string();
    text.trim_end_matches('\n').to_owned()
}

/// Returns the text that Tilus prints for a shared layout: the layout as text, followed by a grid that shows the
/// offset of each element. Returns `None` if the rank of the layout is not 2.
#[must_use]
pub fn shared_grid(layout: &SharedLayout) -> Option<String> {
    let text = || Scene::shared_layout(layout, Window::ALL).to_string();
    (layout.shape().len() == 2).then(|| text().trim_end_matches('\n').to_owned())
}

/// Returns a picture of a tensor in the format of Tilus. `cell` returns the cell for a tensor index, or `None` if
/// the cell is empty.
fn of_tilus(shape: &[u64], window: Window, mut cell: impl FnMut(&[u64]) -> Option<Cell>) -> Scene {
    let is_kept = |size: u64| shape.len() <= 3 || size > 1;
    let kept: Vec<usize> = (0..shape.len()).filter(|i| is_kept(shape[*i])).collect();
    let named: Vec<(String, u64)> = kept
        .iter()
        .map(|i| (format!("dim{i}"), shape[*i]))
        .collect();
    let mut index = vec![0; shape.len()];
    let mut scene = grids(&named, window, |some| {
        for (to, i) in kept.iter().zip(some) {
            index[*to] = *i;
        }
        let sizes = index.iter().zip(shape).rev();
        let element = sizes.fold(0u64, |whole, (i, size)| {
            whole.wrapping_mul(*size).wrapping_add(*i)
        });
        Cell {
            elements: vec![element],
            ..cell(&index).unwrap_or_default()
        }
    });
    for panel in &mut scene.panels {
        panel.frame = Frame::Boxed;
    }
    let dims = shape.iter().enumerate();
    scene.elements = Space(dims.map(|(i, size)| (format!("dim{i}"), *size)).collect());
    scene
}
