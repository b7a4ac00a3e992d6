"""Kernels of our lowering with as many blocks per multiprocessor as Triton's.

Our code may have more values live at a time than Triton's, so that its warps are faster and fewer of them run. Whether that
is a gain depends on the grid: it is a loss where all of Triton's blocks run at the same time, and ours in two rounds.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Sequence

from .. import Target
from ._assembly import LAUNCH_BOUND, ONE_BLOCK, changed, with_blocks
from ._candidates import TRITON, Candidate
from ._cubin import usage


def resident_blocks(binary: bytes, metadata: dict[str, Any], target: str) -> int:
    """Returns the blocks of a kernel that a multiprocessor runs at the same time, from its cubin, warps and shared memory.

    :raises ValueError: The bytes are no cubin.
    """
    gpu = Target(target)
    return gpu.resident_blocks(metadata["num_warps"] * gpu.lanes, metadata["shared"], usage(binary).registers)


def more_resident(candidates: Sequence[Candidate], target: str, *, refusal: type[Exception]) -> list[Candidate]:
    """Returns candidates of our lowering, assembled for one more block per multiprocessor and for as many as Triton's.

    ``refusal`` is the error of `ptxas` where it cannot do with so few registers.
    """
    baseline = next((made for made in candidates if made.name == TRITON), None)
    if baseline is None or not target.startswith("cuda:"):
        return []
    most = resident_blocks(baseline.binary, baseline.metadata, target)
    found: list[Candidate] = []
    for made in candidates:
        if "lower" in made.entry.used:
            found += _with_more_blocks(made, most, target, refusal)
    return found


def _with_more_blocks(made: Candidate, most: int, target: str, refusal: type[Exception]) -> list[Candidate]:
    ptx = made.artifacts["ptx"].replace(ONE_BLOCK, "\n")
    blocks = resident_blocks(made.binary, made.metadata, target)
    if LAUNCH_BOUND.search(ptx) or blocks >= most:
        return []
    found = []
    for count in sorted({blocks + 1, most}):
        metadata = copy.deepcopy(made.metadata)
        try:
            cubin = made.stages["cubin"](with_blocks(ptx, count), metadata)
        except refusal:
            continue
        if resident_blocks(cubin, made.metadata, target) < count:
            continue
        hint = f".minnctapersm {count}"
        entry = dataclasses.replace(made.entry, assembler=changed(hint, usage(made.binary), usage(cubin)))
        artifacts = {**made.artifacts, "cubin": cubin}
        found.append(dataclasses.replace(made, name=f"{made.name} {hint}", entry=entry, artifacts=artifacts, metadata=metadata))
    return found
