"""The choice of the occupancy for which `ptxas` assembles a kernel.

`ptxas` chooses the registers per thread, and thereby the resident blocks per SM. Other choices are compared by
resources and by the estimated time of one warp (`_sass`).
"""

from __future__ import annotations

import functools
import re
import threading
from typing import Any, Callable, NamedTuple, Optional, TypeVar

from .. import Target
from ._cubin import Usage, usage
from ._sass import estimate

Assemble = Callable[[str], bytes]
T = TypeVar("T")

#: A launch bound in PTX; `ptxas` accepts only one.
LAUNCH_BOUND = re.compile(r"\.(minnctapersm|maxnreg)\b")
#: The bound that this compiler sets if more values are live than there are registers.
ONE_BLOCK = "\n.minnctapersm 1\n"
THREADS = re.compile(r"(?m)^\.reqntid (\d+).*$")
#: Matrix instructions: `mma.sync` and `wgmma.mma_async`.
PRODUCT = re.compile(r"\bw?g?mma\.")
MOST_REGISTERS = 255

#: One more block is tried with one block per SM, or with at most this many warps: more warps hide latency.
FEW_WARPS = 16
#: The smallest fraction of the registers with which one more block is tried; with fewer registers, kernels spill.
LEAST_REGISTERS = 0.6
#: The largest relative time of a warp at which a second block is a gain, for matrix products and for other kernels. The loads of
#: the second block overlap the arithmetic of the first one.
SECOND_BLOCK, SECOND_BLOCK_OF_LOADS = 1.16, 1.3
#: The same for a further block; for n blocks, at most 1 + 1/n^2, or 1 + 1/2n if no more registers are spilled.
SLOWER_WARP = 1.12

#: Butterflies and fewer blocks are tried if a loop has this many global loads, and waits for this fraction of them.
MANY_LOADS, MANY_WAITS = 32, 0.2
#: Other assemblies are also tried for a loop, or a kernel without loops, with this many loads and this fraction of waits.
SOME_LOADS, MOST_WAITS = 4, 0.5
#: If this many warps per SM remain, fewer blocks are tried from two loads on, and taken at this relative time of a
#: warp.
MANY_WARPS, TWO_LOADS, NO_SLOWER = 32, 2, 0.85
#: The allocation granularity of registers per thread. With many warps and more than `MOST_SPARE` of them unused, `ptxas`
#: had enough.
GRANULE, MOST_SPARE = 8, 1
#: Granules that a loop may need to keep its loads in flight, if one more is not enough.
MOST_GRANULES = 3
#: The largest relative time of a warp at which other instructions, or more registers, are a gain.
FASTER_WARP = 0.75


class Assembly(NamedTuple):
    """A kernel in machine code."""

    cubin: bytes
    #: The reason for a result other than the default of `ptxas`; empty for the default.
    reason: str = ""


def changed(hint: str, before: Usage, after: Usage) -> str:
    """Describes how another assembly changes spills and registers.

    >>> changed(".minnctapersm 1", Usage(80, 16), Usage(126, 0))
    'assembled with .minnctapersm 1: 16 -> 0 bytes of spills, 80 -> 126 registers'
    """
    spills = f"{before.frame_bytes} -> {after.frame_bytes} bytes of spills"
    return f"assembled with {hint}: {spills}, {before.registers} -> {after.registers} registers"


def with_blocks(ptx: str, blocks: int) -> str:
    """Adds `.minnctapersm` to a kernel.

    >>> print(with_blocks(".entry k()\\n.reqntid 128\\n{", 5))
    .entry k()
    .reqntid 128
    .minnctapersm 5
    {
    """
    return THREADS.sub(rf"\g<0>\n.minnctapersm {blocks}", ptx, count=1)


#: The arguments of calls of ``print``.
Printed = list[tuple[tuple[Any, ...], dict[str, Any]]]


class _Held(threading.local):
    """What a thread has printed while `ptxas` may refuse a kernel; otherwise `None`."""

    printed: Optional[Printed] = None


_held = _Held()


def hold_or_print(*values: Any, **options: Any) -> None:
    """Prints as ``print`` does; within :func:`unless_refused`, only once the kernel is assembled.

    Redirecting standard output would hold what other threads print.
    """
    if _held.printed is None:
        print(*values, **options)
    else:
        _held.printed.append((values, options))


