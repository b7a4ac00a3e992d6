"""Kernels with several candidates, which the first launches time.

Each launch runs one candidate, so that in-place updates stay correct. The candidates take turns. Launches with equal
arguments are compared; if no arguments recur, launches with equal grids and numbers are. The L2 cache is cleared before
a timed launch, as in Triton's autotuner. This keeps the GPU busy while the launch is queued. If the GPU is done first, the
time would include launch overhead, so this launch does not count, and the cache is cleared more often before the next.
"""

from __future__ import annotations

import collections
import copy
import hashlib
import json
import math
import statistics
import threading
from typing import Any, Callable, NamedTuple

from ._candidates import unpacked

#: Timed launches of each candidate; the first is not counted.
ROUNDS = 8
#: Launches after which the selection is final. Without comparable launches, the first candidate stays.
MOST_LAUNCHES = 128
#: The largest number of times that the cache is cleared before one launch.
MOST_CLEARS = 16
#: The largest time relative to the first candidate at which another one is faster beyond noise.
FASTER = 0.99


class Selection(NamedTuple):
    """The fastest candidate."""

    kernel: Any
    name: str
    used: list[str]
    programs: int
    #: Times of all candidates, by name.
    microseconds: dict[str, float]


OnSelection = Callable[[Selection], None]


class Launch(NamedTuple):
    """The properties that are equal in comparable launches."""

    grid: tuple[int, ...]
    numbers: tuple[Any, ...]
    #: Addresses of arrays. Launches of a kernel in one call often differ only here.
    addresses: tuple[int, ...] = ()

    @property
    def size(self) -> Launch:
        """The launch without addresses."""
        return self._replace(addresses=())


class Trial:
    """The timed launches of one kernel, for grids of similar size."""

    def __init__(self, candidates: int):
        self._candidates = candidates
        #: The launches so far: `(launch, candidate, function that returns microseconds)`.
        self._timed: list[tuple[Launch, int, Any]] = []
        self._counts: collections.Counter[tuple[Launch, int]] = collections.Counter()
        self._totals = [0] * candidates
        self._launches = 0
        self._next = 0

    def begin(self, launch: Launch) -> int:
        """Returns the candidate of the next launch: the one with the fewest equal launches, then the fewest launches.

        >>> trial = Trial(2)
        >>> [(trial.begin(Launch((64,), (), (site,))), trial.end(lambda: 1.0))[0] for site in (1, 2, 1, 2)]
        [0, 1, 1, 0]
        """
        self._launch = launch
        self._next = min(range(self._candidates), key=lambda index: (self._counts[launch, index], self._totals[index]))
        return self._next

    def end(self, timing: Any) -> None:
        """Ends the launch of :meth:`begin`. ``timing()`` returns its microseconds once it has run; ``None`` if its time
        does not count.
        """
        self._launches += 1
        if timing is None:
            return
        self._timed.append((self._launch, self._next, timing))
        self._counts[self._launch, self._next] += 1
        self._totals[self._next] += 1

    @property
    def is_over(self) -> bool:
        return min(self._totals) >= ROUNDS or self._launches >= MOST_LAUNCHES

    def means(self) -> list[float]:
        """Returns the microseconds of each candidate: the mean over distinct launches of the median time.

        The list is empty if no launch is common to all candidates. The first launch of each candidate does not count.
        """
        seen = set()
        counted = []
        for launch, candidate, timing in self._timed:
            if candidate in seen:
                counted.append((launch, candidate, timing()))
            seen.add(candidate)
        return self._means(counted) or self._means([(launch.size, *rest) for launch, *rest in counted])

    def _means(self, counted: list[tuple[Launch, int, float]]) -> list[float]:
        times: dict[Launch, list[list[float]]] = collections.defaultdict(lambda: [[] for _ in range(self._candidates)])
        for launch, candidate, time in counted:
            times[launch][candidate].append(time)
        medians = [[statistics.median(column) for column in row] for row in times.values() if all(row)]
        return [statistics.fmean(column) for column in zip(*medians)]


def fastest(times: list[float]) -> int:
    """Returns the index of the fastest candidate, or 0 if none is faster beyond noise.

    >>> fastest([10.0, 9.95, 9.0]), fastest([10.0, 9.95]), fastest([])
    (2, 0, 0)
    """
    if not times:
        return 0
    best = min(range(len(times)), key=times.__getitem__)
    return best if times[best] <= FASTER * times[0] else 0


