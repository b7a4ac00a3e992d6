//! Rendering of layouts as text, SVG and HTML.

use super::Layout;
use crate::args::{Natural, check_size};
use crate::dtype::element_bits;
use crate::error::{Failure, failed};
use crate::target::TargetArgument;
use linear_layout::encoding::Encoding;
use linear_layout::layout::Dim;
use linear_layout::plan::memory::{BufferLayout, MemoryPlan};
use linear_layout::target::Access;
use linear_layout::view::{Scene, Window, html, layout_text, svg};
use pyo3::prelude::*;

/// Log2 of the maximum size of a layout for which accesses are planned. The size of a layout is the number of
/// inputs or the number of elements, whichever is larger.
const MOST_PLANNED: usize = 20;

pub(crate) const NOTEBOOK: Window = Window {
    rows: 64,
    columns: 64,
    grids: 2,
};

const MOST_CELLS: u64 = 1 << 20;

/// Returns the window `usual`, in which `rows` and `columns` replace the maximum numbers of rows and columns if
/// they are given. `elements` is the number of cells of the whole picture. Raises `LayoutError` if the visible part
/// of the picture may have more than `MOST_CELLS` cells.
pub(crate) fn window(
    usual: Window,
    rows: Option<Natural>,
    columns: Option<Natural>,
    elements: u64,
) -> PyResult<Window> {
    let window = Window {
        rows: rows.map_or(usual.rows, |n| n.0),
        columns: columns.map_or(usual.columns, |n| n.0),
        ..usual
    };
    if elements.min(window.rows.saturating_mul(window.columns)) > MOST_CELLS {
        return Err(Failure::new(format!(
            "a picture of {} rows and {} columns is too large; expected at most {MOST_CELLS} cells",
            window.rows, window.columns
        ))
        .note("leave out `rows` and `columns` to draw only the first rows and columns")
        .into());
    }
    Ok(window)
}

/// A layout that can be drawn in only one way: a CuTe or Tilus layout. Other layouts have several views.
pub(crate) trait Pictured {
    /// Returns the number of cells that the picture would have without a window.
    fn cells(&self) -> u64;

    /// Returns the title of the SVG picture.
    fn title(&self) -> String;

    fn scene(&self, window: Window) -> Scene;

    fn picture_text(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        let window = window(Window::default(), rows, columns, self.cells())?;
        Ok(trimmed(self.scene(window).to_string()))
    }

    fn picture_svg(&self, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        let window = window(Window::PICTURE, rows, columns, self.cells())?;
        Ok(svg(&self.scene(window).titled(self.title())))
    }

    fn picture_html(&self) -> PyResult<String> {
        let [rows, columns] = [NOTEBOOK.rows, NOTEBOOK.columns].map(|most| Some(Natural(most)));
        Ok(notebook(&self.picture_svg(rows, columns)?))
    }
}

#[pymethods]
impl Layout {
    /// Returns a picture as text.
    ///
    /// The view `tensor` shows the place of each element. `grid` shows the same in boxes, as `thread: register`.
    /// `hardware` shows the element of each place, `matrix` shows the matrix over GF(2), and `bases` is Triton's
    /// text of a LinearLayout. `rows` and `columns` limit the picture. If rows or columns are hidden, a last line
    /// states their number.
    ///
    /// Example:
    ///
    ///     >>> print(ll.Layout("spatial(2, 2).local(1, 2)").text())
    ///     2 x 4: dim0 down, dim1 across; a cell is T<lane>:<register>
    ///            0     1     2     3
    ///     0:  T0:0  T0:1  T1:0  T1:1
    ///     1:  T2:0  T2:1  T3:0  T3:1
    #[pyo3(signature = (view="tensor", *, rows=None, columns=None))]
    fn text(
        &self,
        view: &str,
        rows: Option<Natural>,
        columns: Option<Natural>,
    ) -> PyResult<String> {
        if view == "bases" {
            return Ok(trimmed(layout_text(&self.linear, self.encoding.as_ref())));
        }
        let window = window(Window::default(), rows, columns, self.extent())?;
        Ok(trimmed(self.scene(view, window)?.to_string()))
    }

    /// Prints a picture as text. The arguments are those of `text`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(2, 2)").show("grid")
    ///     ┌──────┬──────┐
    ///     │ 0: 0 │ 1: 0 │
    ///     ├──────┼──────┤
    ///     │ 2: 0 │ 3: 0 │
    ///     └──────┴──────┘
    #[pyo3(signature = (view="tensor", *, rows=None, columns=None))]
    fn show(
        &self,
        py: Python<'_>,
        view: &str,
        rows: Option<Natural>,
        columns: Option<Natural>,
    ) -> PyResult<()> {
        print(py, &self.text(view, rows, columns)?)
    }

    /// Returns a picture as SVG. The arguments are those of `text`, except that there is no view `bases`.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4)").svg().startswith("<svg")
    ///     True
    #[pyo3(signature = (view="tensor", *, rows=None, columns=None))]
    fn svg(&self, view: &str, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        let scene = self.scene(view, window(Window::PICTURE, rows, columns, self.extent())?)?;
        Ok(svg(&scene.titled(self.title())))
    }

