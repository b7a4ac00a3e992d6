"""Candidate compilations of one kernel, of which one is selected.

A candidate has the results of Triton's stages under one mode of :class:`Settings`. All candidates are compiled at the
TTGIR stage; the later stages return the results of the selected candidate.
"""

from __future__ import annotations

import base64
import copy
import dataclasses
import zlib
from dataclasses import dataclass
from typing import Any, Callable, Optional, Protocol, Sequence

from ._report import Entry
from ._settings import LOWERING_MODES, Settings

Stage = Callable[[Any, dict[str, Any]], Any]
Stages = dict[str, Stage]

#: The candidate that Triton compiles alone.
TRITON = "triton"
#: The stage whose result is a module with layouts.
TTGIR = "ttgir"


def names(mode: str, select: str) -> list[str]:
    """Returns the candidates of a mode, preferred first: our lowering before Triton's.

    Our layouts are preferred to Triton's if they are predicted to be clearly cheaper; ``select="measured"`` also tries
    layouts that are hardly cheaper.

    >>> names("both", "compiled")
    ['both', 'lower', 'layouts', 'triton']
    >>> names("both", "measured")
    ['lower', 'triton', 'both', 'layouts']
    """
    found = {
        "lower": ["lower", TRITON],
        "layouts": ["layouts", TRITON],
        "both": ["both", "lower", "layouts", TRITON],
        "passes": ["passes", "lower", TRITON],
    }[mode]
    if select == "measured":
        found.sort(key=lambda name: name not in ("lower", TRITON))
    return found


class Modules(Protocol):
    """Conversion of Triton modules to and from text."""

    def text(self, module: Any) -> str:
        """Returns the text with locations."""

    def body(self, module: Any) -> str:
        """Returns the text without locations."""

    def parse(self, text: str, module: Any) -> Any:
        """Parses a module in the context of ``module``."""


@dataclass
class Candidate:
    """One compilation of a kernel."""

    name: str
    entry: Entry
    stages: Stages
    #: The TTGIR as text, and the results of the later stages.
    artifacts: dict[str, Any]
    metadata: dict[str, Any]
    #: The TTGIR without locations.
    body: str = ""

    @property
    def lowers(self) -> bool:
        """True if the mode has our lowering, which may decline the kernel."""
        return self.name in LOWERING_MODES

    @property
    def falls_back(self) -> bool:
        """True if all parts declined the kernel, once it is compiled."""
        return self.lowers and not self.entry.used

    @property
    def binary(self) -> bytes:
        binary: bytes = list(self.artifacts.values())[-1]
        return binary

    def packed(self, selected: Candidate) -> dict[str, Any]:
        """Encodes the candidate for JSON: its machine code, and the metadata that differ from ``selected``."""
        differing = {key: value for key, value in self.metadata.items() if selected.metadata.get(key) != value}
        differing.pop("linear_layout", None)
        binary = base64.b64encode(zlib.compress(self.binary)).decode()
        return {"name": self.name, "used": list(self.entry.used), "binary": binary, "metadata": differing}


#: Replaces stages according to settings.
Prepare = Callable[[Stages, Settings, Entry], None]
#: Derives further candidates from compiled ones.
Extend = Callable[[Sequence[Candidate]], list[Candidate]]
#: Returns the index of the candidate to keep.
Select = Callable[[Sequence[Candidate]], int]


def unpacked(binary: str) -> bytes:
    """Decodes the machine code from :meth:`Candidate.packed`."""
    return zlib.decompress(base64.b64decode(binary))


