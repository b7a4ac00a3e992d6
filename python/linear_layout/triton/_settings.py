"""The options of `install` and `use`."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass

MODES = ("lower", "layouts", "both", "passes")
#: The modes with our lowering.
LOWERING_MODES = ("lower", "both", "passes")
LAYOUT_POINTS = ("end", "pipeline")
LANE_REDUCTIONS = ("compiled", "cheapest", "butterfly")
ASSEMBLIES = ("fastest", "first")
SELECTIONS = ("predicted", "compiled", "measured")

#: Percent. Of ten kernels whose layouts differed on an H100, those with a lower gain took 1.0 to 1.5 of the time.
MIN_GAIN = 3


@dataclass(frozen=True)
class Settings:
    """The options of :func:`linear_layout.triton.install`."""

    mode: str = "lower"
    fallback: bool = True
    numbers: str = "triton"
    layouts_at: str = "end"
    lane_reductions: str = "compiled"
    assembly: str = "fastest"
    select: str = "predicted"

    def __post_init__(self) -> None:
        choices = {
            "mode": MODES,
            "layouts_at": LAYOUT_POINTS,
            "lane_reductions": LANE_REDUCTIONS,
            "assembly": ASSEMBLIES,
            "select": SELECTIONS,
        }
        for name, values in choices.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(map(repr, values))}")
        if self.numbers not in ("triton", "exact"):
            raise ValueError(f"numbers={self.numbers!r}: expected 'triton' or 'exact'")

    @property
    def lowers(self) -> bool:
        return self.mode in LOWERING_MODES

    @property
    def chooses_layouts(self) -> bool:
        return self.mode in ("layouts", "both")

    @property
    def replaces_passes(self) -> bool:
        return self.mode == "passes"

    @property
    def min_gain(self) -> int:
        """The smallest predicted gain, in percent, at which our layouts replace Triton's.

        The gain is 0 inside Triton's pipeline, where layouts are not yet final, and with measurements.
        """
        return 0 if self.layouts_at == "pipeline" or self.select == "measured" else MIN_GAIN

    @functools.cached_property
    def key(self) -> str:
        """The part of Triton's cache key for these settings. It is short, since each launch hashes the key."""
        from ..compiler import library_path

        library = library_path().stat()
        passes = (self.layouts_at, self.min_gain) if self.chooses_layouts else ()
        options = (self.mode, self.numbers, self.fallback, self.lane_reductions, self.assembly, self.select)
        parts = (library.st_size, library.st_mtime_ns, options, passes)
        return "ll" + hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
