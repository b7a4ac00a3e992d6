"""The results of one operator, and their summary."""

from __future__ import annotations

import math
import statistics
from dataclasses import asdict, dataclass, field
from typing import Any, Union

#: The mode in which Triton compiles alone.
TRITON = "triton"


@dataclass
class KernelRow:
    """The time of one kernel."""

    operator: str
    size: str
    kernel: str
    #: The time of Triton's kernel.
    microseconds: float
    #: The time of each mode relative to Triton's.
    ratios: dict[str, float]
    #: The remarks in the report of each mode on assembly or selection.
    notes: dict[str, str] = field(default_factory=dict)
    #: The hashes of the kernel's compilations, by mode.
    compilations: dict[str, list[str]] = field(default_factory=dict)

    def __str__(self) -> str:
        ratios = "  ".join(f"{mode} {ratio:.3f}" for mode, ratio in self.ratios.items())
        notes = "; ".join(f"{mode}: {note}" for mode, note in self.notes.items() if note)
        return f"{self.operator:32s} {self.size:22s} {self.kernel[:44]:44s} {self.microseconds:9.1f} us  {ratios}  {notes}"


@dataclass
class OperatorRow:
    """The results of one operator, or the reason for a failure."""

    operator: str
    size: str
    failure: str = ""
    #: Errors of each mode against PyTorch, relative to the largest value, and the tolerance.
    errors: dict[str, float] = field(default_factory=dict)
    tolerance: float = 0.0
    #: Errors of each mode against Triton's results.
    differences: dict[str, float] = field(default_factory=dict)
    #: Compile seconds `(Triton, mode)` of the kernels that both compiled, by mode.
    compile_seconds: dict[str, tuple[float, float]] = field(default_factory=dict)
    #: The kernels that a mode left to Triton, with the reasons.
    fallbacks: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_wrong(self) -> bool:
        """True if a mode's error exceeds the tolerance and twice Triton's error."""
        own = self.errors.get(TRITON, 0)
        return any(not error <= max(self.tolerance, 2 * own) for mode, error in self.errors.items() if mode != TRITON)

    def __str__(self) -> str:
        head = f"{self.operator:32s} {self.size:22s}"
        if self.failure:
            return f"{head} failed: {self.failure}"
        errors = "  ".join(f"{mode} {error:.1e}" for mode, error in self.errors.items())
        equal = "  ".join(f"{mode} {'equal' if diff == 0 else f'{diff:.1e}'}" for mode, diff in self.differences.items())
        to_triton = f"; to Triton: {equal}" if equal else ""
        return f"{head} {'WRONG' if self.is_wrong else 'right'}; error to PyTorch: {errors}{to_triton}"


Row = Union[KernelRow, OperatorRow]


def to_json(row: Row) -> dict[str, Any]:
    return asdict(row)


def from_json(fields: dict[str, Any]) -> Row:
    return KernelRow(**fields) if "kernel" in fields else OperatorRow(**fields)


def summary(rows: list[Row], modes: list[str], slower: float) -> str:
    """Returns means, the kernels above a ratio, compile times and fallbacks as text."""
    kernels = [row for row in rows if isinstance(row, KernelRow)]
    operators = [row for row in rows if isinstance(row, OperatorRow)]
    lines = []
    for mode in modes:
        ratios = [row.ratios[mode] for row in kernels if mode in row.ratios]
        if not ratios:
            continue
        mean = math.exp(statistics.fmean(map(math.log, ratios)))
        pairs = [row.compile_seconds[mode] for row in operators if mode in row.compile_seconds]
        theirs, ours = (sum(pair[which] for pair in pairs) for which in (0, 1))
        changed = sum(abs(ratio - 1) > 0.01 for ratio in ratios)
        lines.append(
            f"{mode}: {len(ratios)} kernels at {mean:.4f} of Triton's time, best {min(ratios):.3f}, worst {max(ratios):.3f}, "
            f"{changed} differ by more than 1 %; compile time {ours / theirs if theirs else math.nan:.2f}"
        )
        slow = [row for row in kernels if row.ratios.get(mode, 0) > slower]
        for row in sorted(slow, key=lambda row: -row.ratios[mode]):
            lines.append(f"  {row.ratios[mode]:.3f}  {row.operator} {row.size} {row.kernel} {row.microseconds:.1f} us")
        lines += sorted({f"  fell back: {why}" for row in operators for why in row.fallbacks.get(mode, [])})
    wrong, failed = sum(row.is_wrong for row in operators), sum(bool(row.failure) for row in operators)
    lines.append(f"{len(operators)} operators: {wrong} wrong, {failed} did not run")
    return "\n".join(lines)
