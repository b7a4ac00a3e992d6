"""Unsloth: gated activations, imported without its model patches."""

from __future__ import annotations

import functools
from typing import Any

import torch
import torch.nn.functional as F
import triton
from triton.language.extra import libdevice

from .case import Case, case, namespace, normal, operator, package, stub


@functools.cache
def prepare() -> None:
    def settings(n: int) -> tuple[int, int]:
        block = triton.next_power_of_2(n)
        return block, 32 if block >= 32768 else 16 if block >= 8192 else 8 if block >= 2048 else 4

    namespace("unsloth", "unsloth.kernels")
    stub("unsloth.kernels.utils", calculate_settings=settings, torch_gpu_device=torch.cuda.device, triton_tanh=libdevice.tanh)


def kernels(name: str) -> Any:
    prepare()
    return package(f"unsloth.kernels.{name}")


def gated(name: str, file: str, function: str, activation: Any) -> None:
    @operator(f"unsloth/{name}", "2x8x256", "4x256x1024", "4x2048x8192")
    def _(batch: int, length: int, dim: int) -> Case:
        f = getattr(kernels(file), function)
        return case(f, lambda e, g: activation(e) * g, normal(batch, length, dim), normal(batch, length, dim))


def tanh_gelu(x: torch.Tensor) -> torch.Tensor:
    return F.gelu(x, approximate="tanh")


gated("swiglu", "swiglu", "swiglu_fg_kernel", F.silu)
gated("geglu_exact", "geglu", "geglu_exact_forward_kernel", F.gelu)
gated("geglu_approx", "geglu", "geglu_approx_forward_kernel", tanh_gelu)


def gated_backward(name: str, file: str, function: str, activation: Any) -> None:
    @operator(f"unsloth/{name}_backward", "16x256", "1024x1024", "8192x8192")
    def _(rows: int, columns: int) -> Case:
        f = getattr(kernels(file), function)

        def reference(dw, e, g):
            e = e.detach().requires_grad_()
            y = activation(e)
            (de,) = torch.autograd.grad(y, e, dw * g)
            return (y * g).detach(), (dw * y).detach(), de

        return case(f, reference, *(normal(rows, columns) for _ in range(3)))


gated_backward("swiglu", "swiglu", "swiglu_DWf_DW_dfg_kernel", F.silu)
gated_backward("geglu_exact", "geglu", "geglu_exact_backward_kernel", F.gelu)
gated_backward("geglu_approx", "geglu", "geglu_approx_backward_kernel", tanh_gelu)
