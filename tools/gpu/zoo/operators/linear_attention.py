"""fla (flash-linear-attention): linear attention in recurrent, chunked and parallel form, and the modules around it.

Tensors are ``[batch, length, heads, dim]``, as in the package. Decays are logarithms.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

from .case import Case, attention, bf16, case, f32, integers, leaf, normal, operator, package, rms_norm, rotate_half, uniform

TINY, SMALL, LARGE = "1x128x2x32", "1x256x2x64", "4x2048x8x128"
RECURRENT = "1x128x2x32", "2x256x4x64", "8x1024x4x128"


# ------------------------------------------------------------------------------------------------ references


def recurrence(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    erase: torch.Tensor | None = None,
    read: torch.Tensor | None = None,
    bonus: torch.Tensor | None = None,
    scale: float | None = None,
) -> torch.Tensor:
    """The recurrence of linear attention, step by step in float32.

    The state of a head is a ``[key, value]`` matrix. A step decays the state by ``g`` and adds an outer product; the
    output is the query times the state. ``beta`` gives the delta rule, which adds ``k (beta (v - k state))``. ``erase``
    replaces ``k state`` by ``erase state`` before the decay. With ``read``, ``read (erase state)`` is added instead.
    With ``bonus``, the output uses the state before the step, and ``bonus`` weights the current keys.
    """
    batch, length, heads, dim = q.shape
    scale = dim**-0.5 if scale is None else scale
    if g is not None:
        g = (g[..., None] if g.dim() == 3 else g).exp()
    inputs = [q * scale, k, v, g, None if beta is None else beta[..., None], erase, read]

    def chunk(state: torch.Tensor, *parts: torch.Tensor | None) -> tuple[torch.Tensor, torch.Tensor]:
        outputs = []
        for t in range(parts[0].shape[1]):
            qt, kt, vt, gt, bt, et, rt = (None if x is None else x[:, t] for x in parts)
            old = state
            if rt is not None:
                seen = (et[..., None] * old).sum(-2)
            if gt is not None:
                state = state * gt[..., None]
            if rt is not None:
                state = state + rt[..., None] * seen[..., None, :]
            if bt is not None:
                vt = bt * (vt - (kt[..., None] * state if et is None else et[..., None] * old).sum(-2))
            update = kt[..., None] * vt[..., None, :]
            state = state + update
            visible = state if bonus is None else old + bonus[..., None] * update
            outputs.append((qt[..., None] * visible).sum(-2))
        return state, torch.stack(outputs, 1)

    state, outputs = q.new_zeros(batch, heads, dim, v.shape[-1]), []
    for start in range(0, length, 64):
        parts = [None if x is None else x[:, start : start + 64] for x in inputs]
        state, output = checkpoint(chunk, state, *parts, use_reentrant=False)
        outputs.append(output)
    return torch.cat(outputs, 1)


def heads_first(f: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Transposes the arguments of ``f`` to ``[batch, heads, length, ...]`` and its result back."""
    return lambda *inputs: f(*(x.transpose(1, 2) for x in inputs)).transpose(1, 2)


def decayed(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, g: torch.Tensor, softmax: bool) -> torch.Tensor:
    """Causal attention, with or without softmax, with decays between query and key."""
    length, total = q.shape[-2], g.cumsum(-1)
    distance = total[..., :, None] - total[..., None, :]
    hidden = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if softmax:
        return (scores + distance).masked_fill(hidden, float("-inf")).softmax(-1) @ v
    return (scores * distance.masked_fill(hidden, float("-inf")).exp()) @ v


# ------------------------------------------------------------------------------------------------ inputs


def qkv(batch: int, length: int, heads: int, dim: int) -> list[torch.Tensor]:
    return [leaf(batch, length, heads, dim) for _ in range(3)]


def qkv_unit(batch: int, length: int, heads: int, dim: int) -> list[torch.Tensor]:
    """Returns queries, keys of norm 1, and values."""
    q, k, v = qkv(batch, length, heads, dim)
    return [q, F.normalize(k.detach().float(), dim=-1).to(bf16).requires_grad_(), v]


def decay(*shape: int, dtype: torch.dtype = f32) -> torch.Tensor:
    return F.logsigmoid(normal(*shape, dtype=f32) + 2).to(dtype).requires_grad_()


def rate(*shape: int) -> torch.Tensor:
    return uniform(*shape, dtype=bf16).requires_grad_()


