"""LightLLM: kernels of its models, imported file by file."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from .case import (
    DEVICE,
    Case,
    attention,
    case,
    f16,
    f32,
    integers,
    load_file,
    normal,
    operator,
    packed_prefill,
    rms_norm,
    rotate_half,
    uniform,
)


def llama(name: str) -> Any:
    return load_file("lightllm", f"models/llama/triton_kernel/{name}.py")


def base(name: str) -> Any:
    return load_file("lightllm", f"common/basemodel/triton_kernel/{name}.py")


@operator("lightllm/rmsnorm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = llama("rmsnorm").rmsnorm_forward
    return case(lambda x, w: f(x, w, 1e-6), rms_norm, normal(rows, columns, dtype=f16), normal(columns, dtype=f16))


@operator("lightllm/silu_and_mul", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    reference = lambda x: F.silu(x[:, :columns]) * x[:, columns:]
    return case(llama("silu_and_mul").silu_and_mul_fwd, reference, normal(rows, 2 * columns, dtype=f16))


@operator("lightllm/rotary_emb", "8x4x2x64", "128x8x2x64", "16384x32x8x128")
def _(tokens: int, heads: int, kv_heads: int, dim: int) -> Case:
    f, angle = llama("rotary_emb").rotary_emb_fwd, normal(tokens, dim // 2, dtype=f32)

    def call(q, k, cos, sin):
        f(q, k, cos, sin)
        return q, k

    def reference(q, k, cos, sin):
        tables = [t.repeat(1, 2)[:, None] for t in (cos, sin)]
        return rotate_half(q, *tables), rotate_half(k, *tables)

    inputs = normal(tokens, heads, dim, dtype=f16), normal(tokens, kv_heads, dim, dtype=f16)
    return case(call, reference, *inputs, angle.cos().to(f16), angle.sin().to(f16))


@operator("lightllm/context_attention", "2x128x4x2x32", "2x512x8x2x64", "4x2048x32x8x128")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    f = llama("context_flashattention_nopad").context_attention_fwd_no_prompt_cache
    return packed_prefill(f, batch, length, heads, kv_heads, dim)


def tokens(batch: int, length: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Returns a table of token slots by request, the requests, and the lengths."""
    table = uniform(batch * length).argsort().view(batch, length).int()
    return (
        table,
        torch.arange(batch, device=DEVICE, dtype=torch.int32),
        torch.full((batch,), length, device=DEVICE, dtype=torch.int32),
    )


