"""Candidates of our lowering with the occupancy of Triton's kernel.

Our code may have more live values than Triton's, with faster but fewer warps. This is a loss if all blocks of Triton's
kernel are resident at once, and ours run in two waves.
"""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import Any, Sequence

from .. import Target
from ._assembly import LAUNCH_BOUND, ONE_BLOCK, changed, unless_refused, with_blocks
from ._candidates import TRITON, Candidate
from ._cubin import usage


def resident_blocks(binary: bytes, metadata: dict[str, Any], target: str) -> int:
    """Returns the number of resident blocks per SM.

    :raises ValueError: ``binary`` is not a cubin.
    """
    gpu = Target(target)
    return gpu.resident_blocks(metadata["num_warps"] * gpu.lanes, metadata["shared"], usage(binary).registers)


def more_resident(candidates: Sequence[Candidate], target: str, *, refusal: type[Exception]) -> list[Candidate]:
    """Returns candidates of our lowering, assembled for one more block per SM and for as many as Triton's kernel.

    ``refusal`` is the error of `ptxas` if the registers do not suffice.
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
        assemble = functools.partial(made.stages["cubin"], with_blocks(ptx, count), metadata)
        cubin = unless_refused(assemble, refusal)
        if cubin is None or resident_blocks(cubin, made.metadata, target) < count:
            continue
        hint = f".minnctapersm {count}"
        entry = dataclasses.replace(made.entry, assembler=changed(hint, usage(made.binary), usage(cubin)))
        artifacts = {**made.artifacts, "cubin": cubin}
        found.append(dataclasses.replace(made, name=f"{made.name} {hint}", entry=entry, artifacts=artifacts, metadata=metadata))
    return found
