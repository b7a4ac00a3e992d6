"""Reports on the kernels that Triton compiled."""

from __future__ import annotations

import collections
import html
import threading
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Sequence

from ..compiler import CompileError, Message


@dataclass
class Entry:
    """The compilation of one kernel.

    >>> entry = ll.triton.Entry("cuda:90", kernel="add")
    >>> entry.decline("lower", "instrumentation_mode='proton' requires Triton's lowering")
    >>> print(entry)
    add (cuda:90): lower by Triton: instrumentation_mode='proton' requires Triton's lowering
    """

    #: The GPU, such as ``cuda:90``.
    target: str
    #: The name of the kernel; empty until it is compiled.
    kernel: str = ""
    #: The parts that this compiler did: ``lower``, ``layouts``.
    used: list[str] = field(default_factory=list)
    #: The reasons for the parts that Triton did, by part.
    reasons: dict[str, str] = field(default_factory=dict)
    #: Diagnostics, with Python lines if known.
    messages: list[Message] = field(default_factory=list)
    #: Milliseconds of each stage.
    stage_ms: dict[str, float] = field(default_factory=dict)
    #: Milliseconds of each phase of this compiler.
    phase_ms: dict[str, float] = field(default_factory=dict)
    #: Bytes of shared memory; ``None`` if Triton lowered the kernel.
    shared: Optional[int] = None
    #: The reason for a second assembly, with both results; empty without one.
    assembler: str = ""
    #: The names of the compiled candidates, and of the selected one; empty without a selection.
    candidates: list[str] = field(default_factory=list)
    selected: str = ""
    #: Measured microseconds of each candidate, and the number of programs per launch.
    microseconds: dict[str, float] = field(default_factory=dict)
    programs: int = 0
    #: The module before lowering.
    ttgir: str = field(default="", repr=False)

    def reassemble(self, reason: str) -> None:
        """Adds a reason for a second assembly."""
        self.assembler = "; ".join(filter(None, [self.assembler, reason]))

    def accept(self, part: str, messages: Sequence[Message]) -> None:
        """Records a part that this compiler did.

        >>> entry = ll.triton.Entry("cuda:90")
        >>> entry.accept("lower", [])
        >>> entry.used
        ['lower']
        """
        if part not in self.used:
            self.used.append(part)
        self.messages.extend(messages)

    def withdraw(self, part: str, why: str) -> None:
        """Records that a part of this compiler is not used after all.

        >>> entry = ll.triton.Entry("cuda:90", used=["passes"])
        >>> entry.withdraw("passes", "Triton's lowering requires Triton's passes")
        >>> entry.used, entry.reasons
        ([], {'passes': "Triton's lowering requires Triton's passes"})
        """
        self.used.remove(part)
        self.decline(part, why)

    def decline(self, part: str, why: CompileError | str) -> None:
        """Records the reason for a part that Triton does.

        >>> entry = ll.triton.Entry("cuda:90")
        >>> entry.decline("lower", "k.py:3:5: 'tt.call' op is not supported by the lowering to LLVM")
        >>> entry.reasons["lower"]
        "k.py:3:5: 'tt.call' op is not supported by the lowering to LLVM"
        """
        if isinstance(why, CompileError):
            self.messages.extend(why.messages)
            first = why.first
            why = f"{first.place}: {first.text}" if first and first.file else str(first.text if first else why)
        self.reasons[part] = why

    @property
    def is_used(self) -> bool:
        """True if this compiler did any part.

        >>> ll.triton.Entry("cuda:90").is_used
        False
        """
        return bool(self.used)

    def summary(self) -> dict[str, object]:
        """Returns ``used`` and ``reasons``, for the metadata in Triton's cache.

        >>> entry = ll.triton.Entry("cuda:90")
        >>> entry.accept("lower", [])
        >>> entry.summary()
        {'used': ['lower'], 'reasons': {}}
        """
        return {"used": list(self.used), "reasons": dict(self.reasons)}

    def conversions(self) -> list[Message]:
        """Returns :func:`linear_layout.cache.conversions` of the kernel.

        >>> text = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} { tt.func @k() { tt.return } }'
        >>> len(ll.triton.Entry("cuda:90", ttgir=text).conversions())
        1
        """
        from ..cache import conversions

        return conversions(self.ttgir)

    def bank_conflicts(self) -> list[Message]:
        """Returns :func:`linear_layout.cache.bank_conflicts` of the kernel.

        >>> text = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} { tt.func @k() { tt.return } }'
        >>> ll.triton.Entry("cuda:90", ttgir=text).bank_conflicts()
        []
        """
        from ..cache import bank_conflicts

        return bank_conflicts(self.ttgir)

    @property
    def selection(self) -> str:
        """The selected candidate and the alternatives, as text; empty without a selection.

        >>> ll.triton.Entry("cuda:90", candidates=["lower", "triton"], selected="lower").selection
        'selected lower from lower, triton'
        >>> ll.triton.Entry("cuda:90", selected="lower", microseconds={"lower": 9.0, "triton": 10.0}, programs=64).selection
        'selected lower at 64 programs: lower 9.0 us, triton 10.0 us'
        """
        if self.microseconds:
            times = ", ".join(f"{name} {time:.1f} us" for name, time in self.microseconds.items())
            return f"selected {self.selected} at {self.programs} programs: {times}"
        return f"selected {self.selected} from {', '.join(self.candidates)}" if len(self.candidates) > 1 else ""

    def __str__(self) -> str:
        parts = [f"{part} by linear-layout" for part in self.used]
        parts += [f"{part} by Triton: {why}" for part, why in self.reasons.items()]
        if self.shared is not None:
            parts.append(f"{self.shared} bytes of shared memory")
        if self.assembler:
            parts.append(self.assembler)
        if self.selection:
            parts.append(self.selection)
        times = ", ".join(f"{name} {ms:.0f}" for name, ms in self.stage_ms.items())
        if times:
            parts.append(f"ms: {times}")
        return f"{self.kernel or '?'} ({self.target}): " + "; ".join(parts)


