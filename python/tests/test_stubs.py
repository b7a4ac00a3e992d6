"""The stubs: the signatures and docstrings of the extension module, and what a type checker says of a user's file.

`LL_BLESS=1` copies the docstrings into the stubs.
"""

import ast
import inspect
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Iterator

import pytest

import linear_layout as ll
from linear_layout import _native

HERE = Path(__file__).parent
STUBS = Path(ll.__file__).parent / "_native.pyi"
Documented = ast.FunctionDef | ast.ClassDef


def mypy(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=HERE.parent,
        env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        capture_output=True,
        text=True,
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_signatures() -> None:
    modules = [f"linear_layout.{name}" for name in ("_native", "_gluon", "cute", "tilus")]
    said = mypy("mypy.stubtest", *modules)
    assert not said, said


@pytest.mark.parametrize("file", ["tests/user.py", "linear_layout"])
def test_types(file: str) -> None:
    said = mypy("mypy", "--strict", "--python-version", "3.10", file)
    assert not said, said


def docstrings(tree: ast.Module) -> Iterator[tuple[Documented, str]]:
    """Yields what the stubs declare, with what the extension module says of it."""
    for node in tree.body:
        if not isinstance(node, Documented):
            continue
        owner = getattr(_native, node.name)
        yield node, inspect.getdoc(owner) or ""
        members = node.body if isinstance(node, ast.ClassDef) else []
        seen: set[str] = set()
        for member in members:
            # Special methods have no docstrings of their own, and of overloads the first has it.
            is_special = isinstance(member, ast.FunctionDef) and member.name.startswith("__")
            if isinstance(member, ast.FunctionDef) and not is_special and member.name not in seen:
                seen.add(member.name)
                yield member, inspect.getdoc(getattr(owner, member.name)) or ""


def with_docstrings(source: str) -> str:
    """Returns the stubs with the docstrings of the extension module."""
    lines = source.splitlines()
    for node, text in reversed(list(docstrings(ast.parse(source)))):
        first, last = node.body[0], node.body[-1]
        assert first.end_lineno is not None and last.end_lineno is not None
        value = first.value if isinstance(first, ast.Expr) else None
        is_written = isinstance(value, ast.Constant) and isinstance(value.value, str)
        indent = " " * (node.col_offset + 4)
        quoted = textwrap.indent(f'"""{text}' + ("\n" if "\n" in text else "") + '"""', indent).splitlines()
        quoted = [line.rstrip().replace("\\", "\\\\") for line in quoted]
        if is_written:
            lines[first.lineno - 1 : first.end_lineno] = quoted
        elif isinstance(first, ast.Expr) and len(node.body) == 1:
            # `...` at the end of the signature.
            line = lines[last.end_lineno - 1]
            before, _, after = line.rpartition("...")
            lines[last.end_lineno - 1 : last.end_lineno] = [(before.rstrip() + after).rstrip(), *quoted]
        else:
            # Decorators of the first member are above it.
            decorators = first.decorator_list if isinstance(first, ast.FunctionDef) else []
            at = min([first.lineno, *(decorator.lineno for decorator in decorators)])
            lines[at - 1 : at - 1] = quoted
    return "\n".join(lines) + "\n"


def test_docstrings() -> None:
    source = STUBS.read_text()
    expected = with_docstrings(source)
    if os.environ.get("LL_BLESS"):
        STUBS.write_text(expected)
    else:
        assert source == expected, "the docstrings of the stubs differ from those of the module: run with LL_BLESS=1"