def decode_reference(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, table: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
    k, v = (x[table.long()].transpose(1, 2) for x in (k, v))
    return attention(q[:, :, None], k, v)[:, :, 0]


def cached(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> list[torch.Tensor]:
    return [normal(batch, heads, dim, dtype=f16), *(normal(batch * length, kv_heads, dim, dtype=f16) for _ in range(2))]


DECODE = "2x512x4x2x32", "4x512x8x2x64", "32x4096x32x8x128"


@operator("lightllm/gqa_decode_attention", *DECODE)
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    f = llama("gqa_decode_flashattention_nopad").gqa_decode_attention_fwd

    def call(q, k, v, *rest):
        o = torch.empty_like(q)
        f(q, k, v, o, *rest)
        return o

    return case(call, decode_reference, *cached(batch, length, heads, kv_heads, dim), *tokens(batch, length))


@operator("lightllm/flash_decoding", *DECODE)
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    first, second = llama("flash_decoding_stage1").flash_decode_stage1, llama("flash_decoding_stage2").flash_decode_stage2

    def call(q, k, v, table, requests, lengths):
        partial = torch.empty(batch, heads, length // 256, dim, device=q.device)
        lse, o = torch.empty(batch, heads, length // 256, device=q.device), torch.empty_like(q)
        first(q, k, v, table, requests, lengths, length, partial, lse, 256)
        second(partial, lse, lengths, o, 256)
        return o

    return case(call, decode_reference, *cached(batch, length, heads, kv_heads, dim), *tokens(batch, length))


@operator("lightllm/token_attention", *DECODE)
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    scores = llama("token_attention_nopad_att1").token_att_fwd
    softmax, reduce = (
        llama("token_attention_nopad_softmax").token_softmax_fwd,
        llama("token_attention_nopad_reduceV").token_att_fwd2,
    )

    def call(q, k, v, table, requests, lengths):
        starts, logits, o = (lengths.cumsum(0) - lengths).int(), q.new_empty(heads, batch * length), torch.empty_like(q)
        probabilities = torch.empty_like(logits)
        scores(q, k, logits, table, requests, starts, lengths, length)
        softmax(logits, starts, lengths, probabilities, length)
        reduce(probabilities, v, o, table, requests, starts, lengths)
        return o

    return case(call, decode_reference, *cached(batch, length, heads, kv_heads, dim), *tokens(batch, length))


@operator("lightllm/destindex_copy_kv", "16x4x32", "256x8x64", "32768x8x128")
def _(count: int, heads: int, dim: int) -> Case:
    f, slots = base("destindex_copy_kv").destindex_copy_kv, uniform(2 * count).argsort()[:count].int()

    def call(k, out):
        f(k, slots, out)
        return out

    reference = lambda k, out: out.index_copy(0, slots.long(), k)
    return case(call, reference, normal(count, heads, dim, dtype=f16), normal(2 * count, heads, dim, dtype=f16), tolerance=0)


@operator("lightllm/quantize_kv", "16x4x32", "256x8x64", "32768x8x128")
def _(count: int, heads: int, dim: int) -> Case:
    f, slots = llama("ppl_quant_copy_kv").destindex_copy_quantize_kv, uniform(count).argsort().int()

    def call(k):
        values, scales = torch.empty(count, heads, dim, device=k.device, dtype=torch.int8), k.new_empty(count, heads, dim // 8)
        f(k, slots, values, scales)
        return (values.float() * scales.float().repeat_interleave(8, -1))[slots.long()]

    return case(call, lambda k: k, normal(count, heads, dim, dtype=f16), tolerance=2e-2)


@operator("lightllm/quantize_int8_perrow", "128x256", "512x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = base("quantize_gemm_int8").quantize_int8_perrow

    def call(x):
        values, scales = f(x)
        return values.float() * scales.float()[:, None]

    return case(call, lambda x: x, normal(rows, columns, dtype=f16), tolerance=2e-2)


@operator("lightllm/matmul_int8", "64x128x128", "128x512x512", "4096x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    f = base("quantize_gemm_int8").matmul_int8
    a, b = (integers(255, *shape).sub(127).to(torch.int8) for shape in ((m, k), (n, k)))
    inputs = a, uniform(m, dtype=f16, high=0.01), b.T, uniform(n, dtype=f16, high=0.01)
    call = lambda a, sa, b, sb: f(a, sa, b, sb, sa.new_empty(m, n))
    return case(call, lambda a, sa, b, sb: (a.float() @ b.float()) * sa[:, None] * sb, *inputs)


@operator("lightllm/matmul_int4", "16x128x256", "16x512x512", "2048x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    f, shifts = base("dequantize_gemm_int4").matmul_dequantize_int4_s2, torch.arange(8, device=DEVICE) * 4
    values, zeros = integers(16, k, n), integers(16, k // 128, n)
    packed = (values.unflatten(0, (-1, 8)) << shifts[:, None]).sum(1).to(torch.uint32).view(torch.int32)
    packed_zeros = (zeros.unflatten(1, (-1, 8)) << shifts).sum(2).to(torch.uint32).view(torch.int32)
    scales = uniform(k // 128, n, dtype=f16, high=0.01)

    def reference(x):
        return x @ ((values - zeros.repeat_interleave(128, 0)).float() * scales.float().repeat_interleave(128, 0))

    return case(lambda x: f(x, packed, scales, packed_zeros, 128), reference, normal(m, k, dtype=f16), tolerance=3e-2)