    /// Returns a self-contained HTML page with the views `tensor`, `hardware` and `matrix`.
    ///
    /// The page names the element, lane, register and warp of the cell under the pointer.
    ///
    /// Example:
    ///
    ///     >>> ll.Layout("spatial(8, 4)").html().rstrip().endswith("</html>")
    ///     True
    fn html(&self) -> PyResult<String> {
        let views = [
            ("tensor", "Tensor"),
            ("hardware", "Hardware"),
            ("matrix", "Matrix"),
        ];
        let scenes =
            views.map(|(view, title)| Ok(self.scene(view, Window::PICTURE)?.titled(title)));
        let scenes: Vec<Scene> = scenes.into_iter().collect::<PyResult<_>>()?;
        Ok(html(&self.title(), &scenes))
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> "image/svg+xml" in ll.Layout("spatial(8, 4)")._repr_html_()
    ///     True
    fn _repr_html_(&self) -> PyResult<String> {
        let scene = self.scene("tensor", NOTEBOOK)?;
        Ok(notebook(&svg(&scene.titled(self.title()))))
    }

    /// Returns a picture of shared memory by bank, for a layout with an in-dim `offset`.
    ///
    /// Without `access`, the picture shows the elements that each bank contains. If `access` is a register layout,
    /// the picture shows the loads from the buffer into these registers instead, with their phases and bank
    /// conflicts. If `store` is true, it shows the stores from these registers. `format` is `text` or `svg`.
    ///
    /// Raises `LayoutError` for layouts without `offset`, and for unknown element types and targets.
    ///
    /// Example:
    ///
    ///     >>> buffer = ll.Layout("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", [32, 32])
    ///     >>> columns = ll.Layout("column_spatial(32, 1).column_local(1, 32)")
    ///     >>> "224 bank conflicts" in buffer.banks("f32", "cuda:90", columns)
    ///     True
    #[pyo3(signature = (dtype, target, access=None, *, store=false, rows=None, columns=None, format="text"))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn banks(
        &self,
        dtype: &Bound<'_, PyAny>,
        target: TargetArgument,
        access: Option<&Self>,
        store: bool,
        rows: Option<Natural>,
        columns: Option<Natural>,
        format: &str,
    ) -> PyResult<String> {
        let is_svg = match format {
            "svg" => true,
            "text" => false,
            _ => {
                return Err(failed(format!(
                    "`format` is `{format}`, expected `text` or `svg`"
                )));
            }
        };
        let layout = &self.linear;
        if !layout.has_in_dim(Dim::OFFSET) {
            let names: Vec<&str> = layout.in_dims().map(Dim::name).collect();
            return Err(Failure::new(format!(
                "`banks` requires a layout of shared memory, with in-dim offset; found in-dims {}",
                names.join(", ")
            ))
            .note("call `banks` on the layout of a buffer, and pass this layout as `access`")
            .into());
        }
        let gaps = match &self.encoding {
            Some(Encoding::PaddedShared(padded)) => padded.interval_paddings(),
            _ => &[],
        };
        let place =
            BufferLayout::new(layout.clone(), gaps, element_bits(dtype)?).map_err(failed)?;
        let usual = if is_svg {
            Window::PICTURE
        } else {
            Window::default()
        };
        let window = window(usual, rows, columns, self.extent())?;
        let scene = match access {
            None => Scene::banks(&place, target.0, window),
            Some(registers) => {
                check_size(layout, MOST_PLANNED, "the plan of an access")?;
                check_size(&registers.linear, MOST_PLANNED, "the plan of an access")?;
                let access = if store { Access::Store } else { Access::Load };
                let plan = MemoryPlan::new(&registers.linear, &place, 0, access, target.0);
                let plan = plan.map_err(failed)?;
                Scene::accesses(&plan, &registers.linear, access, target.0, window)
            }
        };
        Ok(if is_svg {
            svg(&scene.titled(self.title()))
        } else {
            trimmed(scene.to_string())
        })
    }
}

impl Layout {
    /// Returns the number of places or the number of elements, whichever is larger. Returns `u64::MAX` if this
    /// number does not fit in 64 bits.
    fn extent(&self) -> u64 {
        let bits = self
            .linear
            .total_in_bits()
            .max(self.linear.total_out_bits());
        u32::try_from(bits)
            .ok()
            .and_then(|bits| 1_u64.checked_shl(bits))
            .unwrap_or(u64::MAX)
    }

    fn scene(&self, view: &str, window: Window) -> PyResult<Scene> {
        let layout = &self.linear;
        Ok(match view {
            "tensor" => Scene::tensor(layout, window),
            "grid" => Scene::boxed(layout, window),
            "hardware" => Scene::hardware(layout, window),
            "matrix" => Scene::matrix(layout),
            "bases" => {
                return Err(Failure::new(
                    "the view `bases` is text, which cannot be drawn as a picture",
                )
                .note("use the view `matrix`, or the method `text`")
                .into());
            }
            _ => {
                return Err(failed(format!(
                    "unknown view `{view}`; expected `tensor`, `grid`, `hardware`, `matrix` or `bases`"
                )));
            }
        })
    }
}

/// Removes trailing newlines, since `print` adds one.
pub(crate) fn trimmed(mut text: String) -> String {
    text.truncate(text.trim_end_matches('\n').len());
    text
}

/// Prints with Python's `print`.
pub(crate) fn print(py: Python<'_>, text: &str) -> PyResult<()> {
    let print = py.import("builtins")?.getattr("print")?;
    print.call1((text,)).map(drop)
}

/// Wraps an SVG for a notebook, with a scroll bar for wide pictures.
///
/// The SVG is embedded as an image, since styles of inline SVG apply to the whole notebook.
pub(crate) fn notebook(svg: &str) -> String {
    let mut data = String::with_capacity(svg.len() * 5 / 4);
    for c in svg.chars() {
        match c {
            '%' => data.push_str("%25"),
            '#' => data.push_str("%23"),
            '"' => data.push_str("%22"),
            '<' => data.push_str("%3C"),
            '>' => data.push_str("%3E"),
            '&' => data.push_str("%26"),
            _ => data.push(c),
        }
    }
    let image = format!("src=\"data:image/svg+xml;charset=utf-8,{data}\"");
    format!("<div style=\"overflow-x: auto\"><img style=\"max-width: none\" {image}></div>")
}
