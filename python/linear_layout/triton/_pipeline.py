"""Triton's pass pipelines with one pass replaced by a rewrite in Python.

Triton's backends build a pass manager in C++ and run it once, so no Python code can stand between two passes. Here the
function that builds the pipeline runs with other globals: its passes are collected, and each stretch between two replaced
passes becomes a pass manager of its own.
"""

from __future__ import annotations

import types
from typing import Any, Callable, Optional

#: A rewrite of a module; `None` asks for the replaced pass.
Rewrite = Callable[[Any], Optional[Any]]


class Module:
    """A module that a rewrite can exchange while the function that builds the pipeline holds it.

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
    """Passes in their order; has the methods of Triton's pass manager that its backends call."""

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
    """A module of pass constructors, with those that take a :class:`Pipeline` recorded in it."""

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
    """Returns a copy of a function that builds and runs a pipeline; `rewrite` runs in place of the passes that `replaced` constructs.

    `names` are the globals of the function that hold pass constructors. The first argument of the function is the module,
    and what it returns is the module after the pipeline.
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