def first(f: Callable[..., Any]) -> Callable[..., torch.Tensor]:
    return lambda *inputs, **options: f(*inputs, **options)[0]


def retention_decay(heads: int, length: int, batch: int, device: torch.device) -> torch.Tensor:
    gamma = torch.log1p(-torch.exp2(-5.0 - torch.arange(heads, device=device)))
    return gamma.expand(batch, length, heads)


def retained(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
    batch, length, heads, _ = q.shape
    g = retention_decay(heads, length, batch, q.device).transpose(1, 2)
    return heads_first(lambda q, k, v: decayed(q, k, v, g, softmax=False))(q, k, v)


# ------------------------------------------------------------------------------------------------ linear attention


def linear(name: str, module: str, sizes: tuple[str, ...], build: Callable[..., tuple], tolerance: float = 3e-2) -> None:
    """Registers a function of ``fla.ops`` whose inputs and reference ``build`` returns."""

    @operator(f"fla/{name}", *sizes)
    def _(batch: int, length: int, heads: int, dim: int) -> Case:
        f = getattr(package(f"fla.ops.{module}"), name)
        inputs, reference, *options = build(batch, length, heads, dim)
        call = lambda *args: f(*args, **(options[0] if options else {}))
        return case(
            lambda *args: next(iter(out)) if isinstance(out := call(*args), tuple) else out,
            reference,
            *inputs,
            tolerance=tolerance,
        )


def simple(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv(b, t, h, d), decay(b, t, h)], heads_first(lambda q, k, v, g: decayed(q, k, v, g, softmax=False))


def gated(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv(b, t, h, d), decay(b, t, h, d)], recurrence


def delta(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv_unit(b, t, h, d), rate(b, t, h)], lambda q, k, v, beta: recurrence(q, k, v, None, beta)


def gated_delta(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv_unit(b, t, h, d), decay(b, t, h), rate(b, t, h)], recurrence


def gated_delta_channels(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv_unit(b, t, h, d), decay(b, t, h, d), rate(b, t, h)], recurrence


def comba(b: int, t: int, h: int, d: int) -> tuple:
    q, k, v = qkv_unit(b, t, h, d)
    p = (k.detach() * 0.5).requires_grad_()
    return [q, k, v, p, decay(b, t, h), rate(b, t, h)], lambda q, k, v, p, g, beta: recurrence(q, k, v, g, beta, p)


def diagonal_plus_low_rank(b: int, t: int, h: int, d: int) -> tuple:
    q, k, v = qkv_unit(b, t, h, d)
    a = F.normalize(normal(b, t, h, d, dtype=f32), dim=-1)
    low_rank = (-a).to(bf16).requires_grad_(), (a * uniform(b, t, h, 1)).to(bf16).requires_grad_()
    gates = (decay(b, t, h, d).detach() * 0.5).requires_grad_()
    return [q, k, v, *low_rank, gates], lambda q, k, v, a, b, g: recurrence(q, k, v, g, None, a, b)


def rwkv7(b: int, t: int, h: int, d: int) -> tuple:
    (q, k, v, a, read, g), _ = diagonal_plus_low_rank(b, t, h, d)
    return [q, g, k, v, a, read], lambda q, g, k, v, a, b: recurrence(q, k, v, g, None, a, b, scale=1.0)


def rwkv6(b: int, t: int, h: int, d: int) -> tuple:
    inputs = [*qkv(b, t, h, d), decay(b, t, h, d), leaf(h, d)]
    return inputs, lambda r, k, v, w, u: recurrence(r, k, v, w, bonus=u)


def retention(b: int, t: int, h: int, d: int) -> tuple:
    return qkv(b, t, h, d), retained


def plain(b: int, t: int, h: int, d: int) -> tuple:
    reference = lambda q, k, v: recurrence(q, k, v)
    return qkv(b, t, h, d), reference, {"normalize": False}


def forgetting(b: int, t: int, h: int, d: int) -> tuple:
    return [*qkv(b, t, h, d), decay(b, t, h)], heads_first(lambda q, k, v, g: decayed(q, k, v, g, softmax=True))


def causal(b: int, t: int, h: int, d: int) -> tuple:
    return qkv(b, t, h, d), heads_first(lambda q, k, v: attention(q, k, v, causal=True))


def stick_breaking(b: int, t: int, h: int, d: int) -> tuple:
    def reference(q, k, v):
        z = q @ k.transpose(-1, -2) * d**-0.5
        hidden = torch.ones(t, t, dtype=torch.bool, device=q.device).triu()
        rest = F.logsigmoid(-z).masked_fill(hidden, 0)
        weights = F.logsigmoid(z) + rest.flip(-1).cumsum(-1).flip(-1) - rest
        return weights.masked_fill(hidden, float("-inf")).exp() @ v

    return qkv(b, t, h, d), heads_first(reference)


def based(b: int, t: int, h: int, d: int) -> tuple:
    def reference(q, k, v):
        scores = (q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5).tril()
        weights = (1 + scores + scores.square() / 2).tril()
        return weights @ v / (weights.sum(-1, keepdim=True) + 1e-6)

    q, k = leaf(b, t, h, 16), leaf(b, t, h, 16)
    return [q, k, leaf(b, t, h, d)], heads_first(reference)


def slots(b: int, t: int, h: int, d: int) -> tuple:
    s, g = leaf(b, t, h, 64), decay(b, t, h, 64, dtype=bf16)

    def reference(q, k, v, s, g):
        scores = recurrence_by_value(q, k, s, g)
        return recurrence(scores.softmax(-1), s, v, g, scale=1.0)

    def recurrence_by_value(q, k, s, g):
        # The decay is along the values, so the state is transposed: its rows are slots.
        def chunk(state, qc, kc, sc, gc):
            outputs = []
            for i in range(qc.shape[1]):
                state = state * gc[:, i, :, :, None].exp() + sc[:, i, :, :, None] * kc[:, i, :, None, :]
                outputs.append((state * qc[:, i, :, None, :]).sum(-1))
            return state, torch.stack(outputs, 1)

        state, outputs = q.new_zeros(b, h, 64, d), []
        for i in range(0, t, 64):
            state, out = checkpoint(chunk, state, *(x[:, i : i + 64] for x in (q * d**-0.5, k, s, g)), use_reentrant=False)
            outputs.append(out)
        return torch.cat(outputs, 1)

    return [*qkv(b, t, h, d), s, g], reference


linear("fused_recurrent_gla", "gla", RECURRENT, gated)
linear("fused_recurrent_simple_gla", "simple_gla", RECURRENT, simple)
linear("fused_recurrent_retention", "retention", RECURRENT, retention)
linear("fused_recurrent_delta_rule", "delta_rule", RECURRENT, delta)
linear("fused_recurrent_rwkv6", "rwkv6", RECURRENT, rwkv6)
linear("fused_recurrent_gsa", "gsa", ("1x128x2x32", "2x256x4x64", "4x1024x4x128"), slots)
linear("chunk_gla", "gla", (TINY, SMALL, LARGE), gated)
linear("chunk_simple_gla", "simple_gla", (TINY, SMALL, LARGE), simple)
linear("chunk_retention", "retention", (TINY, SMALL, LARGE), retention)
linear("chunk_linear_attn", "linear_attn", (TINY, SMALL, LARGE), plain)
linear("chunk_delta_rule", "delta_rule", (TINY, SMALL, LARGE), delta)
linear("chunk_gated_delta_rule", "gated_delta_rule", (TINY, SMALL, LARGE), gated_delta)
linear("chunk_kda", "kda", (TINY, SMALL, LARGE), gated_delta_channels)
linear("chunk_comba", "comba", (TINY, SMALL, LARGE), comba)
linear("chunk_dplr_delta_rule", "generalized_delta_rule", (TINY, SMALL, "2x2048x8x64"), diagonal_plus_low_rank, tolerance=5e-2)
linear("chunk_rwkv6", "rwkv6", (TINY, SMALL, "2x2048x8x64"), rwkv6)
linear("chunk_rwkv7", "rwkv7", (TINY, SMALL, "2x2048x8x64"), rwkv7, tolerance=5e-2)
linear("chunk_gsa", "gsa", (TINY, SMALL, "2x2048x4x128"), slots)
linear("parallel_attn", "attn", (TINY, SMALL, "2x2048x16x128"), causal)
linear("parallel_forgetting_attn", "forgetting_attn", (TINY, SMALL, "2x2048x16x64"), forgetting)
linear("parallel_retention", "retention", (TINY, SMALL, "2x2048x8x128"), retention)
linear("parallel_simple_gla", "simple_gla", (TINY, SMALL, "2x2048x8x128"), simple)
linear("parallel_based", "based", (TINY, SMALL, "2x2048x8x128"), based)
linear("parallel_stickbreaking_attn", "stickbreaking_attn", (TINY, SMALL, "2x2048x8x64"), stick_breaking)


@operator("fla/fused_recurrent_gated_delta_rule", "1x128x2x32", "2x256x4x64", "32x512x8x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f = first(package("fla.ops.gated_delta_rule").fused_recurrent_gated_delta_rule)
    inputs, reference = gated_delta(batch, length, heads, dim)
    inputs = [x.detach() for x in inputs]  # The kernel has no backward.
    return case(lambda q, k, v, g, beta: f(q, k, v, g, beta=beta), reference, *inputs)


@operator("fla/parallel_nsa", "1x256x16x32", "1x512x16x64", "2x2048x64x64")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f, block, count, groups = package("fla.ops.nsa").parallel_nsa, 32, 8, heads // 16
    ends = torch.arange(length, device=normal(1).device) // block
    noise = uniform(batch, length, groups, length // block)
    noise = noise.masked_fill(torch.arange(length // block, device=noise.device) > ends[:, None, None], -1)
    blocks = noise.topk(count).indices.masked_fill(noise.topk(count).values < 0, length // block)
    blocks = blocks.sort(-1).values
    gate = uniform(batch, length, heads, dtype=bf16).requires_grad_()

    def reference(q, k, v, gate):
        chosen = torch.zeros(batch, length, groups, length // block + 1, dtype=torch.bool, device=q.device)
        chosen = chosen.scatter(-1, blocks, True)[..., :-1].repeat_interleave(block, -1)
        chosen &= torch.ones(length, length, dtype=torch.bool, device=q.device).tril()[:, None]
        q, k, v = (x.transpose(1, 2) for x in (q, k, v))
        k, v = (x.repeat_interleave(16, 1) for x in (k, v))
        scores = (q @ k.transpose(-1, -2) * dim**-0.5).masked_fill(
            ~chosen.transpose(1, 2).repeat_interleave(16, 1), float("-inf")
        )
        return (scores.softmax(-1) @ v).transpose(1, 2) * gate[..., None]

    inputs = leaf(batch, length, heads, dim), leaf(batch, length, groups, dim), leaf(batch, length, groups, dim), gate
    call = lambda q, k, v, g: f(q, k, v, g_slc=g, block_indices=blocks, block_counts=count, block_size=block)
    return case(call, reference, *inputs)


@operator("fla/attn_decoding", "2x64x8x32", "8x1024x16x64", "64x4096x32x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f = package("fla.ops.attn.decoding").attn_decoding_one_step
    starts = torch.arange(batch + 1, device=normal(1).device, dtype=torch.int32) * length
    inputs = normal(1, batch, heads, dim), normal(1, batch * length, heads // 4, dim), normal(1, batch * length, heads // 4, dim)

    def reference(q, k, v):
        k, v = (x.view(batch, length, -1, dim).transpose(1, 2) for x in (k, v))
        return attention(q.view(batch, heads, 1, dim), k, v).view(1, batch, heads, dim)

    return case(lambda q, k, v: f(q, k, v, cu_seqlens=starts), reference, *inputs)


@operator("fla/fused_recurrent_hgrn", "2x32x64", "2x256x512", "8x2048x2048")
def _(batch: int, length: int, dim: int) -> Case:
    return case(first(package("fla.ops.hgrn").fused_recurrent_hgrn), scanned, *hgrn_inputs(batch, length, dim))


@operator("fla/chunk_hgrn", "2x64x64", "2x256x512", "8x2048x2048")
def _(batch: int, length: int, dim: int) -> Case:
    return case(first(package("fla.ops.hgrn").chunk_hgrn), scanned, *hgrn_inputs(batch, length, dim))


def hgrn_inputs(batch: int, length: int, dim: int) -> list[torch.Tensor]:
    return [leaf(batch, length, dim), decay(batch, length, dim, dtype=bf16)]


def scanned(x: torch.Tensor, g: torch.Tensor) -> torch.Tensor:
    state, outputs = torch.zeros_like(x[:, 0]), []
    for xt, gt in zip(x.unbind(1), g.exp().unbind(1)):
        state = gt * state + xt
        outputs.append(state)
    return torch.stack(outputs, 1)


# ------------------------------------------------------------------------------------------------ modules


@operator("fla/causal_conv1d", "2x64x64", "2x512x512", "8x4096x1024")
def _(batch: int, length: int, dim: int) -> Case:
    f = package("fla.modules.causal_conv1d").causal_conv1d

    def reference(x, w):
        y = F.conv1d(F.pad(x.transpose(1, 2), (3, 0)), w[:, None], groups=dim)
        return F.silu(y).transpose(1, 2)

    return case(lambda x, w: f(x, weight=w, activation="silu")[0], reference, leaf(batch, length, dim), leaf(dim, 4))


@operator("fla/token_shift", "2x64x64", "2x512x512", "8x4096x2048")
def _(batch: int, length: int, dim: int) -> Case:
    f = package("fla.modules.token_shift").token_shift
    return case(f, lambda x: F.pad(x, (0, 0, 1, -1)) - x, leaf(batch, length, dim))


@operator("fla/l2norm", "16x256", "4096x128", "131072x128", "32768x512")
def _(rows: int, columns: int) -> Case:
    f = package("fla.modules.l2norm").l2norm
    return case(f, lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6), leaf(rows, columns))


def activation(name: str, reference: Callable[..., torch.Tensor], inputs: int = 1) -> None:
    @operator(f"fla/{name}", "16x256", "1024x1024", "4096x8192")
    def _(rows: int, columns: int) -> Case:
        f = getattr(package("fla.modules.activations"), name)
        return case(f, reference, *(leaf(rows, columns) for _ in range(inputs)))


activation("swish", F.silu)
activation("sigmoid", torch.sigmoid)
activation("logsigmoid", F.logsigmoid)
activation("swiglu", lambda x, y: F.silu(x) * y, inputs=2)


@operator("fla/layer_norm", "16x256", "1024x512", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = package("fla.modules.layernorm").layer_norm
    reference = lambda x, w, b, r: F.layer_norm(x + r, (columns,), w, b)
    return case(f, reference, leaf(rows, columns), leaf(columns), leaf(columns), leaf(rows, columns))


@operator("fla/group_norm", "16x256", "1024x1024", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = package("fla.modules.layernorm").group_norm
    reference = lambda x, w, b: F.group_norm(x, 16, w, b)
    return case(lambda x, w, b: f(x, w, b, num_groups=16), reference, leaf(rows, columns), leaf(columns), leaf(columns))


@operator("fla/rms_norm_gated", "16x256", "4096x128", "131072x128", "8192x4096")
def _(rows: int, columns: int) -> Case:
    f = package("fla.modules.fused_norm_gate").rms_norm_gated
    reference = lambda x, g, w: rms_norm(x, w) * F.silu(g)
    return case(lambda x, g, w: f(x, g, w, None), reference, leaf(rows, columns), leaf(rows, columns), leaf(columns))


@operator("fla/rotary", "2x32x4x32", "2x512x8x64", "8x2048x16x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f, angle = package("fla.modules.rotary").rotary_embedding, normal(length, dim // 2)
    cos, sin = angle.cos(), angle.sin()
    reference = lambda x: rotate_half(x, *(t.float().repeat(1, 2)[:, None] for t in (cos, sin)))
    return case(lambda x: f(x, cos, sin), reference, leaf(batch, length, heads, dim))


@operator("fla/cross_entropy", "16x256", "256x8192", "2048x65536")
def _(rows: int, columns: int) -> Case:
    f, target = package("fla.modules.fused_cross_entropy").cross_entropy_loss, integers(columns, rows)
    reference = lambda x: F.cross_entropy(x, target, reduction="none", label_smoothing=0.1)
    return case(lambda x: f(x, target, label_smoothing=0.1)[0], reference, leaf(rows, columns))


@operator("fla/fused_linear_cross_entropy", "32x64x500", "256x512x8192", "4096x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f = package("fla.modules.fused_linear_cross_entropy").fused_linear_cross_entropy_loss
    target = integers(vocabulary, tokens)
    inputs = leaf(tokens, dim), leaf(vocabulary, dim, scale=0.02)
    return case(lambda x, w: f(x, target, w), lambda x, w: F.cross_entropy(x @ w.T, target), *inputs, tolerance=4e-2)


@operator("fla/fused_kl_div", "32x64x500", "256x512x8192", "2048x2048x32768")
def _(tokens: int, dim: int, vocabulary: int) -> Case:
    f = package("fla.modules.fused_kl_div").fused_kl_div_loss
    inputs = leaf(tokens, dim), normal(tokens, dim), leaf(vocabulary, dim, scale=0.02), normal(vocabulary, dim, scale=0.02)

    def reference(x, y, wx, wy):
        return F.kl_div((x @ wx.T).log_softmax(-1), (y @ wy.T).softmax(-1), reduction="batchmean")

    return case(f, reference, *inputs, tolerance=4e-2)


@operator("fla/grpo_loss", "2x8x300", "4x64x8192", "8x512x32768")
def _(batch: int, length: int, vocabulary: int) -> Case:
    f = package("fla.modules.grpo").fused_grpo_loss
    tokens, advantages = integers(vocabulary, batch, length), normal(batch, dtype=f32)
    other = normal(batch, length, dtype=f32, scale=0.1) - math.log(vocabulary)

    def reference(logits):
        logp = logits[:, :-1].log_softmax(-1).gather(-1, tokens[..., None]).squeeze(-1)
        kl = torch.exp(other - logp) - (other - logp) - 1
        return 0.1 * kl - torch.exp(logp - logp.detach()) * advantages[:, None]

    return case(lambda x: f(x, other, tokens, advantages), reference, leaf(batch, length + 1, vocabulary))


# ------------------------------------------------------------------------------------------------ utilities


@operator("fla/chunk_local_cumsum", "2x128x2x32", "2x512x4x64", "8x4096x8x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f = package("fla.ops.utils").chunk_local_cumsum
    reference = lambda g: g.unflatten(1, (-1, 64)).cumsum(2).flatten(1, 2)
    return case(lambda g: f(g, 64), reference, normal(batch, length, heads, dim, dtype=f32), tolerance=1e-4)


@operator("fla/chunk_global_cumsum", "2x128x2x32", "2x512x4x64", "8x4096x8x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f = package("fla.ops.utils").chunk_global_cumsum
    reference = lambda g: g.double().flip(1).cumsum(1).flip(1).float()
    return case(lambda g: f(g, reverse=True), reference, normal(batch, length, heads, dim, dtype=f32), tolerance=1e-4)


@operator("fla/mean_pooling", "2x128x2x32", "2x512x4x64", "8x4096x8x128")
def _(batch: int, length: int, heads: int, dim: int) -> Case:
    f = package("fla.ops.utils").mean_pooling
    return case(lambda x: f(x, 64), lambda x: x.unflatten(1, (-1, 64)).mean(2), leaf(batch, length, heads, dim))


@operator("fla/logsumexp", "16x256", "1024x1024", "8192x16384")
def _(rows: int, columns: int) -> Case:
    f = package("fla.ops.utils").logsumexp_fwd
    return case(f, lambda x: x.logsumexp(-1), normal(rows, columns, dtype=f32), tolerance=1e-4)


@operator("fla/softmax", "16x256", "4096x64", "262144x128")
def _(rows: int, columns: int) -> Case:
    f = package("fla.ops.utils").softmax_fwd
    return case(f, lambda x: x.softmax(-1), normal(rows, columns, dtype=f32), tolerance=1e-4)


@operator("fla/solve_tril", "1x128x2x64", "1x512x4x64", "4x4096x16x64")
def _(batch: int, length: int, heads: int, block: int) -> Case:
    f = package("fla.ops.utils").solve_tril
    strict = torch.arange(block, device=normal(1).device) < torch.arange(length, device=normal(1).device)[:, None, None] % block
    a = normal(batch, length, heads, block, dtype=f32, scale=0.1) * strict

    def reference(a):
        blocks = a.unflatten(1, (-1, block)).transpose(2, 3)
        identity = torch.eye(block, dtype=torch.float64, device=a.device)
        return torch.linalg.inv(blocks.double() + identity).transpose(2, 3).flatten(1, 2).float()

    return case(f, reference, a, tolerance=1e-2)


@operator("fla/matmul", "64x64x64", "512x512x512", "4096x4096x4096")
def _(m: int, k: int, n: int) -> Case:
    f = package("fla.ops.utils").matmul
    return case(lambda a, b: f(a, b, activation=""), torch.matmul, normal(m, k), normal(k, n))
