"""The options of `install` and `use`."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass

MODES = ("lower", "layouts", "both")
LAYOUT_POINTS = ("end", "pipeline")
LANE_REDUCTIONS = ("compiled", "cheapest", "butterfly")
ASSEMBLIES = ("fastest", "first")


@dataclass(frozen=True)
class Settings:
    """The options of :func:`linear_layout.triton.install`."""

    mode: str = "lower"
    fallback: bool = True
    numbers: str = "triton"
    layouts_at: str = "end"
    lane_reductions: str = "compiled"
    assembly: str = "fastest"
    layout_passes: str = "remove-layout-conversions{conversion-cost=130},canonicalize,cse"

    def __post_init__(self) -> None:
        choices = {"mode": MODES, "layouts_at": LAYOUT_POINTS, "lane_reductions": LANE_REDUCTIONS, "assembly": ASSEMBLIES}
        for name, values in choices.items():
            if getattr(self, name) not in values:
                raise ValueError(f"{name}={getattr(self, name)!r}: expected one of {', '.join(map(repr, values))}")
        if self.numbers not in ("triton", "exact"):
            raise ValueError(f"numbers={self.numbers!r}: expected 'triton' or 'exact'")

    @property
    def lowers(self) -> bool:
        return self.mode in ("lower", "both")

    @property
    def chooses_layouts(self) -> bool:
        return self.mode in ("layouts", "both")

    @functools.cached_property
    def key(self) -> str:
        """The part of Triton's cache keys that distinguishes these settings. It is short: every launch hashes it."""
        from ..compiler import library_path

        library = library_path().stat()
        passes = (self.layouts_at, self.layout_passes) if self.chooses_layouts else ()
        options = (self.mode, self.numbers, self.fallback, self.lane_reductions, self.assembly)
        parts = (library.st_size, library.st_mtime_ns, options, passes)
        return "ll" + hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
