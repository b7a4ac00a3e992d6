"""Liger: fused training kernels for language models."""

from __future__ import annotations

import torch
import torch.nn.functional as F

from .case import (
    Case,
    arange,
    bf16,
    case,
    f32,
    integers,
    leaf,
    mixture,
    normal,
    operator,
    package,
    rms_norm,
    rotate_half,
    rotate_pairs,
)


def liger():
    return package("liger_kernel.transformers.functional")


@operator("liger/rms_norm", "16x256", "1024x1024", "4096x4096", "2048x16384")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_rms_norm
    return case(lambda x, w: f(x, w, 1e-6), rms_norm, leaf(rows, columns), leaf(columns))


@operator("liger/modulated_rms_norm", "16x256", "1024x1024", "4096x4096")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_modulated_rms_norm
    inputs = leaf(rows, columns), leaf(columns), leaf(4, columns), leaf(4, columns)

    def reference(x, w, scale, shift):
        y = rms_norm(x, w).unflatten(0, (4, -1))
        return (y * (1 + scale[:, None]) + shift[:, None]).flatten(0, 1)

    return case(f, reference, *inputs, tolerance=3e-2)


@operator("liger/fused_add_rms_norm", "16x256", "1024x1024", "4096x4096")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_fused_add_rms_norm
    reference = lambda x, r, w: (rms_norm(x + r, w), x + r)
    return case(lambda x, r, w: f(x, r, w, 1e-6), reference, leaf(rows, columns), leaf(rows, columns), leaf(columns))


@operator("liger/layer_norm", "16x256", "1024x1024", "4096x4096")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_layer_norm
    reference = lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 1e-6)
    return case(lambda x, w, b: f(x, w, b, 1e-6), reference, leaf(rows, columns), leaf(columns), leaf(columns))


@operator("liger/group_norm", "2x16x64", "8x64x1024", "64x64x4096")
def _(batch: int, channels: int, columns: int) -> Case:
    f = liger().liger_group_norm
    reference = lambda x, w, b: F.group_norm(x, 8, w, b, 1e-6)
    inputs = leaf(batch, channels, columns, dtype=f32), leaf(channels, dtype=f32), leaf(channels, dtype=f32)
    return case(lambda x, w, b: f(x, w, b, channels, 8, 1e-6), reference, *inputs, tolerance=1e-3)


@operator("liger/poly_norm", "16x256", "1024x1024", "4096x4096")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_poly_norm
    bias = torch.ones((), device=normal(1).device, dtype=bf16).requires_grad_()
    reference = lambda x, w, b: w[0] * rms_norm(x**3) + w[1] * rms_norm(x**2) + w[2] * rms_norm(x) + b
    return case(f, reference, leaf(rows, columns), leaf(3), bias, tolerance=3e-2)


@operator("liger/dyt", "16x256", "1024x1024", "4096x4096")
def _(rows: int, columns: int) -> Case:
    reference = lambda x, a, g, b: g * torch.tanh(a * x) + b
    return case(liger().liger_dyt, reference, leaf(rows, columns), leaf(1), leaf(columns), leaf(columns), tolerance=3e-2)


@operator("liger/swiglu", "16x256", "1024x1024", "4096x11008")
def _(rows: int, columns: int) -> Case:
    return case(liger().liger_swiglu, lambda a, b: F.silu(a) * b, leaf(rows, columns), leaf(rows, columns))


@operator("liger/geglu", "16x256", "1024x1024", "4096x11008")
def _(rows: int, columns: int) -> Case:
    reference = lambda a, b: F.gelu(a, approximate="tanh") * b
    return case(liger().liger_geglu, reference, leaf(rows, columns), leaf(rows, columns))


@operator("liger/relu_squared", "16x256", "1024x1024", "4096x11008")
def _(rows: int, columns: int) -> Case:
    return case(liger().liger_relu_squared, lambda x: F.relu(x).square(), leaf(rows, columns))


@operator("liger/softmax", "16x256", "1024x1024", "4096x4096", "1024x65536")
def _(rows: int, columns: int) -> Case:
    return case(liger().liger_softmax, lambda x: x.softmax(-1), leaf(rows, columns))


