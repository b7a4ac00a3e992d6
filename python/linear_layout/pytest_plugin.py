"""A pytest fixture that runs kernels on the CPU and fails on their errors."""

from __future__ import annotations

from typing import Any, Callable

import pytest


@pytest.fixture
def simulate() -> Callable[..., Any]:
    """Returns :func:`linear_layout.simulate`: ``simulate(kernel)[grid](*args)`` runs on the CPU and raises on an error.

        def test_add(simulate):
            out = np.zeros_like(x)
            simulate(add)[(4,)](x, y, out, x.size, BLOCK=256)
            np.testing.assert_array_equal(out, x + y)
    """
    from .simulation import simulate as run

    return run
