"""Triton's own layouts, where there is a Triton: `LL_TRITON_PYTHON` names an interpreter that has it."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = os.environ.get("LL_TRITON_PYTHON") or (sys.executable if importlib.util.find_spec("triton") else None)


@pytest.mark.skipif(PYTHON is None, reason="no Triton: set LL_TRITON_PYTHON to an interpreter that has it")
def test_layouts_are_those_of_triton() -> None:
    program = Path(__file__).parent / "triton_reference.py"
    done = subprocess.run([str(PYTHON), str(program)], capture_output=True, text=True)
    assert done.returncode == 0 and "equal: " in done.stdout, done.stdout + done.stderr
