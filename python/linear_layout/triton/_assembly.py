"""The choice between several assemblies of one kernel.

`ptxas` decides how many registers a thread has, and with them how many blocks a multiprocessor runs at the same time. Its
decision is compared with others by resources and by the estimated time of one warp (`_sass`).
"""

from __future__ import annotations

import re
from typing import Callable, NamedTuple

from .. import Target
from ._cubin import Usage, usage
from ._sass import estimate

Assemble = Callable[[str], bytes]

#: A limit that the kernel states. `ptxas` takes one only.
LAUNCH_BOUND = re.compile(r"\.(minnctapersm|maxnreg)\b")
#: The bound of a kernel with more live values than registers: the compiler's own.
ONE_BLOCK = "\n.minnctapersm 1\n"
THREADS = re.compile(r"(?m)^\.reqntid (\d+).*$")
#: Matrix instructions: `mma.sync` and `wgmma.mma_async`.
PRODUCT = re.compile(r"\bw?g?mma\.")
MOST_REGISTERS = 255

#: One more block is tried if a multiprocessor runs one block, or at most this many warps: with more, latency is hidden.
FEW_WARPS = 16
#: The smallest part of a thread's registers with which one more block is tried; with fewer, kernels spill.
LEAST_REGISTERS = 0.6
#: The largest factor on the time of one warp at which one more block is a gain; among n blocks, it is at most 1 + 1/n^2.
SLOWER_WARP = 1.12

#: Butterflies and fewer blocks are tried if a loop has so many loads from global memory, and waits for this part of them.
MANY_LOADS, MANY_WAITS = 32, 0.2
#: Fewer blocks are also tried if a loop has so many loads, and waits for this part of them.
SOME_LOADS, MOST_WAITS = 4, 0.5
#: With more warps than these on a multiprocessor, fewer hide latency as well: two loads suffice for a try, and this factor.
MANY_WARPS, TWO_LOADS, NO_SLOWER = 32, 2, 0.85
#: Registers of a thread are allocated by so many. With more than `MOST_SPARE` of them unused, `ptxas` has not lacked any.
GRANULE, MOST_SPARE = 8, 1
#: The largest factor on the time of one warp at which other instructions, or more registers, are a gain.
FASTER_WARP = 0.75


class Assembly(NamedTuple):
    """A kernel in machine code."""

    cubin: bytes
    #: Why it is not what `ptxas` makes by itself; empty where it is.
    reason: str = ""


def changed(hint: str, before: Usage, after: Usage) -> str:
    """Returns what another assembly changes, as text.

    >>> changed(".minnctapersm 1", Usage(80, 16), Usage(126, 0))
    'assembled with .minnctapersm 1: 16 -> 0 bytes of spills, 80 -> 126 registers'
    """
    spills = f"{before.frame_bytes} -> {after.frame_bytes} bytes of spills"
    return f"assembled with {hint}: {spills}, {before.registers} -> {after.registers} registers"


def with_blocks(ptx: str, blocks: int) -> str:
    """Returns a kernel whose registers suffice for a number of blocks per multiprocessor.

    >>> print(with_blocks(".entry k()\\n.reqntid 128\\n{", 5))
    .entry k()
    .reqntid 128
    .minnctapersm 5
    {
    """
    return THREADS.sub(rf"\g<0>\n.minnctapersm {blocks}", ptx, count=1)


