"""An estimate of the time of one warp, from its machine code.

A warp issues instructions in order. Since Volta, each instruction encodes a stall count, the counters (of six) to raise
until the result arrives and the operands are read, and the counters to wait for. The order of instructions thus gives
the cycles of a warp that runs alone, up to the latency of memory.

NVIDIA does not document these fields; `tests/test_assembly.py` compares the decoding with `nvdisasm`.
"""

from __future__ import annotations

import functools
import struct
from typing import Iterator, NamedTuple, Optional

from ._cubin import sections

#: Opcodes: the low nine bits of an instruction.
LDG, LDS, SHFL, MUFU, LDL, HMMA, BAR, BRA, EXIT = 0x181, 0x184, 0x189, 0x108, 0x183, 0x13C, 0x11D, 0x147, 0x14D
STG, STS, STL = 0x186, 0x188, 0x187

#: The predicate of instructions that are always executed.
ALWAYS = 7
#: Operations whose field for the result is none.
WITHOUT_RESULT = frozenset([STG, STS, STL, BAR, BRA, EXIT])

#: Operations of the memory pipe, which accepts one per warp in `MEMORY_ISSUE` cycles under full load.
MEMORY = frozenset([LDG, LDS, SHFL, LDL, STG, STS, STL])
MEMORY_ISSUE = 4

#: Cycles until the result arrives; `OTHER` for other operations with a counter.
LATENCY = {LDS: 33, SHFL: 25, MUFU: 20, LDL: 40, HMMA: 33}
OTHER = 15
#: Cycles of the first load from a 32-byte sector, and of later loads from the same sector.
MISS, HIT = 500, 40
SECTOR_BITS = 5
#: Cycles of a barrier at which all warps arrive together, and cycles until operands are read.
BARRIER, READ = 20, 12
#: Assumed iterations of a loop.
ITERATIONS = 16
MOST_NESTED = 3
#: The share of executions in which a forward branch does not skip its code, such as the accesses of a thread at a boundary.
SHARE = 0.5


class Instruction(NamedTuple):
    """One instruction."""

    operation: int
    #: True if a predicate decides whether it is executed.
    is_predicated: bool
    #: Cycles until the next instruction.
    stall: int
    #: The counters that are raised until the result arrives, and until the operands are read; none above 5.
    written: int
    read: int
    #: The mask of counters to wait for.
    waits: int
    #: The first register of the result.
    result: int
    #: The base register of an address, and the offset from it in bytes.
    base: int
    offset: int
    #: For a branch, the distance of its target in instructions.
    distance: int


class Estimate(NamedTuple):
    """The work of one warp in a kernel. A loop counts as `ITERATIONS` iterations."""

    #: Cycles until the end.
    cycles: float
    #: Static counts of global loads and of waits for them: inside loops, or all of a kernel without loops.
    loads: int
    waits: int
    has_loops: bool
    #: The number of executed instructions.
    issued: float


#: The first compute capability with eight more bits for the distance of a branch.
LONG_BRANCHES = 90


