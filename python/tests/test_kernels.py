"""The kernels of `test/kernels`, run on the CPU at odd sizes, against Triton's interpreter."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

np = pytest.importorskip("numpy")
triton = pytest.importorskip("triton", exc_type=ImportError)
if not triton.__version__.startswith("3.9."):
    pytest.skip("for Triton 3.9", allow_module_level=True)

import linear_layout as ll  # noqa: E402


@pytest.fixture(scope="module")
def kernels() -> ModuleType:
    path = Path(__file__).parents[2] / "test" / "kernels" / "kernels.py"
    spec = importlib.util.spec_from_file_location("kernels", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RNG = np.random.default_rng(3)


def f32(*shape: int) -> Any:
    return RNG.standard_normal(shape).astype(np.float32)


def f16(*shape: int) -> Any:
    return f32(*shape).astype(np.float16)


def i8(*shape: int) -> Any:
    return RNG.integers(-8, 8, shape).astype(np.int8)


TILE = {"BM": 32, "BN": 32, "BK": 32}
PRODUCT = {"rtol": 2e-3, "atol": 2e-2}
CASES: dict[str, tuple[tuple[int, ...], list[Any], dict[str, int], dict[str, float]]] = {
    "vector_add": ((4,), [f32(1000), f32(1000), f32(1000), 1000], {"BLOCK": 256}, {}),
    "row_softmax": ((3,), [f32(3, 100), f32(3, 100), 100, 100], {"BLOCK": 128}, {}),
    "transpose": ((2, 2), [f16(45, 37), f16(37, 45), 45, 37], {"BM": 32, "BN": 32}, {}),
    "matmul": ((2, 2), [f16(45, 51), f16(51, 37), f16(45, 37), 45, 37, 51, 51, 37, 37], TILE, PRODUCT),
    "column_sum": ((2,), [f32(75, 37), f32(37), 75, 37], {"BM": 32, "BN": 32}, {"atol": 1e-4}),
    "outer_scale": ((2,), [f32(64, 32), f32(64), f32(64, 32), 32], {"BM": 32, "BN": 32}, {}),
    "interleave": ((2,), [f32(256), f32(256), f32(512), 256], {"BLOCK": 128}, {}),
    "attention": ((2,), [f16(64, 32), f16(64, 32), f16(64, 32), f16(64, 32), 64, 0.2], {"BM": 32, "BN": 32, "D": 32}, PRODUCT),
    "matmul_int8_weights": ((2, 2), [f16(45, 51), i8(51, 37), f16(37), f32(45, 37), 45, 37, 51, 51, 37, 37], TILE, PRODUCT),
    "matmul_int4_weights": ((2, 2), [f16(45, 51), i8(51, 19), f16(38), f32(45, 38), 45, 38, 51, 51, 19, 38], TILE, PRODUCT),
    "matmul_split_k": ((2, 2, 2), [f16(45, 91), f16(91, 37), np.zeros((45, 37), np.float32), 45, 37, 91, 91, 37, 37], TILE, PRODUCT),
    "convolution": (
        (2, 1),
        [f16(2, 7, 10, 5), f16(3, 3, 5, 6), f32(2, 4, 5, 6), 2, 7, 10, 5, 6, 4, 5],
        {"R": 3, "S": 3, "STRIDE": 2, "PAD": 1, "BM": 32, "BN": 16, "BK": 16},
        PRODUCT,
    ),
    "batched_matmul": ((1, 1, 2), [f16(3, 20, 25), f16(3, 25, 19), f32(3, 20, 19), 3, 20, 19, 25, 25, 19, 19], {"BB": 2, **TILE}, PRODUCT),
}


@pytest.mark.parametrize("name", CASES)
def test_a_kernel_computes_what_the_interpreter_computes(kernels: ModuleType, name: str) -> None:
    grid, args, constants, tolerance = CASES[name]
    ll.check(getattr(kernels, name), grid, args, constants, **tolerance)
