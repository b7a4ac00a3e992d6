"""GPU tensor layouts as linear maps over GF(2).

A `Layout` says which element of a tensor each place of a GPU holds: a register of a lane of a warp, or an offset in shared
memory. It is read from an encoding of Triton, from Gluon's objects, from layouts of CuTe and Tilus or from bases, and is
inverted, composed, divided, compared, drawn, and turned into NumPy arrays. `convert` plans how a tensor gets from one layout
to another on a GPU, and what that costs.

`compile` and `run_passes` take the text of a module of Triton's, `simulate` runs a kernel on the CPU and finds its mistakes,
`triton.install` puts the compiler into Triton, and `cache` looks into Triton's cache. These load the library with LLVM when
they are first used.

Examples in this package begin after `import numpy as np` and `import linear_layout as ll`.

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

# What takes longer to import than the algebra is imported when it is first used: modules, and names with theirs.
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
