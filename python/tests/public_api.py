"""The public API: every public name, and every public member of its classes."""

import inspect
from types import ModuleType
from typing import Any, Iterator

import linear_layout as ll

MODULES: list[ModuleType] = [ll, ll.cute, ll.tilus, ll.cache, ll.compiler, ll.simulation, ll.triton]


def classes() -> Iterator[tuple[str, type]]:
    """Yields the public classes with their names."""
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                yield f"{module.__name__}.{name}", value


def members() -> Iterator[tuple[str, Any]]:
    """Yields what a user can name: modules, functions, classes, and their methods and attributes."""
    for module in MODULES:
        yield module.__name__, module
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not inspect.ismodule(value):
                yield f"{module.__name__}.{name}", value
    for name, value in classes():
        if not issubclass(value, BaseException):
            for member in vars(value):
                # What fields of data classes are is said where they are declared.
                if not member.startswith("_") and member not in getattr(value, "__dataclass_fields__", ()):
                    found = inspect.getattr_static(value, member)
                    yield f"{name}.{member}", getattr(found, "__func__", found)
