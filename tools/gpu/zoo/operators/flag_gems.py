"""FlagGems: ATen operators in Triton. The references are PyTorch's own operators."""

from __future__ import annotations

import functools
from typing import Any, Callable

import torch
import torch.nn.functional as F

from .case import (
    DEVICE,
    Case,
    attention,
    bf16,
    case,
    distinct,
    f8,
    f16,
    f32,
    integers,
    normal,
    operator,
    package,
    quantize,
    rms_norm,
    rotate_half,
    uniform,
)

#: Shapes with long rows, with short rows, and a large matrix.
ROWS = "20x100", "256x1000", "4096x4096", "16x1048576"
MATRIX = "20x100", "256x1000", "8192x4096"


@functools.cache
def gems() -> Any:
    """Imports the package without launch cache and without block pointers.

    ``LibEntry`` caches compiled kernels across compilers, and launches with the argument order of Triton 3.3 to 3.6.
    Triton 3.9 has no block pointers.
    """
    module = package("flag_gems")
    package("flag_gems.utils.codegen_config_utils").get_codegen_config().prefer_block_pointer = False
    entry = package("flag_gems.utils.libentry").LibEntry
    entry.run = lambda self, *args, **options: (self.fn.run(*args, **options), {})
    return module


def gem(
    name: str,
    sizes: tuple[str, ...],
    inputs: Callable[..., list[Any]],
    call: Callable[..., Any],
    reference: Callable[..., Any],
    tolerance: float = 2e-2,
) -> None:
    """Registers a function of FlagGems; ``call`` gets the module and the inputs."""

    @operator(f"flag_gems/{name}", *sizes)
    def _(*size: int) -> Case:
        module = gems()
        return case(lambda *args: call(module, *args), reference, *inputs(*size), tolerance=tolerance)


def half(*shape: int) -> list[torch.Tensor]:
    return [normal(*shape)]


def single(*shape: int) -> list[torch.Tensor]:
    return [normal(*shape, dtype=f32)]


def unique(*shape: int) -> list[torch.Tensor]:
    return [distinct(*shape)]


