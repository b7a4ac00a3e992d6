"""Kernels of our lowering with as many blocks per multiprocessor as Triton's.

Our code may have more values live at a time than Triton's, so that its warps are faster and fewer of them run. Whether that
is a gain depends on the grid: it is a loss where all of Triton's blocks run at the same time, and ours in two rounds.
"""

from __future__ import annotations

import copy
import dataclasses
from typing import Sequence

from .. import Target
from ._assembly import LAUNCH_BOUND, ONE_BLOCK, changed, with_blocks
from ._candidates import TRITON, Candidate
from ._cubin import Usage, usage


def more_resident(candidates: Sequence[Candidate], target: str, *, refusal: type[Exception] = ValueError) -> list[Candidate]:
    """Returns candidates of our lowering, assembled for one more block per multiprocessor and for as many as Triton's.

    ``refusal`` is the error of `ptxas` where it cannot do with so few registers.
    """
    baseline = next((made for made in candidates if made.name == TRITON), None)
    if baseline is None or not target.startswith("cuda:"):
        return []
    most = _resident_blocks(baseline, usage(baseline.binary), target)
    found: list[Candidate] = []
    for made in candidates:
        if "lower" in made.entry.used:
            found += _with_more_blocks(made, most, target, refusal)
    return found


def _with_more_blocks(made: Candidate, most: int, target: str, refusal: type[Exception]) -> list[Candidate]:
    ptx = made.artifacts["ptx"].replace(ONE_BLOCK, "\n")
    used = usage(made.binary)
    blocks = _resident_blocks(made, used, target)
    if LAUNCH_BOUND.search(ptx) or blocks >= most:
        return []
    found = []
    for count in sorted({blocks + 1, most}):
        metadata = copy.deepcopy(made.metadata)
        try:
            cubin = made.stages["cubin"](with_blocks(ptx, count), metadata)
        except refusal:
            continue
        after = usage(cubin)
        if _resident_blocks(made, after, target) < count:
            continue
        hint = f".minnctapersm {count}"
        entry = dataclasses.replace(made.entry, assembler=changed(hint, used, after))
        artifacts = {**made.artifacts, "cubin": cubin}
        found.append(dataclasses.replace(made, name=f"{made.name} {hint}", entry=entry, artifacts=artifacts, metadata=metadata))
    return found


def _resident_blocks(made: Candidate, used: Usage, target: str) -> int:
    gpu = Target(target)
    return gpu.resident_blocks(made.metadata["num_warps"] * gpu.lanes, made.metadata["shared"], used.registers)
