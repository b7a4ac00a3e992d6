"""Simulation of Triton kernels on the CPU: results, and errors with their Python lines.

>>> ll.simulation.simulate is ll.simulate
True
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence

from ._native import Target
from .compiler import CompileError, _Refused, _request

#: The CTAs of a cluster, which execute one program together.
NUM_CTAS = re.compile(r'"ttg.num-ctas" = (\d+)')

__all__ = ["Fault", "Report", "SimulationError", "check", "run", "simulate"]


@dataclass(frozen=True)
class Fault:
    """An error that ended a simulation.

    >>> print(ll.Fault("race", "data race", None, "k.py:3:5", (), None, ()))
    k.py:3:5: race: data race
    """

    #: The kind, such as ``out-of-bounds``, ``race``, ``uninitialised``, ``misaligned``, ``divergence``, ``deadlock``.
    kind: str
    #: The description.
    message: str
    #: The faulting operation.
    operation: Optional[str]
    #: The location of the operation, as ``file:line:column``.
    location: Optional[str]
    #: The call stack, outermost first.
    calls: tuple[str, ...]
    #: ``{"block": [x, y, z], "warp": w, "lane": l}``, or ``None``.
    thread: Optional[Mapping[str, Any]]
    #: Details, such as the other access of a race.
    notes: tuple[str, ...]

    @property
    def file(self) -> Optional[str]:
        """The source file, which is a Python file for Triton kernels.

        >>> ll.Fault("race", "data race", None, "k.py:3:5", (), None, ()).file
        'k.py'
        """
        return self.location.rsplit(":", 2)[0] if self.location else None

    @property
    def line(self) -> Optional[int]:
        """The line, from 1.

        >>> ll.Fault("race", "data race", None, "k.py:3:5", (), None, ()).line
        3
        """
        return int(self.location.rsplit(":", 2)[1]) if self.location else None

    def __str__(self) -> str:
        place = f"{self.location}: " if self.location else ""
        thread = self.thread
        who = ""
        if thread:
            block = ", ".join(map(str, thread["block"]))
            who = f" (block [{block}], warp {thread['warp']}, lane {thread['lane']})"
        return "\n".join([f"{place}{self.kind}: {self.message}{who}", *(f"note: {note}" for note in self.notes)])


class SimulationError(RuntimeError):
    """A simulation that ended with the :class:`Fault` ``fault``.

    >>> ll.SimulationError(ll.Fault("race", "data race", None, "k.py:3:5", (), None, ())).fault.kind
    'race'
    """

    def __init__(self, fault: Fault):
        self.fault = fault
        super().__init__(str(fault))


@dataclass(frozen=True)
class Report:
    """The counters of a simulation, or its fault.

    ``data`` has the counters of ``ll-sim --json``: ``instructions``, ``barriers``, ``bank_conflicts``,
    ``shared_bytes``, ``redundant_bytes``, and sectors of global accesses by kind. ``lines`` has the counters of each
    source line.

    >>> ll.Report({"bank_conflicts": 3}).bank_conflicts
    3
    """

    data: Mapping[str, Any]
    #: The report as ``ll-sim`` prints it.
    text: str = ""
    #: The output of the kernel's prints.
    printed: str = ""
    #: The fault, with ``on_fault="report"``.
    fault: Optional[Fault] = None

    @property
    def bank_conflicts(self) -> int:
        """Cycles lost to bank conflicts in shared memory.

        >>> ll.Report({}).bank_conflicts
        0
        """
        return int(self.data.get("bank_conflicts", 0))

    @property
    def uncoalesced(self) -> list[Mapping[str, Any]]:
        """The lines whose global accesses touch more 32-byte sectors than needed.

        >>> ll.Report({"lines": [{"sectors": 8, "ideal_sectors": 4}]}).uncoalesced
        [{'sectors': 8, 'ideal_sectors': 4}]
        """
        return [line for line in self.data.get("lines", ()) if line["sectors"] > line["ideal_sectors"]]

    @property
    def lines(self) -> Sequence[Mapping[str, Any]]:
        """The lines of the source that access memory.

        >>> ll.Report({}).lines
        ()
        """
        found: Sequence[Mapping[str, Any]] = self.data.get("lines", ())
        return found

    def __str__(self) -> str:
        return str(self.fault) if self.fault else self.text


@dataclass(frozen=True)
class PixelOrder:
    """The order in which a copy reads the pixels of an image (im2col mode), with one number per spatial dimension,
    outermost first.
    """

    #: The corners of the bounding box, relative to the first and to the last pixel of the image.
    lower: Sequence[int]
    upper: Sequence[int]
    #: Distance between visited pixels.
    steps: Sequence[int]


@dataclass(frozen=True)
class TensorMap:
    """A host-side TMA descriptor of an array.

    >>> ll.simulation.TensorMap(np.zeros((8, 64), np.float16), [8, 64], [64, 1], box=[8, 64], element=6, swizzle=3).box
    [8, 64]
    """

    array: Any
    #: Elements along each dimension, and the stride of each dimension in elements, outermost first.
    shape: Sequence[int]
    strides: Sequence[int]
    #: Elements of a box along each dimension.
    box: Sequence[int]
    #: The values of ``elemtype`` and ``swizzle_mode`` in ``tensormap.replace.tile``.
    element: int
    swizzle: int
    #: True if elements outside of the tensor are read as NaN, false for zeros.
    fills_nan: bool = False
    #: For a batch of images with dimensions (image, one to three spatial dimensions, channel). A box then has the
    #: dimensions (pixel, channel).
    pixels: Optional[PixelOrder] = None


class _Pointer:
    """An array with the tensor interface that Triton needs."""

    def __init__(self, array: Any, memory: "_Memory"):
        self.array = array
        self.dtype = array.dtype
        self._memory = memory

    def data_ptr(self) -> int:
        # Only the alignment matters. Buffers begin at large powers of two.
        return (1 << 36) + self._memory.place(self.array)[1]


class _Memory:
    """The buffers of arrays; overlapping arrays share a buffer."""

    def __init__(self, arrays: Sequence[Any]):
        extents = sorted(_extent(array) for array in arrays)
        self.ranges: list[list[int]] = []
        for low, high in extents:
            if self.ranges and low < self.ranges[-1][1]:
                self.ranges[-1][1] = max(high, self.ranges[-1][1])
            else:
                self.ranges.append([low, high])

    def place(self, array: Any) -> tuple[int, int]:
        """Returns the index of the buffer of an array, and the offset in bytes."""
        address = _address(array)
        for number, (low, high) in enumerate(self.ranges):
            if low <= address < high or address == low == high:
                return number, address - low
        raise AssertionError("each array has a range")


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "untyped_storage")


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array_interface__") and getattr(value, "ndim", 0) > 0 or _is_tensor(value)


def _address(array: Any) -> int:
    return int(array.data_ptr() if _is_tensor(array) else array.__array_interface__["data"][0])


def _extent(array: Any) -> tuple[int, int]:
    """Returns the address range of the allocation of an array."""
    if _is_tensor(array):
        if array.device.type != "cpu":
            raise ValueError(f"a tensor is on `{array.device}`, expected a CPU tensor; give `tensor.cpu()`")
        storage = array.untyped_storage()
        return storage.data_ptr(), storage.data_ptr() + storage.nbytes()
    import numpy

    np: Any = numpy
    root = array
    while isinstance(root.base, np.ndarray):
        root = root.base
    bounds = np.lib.array_utils.byte_bounds if hasattr(np.lib, "array_utils") else np.byte_bounds
    low, high = bounds(root)
    return (low, high) if root.size else (low, low)


def _is_read_only(array: Any) -> bool:
    return not _is_tensor(array) and not array.flags.writeable


def run(
    source: str,
    args: Sequence[tuple[str, str, Any]],
    grid: Sequence[int] = (1,),
    *,
    on_fault: str = "raise",
    arrival: str | int = "late",
    schedule: Optional[int] = None,
    threads: int = 1,
    step_limit: Optional[int] = None,
    global_races: bool = True,
    file: str = "<string>",
) -> Report:
    """Runs a module with one kernel on the CPU, as ``ll-sim`` does.

    ``args`` has the name, type and value of each parameter: ``("x", "*fp32", array)``, ``("n", "i32", 5)``. Arrays are
    NumPy arrays or CPU tensors, which the kernel writes in place. ``arrival`` is the arrival of asynchronous copies:
    ``"early"``, ``"late"``, or a seed. ``schedule`` is a seed for the order of warps. ``threads`` is the number of CPU
    threads. ``step_limit`` limits the number of instructions.

    Raises :class:`SimulationError` on a fault; with ``on_fault="report"``, the report has the fault instead. Raises
    :class:`linear_layout.CompileError` if the kernel does not compile.

    >>> text = '''module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
    ...   tt.func public @set(%p: !tt.ptr<f32>, %v: f32) { tt.store %p, %v : !tt.ptr<f32>  tt.return }
    ... }'''
    >>> out = np.zeros(1, np.float32)
    >>> report = ll.simulation.run(text, [("p", "*fp32", out), ("v", "fp32", 2.5)])
    >>> float(out[0]), report.bank_conflicts
    (2.5, 0)
    """
    if on_fault not in ("raise", "report"):
        raise ValueError(f"on_fault={on_fault!r}: expected 'raise' or 'report'")
    import ctypes

    described = {name: value.array for name, _, value in args if isinstance(value, TensorMap)}
    arrays = {name: value for name, _, value in args if _is_array(value)} | described
    memory = _Memory(list(arrays.values()))
    names = ["memory"] * len(memory.ranges)
    copies: dict[int, Any] = {}
    for name, array in arrays.items():
        number = memory.place(array)[0]
        names[number] = name
        if _is_read_only(array):
            low, high = memory.ranges[number]
            copies[number] = ctypes.create_string_buffer(ctypes.string_at(low, high - low), high - low)
    buffers = [
        (ctypes.addressof(copies[number]) if number in copies else low, high - low)
        for number, (low, high) in enumerate(memory.ranges)
    ]
    three = list(grid) + [1] * (3 - len(grid))
    if 0 in three:
        return Report({"blocks": 0}, "the grid has no blocks, so the kernel did not run")
    options = {
        "file": file,
        "grid": [int(blocks) for blocks in three],
        "args": [part for name, type_, value in args for part in _arguments(name, type_, value, memory)],
        "names": names,
        "arrival": arrival if isinstance(arrival, str) else {"seed": arrival},
        "schedule": schedule,
        "threads": threads,
        "step_limit": step_limit,
        "global_races": global_races,
    }
    try:
        report, _ = _request("Simulate", source, options, buffers)
    except _Refused as refused:
        found = refused.report.get("fault")
        if found is None or found["kind"] in ("unsupported", "malformed"):
            raise
        fault = Fault(**{**found, "calls": tuple(found["calls"] or ()), "notes": tuple(found["notes"])})
        if on_fault == "raise":
            raise SimulationError(fault) from None
        return Report({}, fault=fault)
    for number, copy in copies.items():
        low, high = memory.ranges[number]
        if copy.raw != ctypes.string_at(low, high - low):
            raise ValueError(f"the kernel wrote to the read-only array `{names[number]}`; give a writable copy")
    return Report(report["report"], report["text"], report["printed"])


def _arguments(name: str, type_: str, value: Any, memory: _Memory) -> list[Mapping[str, Any]]:
    """Encodes a parameter for the simulator. A descriptor is followed by its sizes and strides."""
    if not isinstance(value, TensorMap):
        return [_argument(name, type_, value, memory)]
    size = value.array.dtype.itemsize
    descriptor = {
        "buffer": memory.place(value.array),
        "element": value.element,
        "swizzle": value.swizzle,
        "dims": [int(elements) for elements in reversed(value.shape)],
        "strides": [int(step) * size for step in reversed(value.strides[:-1])],
        "block": [int(elements) for elements in reversed(value.box)],
        "fills_nan": value.fills_nan,
    }
    if value.pixels is not None:
        order = {"lower": value.pixels.lower, "upper": value.pixels.upper, "steps": value.pixels.steps}
        descriptor["pixels"] = {name: [int(number) for number in reversed(numbers)] for name, numbers in order.items()}
    return [{"descriptor": descriptor}, *({"int": int(number)} for number in [*value.shape, *value.strides])]


def _argument(name: str, type_: str, value: Any, memory: _Memory) -> Mapping[str, Any]:
    """Encodes an argument for the simulator."""
    if _is_array(value):
        number, offset = memory.place(value)
        return {"buffer": [number, offset]}
    if value is None:
        return {"int": 0}
    if type_.startswith(("fp", "bf")):
        # JSON has no infinities.
        return {"float": repr(float(value))}
    if type_.startswith(("i", "u", "*")):
        return {"int": int(value)}
    raise TypeError(f"argument `{name}` of type {type_!r} cannot be simulated: expected an array or a number")


class _Simulated:
    """A kernel that is launched on the CPU."""

    def __init__(self, kernel: Any, target: Optional[str], options: Mapping[str, Any]):
        self._kernel = kernel
        self._options = options
        # The second attempt has no pipelining, since some asynchronous operations cannot be lowered yet.
        self._attempts = [(Target(target).name, {})] if target else [("cuda:90", {}), ("cuda:80", {"num_stages": 1})]

    def __getitem__(self, grid: Any) -> Callable[..., Report]:
        def launch(*args: Any, **kwargs: Any) -> Report:
            from . import triton as inside

            described = [value.base for value in [*args, *kwargs.values()] if inside._version().is_descriptor(value)]
            arrays = [value for value in [*args, *kwargs.values()] if _is_array(value)] + described
            memory = _Memory(arrays)

            def wrap(value: Any) -> Any:
                return _Pointer(value, memory) if _is_array(value) else value

            def unwrap(value: Any) -> Any:
                return value.array if isinstance(value, _Pointer) else value

            first = None
            for target, changes in self._attempts:
                given = {**kwargs, **changes}
                text, parameters, bound = inside._version().launch(self._kernel, args, given, target, wrap)
                shape = grid({name: unwrap(value) for name, value in bound.items()}) if callable(grid) else grid
                shape = (shape,) if isinstance(shape, int) else tuple(shape)
                # Each program is a cluster along x, as in Triton's launcher.
                ctas = NUM_CTAS.search(text)
                shape = (shape[0] * (int(ctas[1]) if ctas else 1), *shape[1:])
                values = [(name, type_, unwrap(value)) for name, type_, value in parameters]
                try:
                    return run(text, values, shape, file="<ttgir>", **self._options)
                except CompileError as error:
                    first = first or error
            assert first is not None
            raise first

        return launch


def simulate(
    kernel: Any,
    *,
    target: Optional[str] = None,
    on_fault: str = "raise",
    arrival: str | int = "late",
    schedule: Optional[int] = None,
    threads: int = 1,
    step_limit: Optional[int] = None,
    global_races: bool = True,
) -> Any:
    """Returns a ``@triton.jit`` or ``@gluon.jit`` kernel whose launches run on the CPU, lane by lane.

    ``simulate(kernel)[grid](*args, **constants)`` takes NumPy arrays or CPU tensors, which the kernel writes in place,
    and returns a :class:`Report`. A race, an access out of bounds, a read of uninitialised shared memory, or a barrier
    that some threads miss raises :class:`SimulationError` with the line; with ``on_fault="report"``, the report has the
    fault instead.

    No GPU is needed. ``target`` is the GPU to compile for; the default is ``cuda:90``, then ``cuda:80`` without
    pipelining if an operation is not supported. An autotuned kernel runs with its first configuration. The other
    options are those of :func:`run`.

    >>> x, out = np.ones(1000, np.float32), np.zeros(1000, np.float32)              # doctest: +SKIP
    >>> ll.simulate(add)[(4,)](x, x, out, 1000, BLOCK=256)                          # doctest: +SKIP
    """
    options = {
        "on_fault": on_fault,
        "arrival": arrival,
        "schedule": schedule,
        "threads": threads,
        "step_limit": step_limit,
        "global_races": global_races,
    }
    return _Simulated(kernel, target, options)


class _Storage:
    def __init__(self, address: int):
        self._address = address

    def data_ptr(self) -> int:
        return self._address

    def cpu(self) -> "_Storage":
        return self

    def copy_(self, _: Any) -> None:
        pass


class _Host:
    """An array with the tensor interface of Triton's interpreter, without a copy."""

    def __init__(self, array: Any):
        self.array = array
        self.dtype = array.dtype
        self.shape = array.shape

    def data_ptr(self) -> int:
        return _address(self.array)

    def untyped_storage(self) -> _Storage:
        return _Storage(self.data_ptr())

    def new_empty(self, *_: Any, **__: Any) -> "_Host":
        return self

    def set_(self, *_: Any) -> None:
        pass

    def storage_offset(self) -> int:
        return 0

    def size(self) -> tuple[int, ...]:
        return tuple(self.shape)

    def stride(self) -> tuple[int, ...]:
        return tuple(step // self.array.itemsize for step in self.array.strides)


def check(
    kernel: Any,
    grid: Any,
    args: Sequence[Any],
    kwargs: Optional[Mapping[str, Any]] = None,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-6,
    **options: Any,
) -> Report:
    """Runs a kernel in the simulator and in Triton's interpreter, on copies of the arguments, and compares the results.

    ``args`` and ``kwargs`` are NumPy arrays, numbers and constants; ``options`` are those of :func:`simulate`. Raises
    :class:`AssertionError` with the argument and the elements that differ by more than ``atol + rtol * |expected|``.
    Raises also the errors of :func:`simulate`. The interpreter does not model a GPU, so that a difference is a compiler
    bug or a race.

    >>> ll.check(add, (4,), [x, y, np.zeros_like(x), 1000], {"BLOCK": 256})          # doctest: +SKIP
    """
    import numpy as np

    from . import triton as inside

    def copied(value: Any) -> Any:
        return np.array(value, copy=True) if _is_array(value) else value

    kwargs = dict(kwargs or {})
    found = [copied(value) for value in args], {key: copied(value) for key, value in kwargs.items()}
    expected = [copied(value) for value in args], {key: copied(value) for key, value in kwargs.items()}
    report: Report = simulate(kernel, **options)[grid](*found[0], **found[1])
    hosts = [_Host(value) if _is_array(value) else value for value in expected[0]]
    named = {key: _Host(value) if _is_array(value) else value for key, value in expected[1].items()}
    inside._version().interpret(kernel, grid, tuple(hosts), named)
    names = list(inside._version().jit_function(kernel).arg_names)
    pairs = list(zip(names, found[0], expected[0])) + [(key, found[1][key], expected[1][key]) for key in kwargs]
    for name, ours, theirs in pairs:
        if isinstance(ours, np.ndarray):
            left, right = (np.asarray(values).astype(np.float64) for values in (ours, theirs))
            np.testing.assert_allclose(left, right, rtol=rtol, atol=atol, err_msg=f"argument `{name}`")
    return report

