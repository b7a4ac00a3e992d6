"""Conch: kernels of vLLM, bitsandbytes and computer vision in Triton."""

from __future__ import annotations

from typing import Any, Callable

import torch
import torch.nn.functional as F

from .case import DEVICE, Case, attention, case, f8, f16, f32, integers, normal, operator, package, rms_norm, rotate_half, uniform


def conch(name: str) -> Any:
    return package(f"conch.ops.{name}")


@operator("conch/silu_and_mul", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    reference = lambda x: F.silu(x[:, :columns]) * x[:, columns:]
    return case(conch("activation.silu_and_mul").silu_and_mul, reference, normal(rows, 2 * columns))


@operator("conch/gelu_tanh_and_mul", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    reference = lambda x: F.gelu(x[:, :columns], approximate="tanh") * x[:, columns:]
    return case(conch("activation.gelu_tanh_and_mul").gelu_tanh_and_mul, reference, normal(rows, 2 * columns, dtype=f32))


@operator("conch/rms_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = conch("normalization.rms_norm").rms_norm
    return case(lambda x, w: f(x, w, 1e-6), rms_norm, normal(rows, columns), normal(columns))


@operator("conch/fused_add_rms_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = conch("normalization.rms_norm").fused_add_rms_norm
    reference = lambda x, r, w: (rms_norm(x + r, w), x + r)
    return case(lambda x, r, w: f(x, r, w, 1e-6), reference, normal(rows, columns), normal(rows, columns), normal(columns))


@operator("conch/gemma_rms_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = conch("normalization.gemma_rms_norm").gemma_rms_norm
    reference = lambda x, w: rms_norm(x, 1 + w)
    return case(lambda x, w: f(x, w, 1e-6), reference, normal(rows, columns), normal(columns))


@operator("conch/rotary_embedding", "8x4x2x64", "128x8x2x64", "16384x32x8x128")
def _(tokens: int, heads: int, kv_heads: int, dim: int) -> Case:
    f, positions, angle = (
        conch("embedding.rotary_embedding").rotary_embedding,
        integers(4096, tokens),
        normal(4096, dim // 2, dtype=f32),
    )
    table = torch.cat((angle.cos(), angle.sin()), -1).to(f16)

    def reference(q, k):
        tables = [t.repeat(1, 1, 2) for t in table[positions].float()[:, None].chunk(2, -1)]
        return tuple(rotate_half(x.unflatten(-1, (-1, dim)), *tables).flatten(-2) for x in (q, k))

    inputs = normal(tokens, heads * dim, dtype=f16), normal(tokens, kv_heads * dim, dtype=f16)
    return case(lambda q, k: f(positions, q, k, dim, table), reference, *inputs)


@operator("conch/static_scaled_fp8_quant", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f, scale = conch("quantization.fp8").scaled_fp8_quant, torch.full((1,), 0.01, device=DEVICE)
    return case(lambda x: f(x, scale)[0].float() * scale, lambda x: x, normal(rows, columns, dtype=f16), tolerance=4e-2)


@operator("conch/static_scaled_int8_quant", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f, scale = conch("quantization.int8").scaled_int8_quant, torch.full((1,), 0.06, device=DEVICE)
    return case(lambda x: f(x, scale)[0].float() * scale, lambda x: x, normal(rows, columns, dtype=f16), tolerance=2e-2)


def four_bit(kind: str) -> None:
    @operator(f"conch/quantize_{kind}", "16x256", "1024x1024", "8192x8192")
    def _(rows: int, columns: int) -> Case:
        module = conch("quantization.bitsandbytes.functional")

        def round_trip(x: torch.Tensor) -> torch.Tensor:
            packed, state = module.quantize_4bit(x.flatten(), quant_type=kind)
            return module.dequantize_4bit(packed, state, quant_type=kind).view(x.shape)

        return case(round_trip, lambda x: x, uniform(rows, columns, low=-1.0, dtype=f16), tolerance=0.18)


four_bit("nf4")
four_bit("fp4")


def mixed(bits: int) -> None:
    @operator(f"conch/mixed_precision_gemm_int{bits}", "32x128x128", "16x512x512", "4096x4096x4096")
    def _(m: int, n: int, k: int) -> Case:
        f, each, bias = conch("quantization.gemm").mixed_precision_gemm, 32 // bits, 1 << bits - 1
        values = integers(1 << bits, k, n, dtype=torch.int32)
        shifts = torch.arange(each, device=DEVICE, dtype=torch.int32)[:, None] * bits
        packed = (values.unflatten(0, (-1, each)).long() << shifts).sum(1).to(torch.uint32).view(torch.int32)
        scales = uniform(k // 128, n, dtype=f16, high=0.01)

        def reference(x: torch.Tensor) -> torch.Tensor:
            return x @ ((values - bias).float() * scales.float().repeat_interleave(128, 0))

        return case(lambda x: f(x, packed, scales, None, bits, bias, 128), reference, normal(m, k, dtype=f16))


mixed(4)
mixed(8)


def scaled(name: str, make: Callable[..., torch.Tensor]) -> None:
    @operator(f"conch/scaled_gemm_{name}", "32x128x128", "64x512x512", "4096x4096x4096")
    def _(m: int, n: int, k: int) -> Case:
        f, a, b = conch("quantization.gemm").scaled_gemm, make(m, k), make(n, k).T
        scales = uniform(m, 1), uniform(n, 1)
        reference = lambda a, b, sa, sb: (a.float() @ b.float()) * sa * sb.T
        return case(lambda a, b, sa, sb: f(a, b, sa, sb, f16), reference, a, b, *(s * 0.01 for s in scales))


scaled("int8", lambda m, k: integers(255, m, k).sub(127).to(torch.int8))
scaled("fp8", lambda m, k: normal(m, k).to(f8))


def paged(batch: int, length: int, heads: int, kv_heads: int, dim: int, block: int) -> list[torch.Tensor]:
    """Returns caches of keys and values, a block table, and lengths."""
    per_sequence = length // block
    tables = uniform(batch * per_sequence).argsort().view(batch, per_sequence).int()
    caches = [normal(batch * per_sequence, block, kv_heads, dim, dtype=f16) for _ in range(2)]
    return [*caches, tables, torch.full((batch,), length - 3, device=DEVICE, dtype=torch.int32)]


def paged_reference(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, tables: torch.Tensor, lengths: torch.Tensor
) -> torch.Tensor:
    """Attention of ``[batch, queries, heads, dim]`` over paged caches, causal from the end of each sequence."""
    used = int(lengths[0])
    k, v = (x[tables.long()].flatten(1, 2)[:, :used].transpose(1, 2) for x in (k, v))
    return attention(q.transpose(1, 2), k, v, causal=True).transpose(1, 2)


@operator("conch/paged_attention", "2x64x8x2x32x16", "4x512x8x2x64x16", "64x4096x32x8x128x32")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int, block: int) -> Case:
    f, cache = conch("attention.paged_attention").paged_attention, paged(batch, length, heads, kv_heads, dim, block)
    call = lambda q, *x: f(q, *x, scale=dim**-0.5)
    return case(call, lambda q, *x: paged_reference(q[:, None], *x)[:, 0], normal(batch, heads, dim, dtype=f16), *cache)


@operator("conch/varlen_attention", "2x64x8x2x32x16", "2x512x8x2x64x16", "8x2048x32x8x128x32")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int, block: int) -> Case:
    f, cache = conch("attention.varlen_attention").varlen_attention, paged(batch, length, heads, kv_heads, dim, block)
    count = length - 3
    starts = torch.arange(batch + 1, device=DEVICE, dtype=torch.int32) * count

    def call(q, k, v, tables, lengths):
        return f(q, k, v, starts, count, lengths, count, tables, causal=True, scale=dim**-0.5)

    reference = lambda q, *x: paged_reference(q.unflatten(0, (batch, count)), *x).flatten(0, 1)
    return case(call, reference, normal(batch * count, heads, dim, dtype=f16), *cache)


@operator("conch/reshape_and_cache", "64x4x64x16", "16384x8x128x16")
def _(tokens: int, heads: int, dim: int, block: int) -> Case:
    f, blocks = conch("vllm.reshape_and_cache").reshape_and_cache, 2 * tokens // block
    slots = uniform(blocks * block).argsort()[:tokens]

    def call(k, v, *caches):
        f(k, v, *caches, slots)
        return caches

    def reference(k, v, *caches):
        return tuple(c.flatten(0, 1).index_copy(0, slots, x).view(c.shape) for c, x in zip(caches, (k, v)))

    caches = [normal(blocks, block, heads, dim, dtype=f16) for _ in range(2)]
    return case(
        call, reference, normal(tokens, heads, dim, dtype=f16), normal(tokens, heads, dim, dtype=f16), *caches, tolerance=0
    )


@operator("conch/copy_blocks", "16x256", "64x2048", "4096x16384")
def _(blocks: int, size: int) -> Case:
    f = conch("vllm.copy_blocks").copy_blocks
    pairs = uniform(blocks).argsort().view(-1, 2)

    def call(k, v):
        f([k], [v], pairs)
        return k, v

    reference = lambda k, v: tuple(x.index_copy(0, pairs[:, 1], x[pairs[:, 0]]) for x in (k, v))
    return case(call, reference, normal(blocks, size, dtype=f16), normal(blocks, size, dtype=f16), tolerance=0)


def bev(points: int, channels: int, cells: int) -> list[torch.Tensor]:
    """Returns coordinates sorted by cell, and the first point and number of points of each cell."""
    cell = integers(cells * cells, points).sort().values
    _, lengths = torch.unique_consecutive(cell, return_counts=True)
    geometry = torch.stack((cell // cells, cell % cells, torch.zeros_like(cell), torch.zeros_like(cell)), 1).int()
    return [geometry, (lengths.cumsum(0) - lengths).int(), lengths.int()]


@operator("conch/bev_pool", "300x16x8", "1000x80x16", "400000x80x128")
def _(points: int, channels: int, cells: int) -> Case:
    f, indices = conch("vision.bev_pool").bev_pool, bev(points, channels, cells)

    def reference(x, geometry, *_):
        flat = geometry[:, 0].long() * cells + geometry[:, 1].long()
        return torch.zeros(cells * cells, channels, device=x.device).index_add(0, flat, x).view(1, 1, cells, cells, channels)

    return case(
        lambda x, *i: f(x, *i, 1, 1, cells, cells), reference, normal(points, channels, dtype=f32), *indices, tolerance=1e-4
    )


@operator("conch/nms", "50", "200", "4096")
def _(n: int) -> Case:
    f, corner, scores = conch("vision.nms").nms, uniform(n, 2), uniform(n)
    boxes = torch.cat((corner, corner + uniform(n, 2, low=0.01, high=0.1)), 1)

    def reference(boxes, scores):
        order = scores.argsort(descending=True)
        b = boxes[order]
        overlap = (torch.minimum(b[:, None, 2:], b[:, 2:]) - torch.maximum(b[:, None, :2], b[:, :2])).clamp(min=0).prod(-1)
        area = (b[:, 2:] - b[:, :2]).prod(-1)
        near = (overlap / (area[:, None] + area - overlap) > 0.5).cpu()
        kept = torch.ones(n, dtype=torch.bool)
        for i in range(n):
            if kept[i]:
                kept[i + 1 :] &= ~near[i, i + 1 :]
        return order[kept.to(order.device)]

    return case(lambda b, s: f(b, s, 0.5), reference, boxes, scores, tolerance=0)
