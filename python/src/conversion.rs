//! Conversions between register layouts: the plan, its cost, and its validation.

use crate::args::{Natural, check_size};
use crate::dtype::element_bits;
use crate::error::{Failure, failed};
use crate::layout::Layout;
use crate::layout::picture::{NOTEBOOK, notebook, trimmed, window};
use crate::target::{PyTarget, TargetArgument};
use linear_layout::layout::LinearLayout;
use linear_layout::machine::{PlanReport, check_plan};
use linear_layout::plan::{ConvertPlan, PlanOptions, Strategy, plan_conversion};
use linear_layout::target::Target;
use linear_layout::view::{Scene, Window, svg};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// Log2 of the maximum size of a layout for which a conversion is planned. The size of a layout is the number of
/// inputs or the number of elements, whichever is larger. The limit exists because a plan contains a value for each
/// register.
const MOST_PLANNED: usize = 20;

/// A planned conversion between two register layouts on a GPU, with its steps and costs.
///
/// `ll.convert` returns conversions. A cost is a predicted number of clock cycles that one SM (CU) needs for one
/// thread block.
///
/// Example:
///
///     >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
///     >>> conversion = ll.convert(rows, columns, "f32", "cuda:90")
///     >>> conversion.kind, conversion.bank_conflicts, conversion.shared_bytes
///     ('shuffle', 0, 0)
#[pyclass(module = "linear_layout", name = "Conversion", frozen)]
pub(crate) struct Conversion {
    src: LinearLayout,
    dst: LinearLayout,
    element_bits: u32,
    target: &'static Target,
    plan: ConvertPlan,
    report: PlanReport,
}

/// Plans the conversion of a tensor from layout `src` to layout `dst`.
///
/// `dtype` is an element type: a name as in IR (`f16`, `i8`, `!tt.ptr<f16>`), a type of NumPy, PyTorch or Triton,
/// or a width in bits. `target` is a `Target` or its name. `strategy` is `local`, `shuffle` or `shared`; by
/// default, the cheapest strategy is chosen. `scratch_limit` limits the shared memory of the plan, in bytes.
///
/// The plan is validated by symbolic execution for every lane. The GIL is released during planning and validation.
/// Raises `LayoutError` if the layouts are not register layouts of the same tensor, or if there is no plan.
///
/// Example:
///
///     >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
///     >>> conversion = ll.convert(rows, columns, "f32", "cuda:90", strategy="shared")
///     >>> conversion.kind, conversion.shared_bytes
///     ('shared', 256)
#[pyfunction]
#[pyo3(signature = (src, dst, dtype, target, *, strategy=None, scratch_limit=None))]
pub(crate) fn convert(
    py: Python<'_>,
    src: &Layout,
    dst: &Layout,
    dtype: &Bound<'_, PyAny>,
    target: TargetArgument,
    strategy: Option<&str>,
    scratch_limit: Option<Natural>,
) -> PyResult<Conversion> {
    let element_bits = element_bits(dtype)?;
    let target = target.0;
    let mut options = PlanOptions::new();
    options.strategy = strategy.map(strategy_of).transpose()?;
    options.scratch_limit = scratch_limit.map(|n| u32::try_from(n.0).unwrap_or(u32::MAX));
    let (src, dst) = (&src.linear, &dst.linear);
    for side in [src, dst] {
        check_size(side, MOST_PLANNED, "the plan of a conversion")?;
    }
    py.detach(|| {
        let plan = plan_conversion(src, dst, element_bits, target, &options).map_err(failed)?;
        let report = check_plan(plan.program(), src, dst, target).map_err(|fault| {
            Failure::new(format!("the plan for {target} is wrong: {fault}"))
                .note("this is a bug of linear-layout; please report the two layouts")
        })?;
        Ok(Conversion {
            src: src.clone(),
            dst: dst.clone(),
            element_bits,
            target,
            plan,
            report,
        })
    })
}