class Report(Sequence[Entry]):
    """Compilations in order, printed as a table.

    >>> print(ll.triton.Report([]))
    no kernel has been compiled
    """

    def __init__(self, entries: Sequence[Entry]):
        self._entries = tuple(entries)

    def __getitem__(self, index: Any) -> Any:
        return self._entries[index]

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries)

    @property
    def used(self) -> list[Entry]:
        """The compilations in which this compiler did a part.

        >>> ll.triton.Report([ll.triton.Entry("cuda:90")]).used
        []
        """
        return [entry for entry in self if entry.is_used]

    def _rows(self) -> list[tuple[str, str, str, str, str]]:
        rows = [("kernel", "target", "linear-layout", "shared", "stages (ms), or reason for Triton")]
        for entry in self:
            times = ", ".join(f"{name} {ms:.0f}" for name, ms in entry.stage_ms.items())
            why = "; ".join(filter(None, [*entry.reasons.values(), entry.selection if entry.microseconds else ""]))
            shared = "" if entry.shared is None else str(entry.shared)
            rows.append((entry.kernel or "?", entry.target, "+".join(entry.used) or "no", shared, why or times))
        return rows

    def __str__(self) -> str:
        if not self:
            return "no kernel has been compiled"
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ["  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[4]]) for row in rows]
        counts = collections.Counter(entry.is_used for entry in self)
        return "\n".join([*lines, f"{counts[True]} by linear-layout, {counts[False]} by Triton"])

    def _repr_html_(self) -> str:
        head, *rows = self._rows()

        def line(cells: Sequence[str], tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        return f"<table>{line(head, 'th')}{''.join(line(row, 'td') for row in rows)}</table>"


class Recorder:
    """A thread-safe log of compilations."""

    def __init__(self, most: int = 10_000):
        self._entries: collections.deque[Entry] = collections.deque(maxlen=most)
        self._lock = threading.Lock()

    def begin(self, target: str) -> Entry:
        entry = Entry(target)
        with self._lock:
            self._entries.append(entry)
        return entry

    def report(self) -> Report:
        with self._lock:
            return Report(list(self._entries))

    def clear(self) -> None:
        with self._lock:
            self._entries.clear()