def sparsemax(x: torch.Tensor) -> torch.Tensor:
    """Projection of rows onto the simplex."""
    ordered = x.sort(-1, descending=True).values
    cumulated = ordered.cumsum(-1) - 1
    count = torch.arange(1, x.shape[-1] + 1, device=x.device)
    support = (count * ordered > cumulated).sum(-1, keepdim=True)
    return F.relu(x - cumulated.gather(-1, support - 1) / support)


@operator("liger/sparsemax", "16x256", "256x1024", "2048x4096")
def _(rows: int, columns: int) -> Case:
    return case(liger().liger_sparsemax, sparsemax, leaf(rows, columns, dtype=f32), tolerance=1e-3)


@operator("liger/cross_entropy", "8x1000", "256x8192", "2048x32768", "1024x131072")
def _(rows: int, columns: int) -> Case:
    f, target = liger().liger_cross_entropy, integers(columns, rows)
    return case(lambda x: f(x, target), lambda x: F.cross_entropy(x, target), leaf(rows, columns))


@operator("liger/cross_entropy_smooth", "8x1000", "256x8192", "2048x32768")
def _(rows: int, columns: int) -> Case:
    f, target = liger().liger_cross_entropy, integers(columns, rows)

    def reference(x):
        x = 30 * torch.tanh(x / 30)
        return F.cross_entropy(x, target, label_smoothing=0.1) + 1e-4 * x.logsumexp(-1).square().mean()

    call = lambda x: f(x, target, label_smoothing=0.1, lse_square_scale=1e-4, softcap=30.0)
    return case(call, reference, leaf(rows, columns))


@operator("liger/kl_div", "8x1000", "256x4096", "2048x16384")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_kl_div
    x = leaf(rows, columns, dtype=f32).log_softmax(-1).detach().requires_grad_()
    reference = lambda x, y: F.kl_div(x, y, reduction="batchmean")
    return case(lambda x, y: f(x, y, reduction="batchmean"), reference, x, normal(rows, columns, dtype=f32).softmax(-1))


@operator("liger/tvd", "8x1000", "256x4096", "2048x16384")
def _(rows: int, columns: int) -> Case:
    f = liger().liger_tvd
    x, y = (normal(rows, columns, dtype=f32).softmax(-1) for _ in range(2))
    reference = lambda x, y: (x - y).abs().sum() / 2 / rows
    return case(lambda x, y: f(x, y, reduction="batchmean"), reference, x.requires_grad_(), y, tolerance=1e-3)


@operator("liger/jsd", "8x1000", "256x4096", "2048x16384")
def _(rows: int, columns: int) -> Case:
    x, y = (normal(rows, columns, dtype=f32).log_softmax(-1) for _ in range(2))

    def reference(x, y):
        mean = torch.log((x.exp() + y.exp()) / 2)
        return (
            (F.kl_div(mean, x, reduction="sum", log_target=True) + F.kl_div(mean, y, reduction="sum", log_target=True)) / 2 / rows
        )

    return case(liger().liger_jsd, reference, x.requires_grad_(), y, tolerance=1e-3)


@operator("liger/fused_ce_tvd", "8x1000", "256x4096", "2048x32768")
def _(rows: int, columns: int) -> Case:
    f, target = package("liger_kernel.ops").LigerFusedCETVDFunction.apply, integers(columns, rows)

    def reference(x, y):
        return F.cross_entropy(x, target, reduction="none"), (x.softmax(-1) - y.softmax(-1)).abs().sum(-1) / 2

    return case(lambda x, y: f(x, y, target), reference, leaf(rows, columns), normal(rows, columns), tolerance=3e-2)


