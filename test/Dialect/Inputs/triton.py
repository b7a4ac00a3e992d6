"""Kernels with descriptors and scaled products, the sources of triton_*.ttgir."""
import triton, triton.language as tl
@triton.jit
def tma_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    i = tl.program_id(0) * BM
    j = tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        acc = tl.dot(da.load([i, k]), db.load([k, j]), acc)
    dc.store([i, j], acc.to(tl.float16))
@triton.jit
def scaled_matmul(a, sa, b, sb, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    m = tl.arange(0, BM)
    n = tl.arange(0, BN)
    k = tl.arange(0, BK)
    g = tl.arange(0, BK // 32)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, K, BK):
        x = tl.load(a + m[:, None] * K + i + k[None, :])
        y = tl.load(b + (i + k[:, None]) * BN + n[None, :])
        u = tl.load(sa + m[:, None] * (K // 32) + i // 32 + g[None, :])
        v = tl.load(sb + n[:, None] * (K // 32) + i // 32 + g[None, :])
        acc = tl.dot_scaled(x, u, "e4m3", y, v, "e5m2", acc)
    tl.store(c + m[:, None] * BN + n[None, :], acc)