def unless_refused(assemble: Callable[[], T], refusal: type[Exception]) -> Optional[T]:
    """Calls a function that assembles a kernel. Returns `None` if `ptxas` needs more registers than the bound permits.

    Triton then prints the kernel, as for an error; that text is dropped.
    """
    printed: Printed = []
    _held.printed = printed
    try:
        return assemble()
    except refusal:
        printed.clear()
        return None
    finally:
        _held.printed = None
        for values, options in printed:
            print(*values, **options)


def assembled(
    assemble: Assemble, ptx: str, target: str, shared_bytes: int, *, tries_blocks: bool = True, refusal: type[Exception] = ValueError
) -> Assembly:
    """Assembles a kernel, and again for other numbers of blocks per SM if one may be faster.

    Reasons to try another number (only the second one without ``tries_blocks``):

    - This compiler requested one block, since more values are live than there are registers. `ptxas` may need fewer
      registers with another order of instructions. The request stays unless the kernel is faster without the request.
    - `ptxas` spills in favour of more resident blocks. A spill costs more than the blocks gain.
    - The SM runs few warps, and slightly fewer registers allow one more block. More warps hide latency.
    - Shared memory allows at most half of the blocks that registers allow, or fewer blocks than those for which `ptxas` has
      used all registers. More registers are then free.
    - `ptxas` saves registers for more blocks, and a loop waits for its loads one by one. A request for the same number
      of blocks often changes the order of instructions; otherwise, fewer blocks are tried. Kernels without loops are
      only assembled for the same number.

    One more block is tried only for kernels without loops and for matrix products. Other kernels with loops, such as
    row sums, often have a grid of one block per SM. The L1 cache must hold the spills of all blocks.

    ``refusal`` is the error of ``assemble`` if `ptxas` needs more registers, such as for `wgmma`.
    """
    bound = THREADS.search(ptx)
    is_hinted = tries_blocks and ONE_BLOCK in ptx
    ptx = ptx.replace(ONE_BLOCK, "\n") if is_hinted else ptx
    best = Assembly(assemble(ptx))
    if LAUNCH_BOUND.search(ptx) or not bound:
        return best
    used = usage(best.cubin)
    gpu = Target(target)
    threads = int(bound[1])

    def resident(of: Usage, spill_bytes: int = 0) -> int:
        """Returns the resident blocks per SM, with ``spill_bytes`` per thread in the memory of the L1 cache."""
        return gpu.resident_blocks(threads, shared_bytes + threads * spill_bytes, of.registers)

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
        if estimate(cubin, target).cycles <= _slower_warp(resident(used), resident(after)) * estimate(best.cubin, target).cycles:
            best, used = Assembly(cubin, reason), after
    if not tries_blocks:
        return best
    has_products = PRODUCT.search(ptx) is not None
    has_loops = estimate(best.cubin, target).has_loops
    for other in _other_blocks(used, gpu, (threads, shared_bytes), has_products=has_products, has_loops=has_loops):
        if other.loads and not _waits_apart(best.cubin, target, other.loads):
            break
        result = unless_refused(functools.partial(tried, other.blocks), refusal)
        if result is None:
            continue
        cubin, after, reason = result
        spills_more = after.frame_bytes > used.frame_bytes and other.blocks != resident(used)
        # `ptxas` sometimes spills even with more registers. To spill a loaded value, a warp waits for it.
        if spills_more and other.blocks < resident(used):
            continue
        # `ptxas` may leave registers for more blocks than requested, and all of them spill.
        if spills_more and resident(after, after.frame_bytes) < max(other.blocks, resident(after)):
            continue
        slower_warp = other.slower_warp or _slower_warp(resident(usage(best.cubin)), other.blocks)
        slower_warp = slower_warp if spills_more else max(slower_warp, other.unspilled)
        if estimate(cubin, target).cycles <= slower_warp * estimate(best.cubin, target).cycles:
            best = Assembly(cubin, reason)
    return best