def gradients(f: Callable[..., torch.Tensor], output: torch.Tensor, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Returns the gradients of ``f`` at the inputs; ``output`` is the gradient of the result."""
    leaves = [x.detach().requires_grad_() for x in inputs]
    return torch.autograd.grad(f(*leaves), leaves, output)


# ------------------------------------------------------------------------------------------------ normalisation

gem("softmax", ROWS, half, lambda G, x: G.softmax(x, -1), lambda x: x.softmax(-1))
gem("softmax_middle", ("8x128x64", "64x1024x256"), half, lambda G, x: G.softmax(x, 1), lambda x: x.softmax(1))
gem("log_softmax", ROWS, half, lambda G, x: G.log_softmax(x, -1), lambda x: x.log_softmax(-1))
gem(
    "softmax_backward",
    MATRIX,
    lambda r, c: [normal(r, c), normal(r, c).softmax(-1)],
    lambda G, dy, y: G.softmax_backward(dy, y, -1, dy.dtype),
    lambda dy, y: y * (dy - (dy * y).sum(-1, keepdim=True)),
)
gem(
    "scaled_softmax",
    ("1x4x128x256", "4x16x1024x1024"),
    half,
    lambda G, x: G.scaled_softmax_forward(x, 0.125),
    lambda x: (x * 0.125).softmax(-1),
)


def norm(name: str, sizes: tuple[str, ...], inputs: Callable[..., list[torch.Tensor]], call: Any, reference: Any) -> None:
    """Registers forward and backward of a normalisation; the last input is the gradient of the output."""

    def expected(*args: torch.Tensor) -> tuple[torch.Tensor, ...]:
        f = lambda *leaves: reference(*leaves)
        return f(*args[:-1]), *gradients(f, args[-1], *args[:-1])

    gem(name, sizes, inputs, call, expected, tolerance=3e-2)


def layer_norm(G, x, w, b, dy):
    y, mean, rstd = G.layer_norm(x, x.shape[-1:], w, b)
    return y, *G.layer_norm_backward(dy, x, x.shape[-1:], mean, rstd, w, b, [True] * 3)


def group_norm(G, x, w, b, dy):
    n, c, s = x.shape
    y, mean, rstd = G.group_norm(x, w, b, n, c, s, 8)
    return y, *G.group_norm_backward(dy, x, mean, rstd, w, n, c, s, 8, [True] * 3)


def batch_norm(G, x, w, b, dy):
    y, mean, rstd = G.batch_norm(x, w, b, None, None, True)
    return y, *G.batch_norm_backward(dy, x, w, None, None, mean, rstd, True, 1e-5, [True] * 3)


def weight_norm(G, v, g, dw):
    w, norms = G.weight_norm_interface(v, g, 0)
    return w, *G.weight_norm_interface_backward(dw, v, g, norms, 0)


norm(
    "layer_norm",
    ("256x1024", "8192x4096"),
    lambda r, c: [normal(r, c), normal(c), normal(c), normal(r, c)],
    layer_norm,
    lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b),
)
norm(
    "group_norm",
    ("4x64x256", "32x128x4096"),
    lambda n, c, s: [normal(n, c, s), normal(c), normal(c), normal(n, c, s)],
    group_norm,
    lambda x, w, b: F.group_norm(x, 8, w, b),
)
norm(
    "batch_norm",
    ("8x32x64", "32x256x3136"),
    lambda n, c, s: [normal(n, c, s, dtype=f32), *(normal(c, dtype=f32) for _ in range(2)), normal(n, c, s, dtype=f32)],
    batch_norm,
    lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
)
norm(
    "weight_norm",
    ("256x512", "4096x4096"),
    lambda r, c: [normal(r, c, dtype=f32), normal(r, 1, dtype=f32), normal(r, c, dtype=f32)],
    weight_norm,
    lambda v, g: v * g / v.norm(dim=1, keepdim=True),
)
gem(
    "instance_norm",
    ("4x16x256", "32x128x4096"),
    lambda n, c, s: [normal(n, c, s, dtype=f32), normal(c, dtype=f32), normal(c, dtype=f32)],
    lambda G, x, w, b: G.instance_norm(x, w, b),
    lambda x, w, b: F.instance_norm(x, weight=w, bias=b),
    tolerance=1e-3,
)
gem(
    "skip_layer_norm",
    ("256x1024", "8192x4096"),
    lambda r, c: [normal(r, c), normal(r, c), normal(c), normal(c)],
    lambda G, x, r, w, b: G.skip_layer_norm(x, r, x.shape[-1:], w, b),
    lambda x, r, w, b: F.layer_norm(x + r, x.shape[-1:], w, b),
)
gem(
    "fused_add_rms_norm",
    ("256x1024", "8192x4096"),
    lambda r, c: [normal(r, c), normal(r, c), normal(c)],
    lambda G, x, r, w: G.fused_add_rms_norm(x, r, x.shape[-1:], w),
    lambda x, r, w: (rms_norm(x + r, w, 1e-5), x + r),
)

# ------------------------------------------------------------------------------------------------ scans and sorts

gem("cumsum", ROWS, single, lambda G, x: G.cumsum(x, -1), lambda x: x.double().cumsum(-1).float(), tolerance=1e-3)
gem("cumsum_first", MATRIX, single, lambda G, x: G.cumsum(x, 0), lambda x: x.double().cumsum(0).float(), tolerance=1e-3)
gem(
    "normed_cumsum",
    ("64x1000", "4096x32768"),
    lambda r, c: [uniform(r, c)],
    lambda G, x: G.normed_cumsum(x, -1),
    lambda x: (x.double().cumsum(-1) / x.double().sum(-1, keepdim=True)).float(),
    tolerance=1e-3,
)
gem("cummax", ("64x1000", "4096x4096"), unique, lambda G, x: G.cummax(x, -1), lambda x: torch.cummax(x, -1), tolerance=0)
gem("cummin_first", ("100x64", "4096x4096"), unique, lambda G, x: G.cummin(x, 0)[0], lambda x: torch.cummin(x, 0)[0], tolerance=0)
gem("sort", ("64x1000", "1024x8192"), unique, lambda G, x: G.sort(x, -1), lambda x: torch.sort(x, -1), tolerance=0)
gem("topk", ("64x1000", "1024x32768"), unique, lambda G, x: G.topk(x, 32), lambda x: torch.topk(x, 32), tolerance=0)
gem(
    "unique",
    ("400", "4096", "4194304"),
    lambda n: [integers(n // 4, n)],
    lambda G, x: G._unique2(x, True, True, True),
    lambda x: torch.unique(x, return_inverse=True, return_counts=True),
    tolerance=0,
)
gem(
    "quantile",
    ("64x1000", "1024x8192"),
    unique,
    lambda G, x: G.quantile(x, torch.tensor([0.1, 0.5], device=DEVICE), 1),
    lambda x: torch.quantile(x, torch.tensor([0.1, 0.5], device=DEVICE), 1),
    tolerance=1e-4,
)

# ------------------------------------------------------------------------------------------------ reductions

gem("sum", ("3000", "10000", "67108864"), single, lambda G, x: G.sum(x), lambda x: x.double().sum().float(), tolerance=1e-2)
gem("sum_first", MATRIX, single, lambda G, x: G.sum_dim(x, [0]), lambda x: x.sum(0), tolerance=1e-3)
gem("sum_middle", ("8x100x64", "64x1024x512"), half, lambda G, x: G.sum_dim(x, [1]), lambda x: x.sum(1))
gem("mean", MATRIX, half, lambda G, x: G.mean_dim(x, [1], True), lambda x: x.mean(1, True))
gem("amax", MATRIX, half, lambda G, x: G.amax(x, [1]), lambda x: x.amax(1), tolerance=0)
gem("max", MATRIX, unique, lambda G, x: G.max_dim(x, 1), lambda x: tuple(x.max(1)), tolerance=0)
gem("min_first", MATRIX, unique, lambda G, x: G.min_dim(x, 0)[0], lambda x: x.min(0)[0], tolerance=0)
gem("argmax", MATRIX, unique, lambda G, x: G.argmax(x, 1), lambda x: x.argmax(1), tolerance=0)
gem("argmin", MATRIX, unique, lambda G, x: G.argmin(x, 1), lambda x: x.argmin(1), tolerance=0)
gem(
    "prod",
    ("64x100", "8192x4096"),
    lambda r, c: [uniform(r, c, low=0.99, high=1.01)],
    lambda G, x: G.prod_dim(x, 1),
    lambda x: x.double().prod(1).float(),
    tolerance=1e-3,
)
gem("var_mean", MATRIX, single, lambda G, x: G.var_mean(x, [1]), lambda x: torch.var_mean(x.double(), [1]), tolerance=1e-2)
gem("vector_norm", MATRIX, single, lambda G, x: G.vector_norm(x, 2, [1]), lambda x: x.norm(dim=1), tolerance=1e-3)
gem("any", MATRIX, lambda r, c: [integers(c, r, c) == 0], lambda G, x: G.any_dim(x, 1), lambda x: x.any(1), tolerance=0)
gem(
    "count_nonzero",
    MATRIX,
    lambda r, c: [integers(2, r, c)],
    lambda G, x: G.count_nonzero(x, 1),
    lambda x: torch.count_nonzero(x, 1),
    tolerance=0,
)
gem(
    "bincount",
    ("1000x100", "10000x100", "16777216x1000"),
    lambda n, m: [integers(m, n)],
    lambda G, x: G.bincount(x),
    torch.bincount,
    tolerance=0,
)
gem("trace", ("100x100", "1000x1000", "16384x16384"), single, lambda G, x: G.trace(x), torch.trace, tolerance=1e-2)

# ------------------------------------------------------------------------------------------------ data movement


def table(rows: int, columns: int, count: int) -> list[torch.Tensor]:
    return [normal(rows, columns, dtype=f32), integers(rows, count)]


gem("flip", MATRIX, half, lambda G, x: G.flip(x, [0, 1]), lambda x: x.flip([0, 1]), tolerance=0)
gem("triu", MATRIX, half, lambda G, x: G.triu(x), torch.triu, tolerance=0)
gem("transpose_add", MATRIX, lambda r, c: [normal(r, c), normal(c, r).T], lambda G, x, y: G.add(x, y), torch.add)
gem("roll", MATRIX, half, lambda G, x: G.roll(x, [5, 7], [0, 1]), lambda x: x.roll([5, 7], [0, 1]), tolerance=0)
gem(
    "cat",
    MATRIX,
    lambda r, c: [normal(r, c), normal(r, c // 2)],
    lambda G, *x: G.cat(x, 1),
    lambda *x: torch.cat(x, 1),
    tolerance=0,
)
gem(
    "repeat_interleave",
    MATRIX,
    half,
    lambda G, x: G.repeat_interleave_self_int(x, 4, 1),
    lambda x: x.repeat_interleave(4, 1),
    tolerance=0,
)
gem("pad", ("4x60x60", "64x1000x500"), half, lambda G, x: G.pad(x, [3, 5, 7, 1]), lambda x: F.pad(x, [3, 5, 7, 1]), tolerance=0)
gem("kron", ("16x16", "64x64"), lambda m, n: [normal(m, n), normal(m, n)], lambda G, x, y: G.kron(x, y), torch.kron)
gem(
    "index_select",
    ("100x64x50", "65536x1024x32768"),
    table,
    lambda G, x, i: G.index_select(x, 0, i),
    lambda x, i: x.index_select(0, i),
    tolerance=0,
)
gem("embedding", ("100x64x50", "32768x1024x16384"), table, lambda G, x, i: G.embedding(x, i), lambda x, i: x[i], tolerance=0)
gem(
    "embedding_backward",
    ("50x64x100", "16384x1024x32768"),
    lambda n, c, r: [normal(n, c, dtype=f32), integers(r, n), r],
    lambda G, dy, i, r: G.embedding_dense_backward(dy, i, r, -1, False),
    lambda dy, i, r: torch.zeros(r, dy.shape[1], device=dy.device).index_add(0, i, dy),
    tolerance=1e-4,
)
gem(
    "gather",
    ("64x100", "4096x4096"),
    lambda r, c: [normal(r, c), integers(c, r, c)],
    lambda G, x, i: G.gather(x, 1, i),
    lambda x, i: x.gather(1, i),
    tolerance=0,
)
gem(
    "scatter",
    ("64x100", "4096x4096"),
    lambda r, c: [normal(r, c), uniform(r, c).argsort(1), normal(r, c)],
    lambda G, x, i, y: G.scatter(x, 1, i, y),
    lambda x, i, y: x.scatter(1, i, y),
    tolerance=0,
)
gem(
    "index_add",
    ("100x64x50", "16384x1024x32768"),
    lambda r, c, n: [*table(r, c, n), normal(n, c, dtype=f32)],
    lambda G, x, i, y: G.index_add(x, 0, i, y),
    lambda x, i, y: x.index_add(0, i, y),
    tolerance=1e-4,
)
gem(
    "masked_select",
    ("1000", "16777216"),
    lambda n: [normal(n), uniform(n) < 0.3],
    lambda G, x, m: G.masked_select(x, m),
    torch.masked_select,
    tolerance=0,
)
gem("nonzero", ("1000", "16777216"), lambda n: [integers(3, n)], lambda G, x: G.nonzero(x), torch.nonzero, tolerance=0)
gem(
    "isin",
    ("1000x100", "4194304x512"),
    lambda n, m: [integers(4 * m, n), integers(4 * m, m)],
    lambda G, x, y: G.isin(x, y),
    torch.isin,
    tolerance=0,
)

# ------------------------------------------------------------------------------------------------ losses and activations

gem(
    "cross_entropy_loss",
    ("64x1000", "4096x32768"),
    lambda r, c: [normal(r, c, dtype=f32).requires_grad_(), integers(c, r)],
    lambda G, x, t: G.cross_entropy_loss(x, t),
    F.cross_entropy,
    tolerance=1e-3,
)
gem(
    "nll_loss",
    ("64x1000", "65536x1024"),
    lambda r, c: [normal(r, c, dtype=f32), integers(c, r)],
    lambda G, x, t: G.nll_loss_forward(x, t)[0],
    F.nll_loss,
    tolerance=1e-3,
)
gem("mse_loss", MATRIX, lambda r, c: [normal(r, c), normal(r, c)], lambda G, x, y: G.mse_loss(x, y), F.mse_loss)
gem(
    "silu_and_mul",
    MATRIX,
    lambda r, c: [normal(r, c).requires_grad_(), normal(r, c).requires_grad_()],
    lambda G, x, y: G.silu_and_mul(x, y),
    lambda x, y: F.silu(x) * y,
)
gem("glu", MATRIX, half, lambda G, x: G.glu(x), F.glu)
gem(
    "gelu_backward",
    MATRIX,
    lambda r, c: [normal(r, c), normal(r, c)],
    lambda G, dy, x: G.gelu_backward(dy, x),
    lambda dy, x: gradients(F.gelu, dy, x),
    tolerance=2e-2,
)
gem(
    "hadamard_transform", ("64x512", "16384x4096"), half, lambda G, x: G.hadamard_transform(x, 0.01), lambda x: hadamard(x) * 0.01
)


def hadamard(x: torch.Tensor) -> torch.Tensor:
    shape, step = x.shape, 1
    while step < shape[-1]:
        a, b = x.unflatten(-1, (-1, 2, step)).unbind(-2)
        x, step = torch.stack((a + b, a - b), -2).reshape(shape), step * 2
    return x


# ------------------------------------------------------------------------------------------------ images

gem(
    "max_pool2d",
    ("1x2x16x16", "2x4x32x32", "32x64x112x112"),
    unique,
    lambda G, x: G.max_pool2d_with_indices(x, 3, 2, 1)[0],
    lambda x: F.max_pool2d(x, 3, 2, 1),
    tolerance=0,
)
gem(
    "avg_pool2d",
    ("1x2x16x16", "2x4x32x32", "32x64x112x112"),
    single,
    lambda G, x: G.avg_pool2d(x, 3, 2, 1),
    lambda x: F.avg_pool2d(x, 3, 2, 1),
    tolerance=1e-4,
)
gem(
    "upsample_bicubic2d_aa",
    ("1x3x32x32", "4x16x256x256"),
    single,
    lambda G, x: G._upsample_bicubic2d_aa(x, [x.shape[2] // 2 * 3, x.shape[3] // 2 * 3], False, None, None),
    lambda x: F.interpolate(x, scale_factor=1.5, mode="bicubic", antialias=True),
    tolerance=1e-3,
)
gem(
    "conv2d",
    ("1x8x16x16x16", "8x64x128x56x56"),
    lambda n, c, o, h, w: [normal(n, c, h, w, dtype=f16), normal(o, c, 3, 3, dtype=f16)],
    lambda G, x, k: G.conv2d(x, k, None, 1, 1),
    lambda x, k: F.conv2d(x, k, padding=1),
)
gem(
    "conv_depthwise2d",
    ("1x8x16x16", "8x128x56x56"),
    lambda n, c, h, w: [normal(n, c, h, w, dtype=f16), normal(c, 1, 3, 3, dtype=f16)],
    lambda G, x, k: G._conv_depthwise2d(x, k, [3, 3], None, [1, 1], [1, 1], [1, 1]),
    lambda x, k: F.conv2d(x, k, padding=1, groups=x.shape[1]),
)

# ------------------------------------------------------------------------------------------------ products


def matrices(m: int, k: int, n: int) -> list[torch.Tensor]:
    return [normal(m, k), normal(k, n)]


gem("mm", ("64x64x64", "256x256x256", "4096x4096x4096", "16x8192x8192"), matrices, lambda G, a, b: G.mm(a, b), torch.mm)
gem(
    "mm_transposed",
    ("64x64x64", "256x256x256", "4096x4096x4096"),
    lambda m, k, n: [normal(m, k), normal(n, k).T],
    lambda G, a, b: G.mm(a, b),
    torch.mm,
)
gem(
    "addmm",
    ("64x64x64", "256x256x256", "4096x4096x4096"),
    lambda m, k, n: [normal(n), *matrices(m, k, n)],
    lambda G, c, a, b: G.addmm(c, a, b),
    torch.addmm,
)
gem(
    "bmm",
    ("4x128x128x128", "32x1024x1024x512"),
    lambda b, m, k, n: [normal(b, m, k), normal(b, k, n)],
    lambda G, a, b: G.bmm(a, b),
    torch.bmm,
)
gem("mv", ("100x100", "1000x1000", "16384x8192"), lambda m, n: [normal(m, n), normal(n)], lambda G, a, x: G.mv(a, x), torch.mv)
gem(
    "dot",
    ("1000", "16777216"),
    lambda n: [normal(n, dtype=f32), normal(n, dtype=f32)],
    lambda G, x, y: G.dot(x, y),
    lambda x, y: (x.double() @ y.double()).float(),
    tolerance=1e-2,
)
gem(
    "outer",
    ("40x50", "500x500", "8192x8192"),
    lambda m, n: [normal(m).requires_grad_(), normal(n).requires_grad_()],
    lambda G, x, y: G.outer(x, y),
    torch.outer,
    tolerance=3e-2,
)


def grouped(tokens: int, k: int, n: int, groups: int) -> list[torch.Tensor]:
    ends = torch.linspace(0, tokens, groups + 1, device=DEVICE)[1:].int()
    return [normal(tokens, k), normal(groups, k, n), ends]


def grouped_reference(a: torch.Tensor, b: torch.Tensor, ends: torch.Tensor) -> torch.Tensor:
    sizes = torch.diff(ends.cpu(), prepend=torch.zeros(1, dtype=torch.int32)).tolist()
    return torch.cat([x @ w for x, w in zip(a.split(sizes), b)])


gem("group_mm", ("256x128x128x4", "8192x2048x2048x16"), grouped, lambda G, a, b, ends: G.group_mm(a, b, ends), grouped_reference)


def block_scaled(m: int, n: int, k: int) -> list[torch.Tensor]:
    a, a_scale = quantize(normal(m, k), 128, 448.0, f8)
    return [a, a_scale, normal(n, k).to(f8), uniform(n // 128, k // 128)]


def block_scaled_reference(a, a_scale, b, b_scale):
    return (a * a_scale.repeat_interleave(128, 1)) @ (b * b_scale.repeat_interleave(128, 0).repeat_interleave(128, 1)).T


gem(
    "fp8_matmul",
    ("64x256x256", "4096x4096x4096"),
    block_scaled,
    lambda G, *x: package("flag_gems.ops.fp8_matmul").fp8_matmul(*x),
    block_scaled_reference,
)
gem(
    "w8a8_block_fp8_matmul",
    ("64x256x256", "4096x4096x4096"),
    block_scaled,
    lambda G, a, sa, b, sb: package("flag_gems.ops.w8a8_block_fp8_matmul").w8a8_block_fp8_matmul(a, b, sa, sb, [128, 128]),
    block_scaled_reference,
)
gem(
    "scaled_dot_product_attention",
    ("1x4x128x64", "4x16x2048x128"),
    lambda b, h, n, d: [normal(b, h, n, d).requires_grad_() for _ in range(3)],
    lambda G, q, k, v: G.scaled_dot_product_attention(q, k, v, is_causal=True),
    lambda q, k, v: attention(q, k, v, causal=True),
)

# ------------------------------------------------------------------------------------------------ inference


def expert_choice(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    weights, chosen = logits.softmax(-1).topk(8)
    return weights / weights.sum(-1, keepdim=True), chosen


def topk_softmax(G, logits):
    weights = torch.empty(len(logits), 8, device=DEVICE)
    chosen, source = (torch.empty(len(logits), 8, device=DEVICE, dtype=torch.int32) for _ in range(2))
    G.topk_softmax(weights, chosen, source, logits, True)
    return weights, chosen


gem("topk_softmax", ("100x64", "65536x128"), unique, topk_softmax, expert_choice, tolerance=1e-3)
gem(
    "moe_sum",
    ("100x4x512", "8192x8x2048"),
    half,
    lambda G, x: (out := torch.empty_like(x[:, 0]), G.moe_sum(x, out))[0],
    lambda x: x.sum(1),
)
gem(
    "per_token_group_quant_fp8",
    ("64x512", "8192x4096"),
    half,
    lambda G, x: G.per_token_group_quant_fp8(x, 128),
    lambda x: quantize(x, 128, 448.0, f8),
    tolerance=8e-2,
)


def paged(tokens: int, heads: int, dim: int, block: int) -> list[torch.Tensor]:
    blocks = 2 * tokens // block
    slots = uniform(blocks * block).argsort()[:tokens]
    return [normal(tokens, heads, dim), normal(tokens, heads, dim), *(normal(blocks, block, heads, dim) for _ in range(2)), slots]


def reshape_and_cache_flash(G, k, v, k_cache, v_cache, slots):
    one = torch.ones(1, device=DEVICE)
    G.reshape_and_cache_flash(k, v, k_cache, v_cache, slots, "auto", one, one)
    return k_cache, v_cache


def reshape_and_cache_flash_reference(k, v, *rest):
    caches, slots = rest[:2], rest[2]
    return tuple(c.flatten(0, 1).index_copy(0, slots, x).view(c.shape) for c, x in zip(caches, (k, v)))


gem(
    "reshape_and_cache_flash",
    ("64x4x64x16", "16384x8x128x16"),
    paged,
    reshape_and_cache_flash,
    reshape_and_cache_flash_reference,
    tolerance=0,
)


def reshape_and_cache(G, k, v, k_cache, v_cache, slots):
    # The blocks of the caches are [heads, dim / 8, block, 8] and [heads, dim, block].
    k_cache = k_cache.unflatten(-1, (-1, 8)).permute(0, 2, 3, 1, 4).contiguous()
    v_cache = v_cache.permute(0, 2, 3, 1).contiguous()
    one = torch.ones(1, device=DEVICE)
    G.reshape_and_cache(k, v, k_cache, v_cache, slots, "auto", one, one)
    return k_cache.permute(0, 3, 1, 2, 4).flatten(-2), v_cache.permute(0, 3, 1, 2)


gem(
    "reshape_and_cache",
    ("64x4x64x16", "16384x8x128x16"),
    paged,
    reshape_and_cache,
    reshape_and_cache_flash_reference,
    tolerance=0,
)


def latent(tokens: int, block: int) -> list[torch.Tensor]:
    blocks = 2 * tokens // block
    return [normal(tokens, 512), normal(tokens, 64), normal(blocks, block, 576), uniform(blocks * block).argsort()[:tokens]]


def concat_and_cache_mla(G, kv, pe, cache, slots):
    G.concat_and_cache_mla(kv, pe, cache, slots, "auto", torch.ones(1, device=DEVICE))
    return cache


gem(
    "concat_and_cache_mla",
    ("64x16", "32768x64"),
    latent,
    concat_and_cache_mla,
    lambda kv, pe, cache, slots: cache.flatten(0, 1).index_copy(0, slots, torch.cat((kv, pe), -1)).view(cache.shape),
    tolerance=0,
)


def rotary(tokens: int, heads: int, dim: int) -> list[torch.Tensor]:
    angle = normal(2 * tokens, dim // 2, dtype=f32)
    return [
        normal(tokens, heads, dim),
        normal(tokens, heads // 4, dim),
        angle.cos().to(bf16),
        angle.sin().to(bf16),
        integers(2 * tokens, tokens),
    ]


def rotary_reference(q, k, cos, sin, positions):
    cos, sin = (t[positions].repeat(1, 2)[:, None] for t in (cos, sin))
    return rotate_half(q, cos, sin), rotate_half(k, cos, sin)


gem("apply_rotary_pos_emb", ("64x8x64", "16384x32x128"), rotary, lambda G, *x: G.apply_rotary_pos_emb(*x), rotary_reference)


def penalty_inputs(rows: int, columns: int) -> list[torch.Tensor]:
    return [
        normal(rows, columns, dtype=f32),
        uniform(rows, columns) < 0.2,
        uniform(rows, columns) < 0.2,
        uniform(rows, low=1.0, high=2.0),
    ]


def penalties(G, logits, *rest):
    G.apply_repetition_penalties(logits, *rest)
    return logits


def penalties_reference(x, prompt, output, penalty):
    return torch.where(prompt | output, torch.where(x > 0, x / penalty[:, None], x * penalty[:, None]), x)


gem("apply_repetition_penalties", ("8x1000", "256x131072"), penalty_inputs, penalties, penalties_reference, tolerance=1e-5)


def sparse_inputs(length: int, heads: int, keys: int, top: int) -> list[torch.Tensor]:
    chosen = uniform(1, length, keys).argsort(-1)[..., :top].int()
    return [normal(1, length, heads, 512), normal(1, keys, 512), normal(heads, dtype=f32), chosen]


def sparse_reference(q, kv, sink, chosen):
    picked = kv[0][chosen[0].long()]
    scores = torch.einsum("mhd,mkd->mhk", q[0], picked) * 512**-0.5
    weights = torch.cat((scores, sink.expand(len(scores), -1)[..., None]), -1).softmax(-1)[..., :-1]
    return torch.einsum("mhk,mkd->mhd", weights, picked)[None]


gem(
    "sparse_attention",
    ("16x16x128x64", "512x64x4096x512"),
    sparse_inputs,
    lambda G, *x: package("flag_gems.fused.sparse_attention").sparse_attn_triton(*x, 512**-0.5),
    sparse_reference,
)
