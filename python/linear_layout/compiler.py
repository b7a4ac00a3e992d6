"""The compiler: from the text of a module to LLVM IR, PTX or AMDGCN.

The library with LLVM and MLIR is loaded on the first call. Its symbols are local, so that the LLVM in Triton or PyTorch
does not conflict. Calls release the GIL.

>>> ll.compiler.compile is ll.compile
True
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping, Optional, Sequence

__all__ = ["CompileError", "Compiled", "Message", "Module", "compile", "library_path", "run_passes"]


@dataclass(frozen=True)
class Message:
    """A diagnostic with its location and its notes.

    >>> print(ll.Message("error", "is wrong", "k.py", 3, 5, notes=(ll.Message("note", "nearest fix"),)))
    k.py:3:5: error: is wrong
    note: nearest fix
    """

    #: ``error``, ``warning``, ``remark`` or ``note``.
    severity: str
    #: The message without its location.
    text: str
    #: The source file, which is a Python file for Triton kernels; ``None`` if unknown.
    file: Optional[str] = None
    #: The line, from 1.
    line: Optional[int] = None
    #: The column, from 1.
    column: Optional[int] = None
    #: The label of the violated rule, such as ``reduce_c4``, for ``ll-opt --explain-rule``.
    rule: str = ""
    #: Details, and the most likely fix.
    notes: tuple["Message", ...] = ()

    @classmethod
    def _of(cls, parts: Mapping[str, Any]) -> "Message":
        notes = tuple(cls._of(note) for note in parts["notes"])
        return cls(**{**parts, "notes": notes})

    @property
    def place(self) -> str:
        """The location as ``file:line:column``; empty if unknown.

        >>> ll.Message("error", "is wrong", "k.py", 3, 5).place
        'k.py:3:5'
        """
        return f"{self.file}:{self.line}:{self.column}" if self.file else ""

    def __str__(self) -> str:
        place = f"{self.place}: " if self.file else ""
        return "\n".join([f"{place}{self.severity}: {self.text}", *map(str, self.notes)])


class CompileError(ValueError):
    """A module that cannot be compiled, transformed or simulated; ``messages`` has the diagnostics.

    >>> try:
    ...     ll.run_passes("module {", "builtin.module(canonicalize)")
    ... except ll.CompileError as error:
    ...     print(error.messages[0].line, error.messages[0].severity)
    1 error
    """

    def __init__(self, messages: Sequence[Message]):
        self.messages = tuple(messages)
        super().__init__("\n".join(str(message) for message in messages if message.severity != "remark"))

    @property
    def first(self) -> Optional[Message]:
        """The first error, or ``None``.

        >>> ll.CompileError([ll.Message("error", "is wrong")]).first.text
        'is wrong'
        """
        return next((message for message in self.messages if message.severity == "error"), None)


class Module(str):
    """The text of a transformed module, with warnings and remarks as ``messages``.

    >>> module = ll.run_passes("module {}", "builtin.module(canonicalize)")
    >>> module.messages
    ()
    """

    messages: tuple[Message, ...] = ()


@dataclass(frozen=True)
class Compiled:
    """A compiled module.

    >>> text = 'module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @k() { tt.return } }'
    >>> made = ll.compile(text, "cuda:90")
    >>> made.metadata["ttg.shared"], ".entry k" in made.ptx
    (0, True)
    """

    #: The GPU, such as ``cuda:90``.
    target: str
    #: The optimised LLVM IR.
    llvm_ir: str
    #: PTX, for NVIDIA GPUs, or ``None``.
    ptx: Optional[str]
    #: AMDGCN assembly, for AMD GPUs, or ``None``.
    amdgcn: Optional[str]
    #: The integer attributes of the lowered module, such as ``ttg.shared`` (bytes of shared memory).
    metadata: Mapping[str, int]
    #: Warnings and remarks.
    remarks: tuple[Message, ...] = ()
    #: Milliseconds of each phase: parse, lower, translate, optimise, emit.
    times: Mapping[str, float] = field(default_factory=dict)

    @property
    def assembly(self) -> str:
        """The PTX or the AMDGCN assembly.

        >>> text = 'module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @k() { tt.return } }'
        >>> made = ll.compile(text, "cuda:90")
        >>> made.assembly == made.ptx
        True
        """
        return self.ptx or self.amdgcn or ""


def compile(
    source: str,
    target: Optional[str] = None,
    *,
    numbers: str = "exact",
    abi: str = "plain",
    fusion: bool = True,
    lane_reductions: str = "cheapest",
    pipeline: Optional[str] = None,
    optimize: int = 3,
    debug_info: bool = False,
    features: Optional[str] = None,
    link: Sequence[os.PathLike[str] | str] = (),
    call_libraries: bool = False,
    reflect_ftz: bool = False,
    kernel_attributes: Optional[Mapping[str, str]] = None,
    file: str = "<string>",
) -> Compiled:
    """Compiles a TTGIR module to PTX or AMDGCN assembly.

    ``target`` is a GPU such as ``cuda:90`` or ``hip:gfx942``; the default is the ``ttg.target`` of the module.
    ``numbers`` is ``exact``, or ``triton`` for Triton's approximations. ``triton`` also assumes, as Triton does, that
    no dividend is negative and that no offset overflows, which widens some global accesses. ``fusion=False`` then keeps products and sums apart.

    ``abi="triton"`` adds the two pointers that Triton's launcher passes. ``lane_reductions="butterfly"`` never halves
    the rows of a reduction across lanes. ``pipeline`` replaces the passes for these options.

    ``link`` has bitcode files, or ``libdevice``. ``call_libraries`` calls a linked library for each function in it,
    even if the function could be computed inline. ``reflect_ftz`` makes libdevice flush subnormal numbers.
    ``kernel_attributes`` are LLVM attributes of the kernel, such as ``{"amdgpu-waves-per-eu": "2,2"}``. ``file`` is the
    source name in messages.

    Raises :class:`CompileError` with the location and the most likely fix. Locations are Python lines if the text has
    Triton's locations.

    >>> text = 'module attributes {"ttg.num-warps" = 4 : i32} { tt.func public @k() { tt.return } }'
    >>> ll.compile(text, "hip:gfx942").amdgcn.splitlines()[0].strip()
    '.amdgcn_target "amdgcn-amd-amdhsa--gfx942"'
    >>> try:
    ...     ll.compile(text)
    ... except ll.CompileError as error:
    ...     print(error)
    <string>:1:1: error: 'builtin.module' op has no target
    <string>:1:1: note: add `ttg.target = "cuda:90"` to the module, or the option `target=cuda:90` to the pass
    """
    if pipeline is None:
        passes = []
        if numbers == "triton":
            passes.append("use-triton-numbers" if fusion else "use-triton-numbers{fusion=false}")
        elif numbers != "exact":
            raise ValueError(f"numbers={numbers!r}: expected 'exact' or 'triton'")
        options = f"abi={abi} lane-reductions={lane_reductions}"
        if numbers == "triton":
            options += " triton-indices=true"
        if call_libraries:
            options += " call-libraries=true"
        passes += ["choose-transfer-layouts", "hoist-loads", f"convert-layouts-to-llvm{{{options}}}"]
        pipeline = ",".join(passes)
    report, output = _request(
        "Compile",
        source,
        {
            "file": file,
            "llvm_ir": True,
            "lower": pipeline,
            "optimize": optimize,
            "target": target,
            "debug_info": debug_info,
            "features": features,
            "link_bitcode": [os.fspath(path) for path in link],
            "reflect_ftz": reflect_ftz,
            "kernel_attributes": dict(kernel_attributes or {}),
        },
    )
    assembly = output.decode()
    is_nvidia = report["target"].startswith("cuda")
    return Compiled(
        target=report["target"],
        llvm_ir=report["llvm_ir"],
        ptx=assembly if is_nvidia else None,
        amdgcn=None if is_nvidia else assembly,
        metadata=report["attributes"],
        remarks=tuple(map(Message._of, report["messages"])),
        times=report["times"],
    )


def run_passes(source: str, pipeline: str, *, locations: bool = False, file: str = "<string>") -> Module:
    """Runs a pipeline with passes of this project and of MLIR, and returns the text of the module.

    ``pipeline`` is in the syntax of MLIR, such as ``remove-layout-conversions{explain=true},canonicalize``; the outer
    ``builtin.module(...)`` is optional. ``locations`` keeps locations in the text. The result has warnings and remarks
    as ``messages``.

    >>> ll.run_passes("module {}", "canonicalize")
    'module {\\n}\\n'
    """
    options = {"pipeline": pipeline, "locations": locations, "file": file}
    report, output = _request("Rewrite", source, options)
    module = Module(output.decode())
    module.messages = tuple(map(Message._of, report["messages"]))
    return module


def library_path() -> Path:
    """Returns the path of the library with LLVM and MLIR.

    ``LINEAR_LAYOUT_LIBRARY`` overrides the path in the package.

    >>> ll.compiler.library_path().suffix
    '.so'
    """
    given = os.environ.get("LINEAR_LAYOUT_LIBRARY")
    path = Path(given) if given else Path(__file__).parent / "_lib" / "liblinear_layout_mlir.so"
    if not path.is_file():
        raise ImportError(
            f"the compiler library {path} does not exist; install the package with `pip install .`, which builds the "
            "library, or set LINEAR_LAYOUT_LIBRARY to the liblinear_layout_mlir.so that `make build` creates"
        )
    return path


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("length", ctypes.c_size_t)]

    @classmethod
    def of(cls, text: bytes) -> "_Text":
        return cls(text, len(text))


class _Bytes(ctypes.Structure):
    """A string from the library, which may contain null bytes."""

    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]

    def copy(self) -> bytes:
        return ctypes.string_at(self.data, self.length) if self.length else b""


class _Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


@functools.lru_cache(maxsize=None)
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(os.fspath(library_path()), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    response = ctypes.c_void_p
    for name, arguments, result in [
        ("Compile", [_Text, _Text], response),
        ("Rewrite", [_Text, _Text], response),
        ("Simulate", [_Text, _Text, ctypes.POINTER(_Buffer), ctypes.c_size_t], response),
        ("ResponseSucceeded", [response], ctypes.c_bool),
        ("ResponseReport", [response], _Bytes),
        ("ResponseOutput", [response], _Bytes),
        ("ResponseDestroy", [response], None),
    ]:
        function = getattr(library, f"linearLayout{name}")
        function.argtypes, function.restype = arguments, result
    return library


class _Refused(CompileError):
    """A failed request, with its report."""

    def __init__(self, report: Mapping[str, Any]):
        super().__init__([Message._of(message) for message in report["messages"]])
        self.report = report


def _request(
    name: str, source: str | bytes, options: Mapping[str, Any], buffers: Optional[Sequence[tuple[int, int]]] = None
) -> tuple[dict[str, Any], bytes]:
    """Runs a request and returns the report and the output. Raises :class:`_Refused` if the request fails."""
    library = _library()
    source = source.encode() if isinstance(source, str) else source
    text = json.dumps({key: value for key, value in options.items() if value is not None}).encode()
    arguments: list[Any] = [_Text.of(source), _Text.of(text)]
    if buffers is not None:
        arguments += [(_Buffer * len(buffers))(*(_Buffer(*buffer) for buffer in buffers)), len(buffers)]
    response = getattr(library, f"linearLayout{name}")(*arguments)
    try:
        report = json.loads(library.linearLayoutResponseReport(response).copy())
        if not library.linearLayoutResponseSucceeded(response):
            raise _Refused(report)
        return report, library.linearLayoutResponseOutput(response).copy()
    finally:
        library.linearLayoutResponseDestroy(response)
