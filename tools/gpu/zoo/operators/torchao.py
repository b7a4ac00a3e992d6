"""torchao: fp8, int8 and MX quantisation, and products of quantised matrices."""

from __future__ import annotations

from typing import Any

import torch

from .case import DEVICE, Case, case, f8, integers, load_file, normal, operator, package, quantize, uniform
from .flag_gems import hadamard


def blocked() -> Any:
    return package("torchao.kernel.blockwise_quantization")


def training() -> Any:
    return package("torchao.prototype.blockwise_fp8_training.kernels")


def spread(scale: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    return scale.repeat_interleave(rows, 0).repeat_interleave(columns, 1)


def restored(name: str, sizes: tuple[str, ...], call: Any, make: Any = normal) -> None:
    """Registers a quantisation; ``call`` also dequantises, so that the reference is the input."""

    @operator(f"torchao/{name}", *sizes)
    def _(*size: int) -> Case:
        return case(call, lambda x: x, make(*size), tolerance=5e-2)


MATRIX = "128x256", "512x1024", "8192x8192"


def act_quant(x):
    y, s = blocked().fp8_blockwise_act_quant(x)
    return y.float() * spread(s, 1, 128)


def weight_quant(x):
    y, s = blocked().fp8_blockwise_weight_quant(x)
    return blocked().fp8_blockwise_weight_dequant(y, s).float()


def act_quant_lhs(x):
    y, s = training().triton_fp8_blockwise_act_quant_lhs(x)
    return y.float() * spread(s, 1, 128)


def act_quant_rhs(x):
    y, s = training().triton_fp8_blockwise_act_quant_rhs(x)
    return y.float() * spread(s, 128, 1)


def act_quant_transposed_lhs(x):
    y, s = training().triton_fp8_blockwise_act_quant_transposed_lhs(x)
    return (y.float() * spread(s, 1, 128)).T


def weight_quant_rhs(x):
    y, s = training().triton_fp8_blockwise_weight_quant_rhs(x)
    return y.float() * spread(s, 128, 128)


def jagged(name):
    # The package around this file cannot be imported with Triton 3.9.
    return getattr(load_file("torchao", "prototype/moe_training/kernels/jagged_float8_scales.py"), name)


def jagged_colwise(x):
    ends = torch.arange(1, 5, device=x.device, dtype=torch.int32) * (x.shape[0] // 4)
    y, s = jagged("triton_fp8_per_group_colwise_scales")(x, ends)
    return y.float() / s.view(4, -1).repeat_interleave(x.shape[0] // 4, 0)


restored("fp8_blockwise_act_quant", MATRIX, act_quant)
restored("fp8_blockwise_weight_quant", MATRIX, weight_quant)
restored("training_act_quant_lhs", MATRIX, act_quant_lhs)
restored("training_act_quant_rhs", MATRIX, act_quant_rhs)
restored("training_act_quant_transposed_lhs", MATRIX, act_quant_transposed_lhs)
restored("training_weight_quant_rhs", MATRIX, weight_quant_rhs)
restored("fp8_jagged_colwise", MATRIX, jagged_colwise, lambda m, n: normal(n, m).T)


def heads(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *scales: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return tuple(x.float() * s[..., None, None] for x, s in zip((q, k, v), scales))


ATTENTION = "1x2x64x32", "1x4x512x64", "4x16x2048x128"


@operator("torchao/fp8_sdpa_quantize", *ATTENTION)
def _(batch: int, count: int, length: int, dim: int) -> Case:
    f = package("torchao.prototype.attention.quantization.triton_qkv_quantization").triton_fp8_sdpa_quantize
    return case(lambda *x: heads(*f(*x)), lambda *x: x, *(normal(batch, count, length, dim) for _ in range(3)), tolerance=5e-2)


@operator("torchao/fp8_hadamard_sdpa_quantize", *ATTENTION)
def _(batch: int, count: int, length: int, dim: int) -> Case:
    module = package("torchao.prototype.attention.quantization.triton_hadamard_qkv_quantization")
    f, inputs = module.triton_fp8_hadamard_sdpa_quantize, [normal(batch, count, length, dim) for _ in range(3)]
    return case(lambda *x: heads(*f(*x)), lambda *x: tuple(hadamard(y) * dim**-0.5 for y in x), *inputs, tolerance=6e-2)


@operator("torchao/inverse_hadamard_transform", *ATTENTION)
def _(batch: int, count: int, length: int, dim: int) -> Case:
    f = package("torchao.prototype.attention.quantization.triton_hadamard_utils").inverse_hadamard_transform
    return case(f, lambda x: hadamard(x) * dim**-0.5, normal(batch, count, length, dim))


@operator("torchao/mx_block_rearrange", "256x8", "16384x512")
def _(rows: int, columns: int) -> Case:
    f = package("torchao.prototype.mx_formats.kernels").triton_mx_block_rearrange

    def reference(x):
        return x.view(-1, 4, 32, columns // 4, 4).permute(0, 3, 2, 1, 4).reshape(rows, columns)

    return case(f, reference, integers(256, rows, columns, dtype=torch.int32).to(torch.uint8), tolerance=0)


@operator("torchao/permute_indices", "64x8x8", "512x64x8")
def _(tokens: int, experts: int, ranks: int) -> Case:
    f = load_file("torchao", "prototype/moe_training/ep/kernels.py").generate_permute_indices
    counts, longest = integers(2 * tokens, experts * ranks, dtype=torch.int32), 2 * tokens * experts * ranks

    def reference(counts):
        out = f(counts.cpu(), experts, ranks, longest, 16, use_cpu=True)
        return tuple(x.to(DEVICE) for x in out)

    return case(lambda c: f(c, experts, ranks, longest, 16), reference, counts, tolerance=0)


# ------------------------------------------------------------------------------------------------ products

PRODUCT = "64x128x128", "128x512x512", "4096x4096x4096"


@operator("torchao/blockwise_fp8_gemm", *PRODUCT)
def _(m: int, n: int, k: int) -> Case:
    f, (a, sa) = blocked().blockwise_fp8_gemm, quantize(normal(m, k), 128, 448.0, f8)
    b, sb = normal(n, k).to(f8), uniform(n // 128, k // 128)
    reference = lambda a, sa, b, sb: (a * spread(sa, 1, 128)) @ (b * spread(sb, 128, 128)).T
    return case(f, reference, a, sa, b, sb)


@operator("torchao/training_fp8_gemm", *PRODUCT)
def _(m: int, n: int, k: int) -> Case:
    f, (a, sa) = training().triton_fp8_gemm_1x128_128x128, quantize(normal(m, k), 128, 448.0, f8)
    b, sb = normal(n, k).to(f8).T, uniform(n // 128, k // 128).T
    reference = lambda a, b, sa, sb: (a * spread(sa, 1, 128)) @ (b * spread(sb, 128, 128))
    return case(f, reference, a, b, sa.T.contiguous().T, sb)


def signed(rows: int, columns: int) -> torch.Tensor:
    return integers(255, rows, columns).sub(127).to(torch.int8)


@operator("torchao/scaled_int8_mm", *PRODUCT)
def _(m: int, n: int, k: int) -> Case:
    f = package("torchao.prototype.quantized_training.int8_mm").scaled_int8_mm
    inputs = signed(m, k), signed(n, k).T, uniform(m), uniform(n)
    return case(f, lambda a, b, sa, sb: (a.float() @ b.float()) * sa[:, None] * sb, *inputs, tolerance=1e-3)


@operator("torchao/bsr_dense_addmm", "128x128x64", "512x512x256", "4096x4096x4096")
def _(m: int, k: int, n: int) -> Case:
    f = package("torchao.kernel.bsr_triton_ops").bsr_dense_addmm
    kept = uniform(m // 64, k // 64) < 0.5
    sparse = normal(m, k) * spread(kept.float(), 64, 64).to(torch.bfloat16)
    bsr = sparse.to_sparse_bsr((64, 64))
    reference = lambda c, b: c + sparse.float() @ b
    return case(lambda c, b: f(c, bsr, b), reference, normal(m, n), normal(k, n))
