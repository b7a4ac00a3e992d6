"""Triton's own layouts, where there is a Triton."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("triton", exc_type=ImportError)


def test_layouts_are_those_of_triton() -> None:
    program = Path(__file__).parent / "triton_reference.py"
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.returncode == 0 and "equal: " in done.stdout, done.stdout + done.stderr
