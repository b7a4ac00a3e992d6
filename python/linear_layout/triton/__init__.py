"""This compiler inside Triton: compiles supported kernels, and leaves the others to Triton.

>>> import linear_layout as ll
>>> ll.triton.install()                                                             # doctest: +SKIP

Triton's launcher, cache, autotuner and assembler stay in use. :func:`report` lists the compiled kernels.
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
    raise ImportError(f"Triton {triton.__version__} is not supported: this version of linear-layout supports Triton {known}")


def _hook_beside_ours(version: Any) -> Any:
    """Returns the hook of another package, which our hook calls."""
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

    ``mode`` is ``"lower"`` (TTGIR to PTX or AMDGCN), ``"layouts"`` (the layouts in TTGIR, lowered by Triton),
    ``"both"``, or ``"passes"`` (TTIR to PTX: layouts, matrix instructions, pipelined loops and lowering, for NVIDIA GPUs
    before Blackwell). Triton compiles unsupported kernels, and the report has the reason; with ``fallback=False``, they raise
    :class:`linear_layout.CompileError`. ``numbers="exact"`` disables Triton's approximations.

    ``layouts_at`` is ``"end"`` (one choice of layouts, after Triton's TTGIR pipeline) or ``"pipeline"`` (in place of
    each Triton pass that chooses layouts).

    ``lane_reductions="butterfly"`` never halves the rows of a reduction across lanes, and ``"cheapest"`` does so if
    that takes fewer instructions. ``"compiled"`` is ``"cheapest"``, unless ``ptxas`` then serialises the loads of a
    loop.

    ``assembly="first"`` saves time: a kernel is not assembled again for another occupancy.

    ``select`` decides on the parts of ``mode`` for each kernel. ``"predicted"`` uses all of them, and layouts by
    predicted cost. ``"compiled"`` leaves out a part without which the machine code is clearly better; no GPU is needed.
    ``"measured"`` times these candidates in the first launches, and also ours with the occupancy of Triton's; Triton's
    cache keeps the fastest for each grid size.

    A second call replaces the settings. A launch takes less than a microsecond longer, since Triton queries the hook;
    :func:`use` adds no time.

    >>> ll.triton.install()                                                         # doctest: +SKIP
    >>> add[(4,)](x, y, out, 1000, BLOCK=256)                                       # doctest: +SKIP
    >>> print(ll.triton.report())                                                   # doctest: +SKIP
    """
    _install(Settings(mode, fallback, numbers, layouts_at, lane_reductions, assembly, select))


def _install(settings: Settings) -> None:
    global _hook
    version = _version()
    settings.key  # Raises here, not at the first launch, if the library is missing.
    with _lock:
        if settings.select == "measured":
            version.set_measuring(_recorder)
        _hook = version.StagesHook(settings, _recorder, _hook_beside_ours(version))
        version.set_hook(_hook)


def uninstall() -> None:
    """Leaves kernels that are compiled from now on to Triton. Does nothing without :func:`install`.

    >>> ll.triton.uninstall()
    """
    global _hook
    with _lock:
        if _hook is None:
            return
        version = _version()
        if version.get_hook() is not _hook:
            raise RuntimeError("another hook was installed after the hook of linear-layout; remove the other hook before `uninstall`")
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
    """Installs this compiler within a ``with`` block; the options are those of :func:`install`.

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
    """Makes one kernel compile with this compiler, without launch overhead; the options are those of :func:`install`.

    The decorator stands above ``@triton.jit``, ``@gluon.jit`` or ``@triton.autotune``:

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
            # The hook is global, so other threads wait.
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
    """Returns the report on all compilations since the start of the process or :func:`clear_report`.

    Kernels from Triton's cache are not included.

    >>> ll.triton.clear_report()
    >>> len(ll.triton.report())
    0
    """
    return _recorder.report()


def clear_report() -> None:
    """Clears the report.

    >>> ll.triton.clear_report()
    """
    _recorder.clear()
