"""GPU tensor layouts as linear maps over GF(2).

A `Layout` maps places of a GPU (register, lane, warp and block, or an offset in shared memory) to elements of a tensor.
Layouts are parsed from Triton encodings, Gluon objects, CuTe and Tilus layouts, or built from bases. They are inverted,
composed, divided, drawn, and converted to NumPy arrays. `convert` plans a layout conversion on a GPU and predicts its
cost.

`compile` and `run_passes` take the text of a Triton module. `simulate` runs a kernel on the CPU and detects errors.
`triton.install` makes Triton use this compiler, and `cache` reads Triton's cache. These functions load the library with
LLVM on first use.

Examples in this package assume `import numpy as np` and `import linear_layout as ll`.

Example:

    >>> layout = ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)")
    >>> layout.apply(lane=5, register=1)
    (1, 3)
    >>> layout.invert().apply(dim0=1, dim1=3)
    (1, 5, 0, 0)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import cute, tilus
from ._native import Conversion, Layout, LayoutError, Target, __version__, convert, layouts, targets

if TYPE_CHECKING:
    from . import cache, compiler, simulation, triton
    from .compiler import CompileError, Compiled, Message, Module, compile, run_passes
    from .simulation import Fault, Report, SimulationError, check, simulate

__all__ = [
    "CompileError",
    "Compiled",
    "Conversion",
    "Fault",
    "Layout",
    "LayoutError",
    "Message",
    "Module",
    "Report",
    "SimulationError",
    "Target",
    "__version__",
    "cache",
    "check",
    "compile",
    "compiler",
    "convert",
    "cute",
    "layouts",
    "run_passes",
    "simulate",
    "simulation",
    "targets",
    "tilus",
    "triton",
]

# Imported on first use, since the import is slow: modules, and names with their module.
_MODULES = ("cache", "compiler", "simulation", "triton")
_NAMES = {
    **dict.fromkeys(("CompileError", "Compiled", "Message", "Module", "compile", "run_passes"), "compiler"),
    **dict.fromkeys(("Fault", "Report", "SimulationError", "check", "simulate"), "simulation"),
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _NAMES:
        return getattr(importlib.import_module(f"{__name__}.{_NAMES[name]}"), name)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


def __dir__() -> list[str]:
    return sorted(__all__)
