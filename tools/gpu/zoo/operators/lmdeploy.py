"""LMDeploy: kernels of its PyTorch engine, imported without the engine."""

from __future__ import annotations

import enum
import functools
import logging
from typing import Any

import torch
import torch.nn.functional as F

from .case import (
    DEVICE,
    Case,
    attention,
    case,
    distinct,
    f8,
    f16,
    f32,
    integers,
    mixture,
    namespace,
    normal,
    operator,
    package,
    quantize,
    rms_norm,
    rotate_half,
    stub,
    uniform,
)


@functools.cache
def prepare() -> None:
    inner = "pytorch", "pytorch.kernels", "pytorch.kernels.cuda", "pytorch.kernels.cuda.moe", "pytorch.kernels.default"
    namespace("lmdeploy", *(f"lmdeploy.{name}" for name in inner))
    policies = enum.IntEnum("QuantPolicy", dict(NONE=0, INT4=4, INT8=8, FP8=16, FP8_E5M2=17, TURBO_QUANT=42))
    stub("lmdeploy.messages", QuantPolicy=policies)
    stub("lmdeploy.utils", get_logger=logging.getLogger)


def cuda(name: str) -> Any:
    prepare()
    return package(f"lmdeploy.pytorch.kernels.cuda.{name}")


@operator("lmdeploy/rms_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = cuda("rms_norm").rms_norm
    reference = lambda x, r, w: (rms_norm(x + r, w), x + r)
    return case(lambda x, r, w: f(x, w, residual=r), reference, normal(rows, columns), normal(rows, columns), normal(columns))


@operator("lmdeploy/silu_and_mul", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    reference = lambda x: F.silu(x[:, :columns]) * x[:, columns:]
    return case(cuda("activation").silu_and_mul, reference, normal(rows, 2 * columns))


@operator("lmdeploy/apply_rotary_pos_emb", "8x4x2x64", "128x8x2x64", "16384x32x8x128")
def _(tokens: int, heads: int, kv_heads: int, dim: int) -> Case:
    f, angle = cuda("apply_rotary_pos_emb").apply_rotary_pos_emb, normal(tokens, dim // 2, dtype=f32).repeat(1, 2)
    reference = lambda q, k, cos, sin: tuple(rotate_half(x, cos[:, None], sin[:, None]) for x in (q, k))
    inputs = normal(tokens, heads, dim, dtype=f16), normal(tokens, kv_heads, dim, dtype=f16)
    return case(f, reference, *inputs, angle.cos().to(f16), angle.sin().to(f16))


@operator("lmdeploy/bitonic_topk", "2x256x64", "8x1024x256", "128x65536x2048")
def _(rows: int, columns: int, k: int) -> Case:
    f, one = cuda("bitonic_topk").bitonic_topk, torch.ones(rows, device=DEVICE, dtype=torch.int32)
    return case(lambda x: f(x, one, one * columns, k), lambda x: x.topk(k).indices, distinct(rows, columns), tolerance=0)


def routing_reference(logits: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Expert choice limited to 4 of 8 groups, by sigmoid scores and a bias that does not enter the weights."""
    scores = logits.sigmoid()
    groups = (scores + bias).unflatten(1, (8, -1))
    best = groups.topk(2, -1).values.sum(-1).topk(4).indices
    allowed = torch.zeros_like(groups[..., 0], dtype=torch.bool).scatter(1, best, True)
    chosen = groups.masked_fill(~allowed[..., None], float("-inf")).flatten(1).topk(8).indices
    weights = scores.gather(1, chosen)
    return weights / weights.sum(1, keepdim=True) * 2.5, chosen


@operator("lmdeploy/noaux_tc_routing", "4x256", "64x256", "32768x256")
def _(tokens: int, experts: int) -> Case:
    f = cuda("moe.route_noaux_tc").fused_noaux_tc_routing

    def ordered(weights: torch.Tensor, chosen: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        order = chosen.argsort(1)
        return weights.gather(1, order), chosen.gather(1, order)

    call = lambda x, b: ordered(*f(x, b, num_experts=experts))
    return case(call, lambda *x: ordered(*routing_reference(*x)), 4 * distinct(tokens, experts), uniform(experts), tolerance=1e-3)


@operator("lmdeploy/moe_reduce", "8x4x256", "64x8x1024", "8192x8x2048")
def _(tokens: int, top: int, dim: int) -> Case:
    f = cuda("moe.fused_moe").moe_reduce
    reference = lambda x, w: (x * w[..., None]).sum(1)
    return case(lambda x, w: f(x, w, fp32_acc=True), reference, normal(tokens, top, dim), uniform(tokens, top))


@operator("lmdeploy/fused_moe", "32x64x64x4x2", "64x512x256x8x2", "4096x2048x1024x16x4")
def _(tokens: int, dim: int, inner: int, experts: int, top: int) -> Case:
    f = cuda("moe.fused_moe").fused_moe
    weights, chosen = normal(tokens, experts, dtype=f32).softmax(-1).topk(top)

    reference = lambda *x: mixture(*x, chosen)
    inputs = normal(tokens, dim), normal(experts, 2 * inner, dim, scale=0.05), normal(experts, dim, inner, scale=0.05)
    return case(lambda x, up, down, w: f(x, up, down, w, chosen, top), reference, *inputs, weights, tolerance=3e-2)


@operator("lmdeploy/per_token_quant_int8", "128x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = cuda("w8a8_triton_kernels").per_token_quant_int8

    def call(x):
        values, scales = f(x, 1e-7)
        return values.float() * scales

    return case(call, lambda x: x, normal(rows, columns), tolerance=2e-2)


@operator("lmdeploy/rms_norm_dynamic_quant", "128x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = cuda("w8a8_triton_kernels").rms_norm_dynamic_quant

    def call(x, w):
        values, scales = f(x, w, 1e-6)
        return values.float() * scales

    return case(call, rms_norm, normal(rows, columns), normal(columns), tolerance=2e-2)


@operator("lmdeploy/matmul_dynamic_quant", "64x128x128", "128x512x512", "4096x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    f = cuda("w8a8_triton_kernels").matmul_kernel_dynamic_quant
    a, b = (integers(255, *shape).sub(127).to(torch.int8) for shape in ((m, k), (n, k)))
    reference = lambda a, b, sa, sb: (a.float() @ b.float().T) * sa * sb.T
    return case(f, reference, a, b, uniform(m, 1, high=0.01), uniform(n, 1, high=0.01))


@operator("lmdeploy/quant_fp8", "128x256", "512x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f = cuda("blocked_gemm_fp8").quant_fp8

    def call(x):
        values, scales = f(x, 128)
        return values.float() * scales.repeat_interleave(128, 1)

    return case(call, lambda x: x, normal(rows, columns), tolerance=5e-2)


@operator("lmdeploy/blocked_gemm_fp8", "64x128x128", "128x512x512", "4096x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    f, (a, sa) = cuda("blocked_gemm_fp8").blocked_gemm_fp8, quantize(normal(m, k), 128, 448.0, f8)
    b, sb = normal(n, k).to(f8).T, uniform(k // 128, n // 128, high=0.1)

    def reference(a, sa, b, sb):
        return (a * sa.repeat_interleave(128, 1)) @ (b * sb.repeat_interleave(128, 0).repeat_interleave(128, 1))

    return case(f, reference, a, sa, b, sb)


@operator("lmdeploy/paged_attention", "2x128x4x2x32x16", "4x512x8x2x64x64", "64x4096x32x8x128x64")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int, block: int) -> Case:
    f, count = cuda("pagedattention").flash_attn_with_kvcache, batch * length // block
    tables = uniform(count).argsort().view(batch, -1)
    lengths = torch.full((batch,), length - 3, device=DEVICE)

    def reference(q, k, v):
        k, v = (x[tables].flatten(1, 2)[:, : length - 3].transpose(1, 2) for x in (k, v))
        return attention(q[:, :, None], k, v)[:, :, 0]

    inputs = normal(batch, heads, dim, dtype=f16), *(normal(count, block, kv_heads, dim, dtype=f16) for _ in range(2))
    return case(lambda q, k, v: f(q, k, v, lengths, tables), reference, *inputs)


@operator("lmdeploy/flatten_kv_cache", "2x64x2x32x16", "4x512x2x64x64", "32x4096x8x128x64")
def _(batch: int, length: int, heads: int, dim: int, block: int) -> Case:
    f, count = cuda("flatten_kv_cache").flatten_kv_cache, batch * length // block
    tables, lengths = uniform(count).argsort().view(batch, -1), torch.full((batch,), length, device=DEVICE)
    reference = lambda k, v: tuple(x[tables].flatten(0, 2).transpose(0, 1) for x in (k, v))
    inputs = [normal(count, block, heads, dim, dtype=f16) for _ in range(2)]
    return case(lambda k, v: f(k, v, lengths, tables), reference, *inputs, tolerance=0)


@operator("lmdeploy/fill_kv_cache", "2x64x2x32x16", "4x512x2x64x64", "32x1024x8x128x64")
def _(batch: int, length: int, heads: int, dim: int, block: int) -> Case:
    f, count = cuda("fill_kv_cache").fill_kv_cache, batch * length // block
    tables, lengths = uniform(count).argsort().view(batch, -1), torch.full((batch,), length, device=DEVICE)

    def call(k, v, *caches):
        f(k, v, *caches, lengths.cumsum(0) - lengths, lengths, lengths, length, tables)
        return caches

    def reference(k, v, *caches):
        return tuple(c.index_copy(0, tables.flatten(), x.unflatten(0, (-1, block))) for c, x in zip(caches, (k, v)))

    states = [normal(batch * length, heads, dim, dtype=f16) for _ in range(2)]
    return case(call, reference, *states, *(normal(count, block, heads, dim, dtype=f16) for _ in range(2)), tolerance=0)