fn strategy_of(name: &str) -> PyResult<Strategy> {
    let all = [Strategy::Local, Strategy::Shuffle, Strategy::Shared];
    let found = all.into_iter().find(|s| s.to_string() == name);
    found.ok_or_else(|| {
        failed(format!(
            "unknown strategy `{name}`; expected `local`, `shuffle` or `shared`"
        ))
    })
}

/// Converts quarters of a clock cycle to clock cycles.
fn clocks(quarters: u32) -> f64 {
    f64::from(quarters) / 4.0
}

#[pymethods]
impl Conversion {
    /// The kind of the plan: `rename`, `select`, `shuffle`, `shared`, `mixed` or `cluster`.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> ll.convert(layout, layout, "f32", "cuda:90").kind
    ///     'rename'
    #[getter]
    fn kind(&self) -> String {
        self.plan.kind().to_string()
    }

    /// The steps that each thread executes, as text. `str(conversion)` also contains the tables that the steps use.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> ll.convert(layout, ll.Layout("column_spatial(8, 4)"), "f32", "cuda:90").steps
    ///     ['%1 = shuffle %0 from lanes 0']
    #[getter]
    fn steps(&self) -> Vec<String> {
        // The text has the tables, then the steps, then one line with the results.
        let program = self.plan.program();
        let text = program.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.len().saturating_sub(1);
        let steps = end.saturating_sub(program.steps().len())..end;
        let lines = lines[steps].iter();
        lines.map(|line| line.trim().to_owned()).collect()
    }

    /// The cost in clock cycles. The cost is `max(l, a) + min(l, a) / 8 + w`, where `l` is the number of load-store
    /// cycles, `a` the number of arithmetic cycles, and `w` the number of waiting cycles.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> ll.convert(layout, layout, "f32", "cuda:90").cycles
    ///     0.0
    #[getter]
    fn cycles(&self) -> f64 {
        clocks(self.plan.program().cost().total())
    }

    /// The clock cycles that the load-store unit spends on wavefronts, shuffles, and the issue of instructions.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").load_store_cycles > 0
    ///     True
    #[getter]
    fn load_store_cycles(&self) -> f64 {
        clocks(self.plan.program().cost().load_store)
    }

    /// The clock cycles that the arithmetic unit spends on selects and permutes.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").arithmetic_cycles
    ///     0.0
    #[getter]
    fn arithmetic_cycles(&self) -> f64 {
        clocks(self.plan.program().cost().arithmetic)
    }

    /// The clock cycles spent waiting at barriers, and for the latency of shared memory and shuffles.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").waiting_cycles > 0
    ///     True
    #[getter]
    fn waiting_cycles(&self) -> f64 {
        clocks(self.plan.program().cost().waiting)
    }

    /// The number of bank conflicts, i.e. the number of wavefronts that exceed the minimum, summed over all warps.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").bank_conflicts
    ///     0
    #[getter]
    fn bank_conflicts(&self) -> u64 {
        self.report.conflicts()
    }

    /// The size of the scratch memory that the conversion uses in shared memory, in bytes.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").shared_bytes
    ///     256
    #[getter]
    fn shared_bytes(&self) -> u32 {
        self.plan.program().scratch_bytes()
    }

