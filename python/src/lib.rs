//! The extension module of the Python package `linear-layout`.
//!
//! | file | has |
//! |---|---|
//! | `layout/` | `Layout`: the algebra, encodings, arrays, pictures |
//! | `conversion` | `convert` and its result, `Conversion` |
//! | `module` | the layouts of a whole module |
//! | `target`, `dtype` | GPUs, and element types |
//! | `cute/`, `tilus/` | the layouts of CuTe and Tilus |
//! | `text` | parsing of layouts |
//! | `args`, `error` | arguments from Python, and exceptions |
//!
//! Every class is immutable. Invalid arguments raise exceptions; no function panics. Doc comments become Python
//! docstrings, whose examples are tests. `LL_BLESS=1 pytest tests/test_stubs.py` copies the docstrings to
//! `_native.pyi`.
#![expect(
    clippy::doc_markdown,
    reason = "doc comments are docstrings, which do not mark names"
)]
#![expect(
    clippy::needless_pass_by_value,
    reason = "arguments from Python are converted to values"
)]

mod args;
mod conversion;
mod cute;
mod dtype;
mod error;
mod layout;
mod module;
mod target;
mod text;
mod tilus;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("LayoutError", py.get_type::<error::LayoutError>())?;
    module.add_class::<layout::Layout>()?;
    module.add_class::<conversion::Conversion>()?;
    module.add_class::<target::PyTarget>()?;
    module.add_function(wrap_pyfunction!(conversion::convert, module)?)?;
    module.add_function(wrap_pyfunction!(module::layouts, module)?)?;
    module.add_function(wrap_pyfunction!(target::targets, module)?)?;
    // These classes are public in `linear_layout.cute` and `linear_layout.tilus`, without prefixes.
    module.add("CuteLayout", py.get_type::<cute::CuteLayout>())?;
    module.add("CuteComposedLayout", py.get_type::<cute::ComposedLayout>())?;
    module.add("CuteSwizzle", py.get_type::<cute::Swizzle>())?;
    module.add(
        "TilusRegisterLayout",
        py.get_type::<tilus::RegisterLayout>(),
    )?;
    module.add("TilusSharedLayout", py.get_type::<tilus::SharedLayout>())?;
    module.add_function(wrap_pyfunction!(tilus::auto_local_spatial, module)?)?;
    module.add_function(wrap_pyfunction!(tilus::column_local, module)?)?;
    module.add_function(wrap_pyfunction!(tilus::column_spatial, module)?)?;
    module.add_function(wrap_pyfunction!(tilus::local, module)?)?;
    module.add_function(wrap_pyfunction!(tilus::replicated, module)?)?;
    module.add_function(wrap_pyfunction!(tilus::spatial, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
