"""The choice among candidates by their machine code.

The time of a kernel is bounded by the latency of a warp, by this latency over the resident warps, or by the issued
instructions. The dominant bound depends on the grid and on memory, so that a candidate must be better in all three.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ._candidates import Candidate
from ._occupancy import resident_blocks
from ._sass import estimate

#: The largest ratios of the two latencies, and of the instructions, at which another candidate is preferred.
FASTER, FEWER = 0.9, 1.0


class Bounds(NamedTuple):
    """The bounds on the time of a kernel."""

    #: Cycles of one warp, and the same over the resident warps.
    latency: float
    latency_per_warp: float
    issued: float

    def is_better(self, other: Bounds) -> bool:
        """Returns true if both latencies are clearly lower, and no more instructions are issued.

        >>> Bounds(800, 50, 400).is_better(Bounds(1000, 60, 400)), Bounds(800, 100, 400).is_better(Bounds(1000, 60, 400))
        (True, False)
        """
        latencies = self.latency <= FASTER * other.latency and self.latency_per_warp <= FASTER * other.latency_per_warp
        return latencies and self.issued <= FEWER * other.issued


def bounds(binary: bytes, metadata: dict[str, int], target: str) -> Bounds:
    """Returns the bounds of a kernel from its cubin and its metadata.

    :raises ValueError: ``binary`` is not a cubin.
    """
    found = estimate(binary, target)
    warps = resident_blocks(binary, metadata, target) * metadata["num_warps"]
    return Bounds(found.cycles, found.cycles / max(1, warps), found.issued)


def selected(candidates: Sequence[Candidate], target: str) -> int:
    """Returns the index of the candidate to keep: the first, which is preferred, unless another one is clearly better.

    AMD machine code has no latencies, so that the first candidate is kept.
    """
    if not target.startswith("cuda:"):
        return 0
    found = [bounds(made.binary, made.metadata, target) for made in candidates]
    best = 0
    for index in range(1, len(found)):
        if found[index].is_better(found[best]):
            best = index
    return best