    /// The in-dims that remain after dims without movement are removed: in-dims are removed from last to first,
    /// until a dim in which elements move, such as `lane`, is reached. These are the in-dims of
    /// `minimal_conversion_to`. The tuple is empty if no element moves.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").moves
    ///     ('register', 'lane', 'warp')
    #[getter]
    fn moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.plan.reason().moves.iter().map(|dim| dim.name()))
    }

    /// The candidate plans as pairs `(kind, cycles)`, cheapest first. The first entry is the plan of this
    /// conversion.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
    ///     >>> conversion = ll.convert(rows, columns, "f32", "cuda:90")
    ///     >>> conversion.considered[0] == (conversion.kind, conversion.cycles)
    ///     True
    #[getter]
    fn considered(&self) -> Vec<(String, f64)> {
        let considered = self.plan.reason().considered.iter();
        considered
            .map(|(kind, cost)| (kind.to_string(), clocks(cost.total())))
            .collect()
    }

    /// The number of registers per thread before the conversion, and the number after it. Replicas are not counted.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").registers
    ///     (2, 2)
    #[getter]
    fn registers(&self) -> (usize, usize) {
        let program = self.plan.program();
        (program.num_sources(), program.results().len())
    }

    /// The width of an element in bits.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> ll.convert(layout, layout, np.float16, "cuda:90").element_bits
    ///     16
    #[getter]
    fn element_bits(&self) -> u32 {
        self.element_bits
    }

    /// The GPU for which the conversion is planned.
    ///
    /// Example:
    ///
    ///     >>> layout = ll.Layout("spatial(8, 4)")
    ///     >>> ll.convert(layout, layout, "f16", "sm_90").target
    ///     Target('cuda:90')
    #[getter]
    fn target(&self) -> PyTarget {
        PyTarget(self.target)
    }

    /// Returns a picture of the conversion as text.
    ///
    /// The view `arrows` shows both layouts and the moves of elements. The view `banks` shows the banks that each
    /// store and load accesses. Raises `LayoutError` for `banks` if the conversion does not use shared memory.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> "bank" in ll.convert(rows, columns, "f32", "cuda:90").text("banks")
    ///     True
    #[pyo3(signature = (view="arrows", *, rows=None, columns=None))]
    fn text(
        &self,
        view: &str,
        rows: Option<Natural>,
        columns: Option<Natural>,
    ) -> PyResult<String> {
        let window = window(Window::default(), rows, columns, 1 << MOST_PLANNED)?;
        Ok(trimmed(self.scene(view, window)?.to_string()))
    }

    /// Returns a picture of the conversion as SVG. The arguments are those of `text`.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
    ///     >>> ll.convert(rows, columns, "f32", "cuda:90").svg("banks").startswith("<svg")
    ///     True
    #[pyo3(signature = (view="arrows", *, rows=None, columns=None))]
    fn svg(&self, view: &str, rows: Option<Natural>, columns: Option<Natural>) -> PyResult<String> {
        let scene = self.scene(
            view,
            window(Window::PICTURE, rows, columns, 1 << MOST_PLANNED)?,
        )?;
        Ok(svg(&scene.titled(self.heading())))
    }

    /// Returns the picture that a notebook shows.
    ///
    /// Example:
    ///
    ///     >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
    ///     >>> "image/svg+xml" in ll.convert(rows, columns, "f32", "cuda:90")._repr_html_()
    ///     True
    fn _repr_html_(&self) -> String {
        let scene = Scene::conversion(&self.src, &self.dst, NOTEBOOK);
        notebook(&svg(&scene.titled(self.heading())))
    }

    fn __str__(&self) -> String {
        trimmed(self.plan.to_string())
    }

    fn __repr__(&self) -> String {
        format!("<Conversion: {}>", self.heading())
    }
}

impl Conversion {
    fn heading(&self) -> String {
        format!(
            "{} of {} bits an element on {}, {}, {} bytes of shared memory, {} bank conflicts",
            self.plan.kind(),
            self.element_bits,
            self.target,
            self.plan.program().cost(),
            self.plan.program().scratch_bytes(),
            self.report.conflicts(),
        )
    }

    fn scene(&self, view: &str, window: Window) -> PyResult<Scene> {
        match view {
            "arrows" => Ok(Scene::conversion(&self.src, &self.dst, window)),
            "banks" => Scene::steps(self.plan.program(), self.target, window).ok_or_else(|| {
                Failure::new(format!(
                    "no banks to draw: a {} conversion does not use shared memory",
                    self.plan.kind()
                ))
                .note("plan the conversion with `strategy=\"shared\"`")
                .into()
            }),
            _ => Err(failed(format!(
                "unknown view `{view}`; expected `arrows` or `banks`"
            ))),
        }
    }
}
