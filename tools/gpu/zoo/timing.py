"""Runs operators under several modes, and times their kernels in turns."""

from __future__ import annotations

import collections
import contextlib
import os
import pathlib
import statistics
from typing import Any, Callable, Iterator

import torch
import triton
from torch.profiler import ProfilerActivity, profile

import linear_layout as ll
from distances import distance
from operators.case import Operator
from rows import TRITON, KernelRow, OperatorRow, Row

#: Calls of an operator in one profile.
CALLS = 4
#: Additional calls under `measured`, after which each kernel has selected a candidate.
MEASURING_CALLS = 64


class Bench:
    """The modes, and the compilations so far."""

    def __init__(self, modes: list[str], rounds: int, folder: pathlib.Path, *, is_cold: bool = False):
        self.modes = [TRITON, *modes]
        self.rounds = rounds
        #: Whether the L2 cache is cleared before each kernel.
        self.is_cold = is_cold
        #: The folder with one Triton cache per mode.
        self.folder = folder
        #: Compile seconds, by mode and by kernel with its options.
        self.seconds: dict[str, dict[Any, float]] = collections.defaultdict(dict)
        #: The hashes of compilations, by mode and kernel name.
        self.hashes: dict[str, dict[str, set[str]]] = collections.defaultdict(lambda: collections.defaultdict(set))

    def _enter(self, mode: str) -> None:
        os.environ["TRITON_CACHE_DIR"] = str(self.folder / mode.replace(":", "-"))
        if mode == TRITON:
            ll.triton.uninstall()
        else:
            name, _, select = mode.partition(":")
            ll.triton.install(name, select=select or "predicted")

        def listen(*, src: Any, metadata: dict[str, Any], times: Any, cache_hit: bool, **_: Any) -> None:
            constants = str(sorted(src.constants.items(), key=str))
            key = (src.name, constants, str(src.signature), metadata["num_warps"], metadata["num_stages"])
            self.hashes[mode][metadata["name"]].add(metadata["hash"])
            if not cache_hit:
                self.seconds[mode][key] = (times.ir_initialization + times.total_lowering + times.store_results) / 1e6

        triton.knobs.compilation.listener = listen

    def run(self, operator: Operator, size: str) -> Iterator[Row]:
        """Runs an operator under all modes, and yields its rows."""
        yield from self._guarded(self._timed, operator, size)

    def compile(self, operator: Operator, size: str) -> Iterator[Row]:
        """Compiles the kernels of an operator under all modes, and yields a row with the compile times."""
        yield from self._guarded(self._compiled, operator, size)

    def _guarded(self, rows: Callable[[Operator, str], Iterator[Row]], operator: Operator, size: str) -> Iterator[Row]:
        self.seconds.clear()
        try:
            yield from rows(operator, size)
        except Exception as error:  # The operators that follow still run.
            text = " ".join(str(error).split())[:200]
            yield OperatorRow(operator.name, size, f"{type(error).__name__}: {text}")
        finally:
            ll.triton.uninstall()

    def _compiled(self, operator: Operator, size: str) -> Iterator[Row]:
        case = operator.make(size)
        for mode in self.modes:
            self._enter(mode)
            case.run()
        torch.cuda.synchronize()
        yield OperatorRow(operator.name, size, compile_seconds=self._compile_seconds())

    def _compile_seconds(self) -> dict[str, tuple[float, float]]:
        shared = {mode: self.seconds[TRITON].keys() & self.seconds[mode].keys() for mode in self.modes[1:]}
        return {
            mode: (sum(self.seconds[TRITON][key] for key in keys), sum(self.seconds[mode][key] for key in keys))
            for mode, keys in shared.items()
            if keys
        }

    def _timed(self, operator: Operator, size: str) -> Iterator[Row]:
        torch.manual_seed(0)
        case = operator.make(size)
        outputs: dict[str, list[torch.Tensor]] = {}
        notes: dict[str, dict[str, str]] = {}
        fallbacks: dict[str, list[str]] = {}
        for mode in self.modes:
            self._enter(mode)
            ll.triton.clear_report()
            outputs[mode] = case.run()
            for _ in range(1 + MEASURING_CALLS * mode.endswith(":measured")):
                outputs[mode] = case.run()
            torch.cuda.synchronize()
            entries = ll.triton.report()
            notes[mode] = {entry.kernel: entry.selection or entry.assembler for entry in entries}
            fallbacks[mode] = [f"{entry.kernel}: {entry.reasons['lower']}" for entry in entries if "lower" in entry.reasons]
        times: dict[str, dict[str, list[float]]] = {mode: collections.defaultdict(list) for mode in self.modes}
        for turn in range(self.rounds):
            # The GPU's clocks fall during a round, so each mode is first in some.
            first = turn % len(self.modes)
            for mode in self.modes[first:] + self.modes[:first]:
                self._enter(mode)
                with cleared() if self.is_cold else contextlib.nullcontext():
                    launches = profiled(case.run)
                for kernel, found in launches.items():
                    if kernel in self.hashes[TRITON]:
                        times[mode][kernel].append(statistics.median(found))
        for kernel, baseline in times[TRITON].items():
            ratios = {
                mode: statistics.median(a / b for a, b in zip(times[mode][kernel], baseline))
                for mode in self.modes[1:]
                if times[mode][kernel]
            }
            remarks = {mode: notes[mode].get(kernel, "") for mode in ratios}
            hashes = {mode: sorted(self.hashes[mode][kernel]) for mode in self.modes}
            yield KernelRow(operator.name, size, kernel, statistics.median(baseline), ratios, remarks, hashes)
        expected = case.reference()
        errors = {mode: distance(outputs[mode], expected) for mode in self.modes}
        differences = {mode: distance(outputs[mode], outputs[TRITON]) for mode in self.modes[1:]}
        yield OperatorRow(operator.name, size, "", errors, case.tolerance, differences, self._compile_seconds(), fallbacks)


@contextlib.contextmanager
def cleared() -> Iterator[None]:
    """Clears the L2 cache before each kernel, as Triton's autotuner does."""
    driver = triton.runtime.driver.active
    buffer = driver.get_empty_cache_for_benchmark()

    def clear(_: Any) -> None:
        driver.clear_cache(buffer)

    triton.knobs.runtime.launch_enter_hook.add(clear)
    try:
        yield
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(clear)


def profiled(run: Any) -> dict[str, list[float]]:
    """Returns the microseconds of each launch, by kernel name."""
    with profile(activities=[ProfilerActivity.CUDA]) as recorded:
        for _ in range(CALLS):
            run()
        torch.cuda.synchronize()
    times: dict[str, list[float]] = collections.defaultdict(list)
    for event in recorded.events():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            times[event.name].append(event.device_time)
    return times
