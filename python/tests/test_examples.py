"""The examples in docstrings, in the README and in the pages of `tools/docs`, each run."""

import doctest
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linear_layout as ll
import public_api
from conftest import HAS_COMPILER

sys.path.append(str(Path(__file__).parents[2] / "tools" / "docs"))
import check

ROOT = Path(__file__).parents[2]
README = ROOT / "python" / "README.md"
PAGES = sorted((ROOT / "tools" / "docs").glob("*.md"))
DOCUMENTED = {name: inspect.getdoc(value) or "" for name, value in public_api.members()}


def failures(name: str, text: str) -> str:
    """Runs the examples of a text, and returns what doctest says of those that fail."""
    test = doctest.DocTestParser().get_doctest(text, {"ll": ll, "np": np, "Path": Path}, name, name, 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_docstring(name: str) -> None:
    value = DOCUMENTED[name]
    if not HAS_COMPILER and re.search(r"ll\.(compile|run_passes|compiler|simulat|triton|cache)", value):
        pytest.skip("the compiler's library is not built")
    said = failures(name, value)
    assert not said, said


def test_api_has_examples() -> None:
    without = [name for name, text in DOCUMENTED.items() if ">>> " not in text]
    share = 1 - len(without) / len(DOCUMENTED)
    assert share >= 0.95, f"{share:.1%} of {len(DOCUMENTED)} have an example; these do not: {without}"


def test_readme() -> None:
    if not HAS_COMPILER:
        pytest.skip("the compiler's library is not built")
    text = README.read_text()
    blocks = text.split("```python\n")[1:]
    examples = "\n".join(block.split("```")[0] for block in blocks)
    assert ">>> " in examples
    said = failures("README.md", examples)
    assert not said, said


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The programs `ll` and `python`, and a cache with two kernels."""
    for name, arguments in [("ll", "-W ignore -m linear_layout"), ("python", "")]:
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {arguments} "$@"\n')
        program.chmod(0o755)
    for age, (name, hashed, shared) in enumerate([("transpose", "3QJ5ABCD", 16384), ("row_softmax", "7RTXABCD", 32)]):
        folder = tmp_path / "cache" / hashed
        folder.mkdir(parents=True)
        text = (ROOT / "test" / "kernels" / "sm_90" / f"{name}.ttgir").read_text()
        (folder / f"{name}.ttgir").write_text(text)
        target = {"backend": "cuda", "arch": 90, "warp_size": 32}
        (folder / f"{name}.json").write_text(json.dumps({"shared": shared, "num_warps": 4, "target": target}))
        for path in [*folder.iterdir(), folder]:
            os.utime(path, (1e9 - age, 1e9 - age))
    return {
        "PATH": os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT / "python"),
        "TRITON_CACHE_DIR": str(tmp_path / "cache"),
    }


@pytest.mark.parametrize("page", [README, *PAGES], ids=lambda page: page.name)
def test_commands(page: Path, environment: dict[str, str]) -> None:
    """The `console python` blocks; `tools/docs/check.py` runs the others."""
    if not HAS_COMPILER:
        pytest.skip("the compiler's library is not built")
    if page.name == "gluon-author.md":
        pytest.importorskip("triton", exc_type=ImportError)
    _, said = check.run(page, "console python", environment)
    assert not said, "\n".join(said)


def test_table_of_cute() -> None:
    """The second column of the table evaluates to the third."""
    text = next(page for page in PAGES if page.name == "cute-user.md").read_text()
    rows = re.findall(r"^\| .* \| `([^|]+)` \| (?:`([^|]+)`)? ?\|$", text, re.MULTILINE)
    assert len(rows) >= 15
    names: dict[str, object] = {"cute": ll.cute}
    for expression, expected in rows:
        target, _, value = expression.rpartition(" = ")
        found = eval(value, names)
        if target:
            names[target] = found
        assert not expected or str(found) == expected, expression


def test_example(tmp_path: Path) -> None:
    pytest.importorskip("triton", exc_type=ImportError)
    assert "examples/softmax.py" in README.read_text()
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(README.parent / "examples" / "softmax.py")],
        env={**os.environ, "PYTHONPATH": str(README.parent), "TRITON_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "out-of-bounds at line 16" in done.stdout and "1 by linear-layout, 0 by Triton" in done.stdout
