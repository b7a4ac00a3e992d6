"""Matrix products and attention for tensor cores: element types, orders of operands, tiles, and copies by pointer or
descriptor.

Each operator computes one product in several tiles. The name of a kernel contains its tile: M x N x K, warps, stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from .case import DEVICE, Case, attention, bf16, case, f8, f16, f32, integers, normal, operator
from .own import tile_of

#: M and N of a tile, the bytes of K, warps, stages.
TILES = (
    (64, 64, 128, 4, 4),
    (64, 128, 64, 4, 4),
    (128, 64, 64, 4, 3),
    (128, 128, 64, 4, 4),
    (128, 128, 128, 4, 3),
    (128, 128, 128, 8, 3),
    (64, 256, 64, 4, 4),
    (128, 256, 128, 8, 3),
)
#: Tiles of products with operands that are converted in registers.
CONVERTED_TILES = TILES[0], TILES[3], TILES[5]

SIZES = "256x256x256", "4096x4096x4096"


def _name(kernel: str) -> Callable[[Any], str]:
    def name(specialization: Any) -> str:
        constants = specialization.constants
        return "_".join([kernel, *(str(constants[tile]) for tile in ("M", "N", "K", "WARPS", "STAGES"))])

    return name


@triton.jit(repr=_name("product"))
def product_kernel(
    a, b, c, m, n, k, lda, ldb, A_ROWS: tl.constexpr, B_ROWS: tl.constexpr, ACC: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WARPS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """A product of matrices that are contiguous along rows (A_ROWS, B_ROWS) or along columns."""
    row, column = tile_of(tl.program_id(0), m, n, M, N, 8)
    i, j, e = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
    a += i[:, None] * lda + e[None, :] if A_ROWS else i[:, None] + e[None, :] * lda
    b += e[:, None] * ldb + j[None, :] if B_ROWS else e[:, None] + j[None, :] * ldb
    total = tl.zeros([M, N], ACC)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(a), tl.load(b), total, out_dtype=ACC)
        a += K if A_ROWS else K * lda
        b += K * ldb if B_ROWS else K
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty))


@triton.jit(repr=_name("described"))
def described_kernel(
    a, b, c, m, n, k, B_ROWS: tl.constexpr, ACC: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WARPS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """The same by descriptors. The rows of the left operand are contiguous."""
    row, column = tile_of(tl.program_id(0), m, n, M, N, 8)
    total = tl.zeros([M, N], ACC)
    for start in range(0, k, K):
        right = b.load([start, column * N]) if B_ROWS else b.load([column * N, start]).T
        total = tl.dot(a.load([row * M, start]), right, total, out_dtype=ACC)
    c.store([row * M, column * N], total.to(c.dtype))


@triton.jit(repr=_name("weights"))
def weights_kernel(
    a, b, scale, c, m, n, k,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, WARPS: tl.constexpr, STAGES: tl.constexpr,
):  # fmt: skip
    """A product with weights of fewer bits, which have one scale per column of the result."""
    row, column = tile_of(tl.program_id(0), m, n, M, N, 8)
    i, j, e = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
    a += i[:, None] * k + e[None, :]
    b += e[:, None] * n + j[None, :]
    total = tl.zeros([M, N], tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(a), tl.load(b).to(a.dtype.element_ty), total)
        a += K
        b += K * n
    total *= tl.load(scale + j)[None, :]
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty))


def _operand(rows: int, columns: int, dtype: torch.dtype, by_rows: bool) -> torch.Tensor:
    if dtype == torch.int8:
        # The sums of 4096 products are exact in float32, the type of the reference.
        values = integers(17, rows, columns) - 8
    else:
        values = normal(rows, columns, dtype=f32)
    return (values if by_rows else values.T.contiguous().T).to(dtype)


def _outputs(
    shape: tuple[int, int], dtype: torch.dtype, itemsize: int, tiles: tuple[tuple[int, ...], ...] = TILES
) -> Iterator[tuple[torch.Tensor, tuple[int], dict[str, int]]]:
    """Yields a tensor for the result, the grid, and the constants of the kernel for each tile."""
    for m, n, k, warps, stages in tiles:
        grid = triton.cdiv(shape[0], m) * triton.cdiv(shape[1], n)
        constants = dict(M=m, N=n, K=k // itemsize, WARPS=warps, STAGES=stages, num_warps=warps, num_stages=stages)
        yield torch.empty(shape, device=DEVICE, dtype=dtype), (grid,), constants


def _result(dtype: torch.dtype) -> tuple[torch.dtype, Any]:
    """Returns the element type of the stored result, and of the sums."""
    if dtype == torch.int8:
        return torch.int32, tl.int32
    return (dtype if dtype.itemsize == 2 else f32), tl.float32


def _multiply(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
    return [a.float() @ b.float()] * len(TILES)


def _register(label: str, dtype: torch.dtype, a_rows: bool, b_rows: bool) -> None:
    order = ("n" if a_rows else "t") + ("n" if b_rows else "t")
    stored, acc = _result(dtype)

    @operator(f"products/{label}_{order}", *SIZES)
    def _(m: int, n: int, k: int) -> Case:
        def multiply(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
            results = []
            for c, grid, tile in _outputs((m, n), stored, dtype.itemsize):
                lda, ldb = a.stride(0 if a_rows else 1), b.stride(0 if b_rows else 1)
                product_kernel[grid](a, b, c, m, n, k, lda, ldb, a_rows, b_rows, acc, **tile)
                results.append(c)
            return results

        return case(multiply, _multiply, _operand(m, k, dtype, a_rows), _operand(k, n, dtype, b_rows))


def _register_described(label: str, dtype: torch.dtype, b_rows: bool) -> None:
    stored, acc = _result(dtype)

    @operator(f"products/{label}_n{'n' if b_rows else 't'}_described", *SIZES)
    def _(m: int, n: int, k: int) -> Case:
        def multiply(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
            results = []
            for c, grid, tile in _outputs((m, n), stored, dtype.itemsize):
                depth, width = tile["K"], tile["N"]
                right = (b, [depth, width]) if b_rows else (b.T, [width, depth])
                blocks = (a, [tile["M"], depth]), right, (c, [tile["M"], width])
                descriptors = [TensorDescriptor.from_tensor(x, block) for x, block in blocks]
                described_kernel[grid](*descriptors, m, n, k, b_rows, acc, **tile)
                results.append(c)
            return results

        return case(multiply, _multiply, _operand(m, k, dtype, True), _operand(k, n, dtype, b_rows))


def _register_weights(label: str, dtype: torch.dtype, weights: torch.dtype) -> None:
    @operator(f"products/{label}", *SIZES)
    def _(m: int, n: int, k: int) -> Case:
        scale = normal(n, dtype=f32)

        def multiply(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
            results = []
            for c, grid, tile in _outputs((m, n), dtype, dtype.itemsize, CONVERTED_TILES):
                weights_kernel[grid](a, b, scale, c, m, n, k, **tile)
                results.append(c)
            return results

        def reference(a: torch.Tensor, b: torch.Tensor) -> list[torch.Tensor]:
            return [a @ b.float() * scale] * len(CONVERTED_TILES)

        return case(multiply, reference, _operand(m, k, dtype, True), _operand(k, n, weights, True))


for _label, _dtype in (("f16", f16), ("bf16", bf16), ("tf32", f32), ("i8", torch.int8), ("f8", f8)):
    for _a_rows, _b_rows in ((True, True), (True, False), (False, True)):
        _register(_label, _dtype, _a_rows, _b_rows)
    for _b_rows in (True, False):
        _register_described(_label, _dtype, _b_rows)
_register_weights("f16_weights_i8", f16, torch.int8)
_register_weights("bf16_weights_i8", bf16, torch.int8)
_register_weights("bf16_weights_f8", bf16, f8)


@triton.jit
def described_attention_kernel(
    q, k, v, o, length, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr
):
    block, head = tl.program_id(0), tl.program_id(1)
    first = head * length
    queries = q.load([first + block * M, 0])
    i, j = block * M + tl.arange(0, M), tl.arange(0, N)
    top, norm = tl.full([M], float("-inf"), tl.float32), tl.zeros([M], tl.float32)
    total = tl.zeros([M, D], tl.float32)
    for start in range(0, (block + 1) * M if CAUSAL else length, N):
        s = tl.dot(queries, k.load([first + start, 0]).T) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(i[:, None] >= start + j[None, :], s, float("-inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p, shrink = tl.exp2(s - new[:, None]), tl.exp2(top - new)
        total = tl.dot(p.to(v.dtype), v.load([first + start, 0]), total * shrink[:, None])
        norm, top = norm * shrink + tl.sum(p, 1), new
    o.store([first + block * M, 0], (total / norm[:, None]).to(o.dtype))


def _register_attention(name: str, causal: bool) -> None:
    @operator(f"products/{name}", "1x2x256x64", "4x16x2048x64", "2x16x4096x128")
    def _(batch: int, heads: int, length: int, dim: int) -> Case:
        def described(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            o = torch.empty_like(q)
            tiles = dict(D=dim, M=128, N=64, CAUSAL=causal, num_warps=8 if dim > 64 else 4, num_stages=3)
            blocks = (q, 128), (k, 64), (v, 64), (o, 128)
            descriptors = [TensorDescriptor.from_tensor(x.view(-1, dim), [rows, dim]) for x, rows in blocks]
            described_attention_kernel[(length // 128, batch * heads)](*descriptors, length, dim**-0.5, **tiles)
            return o

        inputs = [normal(batch, heads, length, dim, dtype=f16) for _ in range(3)]
        return case(described, lambda *x: attention(*x, causal=causal), *inputs)


_register_attention("attention_described", False)
_register_attention("attention_causal_described", True)
