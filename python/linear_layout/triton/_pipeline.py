"""Triton's pass pipelines with one pass replaced by a rewrite in Python.

Triton's backends build a pass manager in C++ and run it once, without Python code between passes. Here, the function
that builds the pipeline runs with other globals, which collect the passes. A new pass manager begins after each
replaced pass.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Optional

#: A rewrite of a module. `None` runs the replaced pass instead.
Rewrite = Callable[[Any], Optional[Any]]


class Module:
    """A reference to a module, which a rewrite can change.

    >>> module = Module("before")
    >>> module.current = "after"
    >>> module.upper()
    'AFTER'
    """

    def __init__(self, module: Any):
        self.current = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.current, name)


class Pipeline:
    """A list of passes with the interface of Triton's pass manager."""

    def __init__(self, make: Callable[[], Any], replaced: str, rewrite: Rewrite):
        self._make = make
        self._replaced = replaced
        self._rewrite = rewrite
        self._passes: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = []

    def enable_debug(self) -> bool:
        return bool(self._make().enable_debug())

    def add(self, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._passes.append((name, function, arguments))

    def run(self, module: Module, name: str) -> None:
        stretch = self._begin()
        for pass_name, add, arguments in self._passes:
            if pass_name == self._replaced and not arguments:
                stretch.run(module.current, name)
                stretch = self._begin()
                rewritten = self._rewrite(module.current)
                if rewritten is not None:
                    module.current = rewritten
                    continue
            add(stretch, *arguments)
        stretch.run(module.current, name)

    def _begin(self) -> Any:
        made = self._make()
        made.enable_debug()
        return made


class _Namespace:
    """A module of pass constructors. Calls with a :class:`Pipeline` are recorded there."""

    def __init__(self, inner: Any):
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if isinstance(found, types.ModuleType):
            return _Namespace(found)
        if not callable(found):
            return found

        def call(*arguments: Any) -> Any:
            if arguments and isinstance(arguments[0], Pipeline):
                return arguments[0].add(name, found, arguments[1:])
            return found(*arguments)

        return call


class _Ir:
    """Triton's module `ir`, whose pass managers are pipelines."""

    def __init__(self, inner: Any, replaced: str, rewrite: Rewrite):
        self._inner = inner
        self._replaced = replaced
        self._rewrite = rewrite

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def pass_manager(self, context: Any) -> Pipeline:
        return Pipeline(lambda: self._inner.pass_manager(context), self._replaced, self._rewrite)


def with_rewrite(
    build: Callable[..., Any], names: tuple[str, ...], replaced: str, rewrite: Rewrite
) -> Callable[..., Any]:
    """Returns a copy of `build` in which `rewrite` replaces the passes that `replaced` constructs.

    `names` are the globals of `build` that hold pass constructors. The first argument of `build` is the module; the
    result is the module after the pipeline.
    """
    scope = dict(build.__globals__)
    scope["ir"] = _Ir(scope["ir"], replaced, rewrite)
    for name in names:
        scope[name] = _Namespace(scope[name])
    copy = types.FunctionType(build.__code__, scope, build.__name__, build.__defaults__, build.__closure__)

    def run(module: Any, *arguments: Any) -> Any:
        held = Module(module)
        made = copy(held, *arguments)
        return made.current if isinstance(made, Module) else made

    return run
