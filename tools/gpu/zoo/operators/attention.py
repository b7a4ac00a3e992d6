"""Packages of attention kernels: the rotary embedding of flash_attn_triton, SageAttention and xFormers.

The attention of flash_attn_triton needs block pointers and ``trans_b`` of ``tl.dot``, which Triton 3.9 no longer has.
"""

from __future__ import annotations

import functools
from typing import Any

import torch

from .case import (
    DEVICE,
    Case,
    attention,
    case,
    f16,
    leaf,
    namespace,
    normal,
    operator,
    package,
    rms_norm,
    rotate_half,
    rotate_pairs,
    stub,
    uniform,
)


def transposed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """Attention over ``[batch, length, heads, dim]``."""
    return attention(*(x.transpose(1, 2) for x in (q, k, v)), causal=causal).transpose(1, 2)


@functools.cache
def prepare() -> None:
    # Imported by the package, but not used; Triton no longer has it.
    stub("triton.tools.experimental_descriptor")
    # flash_attn is a part of flash_attn_triton and not the package that xFormers looks for.
    namespace("xformers.ops", "xformers.ops.fmha")


def rotary(interleaved: bool) -> None:
    @operator(f"flash_attn/rotary{'_interleaved' * interleaved}", "2x32x2x32", "2x512x8x64", "8x2048x16x128")
    def _(batch: int, length: int, heads: int, dim: int) -> Case:
        prepare()
        f, angle = package("flash_attn.layers.rotary").apply_rotary_emb, normal(length, dim // 2)
        cos, sin = angle.cos(), angle.sin()

        def reference(x):
            tables = [t.float()[:, None] for t in (cos, sin)]
            return rotate_pairs(x, *tables) if interleaved else rotate_half(x, *(t.repeat(1, 1, 2) for t in tables))

        return case(lambda x: f(x, cos, sin, interleaved=interleaved), reference, leaf(batch, length, heads, dim))


rotary(False)
rotary(True)


def sage(causal: bool) -> None:
    @operator(f"sageattention/attention{'_causal' * causal}", "1x2x256x64", "1x4x512x64", "4x16x2048x128")
    def _(batch: int, heads: int, length: int, dim: int) -> Case:
        f, inputs = package("sageattention").sageattn, [normal(batch, heads, length, dim, dtype=f16) for _ in range(3)]
        reference = lambda q, k, v: attention(q, k, v, causal=causal)
        return case(lambda q, k, v: f(q, k, v, is_causal=causal), reference, *inputs, tolerance=5e-2)


sage(False)
sage(True)


@operator("sageattention/attention_varlen", "3x128x2x64", "3x256x4x64", "8x1024x16x64")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f, total = package("sageattention").sageattn_varlen, batch * length
    starts = [i * length for i in range(batch + 1)]
    offsets, longest = torch.tensor(starts, device=DEVICE, dtype=torch.int32), length

    def reference(q, k, v):
        parts = zip(*(x.split([b - a for a, b in zip(starts, starts[1:])]) for x in (q, k, v)))
        return torch.cat([transposed(*(x[None] for x in part), False)[0] for part in parts])

    inputs = [normal(total, heads, dim, dtype=f16) for _ in range(3)]
    return case(lambda q, k, v: f(q, k, v, offsets, offsets, longest, longest), reference, *inputs, tolerance=5e-2)


# ------------------------------------------------------------------------------------------------ xFormers


def xformers(name: str) -> Any:
    prepare()
    return package(f"xformers.ops.{name}")


@operator("xformers/rms_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = xformers("rmsnorm").rms_norm
    return case(lambda x, w: f(x, w), rms_norm, normal(rows, columns), normal(columns))


@operator("xformers/rms_norm_add", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = xformers("rmsnorm").rms_norm_add
    reference = lambda x, y, w: (rms_norm(x + y, w), x + y)
    return case(lambda x, y, w: (f(x, y, w), x), reference, normal(rows, columns), normal(rows, columns), normal(columns))


@operator("xformers/scaled_index_add", "8x4x128", "64x16x128", "512x64x1024")
def _(batch: int, rows: int, columns: int) -> Case:
    f, indices = xformers("indexing").scaled_index_add, uniform(batch).argsort()[: batch // 2]
    inputs = normal(batch, rows, columns), leaf(batch // 2, rows, columns), normal(columns)
    return case(lambda x, y, s: f(x, indices, y, s), lambda x, y, s: x.index_add(0, indices, y * s), *inputs)


@operator("xformers/index_select_cat", "16x64x10", "256x512x100", "16384x2048x8192")
def _(rows: int, columns: int, count: int) -> Case:
    f, indices = xformers("indexing").index_select_cat, [uniform(rows).argsort()[:count] for _ in range(2)]
    reference = lambda *x: torch.cat([y[i].flatten() for y, i in zip(x, indices)])
    return case(lambda *x: f(x, indices), reference, leaf(rows, columns), leaf(rows, columns // 2), tolerance=0)


@operator("xformers/rope_padded", "2x8x4x32", "4x64x8x64", "16x1024x32x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f, mask = xformers("rope_padded").rope_padded, xformers("fmha.attn_bias")
    bias = mask.BlockDiagonalCausalWithOffsetPaddedKeysMask.from_seqlens([length] * batch, 2 * length, [length] * batch)
    bias.q_seqinfo.to(torch.device(DEVICE)), bias.k_seqinfo.to(torch.device(DEVICE))
    q, k, v = (normal(1, batch * length, n, dim) for n in (heads, heads // 4, heads // 4))
    caches = [normal(1, 2 * batch * length, heads // 4, dim) for _ in range(2)]
    angle = torch.outer(torch.arange(length, device=DEVICE), 10000.0 ** (-torch.arange(0, dim, 2, device=DEVICE) / dim))
    cos, sin = (t.repeat(batch, 1)[:, None] for t in (angle.cos(), angle.sin()))

    def reference(q, k, v, k_cache, v_cache):
        filled = []
        for cache, new in (k_cache, rotate_pairs(k, cos, sin)), (v_cache, v):
            cache = cache.unflatten(1, (batch, -1)).clone()
            cache[:, :, :length] = new.unflatten(1, (batch, -1))
            filled.append(cache.flatten(1, 2))
        return rotate_pairs(q, cos, sin), *filled

    return case(lambda *x: (f(*x, bias), *x[3:]), reference, q, k, v, *caches)


@operator("xformers/tiled_matmul", "64x64x64", "256x256x256", "4096x4096x2048")
def _(m: int, k: int, n: int) -> Case:
    f = xformers("tiled_matmul").tiled_matmul
    a, b = [normal(m, k), normal(m // 2, k)], [normal(k, n), normal(k, n // 2)]
    call = lambda *x: f([[x[0]], [x[1]]], [[x[2], x[3]]])
    return case(call, lambda *x: [p @ q for p in x[:2] for q in x[2:]], *a, *b)
