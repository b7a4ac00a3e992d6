"""The package ``triton_kernels`` 0.1.0: kernels without wrappers, launched as its own programs launch them."""

from __future__ import annotations

import torch
import triton

from .case import Case, case, f16, f32, integers, load_file, normal, operator, rotate_half, rotate_pairs


@operator("triton_kernels/add_vectors2", "3000", "100000", "67108864")
def _(n: int) -> Case:
    kernel = load_file("triton_kernels", "add_vectors2.py").add_vectors

    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.empty_like(x)
        kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK_SIZE=512, BLOCK_SIZE2=512)
        return z

    return case(add, torch.add, normal(n, dtype=f32), normal(n, dtype=f32), tolerance=0)


def rotary(neox: bool) -> None:
    @operator(f"triton_kernels/rotary_embedding{'_neox' * neox}", "8x4x2x32", "128x8x2x64", "16384x32x8x128")
    def _(tokens: int, heads: int, kv_heads: int, dim: int) -> Case:
        kernel = load_file("triton_kernels", "rotary_embedding.py").rotary_embedding_kernel
        positions, angle = integers(2048, tokens), normal(2048, dim // 2, dtype=f32)
        table = torch.cat((angle.cos(), angle.sin()), -1).to(f16)

        def rotate(q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            strides = q.stride(0), k.stride(0), q.stride(1)
            flags = dict(IS_NEOX=neox, DO_KEY_ROPE=True, BLOCK_SIZE_ROT=256)
            kernel[(tokens,)](positions, q, k, table, *strides, heads, kv_heads, dim, dim, **flags)
            return q, k

        def reference(q: torch.Tensor, k: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            cos, sin = table[positions].float()[:, None].chunk(2, -1)
            f, tables = (rotate_half, [t.repeat(1, 1, 2) for t in (cos, sin)]) if neox else (rotate_pairs, [cos, sin])
            return f(q, *tables), f(k, *tables)

        return case(rotate, reference, normal(tokens, heads, dim, dtype=f16), normal(tokens, kv_heads, dim, dtype=f16))


rotary(True)
rotary(False)
