"""Kernels in Triton's cache and dump folders.

>>> ll.cache.kernels("/no/such/folder")
[]
"""

from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Iterator, Mapping, Optional, Sequence

from .compiler import CompileError, Compiled, Message, compile, run_passes

__all__ = ["Kernel", "check", "conversions", "diff", "find", "folder", "kernels", "simulate"]


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel, or a file of TTGIR.

    >>> ll.cache.Kernel("add", Path("cached"), {"shared": 16}).shared
    16
    """

    #: The name of the function.
    name: str
    #: The folder with the files of the kernel, or the TTGIR file.
    path: Path
    #: The metadata from Triton: ``num_warps``, ``shared``, ``target`` and more.
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def target(self) -> str:
        """The GPU, such as ``cuda:90``; empty if unknown.

        >>> ll.cache.Kernel("add", Path("."), {"target": {"backend": "hip", "arch": "gfx942"}}).target
        'hip:gfx942'
        """
        target = self.metadata.get("target")
        if not target:
            named = re.search(r'ttg\.target = "([^"]+)"', self.read("ttgir") or "")
            return named[1] if named else ""
        return f"{target['backend']}:{target['arch']}"

    @property
    def shared(self) -> Optional[int]:
        """Bytes of shared memory; ``None`` if unknown.

        >>> ll.cache.Kernel("add", Path(".")).shared is None
        True
        """
        return self.metadata.get("shared")

    def file(self, kind: str) -> Path:
        """Returns the file of a stage, such as ``ttgir`` or ``ptx``, which may not exist.

        >>> ll.cache.Kernel("add", Path("cached")).file("ptx").name
        'add.ptx'
        """
        return self.path if self.path.is_file() else self.path / f"{self.name}.{kind}"

    def read(self, kind: str) -> Optional[str]:
        """Returns the text of a stage, or ``None`` if there is no such file.

        >>> ll.cache.Kernel("add", Path("/no/such/folder")).read("ptx") is None
        True
        """
        file = self.file(kind)
        return file.read_text() if file.is_file() and file.suffix == f".{kind}" else None

    @property
    def ttgir(self) -> str:
        """The text of the TTGIR. Raises :class:`FileNotFoundError` without a TTGIR file.

        >>> ll.cache.Kernel("add", Path("/no/such/folder")).ttgir
        Traceback (most recent call last):
            ...
        FileNotFoundError: /no/such/folder/add.ttgir: the cache has no TTGIR of `add`
        """
        text = self.read("ttgir")
        if text is None:
            raise FileNotFoundError(f"{self.file('ttgir')}: the cache has no TTGIR of `{self.name}`")
        return text


def folder() -> Path:
    """Returns the folder of Triton's cache: ``TRITON_CACHE_DIR``, or ``~/.triton/cache``.

    >>> isinstance(ll.cache.folder(), Path)
    True
    """
    given = os.environ.get("TRITON_CACHE_DIR")
    return Path(given) if given else Path.home() / ".triton" / "cache"


def kernels(where: Optional[os.PathLike[str] | str] = None) -> list[Kernel]:
    """Returns the kernels in a cache or a folder of dumps, the newest first.

    >>> ll.cache.kernels("/no/such/folder")
    []
    """
    root = Path(where) if where is not None else folder()
    found = []
    for path in root.glob("*/*.ttgir"):
        described = path.with_suffix(".json")
        metadata = json.loads(described.read_text()) if described.is_file() else {}
        found.append((path.stat().st_mtime, Kernel(path.stem, path.parent, metadata)))
    found.sort(key=lambda pair: pair[0], reverse=True)
    return [kernel for _, kernel in found]


def find(name: str, where: Optional[os.PathLike[str] | str] = None) -> Kernel:
    """Returns a kernel by name, by a prefix of its folder name (4 characters or more), or by the path of a TTGIR file.

    Among kernels of the same name, the newest is returned. Raises :class:`LookupError` with the most similar names.

    >>> ll.cache.find("add", "/no/such/folder")
    Traceback (most recent call last):
        ...
    LookupError: no kernel `add` in /no/such/folder; the folder contains no kernels
    """
    path = Path(name)
    if path.is_file():
        return Kernel(path.stem, path)
    all_kernels = kernels(where)
    for kernel in all_kernels:
        if kernel.name == name or len(name) >= 4 and kernel.path.name.startswith(name):
            return kernel
    names = sorted({kernel.name for kernel in all_kernels})
    near = difflib.get_close_matches(name, names, n=3) or names[:3]
    which = f"; the nearest are {', '.join(near)}" if near else "; the folder contains no kernels"
    raise LookupError(f"no kernel `{name}` in {where if where is not None else folder()}{which}")


def conversions(ttgir: str) -> list[Message]:
    """Returns a remark for each decision of ``remove-layout-conversions`` on a module, with the costs.

    >>> text = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} { tt.func @k() { tt.return } }'
    >>> [message.severity for message in ll.cache.conversions(text)]
    ['remark']
    """
    module = run_passes(ttgir, "remove-layout-conversions{explain=true}", file="<ttgir>")
    return [message for message in module.messages if message.severity == "remark"]


def bank_conflicts(ttgir: str) -> list[Message]:
    """Returns a remark for each operation that uses shared memory, with wavefronts, bank conflicts and barriers.

    The module is lowered by this compiler. Raises :class:`linear_layout.CompileError` for an unsupported kernel.

    >>> text = '''
    ... #rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
    ... #columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
    ... module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {
    ...   tt.func @k() {
    ...     %x = arith.constant dense<1.0> : tensor<32x32xf32, #rows>
    ...     %y = ttg.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
    ...     tt.return
    ...   }
    ... }'''
    >>> [message.text for message in ll.cache.bank_conflicts(text)]
    ['shared memory of a thread block: wavefronts 64 (bank conflicts 0), barriers 1, scratch 4096 bytes']
    """
    module = run_passes(ttgir, "convert-layouts-to-llvm{explain=true shared-limit=warning}", file="<ttgir>")
    return [message for message in module.messages if message.severity == "remark"]


def diff(left: Kernel, right: Kernel) -> Iterator[str]:
    """Yields the lines that differ between two kernels: metadata, and TTGIR without locations.

    >>> pair = [ll.cache.Kernel("a", Path("/x"), {"shared": bytes}) for bytes in (0, 16)]
    >>> list(ll.cache.diff(*pair))
    ['- shared: 0', '+ shared: 16']
    """
    keys = sorted({*left.metadata, *right.metadata} - {"hash"})
    for key in keys:
        values = left.metadata.get(key), right.metadata.get(key)
        if values[0] != values[1]:
            yield from (f"{sign} {key}: {value}" for sign, value in zip("-+", values))
    texts = [kernel.read("ttgir") for kernel in (left, right)]
    if None not in texts:
        before, after = (run_passes(text or "", "builtin.module()").splitlines() for text in texts)
        yield from difflib.unified_diff(before, after, str(left.path), str(right.path), lineterm="")


def check(
    ttgir: str, *, most_shared: Optional[int] = None, most_conversions: Optional[int] = None, file: str = "<string>"
) -> tuple[Optional[Compiled], list[str]]:
    """Compiles a module. Returns the result (``None`` after an error), and each error and exceeded limit as text.

    >>> made, problems = ll.cache.check('module attributes {"ttg.num-warps" = 4 : i32} {}')
    >>> made is None, len(problems)
    (True, 1)
    """
    try:
        made = compile(ttgir, file=file)
    except CompileError as error:
        return None, [str(error)]
    problems = []
    shared = made.metadata.get("ttg.shared", 0)
    if most_shared is not None and shared > most_shared:
        problems.append(f"{file}: {shared} bytes of shared memory, at most {most_shared} are allowed")
    count = len(re.findall(r"\bttg\.convert_layout\b", ttgir))
    if most_conversions is not None and count > most_conversions:
        problems.append(f"{file}: {count} conversions of layouts, at most {most_conversions} are allowed")
    return made, problems


def _random_argument(name: str, spec: str) -> tuple[str, str, Any]:
    """Parses an argument of `ll cache sim`: a number, or `zeros|iota|random:TYPE:COUNT`."""
    import numpy as np

    types = {"f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool"}
    pieces = spec.split(":")
    if len(pieces) == 1:
        is_float = re.search(r"[.eE]", spec) is not None
        return (name, "fp32", float(spec)) if is_float else (name, "i32", int(spec, 0))
    if len(pieces) != 3 or pieces[0] not in ("zeros", "iota", "random"):
        raise ValueError(f"`{name}={spec}`: expected a number, or `zeros|iota|random:TYPE:COUNT`, such as `random:f32:64`")
    fill, type_, count = pieces[0], pieces[1], int(pieces[2])
    try:
        dtype = np.dtype(types.get(type_, type_.replace("i", "int")))
    except TypeError as error:
        raise ValueError(f"`{name}={spec}`: NumPy has no type `{type_}`") from error
    if fill == "zeros":
        array = np.zeros(count, dtype)
    elif fill == "iota":
        array = np.arange(count).astype(dtype)
    else:
        array = np.random.default_rng(0).standard_normal(count).astype(dtype)
    return name, "*" + type_, array


def simulate(kernel: Kernel, grid: Sequence[int], args: Sequence[str], **options: Any) -> Any:
    """Runs a kernel on the CPU, with arguments such as ``x=random:f32:4096`` or ``n=100``, and returns the report.

    >>> ll.cache.simulate(ll.cache.find("add_kernel"), [4], ["x=random:f32:4096", "n=4096"])      # doctest: +SKIP
    """
    from .simulation import run

    values = []
    for position, text in enumerate(args):
        name, _, spec = text.rpartition("=")
        values.append(_random_argument(name or str(position), spec))
    return run(kernel.ttgir, values, grid, file="<ttgir>", **options)
