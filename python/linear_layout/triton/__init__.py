"""This compiler inside Triton: compiles the kernels that it supports, and leaves others to Triton.

>>> import linear_layout as ll
>>> ll.triton.install()                                                             # doctest: +SKIP

Triton's launcher, cache, autotuner and assembler stay. :func:`report` says what became of each kernel.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Callable, Iterator

from ._report import Entry, Recorder, Report
from ._settings import Settings

__all__ = ["Entry", "Report", "clear_report", "install", "installed", "report", "uninstall", "use"]

_recorder = Recorder()
_lock = threading.RLock()
_hook: Any = None


def _version() -> Any:
    """Returns the module for the installed version of Triton."""
    try:
        import triton
    except ImportError as error:
        raise ImportError("Triton is not installed: `pip install triton==3.9.0`") from error
    from . import _v3_9

    modules = [_v3_9]
    for module in modules:
        if any(triton.__version__ == known or triton.__version__.startswith(f"{known}.") for known in module.VERSIONS):
            return module
    known = ", ".join(version for module in modules for version in module.VERSIONS)
    raise ImportError(f"Triton {triton.__version__} is not supported: this version of linear-layout knows Triton {known}")


def _hook_beside_ours(version: Any) -> Any:
    """The hook of another package, which ours calls."""
    hook = version.get_hook()
    return hook.previous if hook is not None and hook is _hook else hook


def install(
    mode: str = "lower",
    *,
    fallback: bool = True,
    numbers: str = "triton",
    layouts_at: str = "end",
    lane_reductions: str = "compiled",
    assembly: str = "fastest",
    select: str = "predicted",
) -> None:
    """Makes Triton compile every supported kernel with this compiler from now on.

    ``mode`` is ``"lower"``: from TTGIR to PTX or AMDGCN; ``"layouts"``: the layouts of the TTGIR, Triton's lowering after
    it; or ``"both"``. A kernel that has something that is not supported is compiled by Triton, and the report says why;
    with ``fallback=False`` that is a :class:`linear_layout.CompileError`. ``numbers="exact"`` computes without the
    approximations that Triton makes. ``layouts_at`` is ``"end"``: layouts are chosen once, on the TTGIR that Triton's
    pipeline leaves; or ``"pipeline"``: at each point of the pipeline where Triton chooses layouts, in place of its pass.
    ``lane_reductions="butterfly"`` never halves the rows of a reduction between lanes, ``"cheapest"`` does so where it
    takes fewer instructions, and ``"compiled"`` where ``ptxas`` does not then wait for the loads of a loop one by one.
    ``assembly="first"`` does not assemble a kernel again for another number of resident blocks, which takes less time.

    ``select`` says how ``mode`` is decided upon for each kernel. ``"predicted"``: always, and layouts by their predicted cost.
    ``"compiled"``: kernels are compiled with each part of ``mode`` and without, and the machine code is compared; needs no GPU.
    ``"measured"``: the first launches time each of these, and ours with as many resident blocks as Triton's; Triton's cache
    keeps the fastest by the size of the grid.

    Installing again replaces the settings. Each launch costs less than a microsecond more: Triton asks at each
    which stages there are; :func:`use` costs nothing.

    >>> ll.triton.install()                                                         # doctest: +SKIP
    >>> add[(4,)](x, y, out, 1000, BLOCK=256)                                       # doctest: +SKIP
    >>> print(ll.triton.report())                                                   # doctest: +SKIP
    """
    _install(Settings(mode, fallback, numbers, layouts_at, lane_reductions, assembly, select))


def _install(settings: Settings) -> None:
    global _hook
    version = _version()
    settings.key  # A compiler that is not there is an error here, not at the first launch.
    with _lock:
        if settings.select == "measured":
            version.set_measuring(_recorder)
        _hook = version.StagesHook(settings, _recorder, _hook_beside_ours(version))
        version.set_hook(_hook)


def uninstall() -> None:
    """Gives kernels that are compiled from now on back to Triton. Without :func:`install` before it does nothing.

    >>> ll.triton.uninstall()
    """
    global _hook
    with _lock:
        if _hook is None:
            return
        version = _version()
        if version.get_hook() is not _hook:
            raise RuntimeError("another hook was installed after ours: it has to be taken away first")
        version.set_hook(_hook.previous)
        _hook = None


@contextlib.contextmanager
def installed(
    mode: str = "lower",
    *,
    fallback: bool = True,
    numbers: str = "triton",
    layouts_at: str = "end",
    lane_reductions: str = "compiled",
    assembly: str = "fastest",
    select: str = "predicted",
) -> Iterator[None]:
    """Installs for the kernels that are compiled inside a ``with`` block.

    >>> with ll.triton.installed(numbers="exact"):                                  # doctest: +SKIP
    ...     add[(4,)](x, y, out, 1000, BLOCK=256)
    """
    global _hook
    with _lock:
        before = _hook
        _install(Settings(mode, fallback, numbers, layouts_at, lane_reductions, assembly, select))
        current = _hook
    try:
        yield
    finally:
        with _lock:
            version = _version()
            if version.get_hook() is current:
                version.set_hook(before if before is not None else current.previous)
            _hook = before


def use(
    kernel: Any = None,
    *,
    mode: str = "lower",
    fallback: bool = True,
    numbers: str = "triton",
    layouts_at: str = "end",
    lane_reductions: str = "compiled",
    assembly: str = "fastest",
    select: str = "predicted",
) -> Any:
    """Makes one kernel compile with this compiler; launches cost nothing more.

    It stands above ``@triton.jit``, ``@gluon.jit`` or ``@triton.autotune``:

    >>> @ll.triton.use                                                              # doctest: +SKIP
    ... @triton.jit
    ... def add(x, y, N: tl.constexpr): ...
    """
    settings = Settings(mode, fallback, numbers, layouts_at, lane_reductions, assembly, select)
    return functools.partial(_use, settings=settings) if kernel is None else _use(kernel, settings)


def _use(kernel: Any, settings: Settings) -> Any:
    version = _version()

    def around(compile: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(compile)
        def compile_with_ours(*args: Any, **kwargs: Any) -> Any:
            # The hook is the process's, so other threads wait.
            with _lock:
                before = version.get_hook()
                version.set_hook(version.StagesHook(settings, _recorder, _hook_beside_ours(version)))
                try:
                    return version.with_measuring(compile(*args, **kwargs), _recorder)
                finally:
                    version.set_hook(before)

        return compile_with_ours

    version.compile_with(version.jit_function(kernel), around)
    return kernel


def report() -> Report:
    """Returns a report on each kernel compiled since the process began or :func:`clear_report`.

    Kernels that Triton found in its cache are not in it.

    >>> ll.triton.clear_report()
    >>> len(ll.triton.report())
    0
    """
    return _recorder.report()


def clear_report() -> None:
    """Forgets the compilations so far.

    >>> ll.triton.clear_report()
    """
    _recorder.clear()
