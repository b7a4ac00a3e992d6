"""bitsandbytes: its Triton backend for blockwise quantisation and 8-bit optimisers."""

from __future__ import annotations

import torch

from .case import Case, case, f16, f32, normal, operator, package, uniform


def four_bit(kind: str) -> None:
    @operator(f"bitsandbytes/quantize_{kind}", "16x256", "1024x1024", "8192x8192")
    def _(rows: int, columns: int) -> Case:
        ops = package("bitsandbytes.backends.triton.ops")

        def round_trip(x: torch.Tensor) -> torch.Tensor:
            packed, scales = ops.quantize_4bit(x, 64, kind, torch.uint8)
            return ops.dequantize_4bit(packed, scales, 64, kind, x.shape, x.dtype)

        return case(round_trip, lambda x: x, uniform(rows, columns, low=-1.0, dtype=f16), tolerance=0.18)


four_bit("nf4")
four_bit("fp4")


@operator("bitsandbytes/quantize_blockwise", "16x256", "1024x1024", "8192x8192")
def _(rows: int, columns: int) -> Case:
    ops, code = package("bitsandbytes.backends.triton.ops"), torch.linspace(-1, 1, 256, device=normal(1).device)

    def round_trip(x: torch.Tensor) -> torch.Tensor:
        values, scales = ops.quantize_blockwise(x, code, 256)
        return ops.dequantize_blockwise(values, scales, code, 256, x.dtype)

    return case(round_trip, lambda x: x, uniform(rows, columns, low=-1.0, dtype=f32), tolerance=1e-2)


@operator("bitsandbytes/adam_32bit", "3000", "1048576", "67108864")
def _(n: int) -> Case:
    f = package("bitsandbytes.backends.triton.ops").optimizer_update_32bit

    def call(g, p, m, v):
        f("adam", g, p, m, v, None, 0.0, 0.0, 0.9, 0.99, 0.0, 0.0, 1e-8, 0.0, 7, 0.01, 1.0)
        return p, m, v

    def reference(g, p, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        step = 0.01 * (1 - 0.99**7) ** 0.5 / (1 - 0.9**7)
        return p - step * m / (v.sqrt() + 1e-8 * (1 - 0.99**7) ** 0.5), m, v

    g, p, m = (normal(n, dtype=f32) for _ in range(3))
    return case(call, reference, g, p, m, uniform(n), tolerance=1e-4)
