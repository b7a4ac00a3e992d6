"""The choice among candidates by their machine code.

The time of a kernel is bounded by one of three: the latency of a warp, where few warps run or the grid is small; that latency
over the warps that a multiprocessor runs at the same time; or the instructions that it issues. Which of them holds depends
on the grid and on memory, so a candidate is preferred to another only if it is better by all of them.
"""

from __future__ import annotations

from typing import NamedTuple, Sequence

from ._candidates import Candidate
from ._occupancy import resident_blocks
from ._sass import estimate

#: The largest factors on the two latencies, and on the instructions, at which another candidate is preferred.
FASTER, FEWER = 0.9, 1.0


class Bounds(NamedTuple):
    """What bounds the time of a kernel."""

    #: Cycles of one warp, and the same over the resident warps.
    latency: float
    latency_per_warp: float
    issued: float

    def is_better(self, other: Bounds) -> bool:
        """Returns whether a kernel with these bounds takes less time than another one, whichever of them holds.

        >>> Bounds(800, 50, 400).is_better(Bounds(1000, 60, 400)), Bounds(800, 100, 400).is_better(Bounds(1000, 60, 400))
        (True, False)
        """
        latencies = self.latency <= FASTER * other.latency and self.latency_per_warp <= FASTER * other.latency_per_warp
        return latencies and self.issued <= FEWER * other.issued


def bounds(binary: bytes, metadata: dict[str, int], target: str) -> Bounds:
    """Returns the bounds of a kernel from its cubin, its warps and its bytes of shared memory.

    :raises ValueError: The bytes are no cubin.
    """
    found = estimate(binary, target)
    warps = resident_blocks(binary, metadata, target) * metadata["num_warps"]
    return Bounds(found.cycles, found.cycles / max(1, warps), found.issued)


def selected(candidates: Sequence[Candidate], target: str) -> int:
    """Returns the index of the candidate that is expected to be the fastest on a GPU: the first, unless another one is better.

    AMD's machine code does not state latencies, so that the first is kept there.
    """
    if not target.startswith("cuda:"):
        return 0
    found = [bounds(made.binary, made.metadata, target) for made in candidates]
    best = 0
    for index in range(1, len(found)):
        if found[index].is_better(found[best]):
            best = index
    return best