def instructions(code: bytes, capability: int) -> list[Instruction]:
    """Decodes the machine code of a function for a compute capability such as 90."""
    found = []
    for low, high in struct.iter_unpack("<QQ", code[: len(code) // 16 * 16]):
        control = high >> 41
        # A signed number in units of four bytes.
        bits, units = 48, (high & 0x3FFFF) << 30 | low >> 34
        if capability >= LONG_BRANCHES:
            bits, units = 56, units << 8 | low >> 16 & 0xFF
        units -= units >> bits - 1 << bits
        found.append(
            Instruction(
                operation=low & 0x1FF,
                is_predicated=low >> 12 & 15 != ALWAYS,
                stall=control & 15,
                written=control >> 5 & 7,
                read=control >> 8 & 7,
                waits=control >> 11 & 63,
                result=low >> 16 & 0xFF,
                base=low >> 24 & 0xFF,
                offset=low >> 40 & 0xFFFFFF,
                distance=1 + units // 4,
            )
        )
    return found


def loops(body: list[Instruction]) -> list[range]:
    """Returns the index range of each loop, from the target of a backward branch to the branch."""
    found = []
    for at, instruction in enumerate(body):
        start = at + instruction.distance
        # A function ends with a branch to itself.
        if instruction.operation == BRA and 0 <= start < at - 2:
            found.append(range(start, at + 1))
    return found


def skips(body: list[Instruction], spans: list[range]) -> list[range]:
    """Returns the index ranges of code that some threads skip: what forward branches skip, and what follows an end of the function.

    Ranges with a loop of `spans` and branches to an end do not count.
    """
    found = []
    for at, instruction in enumerate(body):
        target = at + instruction.distance
        if instruction.operation == BRA and at + 1 < target < len(body) and body[target].operation != EXIT:
            found.append(range(at + 1, target))
        if instruction.operation == EXIT and not instruction.is_predicated and at + 1 < len(body):
            found.append(range(at + 1, len(body)))
    return [skipped for skipped in found if not any(span.start in skipped for span in spans)]


def _functions(cubin: bytes, target: str) -> Iterator[list[Instruction]]:
    capability = int(target.removeprefix("cuda:"))
    for name, code in sections(cubin):
        if name.startswith(".text."):
            yield instructions(code, capability)


@functools.lru_cache(maxsize=8)
def estimate(cubin: bytes, target: str) -> Estimate:
    """Estimates the work of one warp in the functions of a cubin, for a GPU such as ``cuda:90``.

    :raises ValueError: ``cubin`` is not a cubin.
    """
    cycles, issued, loads, waits, has_loops = 0.0, 0.0, 0, 0, False
    for body in _functions(cubin, target):
        spans = loops(body)
        if spans and not has_loops:
            loads, waits, has_loops = 0, 0, True
        heads = {span.start for span in spans}
        depths = [0] * len(body)
        shares = [1.0] * len(body)
        #: The innermost conditional code around each instruction.
        conditions: list[Optional[range]] = [None] * len(body)
        for skipped in sorted(skips(body, spans), key=len, reverse=True):
            for at in skipped:
                shares[at] *= SHARE
                conditions[at] = skipped
        for span in spans:
            for at in span:
                depths[at] += 1
        now = 0
        arrived = [0] * 6
        pending_loads = [False] * 6
        raised: list[Optional[range]] = [None] * 6
        #: For each base register, the arrival times of sectors that were loaded since the loop started or the register was set.
        sectors: dict[int, dict[int, int]] = {}
        for at, (instruction, depth) in enumerate(zip(body, depths)):
            before = now
            if at in heads:
                sectors = {}
            for counter in range(6):
                # Conditional code often waits for the other path, which is not executed then, or for what all paths wait for.
                if instruction.waits >> counter & 1 and conditions[at] in (None, raised[counter]):
                    now = max(now, arrived[counter])
                    waits += pending_loads[counter] and (depth > 0 or not has_loops)
                    pending_loads[counter] = False
            latency = LATENCY.get(instruction.operation, OTHER)
            if instruction.operation == LDG:
                sector, known = instruction.offset >> SECTOR_BITS, sectors.setdefault(instruction.base, {})
                latency = max(HIT, known[sector] - now) if sector in known else MISS
                known.setdefault(sector, now + MISS)
                loads += depth > 0 or not has_loops
            if instruction.written < 6:
                arrived[instruction.written] = max(arrived[instruction.written], now + latency)
                pending_loads[instruction.written] |= instruction.operation == LDG
                raised[instruction.written] = conditions[at]
            if instruction.read < 6:
                arrived[instruction.read] = max(arrived[instruction.read], now + READ)
                raised[instruction.read] = conditions[at]
            if instruction.operation not in WITHOUT_RESULT:
                # An address takes two registers.
                sectors.pop(instruction.result, None)
                sectors.pop(instruction.result - 1, None)
            now += max(MEMORY_ISSUE if instruction.operation in MEMORY else 1, instruction.stall)
            now += BARRIER if instruction.operation == BAR else 0
            times = shares[at] * ITERATIONS ** min(depth, MOST_NESTED)
            cycles += (now - before) * times
            issued += times
    return Estimate(cycles, loads, waits, has_loops, issued)
