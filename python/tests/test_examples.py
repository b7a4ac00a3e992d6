"""The examples in docstrings and in the README, each run."""

import doctest
import inspect
from pathlib import Path

import numpy as np
import pytest

import linear_layout as ll
import public_api

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
    said = failures(name, DOCUMENTED[name])
    assert not said, said


def test_api_has_examples() -> None:
    without = [name for name, text in DOCUMENTED.items() if ">>> " not in text]
    share = 1 - len(without) / len(DOCUMENTED)
    assert share >= 0.95, f"{share:.1%} of {len(DOCUMENTED)} have an example; these do not: {without}"


def test_readme() -> None:
    text = README.read_text()
    blocks = text.split("```python\n")[1:]
    examples = "\n".join(block.split("```")[0] for block in blocks)
    assert ">>> " in examples
    said = failures("README.md", examples)
    assert not said, said