class Fork:
    """The stages of a compilation that compiles several candidates and continues with one."""

    def __init__(self, stages: Stages, settings: Settings, modules: Modules, prepare: Prepare, extend: Extend, select: Select):
        self._stages = dict(stages)
        self._settings = settings
        self._modules = modules
        self._prepare = prepare
        self._extend = extend
        self._select = select
        self._selected: Optional[Candidate] = None
        self._last: Any = None

    def stage(self, name: str, entry: Entry) -> Stage:
        """Returns a stage that compiles the candidates on the first run, and returns the selected result."""

        def run(src: Any, metadata: dict[str, Any]) -> Any:
            if self._selected is None:
                self._selected = self._compile(name, src, metadata, entry)
                metadata.update(self._selected.metadata)
            # An override file may have replaced the previous result.
            elif src is not self._last and src != self._last:
                self._last = self._selected.stages[name](src, metadata)
                return self._last
            made = self._selected.artifacts[name]
            self._last = self._modules.parse(made, src) if name == TTGIR else made
            return self._last

        return run

    def _compile(self, first: str, src: Any, metadata: dict[str, Any], entry: Entry) -> Candidate:
        """Compiles all candidates from stage ``first`` on, and copies the selected entry to ``entry``."""
        text = self._modules.text(src)
        ttgir = _once(self._stages[TTGIR], self._modules)
        candidates: list[Candidate] = []
        failures: dict[str, Exception] = {}
        for name in names(self._settings.mode, self._settings.select):
            if any(not made.entry.used for made in candidates) and name == TRITON:
                continue
            made = Candidate(name, Entry(entry.target), {**self._stages, TTGIR: ttgir}, {}, copy.deepcopy(metadata))
            if name != TRITON:
                self._prepare(made.stages, dataclasses.replace(self._settings, mode=name), made.entry)
            try:
                is_new = self._run(made, first, self._modules.parse(text, src), candidates)
            except Exception as error:  # The other candidates remain.
                failures[name] = error
                continue
            if is_new:
                candidates.append(made)
        if failures and not (candidates and self._settings.fallback):
            raise next(iter(failures.values()))
        if self._settings.select == "measured":
            candidates += self._extend(candidates)
        selected = candidates[self._select(candidates)]
        for name, failure in failures.items():
            first = str(failure).strip().partition("\n")[0]
            selected.entry.decline(name, f"{type(failure).__name__}: {first}")
        self._describe(selected, candidates, entry)
        return selected

    def _run(self, made: Candidate, first: str, module: Any, others: Sequence[Candidate]) -> bool:
        """Runs the stages of a candidate. Returns false if another one has the same layouts and lowering, or machine code."""
        stages = list(self._stages)
        for name in stages[stages.index(first) :]:
            module = made.stages[name](module, made.metadata)
            if name == TTGIR:
                made.body = self._modules.body(module)
                equal = [other for other in others if other.body == made.body]
                if any(other.lowers == made.lowers or other.falls_back for other in equal):
                    return False
            made.artifacts[name] = self._modules.text(module) if name == TTGIR else module
        return all(made.binary != other.binary for other in others)

    def _describe(self, selected: Candidate, candidates: Sequence[Candidate], entry: Entry) -> None:
        started = entry.stage_ms
        vars(entry).update(vars(selected.entry))
        entry.stage_ms = started
        entry.kernel = selected.metadata["name"]
        entry.ttgir = entry.ttgir or selected.artifacts.get(TTGIR, "")
        entry.candidates = [made.name for made in candidates]
        entry.selected = selected.name
        summary = entry.summary()
        others = [made for made in candidates if made is not selected]
        if self._settings.select == "measured" and others:
            summary["selected"] = selected.name
            summary["candidates"] = [made.packed(selected) for made in others]
        selected.metadata["linear_layout"] = summary


def _once(stage: Stage, modules: Modules) -> Stage:
    """Memoises a stage; later calls return copies of the result."""
    made: list[tuple[str, dict[str, Any]]] = []

    def run(src: Any, metadata: dict[str, Any]) -> Any:
        if not made:
            module = stage(src, metadata)
            made.append((modules.text(module), dict(metadata)))
            return module
        text, after = made[0]
        metadata.update(after)
        return modules.parse(text, src)

    return run