def assembled(
    assemble: Assemble, ptx: str, target: str, shared_bytes: int, *, tries_blocks: bool = True, refusal: type[Exception] = ValueError
) -> Assembly:
    """Assembles a kernel, and again for other numbers of blocks per multiprocessor where that may be faster.

    The second reason holds always, the others with ``tries_blocks``:

    - The compiler found more values live at a time than there are registers, and states one block. `ptxas` may order
      the instructions so that far fewer are live, and more blocks run; the hint stays where it does not.
    - `ptxas` spills although registers are left: it gives up registers for resident blocks. A spill costs a kernel more
      than the blocks gain; without a spill the hint would only cost blocks.
    - A few registers less would let one more block run, and the multiprocessor runs few warps: more warps hide latency,
      unless each warp takes longer because of it.
    - Shared memory lets at most half as many blocks run as the registers: more registers cost nothing then.
    - `ptxas` gives up registers for more blocks, and a loop waits for most of its loads one by one, or for many of very many.
      Stating the number of blocks that it chose often suffices for another order; otherwise fewer are tried.

    One more block is tried for kernels without loops, and for products of matrices. Other kernels with loops often have a grid
    of one block per multiprocessor, as sums over rows, and gain nothing from a second one.

    ``refusal`` is the error of ``assemble`` where `ptxas` cannot do with so few registers, as for products of warp groups.
    """
    threads = THREADS.search(ptx)
    is_hinted = tries_blocks and ONE_BLOCK in ptx
    ptx = ptx.replace(ONE_BLOCK, "\n") if is_hinted else ptx
    best = Assembly(assemble(ptx))
    if LAUNCH_BOUND.search(ptx) or not threads:
        return best
    used = usage(best.cubin)
    gpu = Target(target)

    def warps(registers: int) -> int:
        """The warps of a multiprocessor."""
        return gpu.resident_blocks(int(threads[1]), shared_bytes, registers) * int(threads[1]) // gpu.lanes

    def tried(blocks: int) -> tuple[bytes, Usage, str]:
        cubin = assemble(with_blocks(ptx, blocks))
        after = usage(cubin)
        return cubin, after, changed(f".minnctapersm {blocks}", used, after)

    if used.frame_bytes and used.registers < MOST_REGISTERS:
        cubin, after, reason = tried(1)
        if after.frame_bytes < used.frame_bytes:
            best, used = Assembly(cubin, reason), after
    elif is_hinted:
        cubin, after, reason = tried(1)
        if estimate(cubin, target).cycles <= _slower_warp(warps(used.registers), warps(after.registers)) * estimate(best.cubin, target).cycles:
            best, used = Assembly(cubin, reason), after
    if not tries_blocks:
        return best
    grows = PRODUCT.search(ptx) is not None or not estimate(best.cubin, target).has_loops
    for other in _other_blocks(best.cubin, used, gpu, (int(threads[1]), shared_bytes), grows=grows):
        if other.loads and not _may_serialise(best.cubin, target, other.loads):
            break
        try:
            cubin, _, reason = tried(other.blocks)
        except refusal:
            continue
        if estimate(cubin, target).cycles <= other.slower_warp * estimate(best.cubin, target).cycles:
            best = Assembly(cubin, reason)
    return best


def _slower_warp(before: int, after: int) -> float:
    """Returns the largest factor on the time of a warp at which fewer warps on a multiprocessor are a gain.

    >>> _slower_warp(24, 20), _slower_warp(48, 16)
    (0.75, 0.3333333333333333)
    """
    return FASTER_WARP if after >= FASTER_WARP * before else after / before


class BlockCount(NamedTuple):
    """A number of blocks per multiprocessor to assemble for, and the largest factor on the time of a warp at which it is taken."""

    blocks: int
    slower_warp: float
    #: If not 0, the candidate is for a kernel that waits one by one for so many loads of a loop.
    loads: int = 0


def _other_blocks(cubin: bytes, used: Usage, gpu: Target, block: tuple[int, int], *, grows: bool) -> list[BlockCount]:
    """Returns other numbers of blocks for a kernel; ``block`` has the threads and the bytes of shared memory of one."""
    threads, shared_bytes = block

    def resident(registers: int, shared: int = shared_bytes) -> int:
        return gpu.resident_blocks(threads, shared, registers)

    blocks = resident(used.registers)
    if blocks == 0:
        return []
    few = blocks == 1 or blocks * threads <= FEW_WARPS * gpu.lanes
    if grows and few and resident(int(LEAST_REGISTERS * used.registers)) > blocks:
        return [BlockCount(blocks + 1, min(SLOWER_WARP, 1 + 1 / blocks**2))]
    if 2 * blocks <= resident(used.registers, shared=0):
        return [BlockCount(blocks, FASTER_WARP)]
    if -used.registers % GRANULE > MOST_SPARE:
        return []
    fewer = resident(used.registers + GRANULE)
    if not 0 < fewer < blocks:
        return []
    if fewer * threads >= MANY_WARPS * gpu.lanes:
        return [BlockCount(fewer, NO_SLOWER, TWO_LOADS)]
    return [BlockCount(blocks, NO_SLOWER, SOME_LOADS), BlockCount(fewer, _slower_warp(blocks, fewer), SOME_LOADS)]


def _may_serialise(cubin: bytes, target: str, loads: int) -> bool:
    """Returns whether a loop waits for so many loads, most of them one by one, or for some of very many."""
    return may_serialise(cubin, target, loads, MOST_WAITS) or may_serialise(cubin, target)


def has_many_loads(ptx: str) -> bool:
    """Returns whether a kernel has so many loads that butterflies may be tried."""
    return ptx.count("ld.global") >= MANY_LOADS


def may_serialise(cubin: bytes, target: str, loads: int = MANY_LOADS, waits: float = MANY_WAITS) -> bool:
    """Returns whether `ptxas` may have moved many loads of a loop down to their uses, one wait after the other."""
    found = estimate(cubin, target)
    return found.looped_loads >= loads and found.looped_waits >= waits * found.looped_loads


def is_much_faster(candidate: bytes, baseline: bytes, target: str) -> bool:
    """Returns whether one warp takes much less time for one kernel than for another."""
    return estimate(candidate, target).cycles <= FASTER_WARP * estimate(baseline, target).cycles