class MeasuredKernel:
    """A compiled Triton kernel that launches one of several candidates.

    The attributes are those of the first candidate, which was selected at compilation.
    """

    def __init__(self, kernel: Any, report: OnSelection):
        summary = kernel.metadata.linear_layout
        self._first = kernel
        self._kernels = {summary["selected"]: kernel}
        self._used = {summary["selected"]: summary["used"]}
        for packed in summary["candidates"]:
            self._kernels[packed["name"]] = _variant(kernel, packed)
            self._used[packed["name"]] = packed["used"]
        self._is_loaded = False
        self._report = report
        self._lock = threading.Lock()
        self._trials: dict[int, Trial] = {}
        #: How often the cache is cleared before a launch, so that the GPU is busy until the launch is queued.
        self._clears = 1
        self._cache = _Selections(kernel.hash)
        #: The fastest candidate, by the bit length of the number of programs.
        self._fastest = {size: name for size, name in self._cache.read().items() if name in self._kernels}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._first, name)

    @property
    def run(self) -> Callable[..., None]:
        return self._launch

    def __getitem__(self, grid: Any) -> Callable[..., None]:
        runner: Callable[..., None] = type(self._first).__getitem__(self, grid)
        return runner

    def _launch(self, x: int, y: int, z: int, stream: Any, function: Any, packed: Any, *rest: Any) -> None:
        programs = x * y * z
        name = self._fastest.get(programs.bit_length())
        if name is None and programs > 0 and self._lock.acquire(blocking=False):
            try:
                if self._has_choice() and _can_time(stream):
                    return self._time((x, y, z), stream, rest)
            finally:
                self._lock.release()
        kernel = self._first if name is None else self._kernels[name]
        kernel.run(x, y, z, stream, kernel.function, kernel.packed_metadata, *rest)

    def _time(self, grid: tuple[int, int, int], stream: Any, rest: tuple[Any, ...]) -> None:
        """Launches the next candidate, and selects the fastest one after the last launch."""
        gpu = _Gpu()
        programs = math.prod(grid)
        size = programs.bit_length()
        # Kernel arguments follow the launch hooks.
        numbers = tuple(value for value in rest[3:] if isinstance(value, (int, float)))
        addresses = tuple(value.data_ptr() for value in rest[3:] if hasattr(value, "data_ptr"))
        names = list(self._kernels)
        trial = self._trials.setdefault(size, Trial(len(names)))
        kernel = self._kernels[names[trial.begin(Launch(grid, numbers, addresses))]]
        run = kernel.run  # Loads the kernel before the clock starts.
        start, end = gpu.event(), gpu.event()
        for _ in range(self._clears):
            gpu.clear_cache()
        start.record()
        run(*grid, stream, kernel.function, kernel.packed_metadata, *rest)
        has_waited = start.query()
        end.record()
        if has_waited:
            self._clears = min(2 * self._clears, MOST_CLEARS)
        trial.end(None if has_waited else lambda: start.elapsed_time(end) * 1e3)
        if not trial.is_over:
            return
        end.synchronize()
        del self._trials[size]
        means = trial.means()
        best = names[fastest(means)]
        self._fastest[size] = best
        if means:
            self._cache.write(self._fastest)
            times = dict(zip(names, means))
            self._report(Selection(self._kernels[best], best, self._used[best], programs, times))

    def _has_choice(self) -> bool:
        """Loads the candidates once, and drops those that fail to load. Returns true if several are left."""
        if not self._is_loaded:
            self._is_loaded = True
            # The first candidate raises its error at launch.
            loaded = {name: kernel for name, kernel in self._kernels.items() if kernel is self._first or _loads(kernel)}
            self._kernels = loaded
            self._fastest = {size: name for size, name in self._fastest.items() if name in loaded}
        return len(self._kernels) > 1


class _Selections:
    """The fastest candidates of a kernel by grid size, in Triton's cache."""

    FILE = "selection.json"

    def __init__(self, kernel_hash: str):
        from triton.runtime.cache import get_cache_manager
        from triton.runtime.driver import driver

        try:
            device = driver.active.get_device_interface().get_device_name()
        except Exception:
            # Without a GPU, nothing is timed.
            device = ""
        self._manager = get_cache_manager(hashlib.sha256(f"{kernel_hash}-{device}".encode()).hexdigest())

    def read(self) -> dict[int, str]:
        path = self._manager.get_file(self.FILE)
        if path is None:
            return {}
        try:
            with open(path) as file:
                return {int(size): str(name) for size, name in json.load(file).items()}
        except (OSError, ValueError, AttributeError):
            return {}

    def write(self, fastest: dict[int, str]) -> None:
        self._manager.put(json.dumps(fastest), self.FILE, binary=False)


class _Gpu:
    """Timing events and the L2 flush of the current GPU."""

    def __init__(self) -> None:
        from triton.runtime.driver import driver

        self._driver = driver.active
        self._device = self._driver.get_device_interface()
        self._buffer = self._driver.get_empty_cache_for_benchmark()

    def clear_cache(self) -> None:
        self._driver.clear_cache(self._buffer)

    def event(self) -> Any:
        return self._device.Event(enable_timing=True)


def _can_time(stream: Any) -> bool:
    """Returns true if events can time a launch: on the current stream, outside graph capture."""
    from triton.runtime.driver import driver

    active = driver.active
    is_current = stream == active.get_current_stream(active.get_current_device())
    return is_current and not active.get_device_interface().is_current_stream_capturing()


def _loads(kernel: Any) -> bool:
    try:
        return kernel.run is not None
    except Exception:  # Shared memory, threads or tensor memory beyond the GPU's.
        return False


def _variant(kernel: Any, packed: dict[str, Any]) -> Any:
    """Returns a copy of a compiled kernel with the machine code of another candidate."""
    from triton.compiler.compiler import make_backend

    variant = copy.copy(kernel)
    fields = {key: value for key, value in packed["metadata"].items() if key in kernel.metadata._fields}
    variant.metadata = kernel.metadata._replace(**fields)
    variant.packed_metadata = make_backend(kernel.metadata.target).pack_metadata(variant.metadata)
    variant.name = variant.metadata.name
    variant.kernel = unpacked(packed["binary"])
    variant.module = variant._module_pid = variant.function = variant._run = None
    return variant


def measured(kernel: Any, report: OnSelection) -> Any:
    """Returns a kernel that times its candidates, or ``kernel`` itself if there is only one."""
    if isinstance(kernel, MeasuredKernel):
        return kernel
    summary = getattr(getattr(kernel, "metadata", None), "linear_layout", None)
    return MeasuredKernel(kernel, report) if summary and summary.get("candidates") else kernel
