"""The examples in docstrings and in the README, each run."""

import doctest
import inspect
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

README = Path(__file__).parents[1] / "README.md"
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
    assert "out-of-bounds at line 16" in done.stdout and "1 ours, 0 Triton's" in done.stdout