@operator("liger/grpo_loss", "2x8x300", "2x128x4096", "8x256x32768")
def _(batch: int, length: int, vocabulary: int) -> Case:
    f = package("liger_kernel.ops").GrpoLossFunction.apply
    tokens, advantages = integers(vocabulary, batch, length), normal(batch, dtype=f32)
    mask = torch.ones_like(tokens)
    mask[:, -length // 4 :] = 0
    old, other = (normal(batch, length, dtype=f32) * 0.1 - 9 for _ in range(2))

    def reference(logits):
        logp = (logits[:, :-1] / 0.9).log_softmax(-1).gather(-1, tokens[..., None]).squeeze(-1)
        ratio = torch.exp(logp - old)
        loss = -torch.minimum(ratio * advantages[:, None], ratio.clamp(0.8, 1.4) * advantages[:, None])
        kl = torch.exp(other - logp) - (other - logp) - 1
        return (loss + 0.04 * kl) * mask

    call = lambda x: f(x, old, other, tokens, advantages, mask, 0.9, 0.04, 0.2, 0.4, False, "grpo", None, False)[0]
    return case(call, reference, leaf(batch, length + 1, vocabulary, dtype=f32), tolerance=1e-3)


@operator("liger/rope", "1x4x2x8x64", "1x8x2x512x64", "8x32x8x2048x128")
def _(batch: int, heads: int, kv_heads: int, length: int, dim: int) -> Case:
    f, angle = liger().liger_rope, normal(1, length, dim // 2).repeat(1, 1, 2)
    cos, sin = angle.cos(), angle.sin()
    reference = lambda q, k: tuple(rotate_half(x, cos.float(), sin.float()) for x in (q, k))
    return case(lambda q, k: f(q, k, cos, sin), reference, leaf(batch, heads, length, dim), leaf(batch, kv_heads, length, dim))


@operator("liger/qwen2vl_mrope", "1x4x2x8x64", "1x8x2x512x128", "4x32x8x2048x128")
def _(batch: int, heads: int, kv_heads: int, length: int, dim: int) -> Case:
    f, angle = liger().liger_qwen2vl_mrope, normal(3, batch, length, dim // 2).repeat(1, 1, 1, 2)
    cos, sin = angle.cos(), angle.sin()
    sections = [dim // 8, 3 * dim // 16, 3 * dim // 16]

    def mixed(table):
        return torch.cat([part[i % 3] for i, part in enumerate(table.float().split(sections * 2, -1))], -1)[:, None]

    reference = lambda q, k: tuple(rotate_half(x, mixed(cos), mixed(sin)) for x in (q, k))
    q, k = (normal(batch, length, n, dim).transpose(1, 2).requires_grad_() for n in (heads, kv_heads))
    return case(lambda q, k: f(q, k, cos, sin, sections), reference, q, k)


@operator("liger/llama4_rope", "2x8x4x2x64", "1x512x8x2x64", "4x2048x32x8x128")
def _(batch: int, length: int, heads: int, kv_heads: int, dim: int) -> Case:
    f, angle = package("liger_kernel.ops").LigerLlama4RopeFunction.apply, normal(length, dim // 2, dtype=f32)
    table = torch.polar(torch.ones_like(angle), angle)
    cos, sin = angle.cos()[:, None], angle.sin()[:, None]
    reference = lambda q, k: tuple(rotate_pairs(x, cos, sin) for x in (q, k))
    return case(lambda q, k: f(q, k, table), reference, leaf(batch, length, heads, dim), leaf(batch, length, kv_heads, dim))


@operator("liger/embedding", "64x100x128", "1024x8192x512", "8192x32768x2048")
def _(tokens: int, vocabulary: int, dim: int) -> Case:
    f, indices = package("liger_kernel.ops").LigerEmbeddingFunction.apply, integers(vocabulary, tokens)
    return case(lambda w: f(w, indices), lambda w: F.embedding(indices, w), leaf(vocabulary, dim, dtype=f32), tolerance=1e-5)


@operator("liger/attn_res", "4x8x128", "4x1024x1024", "8x4096x2048")
def _(blocks: int, tokens: int, dim: int) -> Case:
    def reference(v, query, weight):
        scores = (rms_norm(v, weight) * query).sum(-1)
        return (scores.softmax(0)[..., None] * v).sum(0)

    inputs = leaf(blocks, 1, tokens, dim), leaf(dim, scale=0.02), leaf(dim)
    return case(liger().liger_attn_res, reference, *inputs, tolerance=4e-2)


def sinkhorn(logits: torch.Tensor, steps: int, eps: float = 1e-6) -> torch.Tensor:
    m = logits.softmax(-1) + eps
    m = m / (m.sum(-2, keepdim=True) + eps)
    for _ in range(steps - 1):
        m = m / (m.sum(-1, keepdim=True) + eps)
        m = m / (m.sum(-2, keepdim=True) + eps)
    return m


@operator("liger/mhc_coeffs", "32x4x128", "512x4x1024", "4096x4x2048")
def _(tokens: int, streams: int, dim: int) -> Case:
    f, outputs = liger().liger_mhc_coeffs, streams * streams + 2 * streams

    def reference(x, phi, b, *alphas):
        x = x.flatten(-2)
        mix = (x @ phi) * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)
        parts = zip(mix.split([streams, streams, streams**2], -1), b.split([streams, streams, streams**2]), alphas)
        pre, post, res = (m * a + c for m, c, a in parts)
        return pre.sigmoid(), 2 * post.sigmoid(), sinkhorn(res.unflatten(-1, (streams, streams)), 20)

    alphas = [torch.full((), 0.5, device=phi.device).requires_grad_() for phi in [normal(1)] * 3]
    inputs = leaf(tokens, streams, dim), leaf(streams * dim, outputs, scale=0.02), leaf(outputs, dtype=f32), *alphas
    return case(f, reference, *inputs, tolerance=5e-2)


@operator("liger/mhc_pre", "32x4x128", "512x4x1024", "8192x4x4096")
def _(tokens: int, streams: int, dim: int) -> Case:
    reference = lambda x, h: (x * h[..., None]).sum(-2)
    return case(liger().liger_mhc_pre, reference, leaf(tokens, streams, dim), leaf(tokens, streams, dtype=f32))


@operator("liger/mhc_post_res", "32x4x128", "512x4x1024", "8192x4x2048")
def _(tokens: int, streams: int, dim: int) -> Case:
    reference = lambda x, f, post, res: res @ x + post[..., None] * f[..., None, :]
    coefficients = leaf(tokens, streams, dtype=f32), leaf(tokens, streams, streams, dtype=f32)
    return case(liger().liger_mhc_post_res, reference, leaf(tokens, streams, dim), leaf(tokens, dim), *coefficients)


@operator("liger/multi_token_attention", "1x2x64", "1x4x256", "2x16x1024")
def _(batch: int, heads: int, length: int) -> Case:
    f = liger().liger_multi_token_attention

    def reference(scores, w, b):
        hidden = torch.ones(length, length, dtype=torch.bool, device=scores.device).triu(1)
        probabilities = scores.masked_fill(hidden, -1e9).softmax(-1)
        return F.conv2d(probabilities, w, b, padding=1).masked_fill(hidden, 0)

    inputs = leaf(batch, heads, length, length, dtype=f32), leaf(heads, heads, 3, 3, dtype=f32), leaf(heads, dtype=f32)
    return case(lambda s, w, b: f(s, w, b, padding=1), reference, *inputs, tolerance=1e-2)


@operator("liger/neighborhood_attention", "1x2x64x64", "1x4x256x64", "2x8x1024x64")
def _(batch: int, heads: int, length: int, dim: int) -> Case:
    f = liger().liger_fused_neighborhood_attention

    def reference(q, k, v):
        near = (arange(length)[:, None] - arange(length)).abs() <= 3
        return (q @ k.transpose(-1, -2) * dim**-0.5).masked_fill(~near, float("-inf")).softmax(-1) @ v

    return case(f, reference, *(leaf(batch, heads, length, dim, dtype=f32) for _ in range(3)), tolerance=2e-2)


@operator("liger/fused_linear_cross_entropy", "16x64x512", "256x512x8192", "2048x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f, target = liger().liger_fused_linear_cross_entropy, integers(vocabulary, tokens)
    inputs = leaf(tokens, dim), leaf(vocabulary, dim, scale=0.02)
    return case(lambda x, w: f(x, w, target), lambda x, w: F.cross_entropy(x @ w.T, target), *inputs, tolerance=4e-2)


@operator("liger/fused_moe", "32x64x64x4x2", "256x512x256x8x2", "4096x2048x1024x16x4")
def _(tokens: int, dim: int, inner: int, experts: int, top: int) -> Case:
    f = package("liger_kernel.ops").LigerFusedMoEFunction.apply
    weights, chosen = normal(tokens, experts, dtype=f32).softmax(-1).topk(top)

    reference = lambda *x: mixture(*x, chosen)
    inputs = leaf(tokens, dim), leaf(experts, 2 * inner, dim, scale=0.05), leaf(experts, dim, inner, scale=0.05)
    call = lambda x, up, down, w: f(x, up, down, chosen.int(), w)
    return case(call, reference, *inputs, weights.requires_grad_(), tolerance=4e-2)