def _slower_warp(before: int, after: int) -> float:
    """Returns the largest relative time of a warp at which fewer resident blocks are a gain.

    >>> _slower_warp(24, 20), _slower_warp(48, 16)
    (0.75, 0.3333333333333333)
    """
    return FASTER_WARP if after >= FASTER_WARP * before else after / before


class BlockCount(NamedTuple):
    """A number of blocks per SM to try, with the largest relative time of a warp at which it is a gain."""

    blocks: int
    #: If 0, it follows from the number of blocks compared with (`_slower_warp`).
    slower_warp: float = 0.0
    #: The same if no more registers are spilled, where this is larger.
    unspilled: float = 0.0
    #: If not 0, the number is tried only if a loop waits one by one for at least this many loads.
    loads: int = 0


def _other_blocks(
    used: Usage, gpu: Target, block: tuple[int, int], *, has_products: bool, has_loops: bool
) -> list[BlockCount]:
    """Returns the numbers of blocks to try; ``block`` is ``(threads, shared_bytes)``."""
    threads, shared_bytes = block

    def resident(registers: int, shared: int = shared_bytes) -> int:
        return gpu.resident_blocks(threads, shared, registers)

    blocks = resident(used.registers)
    if blocks == 0:
        return []
    few = blocks == 1 or blocks * threads <= FEW_WARPS * gpu.lanes
    grows = has_products or not has_loops
    if grows and few and resident(int(LEAST_REGISTERS * used.registers)) > blocks:
        second = SECOND_BLOCK if has_products else SECOND_BLOCK_OF_LOADS
        most = second if blocks == 1 else SLOWER_WARP
        spilled, unspilled = (min(most, 1 + gain) for gain in (1 / blocks**2, 1 / (2 * blocks)))
        return [BlockCount(blocks + 1, spilled, unspilled)]
    by_registers = resident(used.registers, shared=0)
    uses_all = -used.registers % GRANULE <= MOST_SPARE
    if 2 * blocks <= by_registers or (blocks < by_registers and uses_all):
        return [BlockCount(blocks, FASTER_WARP)]
    if not has_loops:
        return [BlockCount(blocks, NO_SLOWER, loads=SOME_LOADS)]
    fewer = resident(used.registers + GRANULE)
    if fewer == blocks:
        # More registers cost no block.
        return [BlockCount(blocks, NO_SLOWER, loads=TWO_LOADS if uses_all else SOME_LOADS)]
    if fewer == 0:
        return []
    if fewer * threads < MANY_WARPS * gpu.lanes:
        tried = [BlockCount(blocks, NO_SLOWER, loads=SOME_LOADS), BlockCount(fewer, loads=SOME_LOADS)]
    elif uses_all:
        tried = [BlockCount(fewer, NO_SLOWER, loads=TWO_LOADS)]
    else:
        return []
    fewest = resident(used.registers + MOST_GRANULES * GRANULE)
    if 0 < fewest < fewer:
        tried.append(BlockCount(fewest, loads=SOME_LOADS))
    return tried


def _waits_apart(cubin: bytes, target: str, loads: int) -> bool:
    """Returns true if a kernel waits for most of ``loads`` loads apart, or a loop for some of `MANY_LOADS`."""
    found = estimate(cubin, target)
    return (found.loads >= loads and found.waits >= MOST_WAITS * found.loads) or may_serialise(cubin, target)


def has_many_loads(ptx: str) -> bool:
    """Returns true if a kernel has enough loads to try butterflies."""
    return ptx.count("ld.global") >= MANY_LOADS


def may_serialise(cubin: bytes, target: str) -> bool:
    """Returns true if `ptxas` may have sunk many loads of a loop to their uses, with one wait per load."""
    found = estimate(cubin, target)
    return found.has_loops and found.loads >= MANY_LOADS and found.waits >= MANY_WAITS * found.loads


def is_much_faster(candidate: bytes, baseline: bytes, target: str) -> bool:
    """Returns true if one warp of ``candidate`` takes much less time than one of ``baseline``.

    With more registers per thread, the difference must be larger, since fewer warps may be resident.
    """
    has_more = usage(candidate).registers > usage(baseline).registers
    most = FASTER_WARP if has_more else NO_SLOWER
    return estimate(candidate, target).cycles <= most * estimate(baseline, target).cycles
