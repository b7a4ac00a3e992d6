"""GPU tensor layouts as linear maps over GF(2).

A `Layout` says which element of a tensor each place of a GPU holds: a register of a lane of a warp, or an offset in shared
memory. It is read from an encoding of Triton, from Gluon's objects, from layouts of CuTe and Tilus or from bases, and is
inverted, composed, divided, compared, drawn, and turned into NumPy arrays. `convert` plans how a tensor gets from one layout
to another on a GPU, and what that costs.

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
from types import ModuleType

from . import cute, tilus
from ._native import Conversion, Layout, LayoutError, Target, __version__, convert, layouts, targets

__all__ = [
    "Conversion",
    "Layout",
    "LayoutError",
    "Target",
    "__version__",
    "convert",
    "cute",
    "layouts",
    "targets",
    "tilus",
]

# What takes longer to import than the algebra is imported when it is first used.
_LAZY = ("compiler", "triton")


def __getattr__(name: str) -> ModuleType:
    if name in _LAZY:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")
