"""SGLang: kernels for serving, imported without the server."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.nn.functional as F

from .case import (
    DEVICE,
    Case,
    attention,
    case,
    distinct,
    f16,
    f32,
    integers,
    namespace,
    normal,
    operator,
    package,
    packed_prefill,
    quantize,
    rms_norm,
    stub,
    uniform,
)


@functools.cache
def prepare() -> None:
    ops = "activation", "attention", "attention.fla", "attention.linear", "diffusion", "diffusion.quantization", "gemm", "grammar"
    more = "layernorm", "mamba", "mamba.triton_ops", "moe", "quantization", "sampling", "speculative"
    roots = "sglang", "sglang.kernels", "sglang.kernels.ops", "sglang.srt"
    namespace(*roots, *(f"sglang.kernels.ops.{name}" for name in (*ops, *more)))
    yes, no = (lambda *_: True), (lambda *_: False)
    cores = lambda *_: torch.cuda.get_device_properties(0).multi_processor_count
    names = dict(is_hip=no, is_cuda=yes, is_gfx95_supported=no, is_gfx1250_supported=no, get_device_core_count=cores)
    stub("sglang.srt.utils", **names, get_device_name=lambda *_: "none")
    stub("sglang.kernels.jit")
    stub("sglang.kernels.jit.utils", is_arch_support_pdl=no)
    stub("sglang.kernels.ops.quantization.per_token_group_quant", per_token_group_quant=None)
    stub("sglang.kernels.ops.attention.fla.utils", autotune_cache_kwargs={})


def ops(name: str) -> Any:
    prepare()
    return package(f"sglang.kernels.ops.{name}")


@operator("sglang/rmsnorm_fp32", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = ops("layernorm.rmsnorm_fp32").rmsnorm_fp32
    return case(lambda x, w: f(x, w, 1e-6), rms_norm, normal(rows, columns), normal(columns))


@operator("sglang/fused_rmsnorm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = ops("layernorm.fused_rmsnorm").fused_rmsnorm
    return case(lambda x, w: f(x, w, 1e-6), rms_norm, normal(rows, columns), normal(columns))


@operator("sglang/fused_dual_residual_rmsnorm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = ops("layernorm.fused_rmsnorm").fused_dual_residual_rmsnorm

    def reference(x, r, w1, w2):
        middle = r + rms_norm(x, w1)
        return rms_norm(middle, w2), middle

    inputs = normal(rows, columns), normal(rows, columns), normal(columns), normal(columns)
    return case(lambda *x: f(*x, 1e-6), reference, *inputs, tolerance=3e-2)


@operator("sglang/gelu_and_mul", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f = ops("activation.gelu_and_mul_triton").gelu_and_mul_triton
    reference = lambda x: F.gelu(x[:, :columns], approximate="tanh") * x[:, columns:]
    return case(lambda x: f(x)[0], reference, normal(rows, 2 * columns))


@operator("sglang/prefill_attention", "2x128x4x2x32", "2x512x8x2x64", "4x2048x32x8x128")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    f = ops("attention.prefill_attention").context_attention_fwd
    return packed_prefill(f, batch, length, heads, kv_heads, dim)


def decode(name: str, group: int, sizes: tuple[str, ...]) -> None:
    @operator(f"sglang/decode_attention_{name}", *sizes)
    def _(batch: int, length: int, heads: int, dim: int) -> Case:
        f, splits = getattr(ops("attention.decode_attention"), f"decode_attention_fwd_{name}"), 8
        slots = uniform(batch * length).argsort()
        starts = torch.arange(batch + 1, device=DEVICE, dtype=torch.int32) * length
        counts = torch.full((batch,), splits, device=DEVICE, dtype=torch.int32)

        def call(q, k, v):
            o, logits = torch.empty_like(q), torch.empty(batch, heads, splits, dim, device=q.device)
            lse = torch.empty(batch, heads, splits, device=q.device)
            f(q, k, v, o, starts, slots, logits, lse, counts, splits, dim**-0.5, 1.0)
            return o

        def reference(q, k, v):
            k, v = (x[slots].unflatten(0, (batch, length)).transpose(1, 2) for x in (k, v))
            return attention(q[:, :, None], k, v)[:, :, 0]

        caches = [normal(batch * length, heads // group, dim, dtype=f16) for _ in range(2)]
        return case(call, reference, normal(batch, heads, dim, dtype=f16), *caches)


decode("normal", 1, ("2x128x8x32", "4x512x8x64", "32x2048x16x128"))
decode("grouped", 4, ("2x128x8x32", "4x512x8x64", "64x4096x32x128"))


@operator("sglang/merge_state", "8x4x32", "256x8x64", "16384x32x128")
def _(tokens: int, heads: int, dim: int) -> Case:
    f = ops("attention.merge_state").merge_state_triton

    def reference(a, x, b, y):
        lse = torch.logaddexp(x, y)
        return a * (x - lse).exp()[..., None] + b * (y - lse).exp()[..., None], lse

    parts = [t for _ in range(2) for t in (normal(tokens, heads, dim), normal(tokens, heads, dtype=f32))]
    return case(f, reference, *parts)


@operator("sglang/awq_dequantize", "128x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f, order = ops("quantization.awq_triton").awq_dequantize_triton, torch.tensor([0, 4, 1, 5, 2, 6, 3, 7], device=DEVICE) * 4
    pack = lambda x: (x.unflatten(1, (-1, 8)) << order).sum(-1).to(torch.uint32).view(torch.int32)
    values, zeros = integers(16, rows, columns), integers(16, rows // 128, columns)
    reference = lambda s: (values - zeros.repeat_interleave(128, 0)).float() * s.repeat_interleave(128, 0)
    return case(lambda s: f(pack(values), s, pack(zeros)), reference, uniform(rows // 128, columns, dtype=f16))


@operator("sglang/per_token_quant_int8", "128x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = ops("quantization.int8_kernel").per_token_quant_int8

    def call(x):
        values, scales = f(x)
        return values.float() * scales

    return case(call, lambda x: x, normal(rows, columns), tolerance=2e-2)


@operator("sglang/w8a8_block_int8_matmul", "64x128x128", "128x512x512", "4096x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    f = ops("gemm.int8_kernel").w8a8_block_int8_matmul
    a, sa = quantize(normal(m, k), 128, 127.0, torch.int8)
    b, sb = integers(255, n, k).sub(127).to(torch.int8), uniform(n // 128, k // 128, high=0.01)

    def reference(a, b, sa, sb):
        scale = sb.repeat_interleave(128, 0).repeat_interleave(128, 1)
        return (a.float() * sa.repeat_interleave(128, 1)) @ (b.float() * scale).T

    return case(lambda *x: f(*x, [128, 128]), reference, a, b, sa, sb)


@operator("sglang/fp8_rowwise", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    f = ops("diffusion.quantization.fp8_rowwise_triton").fp8_rowwise

    def call(x):
        values, scales = f(x)
        return values.float() * scales[:, None]

    return case(call, lambda x: x, normal(rows, columns), tolerance=5e-2)


def renormalised(name: str, reference: Any, limit: float | int) -> None:
    @operator(f"sglang/{name}_renorm_probs", "4x500", "8x8192", "128x131072")
    def _(rows: int, columns: int) -> Case:
        f = getattr(ops("sampling.renorm_triton"), f"{name}_renorm_probs_triton")
        return case(lambda x: f(x, limit), reference, (8 * distinct(rows, columns)).softmax(-1), tolerance=1e-3)


def top_k_reference(x: torch.Tensor) -> torch.Tensor:
    kept = torch.where(x >= x.topk(50).values[:, -1:], x, 0)
    return kept / kept.sum(-1, keepdim=True)


renormalised("top_k", top_k_reference, 50)


@operator("sglang/temperature_softmax", "2x8192", "4x8192", "8x262144")
def _(rows: int, columns: int) -> Case:
    f = ops("sampling.temperature_softmax").temperature_softmax
    inputs = normal(rows, columns, dtype=f32), uniform(rows, 1, low=0.5, high=1.5)
    return case(f, lambda x, t: (x / t).softmax(-1), *inputs, tolerance=1e-4)


@operator("sglang/row_argmax", "4x3000", "8x8192", "64x262144")
def _(rows: int, columns: int) -> Case:
    return case(ops("speculative.row_argmax").row_argmax, lambda x: x.argmax(-1), distinct(rows, columns), tolerance=0)


@operator("sglang/gate_topk", "32x64", "64x256", "65536x256")
def _(rows: int, columns: int) -> Case:
    f = ops("moe.gate_topk").gate_topk
    return case(lambda x: f(x, 8), lambda x: x.topk(8), distinct(rows, columns), tolerance=0)


@operator("sglang/token_bitmask", "4x1024", "8x8192", "256x131072")
def _(rows: int, columns: int) -> Case:
    f, mask = ops("grammar.bitmask_ops").apply_token_bitmask_inplace_triton, integers(2, rows, columns)
    packed = (mask.unflatten(1, (-1, 32)) << torch.arange(32, device=DEVICE)).sum(-1).to(torch.uint32).view(torch.int32)

    def call(x):
        f(x, packed)
        return x.clamp(min=-100)

    return case(call, lambda x: torch.where(mask == 1, x, -100.0), normal(rows, columns, dtype=f32), tolerance=0)


@operator("sglang/lightning_attention", "1x2x256x64", "1x4x512x64", "2x16x4096x128")
def _(batch: int, heads: int, length: int, dim: int) -> Case:
    f, slopes = (
        ops("attention.linear.lightning_attn").lightning_attention,
        torch.arange(1, heads + 1, device=DEVICE) / (8 * heads),
    )

    def reference(q, k, v):
        position = torch.arange(length, device=q.device)
        distance = (position[:, None] - position).masked_fill(position[:, None] < position, 10**9)
        return (q @ k.transpose(-1, -2) * torch.exp(-slopes[:, None, None] * distance)) @ v

    inputs = [normal(batch, heads, length, dim, dtype=f32) for _ in range(3)]
    return case(lambda q, k, v: f(q, k, v, slopes)[0], reference, *inputs)


def scan(x: torch.Tensor, dt: torch.Tensor, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """The state-space recurrence of Mamba 2 as masked attention within each head."""
    groups = x.shape[2] // b.shape[2]
    b, c = (t.repeat_interleave(groups, 2).transpose(1, 2) for t in (b, c))
    total = (dt * a).cumsum(1).transpose(1, 2)
    hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool, device=x.device).triu(1)
    decay = (total[..., :, None] - total[..., None, :]).masked_fill(hidden, float("-inf")).exp()
    return ((c @ b.transpose(-1, -2) * decay) @ (x * dt[..., None]).transpose(1, 2)).transpose(1, 2)


@operator("sglang/mamba_chunk_scan", "1x512x2x32x32", "1x512x4x64x64", "4x2048x16x64x128")
def _(batch: int, length: int, heads: int, dim: int, states: int) -> Case:
    f = ops("mamba.triton_ops.ssd_combined").mamba_chunk_scan_combined

    def call(*inputs):
        out = torch.empty_like(inputs[0])
        f(*inputs, 256, out=out, return_final_states=True)
        return out

    x, dt, a = normal(batch, length, heads, dim), uniform(batch, length, heads, high=0.1), -uniform(heads, low=0.5, high=2.0)
    return case(call, scan, x, dt, a, normal(batch, length, 1, states), normal(batch, length, 1, states))


@operator("sglang/selective_state_update", "2x2x16x16", "8x4x64x64", "256x64x64x128")
def _(batch: int, heads: int, dim: int, states: int) -> Case:
    f = ops("mamba.triton_ops.mamba_ssm").selective_state_update

    def call(state, x, dt, a, b, c, d, bias):
        out = torch.empty_like(x)
        f(state, x, dt, a, b, c, d, dt_bias=bias, dt_softplus=True, out=out)
        return out, state

    def reference(state, x, dt, a, b, c, d, bias):
        dt = F.softplus(dt + bias)
        state = state * torch.exp(dt[..., None] * a) + (dt * x)[..., None] * b[:, :, None]
        return (state * c[:, :, None]).sum(-1) + x * d, state

    inputs = normal(batch, heads, dim, states, dtype=f32), normal(batch, heads, dim), uniform(batch, heads, dim)
    more = -uniform(heads, dim, states), normal(batch, 1, states), normal(batch, 1, states)
    return case(call, reference, *inputs, *more, normal(heads, dim, dtype=f32), normal(heads, dim, dtype=f32))
