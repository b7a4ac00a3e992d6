"""Kernels of this project on the subjects of Triton's tutorials, and a few with scans, sorts and transposes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

from .case import DEVICE, Case, attention, case, distinct, f16, f32, leaf, normal, operator

# ------------------------------------------------------------------------------------------------ elementwise


@triton.jit
def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@operator("own/vector_add", "3000", "98432", "16777216", "134217728")
def _(n: int) -> Case:
    def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.empty_like(x)
        add_kernel[(triton.cdiv(n, 1024),)](x, y, z, n, BLOCK=1024)
        return z

    return case(add, torch.add, normal(n, dtype=f32), normal(n, dtype=f32), tolerance=0)


@triton.jit
def dropout_kernel(x, y, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    kept = tl.rand(seed, i) > p
    tl.store(y + i, tl.where(kept, tl.load(x + i, mask=i < n) / (1 - p), 0.0), mask=i < n)


def philox(seed: int, n: int) -> torch.Tensor:
    """Returns ``tl.rand(seed, i)`` for the first ``n`` numbers."""
    low, a, b = 0xFFFFFFFF, 0xD2511F53, 0xCD9E8D57
    c0 = torch.arange(n, device=DEVICE)
    c1, c2, c3, k0, k1 = *(torch.zeros_like(c0) for _ in range(3)), seed & low, seed >> 32
    for _ in range(10):
        c0, c1, c2, c3 = (b * c2 >> 32 & low) ^ c1 ^ k0, b * c2 & low, (a * c0 >> 32 & low) ^ c3 ^ k1, a * c0 & low
        k0, k1 = k0 + 0x9E3779B9 & low, k1 + 0xBB67AE85 & low
    return torch.where(c0 >= 1 << 31, low - c0, c0).float() * 4.6566127342e-10


@operator("own/dropout", "3000", "98432", "67108864")
def _(n: int) -> Case:
    def dropout(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        dropout_kernel[(triton.cdiv(n, 1024),)](x, y, n, 0.3, 123, BLOCK=1024)
        return y

    return case(dropout, lambda x: torch.where(philox(123, n) > 0.3, x / 0.7, 0.0), normal(n, dtype=f32), tolerance=1e-5)


@triton.jit
def transpose_kernel(x, y, m, n, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.program_id(1) * N + tl.arange(0, N)
    inside = (i[:, None] < m) & (j[None, :] < n)
    tile = tl.load(x + i[:, None] * n + j[None, :], mask=inside)
    tl.store(y + j[:, None] * m + i[None, :], tl.trans(tile), mask=tl.trans(inside))


@operator("own/transpose", "100x200", "1000x1000", "8192x8192")
def _(m: int, n: int) -> Case:
    def transpose(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty(n, m, device=x.device, dtype=x.dtype)
        transpose_kernel[(triton.cdiv(m, 64), triton.cdiv(n, 128))](x, y, m, n, M=64, N=128, num_warps=8)
        return y

    return case(transpose, lambda x: x.T.contiguous(), normal(m, n), tolerance=0)


# ------------------------------------------------------------------------------------------------ reductions


@triton.jit
def softmax_kernel(x, y, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    j = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * columns + j, mask=j < columns, other=float("-inf")).to(tl.float32)
        e = tl.exp(v - tl.max(v, 0))
        tl.store(y + row * columns + j, e / tl.sum(e, 0), mask=j < columns)


@operator("own/softmax", "20x300", "1823x781", "8192x4096", "4096x16384")
def _(rows: int, columns: int) -> Case:
    def softmax(x: torch.Tensor) -> torch.Tensor:
        y, block = torch.empty_like(x), triton.next_power_of_2(columns)
        softmax_kernel[(min(rows, 132 * 4),)](x, y, rows, columns, BLOCK=block, STAGES=2, num_warps=8)
        return y

    return case(softmax, lambda x: x.softmax(-1), normal(rows, columns))


@triton.jit
def columns_kernel(x, mean, deviation, rows, columns, M: tl.constexpr, N: tl.constexpr):
    j = tl.program_id(0) * N + tl.arange(0, N)
    total, squares = tl.zeros([M, N], tl.float32), tl.zeros([M, N], tl.float32)
    for start in range(0, rows, M):
        i = start + tl.arange(0, M)
        v = tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0).to(
            tl.float32
        )
        total += v
        squares += v * v
    average = tl.sum(total, 0) / rows
    tl.store(mean + j, average, mask=j < columns)
    tl.store(deviation + j, tl.sqrt(tl.sum(squares, 0) / rows - average * average), mask=j < columns)


@operator("own/column_statistics", "100x100", "1000x1000", "8192x8192")
def _(rows: int, columns: int) -> Case:
    def statistics(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        mean, deviation = (torch.empty(columns, device=x.device) for _ in range(2))
        columns_kernel[(triton.cdiv(columns, 64),)](x, mean, deviation, rows, columns, M=64, N=64, num_warps=8)
        return mean, deviation

    return case(statistics, lambda x: (x.mean(0), x.std(0, correction=0)), normal(rows, columns), tolerance=1e-3)


@triton.jit
def layer_norm_kernel(x, w, b, y, mean, inverse, columns, eps, BLOCK: tl.constexpr):
    row, j = tl.program_id(0), tl.arange(0, BLOCK)
    inside = j < columns
    v = tl.load(x + row * columns + j, mask=inside, other=0.0).to(tl.float32)
    average = tl.sum(v, 0) / columns
    centred = tl.where(inside, v - average, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + eps)
    tl.store(mean + row, average)
    tl.store(inverse + row, scale)
    weight, bias = tl.load(w + j, mask=inside).to(tl.float32), tl.load(b + j, mask=inside).to(tl.float32)
    tl.store(y + row * columns + j, centred * scale * weight + bias, mask=inside)


@triton.jit
def layer_norm_input_kernel(x, w, dy, dx, dw, db, mean, inverse, rows, columns, BLOCK: tl.constexpr):
    # Each program handles every num_programs-th row and writes one row of partial sums.
    j = tl.arange(0, BLOCK)
    inside = j < columns
    weight = tl.load(w + j, mask=inside, other=0.0).to(tl.float32)
    dw_sum, db_sum = tl.zeros([BLOCK], tl.float32), tl.zeros([BLOCK], tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        g = tl.load(dy + row * columns + j, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(inverse + row)
        h = (tl.load(x + row * columns + j, mask=inside, other=0.0).to(tl.float32) - tl.load(mean + row)) * scale
        h = tl.where(inside, h, 0.0)
        gw = g * weight
        out = (gw - h * (tl.sum(gw * h, 0) / columns) - tl.sum(gw, 0) / columns) * scale
        tl.store(dx + row * columns + j, out, mask=inside)
        dw_sum += g * h
        db_sum += g
    tl.store(dw + tl.program_id(0) * columns + j, dw_sum, mask=inside)
    tl.store(db + tl.program_id(0) * columns + j, db_sum, mask=inside)


@triton.jit
def sum_rows_kernel(x, y, rows, columns, M: tl.constexpr, N: tl.constexpr):
    j, total = tl.program_id(0) * N + tl.arange(0, N), tl.zeros([M, N], tl.float32)
    for start in range(0, rows, M):
        i = start + tl.arange(0, M)
        total += tl.load(x + i[:, None] * columns + j[None, :], mask=(i[:, None] < rows) & (j[None, :] < columns), other=0.0)
    tl.store(y + j, tl.sum(total, 0), mask=j < columns)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b):
        rows, columns = x.shape
        y, mean, inverse = torch.empty_like(x), *(torch.empty(rows, device=x.device) for _ in range(2))
        layer_norm_kernel[(rows,)](x, w, b, y, mean, inverse, columns, 1e-5, BLOCK=triton.next_power_of_2(columns), num_warps=8)
        ctx.save_for_backward(x, w, mean, inverse)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, mean, inverse = ctx.saved_tensors
        (rows, columns), programs = x.shape, min(len(x), 264)
        dx, dw, db = torch.empty_like(x), torch.empty_like(w), torch.empty_like(w)
        partial = torch.empty(2, programs, columns, device=x.device)
        block = triton.next_power_of_2(columns)
        layer_norm_input_kernel[(programs,)](x, w, dy, dx, *partial, mean, inverse, rows, columns, BLOCK=block, num_warps=8)
        for sums, out in zip(partial, (dw, db)):
            sum_rows_kernel[(triton.cdiv(columns, 32),)](sums, out, programs, columns, M=32, N=32)
        return dx, dw, db


@operator("own/layer_norm", "40x300", "1151x1000", "8192x4096")
def _(rows: int, columns: int) -> Case:
    reference = lambda x, w, b: F.layer_norm(x, (columns,), w, b)
    return case(LayerNorm.apply, reference, leaf(rows, columns), leaf(columns), leaf(columns))


# ------------------------------------------------------------------------------------------------ scans and sorts


@triton.jit
def compose(a0, b0, a1, b1):
    return a0 * a1, b0 * a1 + b1


@triton.jit
def recurrence_kernel(a, b, y, length, dim, T: tl.constexpr, D: tl.constexpr):
    # y[t] = a[t] y[t - 1] + b[t], a tile of T steps at a time.
    j, state = tl.program_id(1) * D + tl.arange(0, D), tl.zeros([D], tl.float32)
    base = tl.program_id(0) * length * dim
    for start in range(0, length, T):
        at = base + (start + tl.arange(0, T))[:, None] * dim + j[None, :]
        factor, value = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, compose)
        value += factor * state[None, :]
        tl.store(y + at, value)
        state = tl.sum(tl.where((tl.arange(0, T) == T - 1)[:, None], value, 0.0), 0)


@operator("own/linear_recurrence", "2x128x64", "2x256x256", "8x4096x2048")
def _(batch: int, length: int, dim: int) -> Case:
    def scan(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(b)
        recurrence_kernel[(batch, dim // 32)](a, b, y, length, dim, T=64, D=32, num_warps=4)
        return y

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        state, steps = torch.zeros_like(b[:, 0]), []
        for at, bt in zip(a.unbind(1), b.unbind(1)):
            state = at * state + bt
            steps.append(state)
        return torch.stack(steps, 1)

    decay = normal(batch, length, dim, dtype=f32).sigmoid()
    return case(scan, reference, decay, normal(batch, length, dim, dtype=f32), tolerance=1e-4)


@triton.jit
def sort_kernel(x, y, columns: tl.constexpr, ROWS: tl.constexpr):
    at = (tl.program_id(0) * ROWS + tl.arange(0, ROWS))[:, None] * columns + tl.arange(0, columns)[None, :]
    tl.store(y + at, tl.sort(tl.load(x + at), 1))


@operator("own/sort", "8x64", "256x128", "16384x1024")
def _(rows: int, columns: int) -> Case:
    def sort(x: torch.Tensor) -> torch.Tensor:
        y = torch.empty_like(x)
        sort_kernel[(rows // 4,)](x, y, columns, ROWS=4, num_warps=4)
        return y

    return case(sort, lambda x: x.sort(-1).values, normal(rows, columns, dtype=f32), tolerance=0)


@triton.jit
def argmax_kernel(x, values, indices, rows, columns, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, N)
    best, where = tl.full([M], float("-inf"), tl.float32), tl.zeros([M], tl.int32)
    for start in range(0, columns, N):
        inside = (i[:, None] < rows) & (start + j[None, :] < columns)
        v = tl.load(x + i[:, None] * columns + start + j[None, :], mask=inside, other=float("-inf"))
        top, at = tl.max(v, 1, return_indices=True)
        where = tl.where(top > best, start + at, where)
        best = tl.maximum(best, top)
    tl.store(values + i, best, mask=i < rows)
    tl.store(indices + i, where, mask=i < rows)


@operator("own/argmax", "40x600", "1000x1000", "8192x16384")
def _(rows: int, columns: int) -> Case:
    def argmax(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, indices = torch.empty(rows, device=x.device), torch.empty(rows, device=x.device, dtype=torch.int32)
        argmax_kernel[(triton.cdiv(rows, 16),)](x, values, indices, rows, columns, M=16, N=256, num_warps=4)
        return values, indices

    return case(argmax, lambda x: tuple(x.max(-1)), distinct(rows, columns), tolerance=0)


# ------------------------------------------------------------------------------------------------ products


@triton.jit
def tile_of(pid, m, n, M: tl.constexpr, N: tl.constexpr, GROUP: tl.constexpr):
    """Numbers the tiles of a matrix so that GROUP rows of tiles are finished one after the other."""
    tiles_m, tiles_n = tl.cdiv(m, M), tl.cdiv(n, N)
    group = pid // (GROUP * tiles_n)
    height = min(tiles_m - group * GROUP, GROUP)
    return group * GROUP + pid % height, pid % (GROUP * tiles_n) // height


@triton.autotune(
    [
        triton.Config({"M": 128, "N": 256, "K": 64, "GROUP": 8}, num_warps=8, num_stages=3),
        triton.Config({"M": 128, "N": 128, "K": 64, "GROUP": 8}, num_warps=8, num_stages=4),
        triton.Config({"M": 128, "N": 64, "K": 32, "GROUP": 8}, num_warps=4, num_stages=4),
        triton.Config({"M": 64, "N": 64, "K": 64, "GROUP": 8}, num_warps=4, num_stages=4),
        triton.Config({"M": 64, "N": 32, "K": 32, "GROUP": 8}, num_warps=2, num_stages=5),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def matmul_kernel(a, b, c, m, n, k, LEAKY: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    row, column = tile_of(tl.program_id(0), m, n, M, N, GROUP)
    i, j, e = row * M + tl.arange(0, M), column * N + tl.arange(0, N), tl.arange(0, K)
    a += (i % m)[:, None] * k + e[None, :]
    b += e[:, None] * n + (j % n)[None, :]
    total = tl.zeros([M, N], tl.float32)
    for start in range(0, k, K):
        left = tl.load(a, mask=e[None, :] < k - start, other=0.0)
        right = tl.load(b, mask=e[:, None] < k - start, other=0.0)
        total = tl.dot(left, right, total)
        a += K
        b += K * n
    if LEAKY:
        total = tl.where(total >= 0, total, 0.01 * total)
    tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty), mask=(i[:, None] < m) & (j[None, :] < n))


@operator("own/matmul", "100x200x150", "512x512x512", "2000x1000x3000", "4096x4096x4096")
def _(m: int, n: int, k: int) -> Case:
    def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(m, n, device=a.device, dtype=a.dtype)
        matmul_kernel[lambda meta: (triton.cdiv(m, meta["M"]) * triton.cdiv(n, meta["N"]),)](a, b, c, m, n, k, LEAKY=True)
        return c

    return case(matmul, lambda a, b: F.leaky_relu(a @ b), normal(m, k, dtype=f16), normal(k, n, dtype=f16))


@triton.jit
def grouped_kernel(a, b, c, starts, groups, n: tl.constexpr, k: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """Persistent products of the rows of each group with the group's own matrix."""
    tile, done = tl.program_id(0), 0
    for g in range(groups):
        first, last = tl.load(starts + g), tl.load(starts + g + 1)
        count = tl.cdiv(last - first, M) * tl.cdiv(n, N)
        while tile < done + count:
            at = tile - done
            i = first + at // tl.cdiv(n, N) * M + tl.arange(0, M)
            j, e = at % tl.cdiv(n, N) * N + tl.arange(0, N), tl.arange(0, K)
            total = tl.zeros([M, N], tl.float32)
            for start in range(0, k, K):
                left = tl.load(a + i[:, None] * k + (start + e)[None, :], mask=i[:, None] < last, other=0.0)
                right = tl.load(b + g * k * n + (start + e)[:, None] * n + j[None, :])
                total = tl.dot(left, right, total)
            tl.store(c + i[:, None] * n + j[None, :], total.to(c.dtype.element_ty), mask=i[:, None] < last)
            tile += tl.num_programs(0)
        done += count


@operator("own/grouped_matmul", "300x128x128x3", "1000x512x512x4", "16384x2048x2048x32")
def _(tokens: int, n: int, k: int, groups: int) -> Case:
    starts = [0, *sorted(torch.randint(0, tokens, (groups - 1,)).tolist()), tokens]
    offsets = torch.tensor(starts, device=DEVICE, dtype=torch.int32)

    def grouped(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(tokens, n, device=a.device, dtype=a.dtype)
        grouped_kernel[(132,)](a, b, c, offsets, groups, n, k, M=128, N=128, K=64, num_warps=8, num_stages=3)
        return c

    def reference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.cat([a[i:j] @ w for i, j, w in zip(starts, starts[1:], b)])

    return case(grouped, reference, normal(tokens, k), normal(groups, k, n))


@triton.jit
def persistent_kernel(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr):
    for tile in tl.range(tl.program_id(0), tl.cdiv(m, M) * tl.cdiv(n, N), tl.num_programs(0), flatten=False):
        row, column = tile_of(tile, m, n, M, N, GROUP)
        total = tl.zeros([M, N], tl.float32)
        for start in range(0, k, K):
            total = tl.dot(a.load([row * M, start]), b.load([column * N, start]).T, total)
        c.store([row * M, column * N], total.to(c.dtype))


@operator("own/persistent_matmul", "256x256x128", "512x512x512", "4096x4096x4096", "8192x8192x2048")
def _(m: int, n: int, k: int) -> Case:
    def matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        c = torch.empty(m, n, device=a.device, dtype=a.dtype)
        blocks = (a, [128, 64]), (b, [128, 64]), (c, [128, 128])
        descriptors = [TensorDescriptor.from_tensor(x, block) for x, block in blocks]
        persistent_kernel[(132,)](*descriptors, m, n, k, M=128, N=128, K=64, GROUP=8, num_warps=8, num_stages=4)
        return c

    return case(matmul, lambda a, b: a @ b.T, normal(m, k), normal(n, k))


# ------------------------------------------------------------------------------------------------ attention


@triton.jit
def attention_kernel(q, k, v, o, lse, length, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    block, head = tl.program_id(0), tl.program_id(1)
    i, j, d = block * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    base = head.to(tl.int64) * length * D
    queries = tl.load(q + base + i[:, None] * D + d[None, :])
    top, norm = tl.full([M], float("-inf"), tl.float32), tl.zeros([M], tl.float32)
    total = tl.zeros([M, D], tl.float32)
    for start in range(0, (block + 1) * M if CAUSAL else length, N):
        keys = tl.load(k + base + (start + j)[:, None] * D + d[None, :])
        s = tl.dot(queries, tl.trans(keys)) * (scale * 1.44269504)
        if CAUSAL:
            s = tl.where(i[:, None] >= start + j[None, :], s, float("-inf"))
        new = tl.maximum(top, tl.max(s, 1))
        p, shrink = tl.exp2(s - new[:, None]), tl.exp2(top - new)
        values = tl.load(v + base + (start + j)[:, None] * D + d[None, :])
        total = tl.dot(p.to(values.dtype), values, total * shrink[:, None])
        norm, top = norm * shrink + tl.sum(p, 1), new
    tl.store(o + base + i[:, None] * D + d[None, :], (total / norm[:, None]).to(o.dtype.element_ty))
    tl.store(lse + head * length + i, top + tl.log2(norm))


@triton.jit
def attention_delta_kernel(o, do, delta, D: tl.constexpr, M: tl.constexpr):
    i, d = tl.program_id(0) * M + tl.arange(0, M), tl.arange(0, D)
    at = i.to(tl.int64)[:, None] * D + d[None, :]
    tl.store(delta + i, tl.sum(tl.load(o + at).to(tl.float32) * tl.load(do + at).to(tl.float32), 1))


@triton.jit
def attention_keys_kernel(
    q, k, v, do, dk, dv, lse, delta, length, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr
):
    block, head = tl.program_id(0), tl.program_id(1)
    i, j, d = tl.arange(0, M), block * N + tl.arange(0, N), tl.arange(0, D)
    base = head.to(tl.int64) * length * D
    at = base + j[:, None] * D + d[None, :]
    keys, values = tl.load(k + at), tl.load(v + at)
    dk_sum, dv_sum = tl.zeros([N, D], tl.float32), tl.zeros([N, D], tl.float32)
    for start in range(block * N // M * M if CAUSAL else 0, length, M):
        rows = start + i
        queries = tl.load(q + base + rows[:, None] * D + d[None, :])
        grads = tl.load(do + base + rows[:, None] * D + d[None, :])
        s = tl.dot(keys, tl.trans(queries)) * (scale * 1.44269504)
        p = tl.exp2(s - tl.load(lse + head * length + rows)[None, :])
        if CAUSAL:
            p = tl.where(rows[None, :] >= j[:, None], p, 0.0)
        dv_sum = tl.dot(p.to(grads.dtype), grads, dv_sum)
        dp = tl.dot(values, tl.trans(grads))
        ds = p * (dp - tl.load(delta + head * length + rows)[None, :])
        dk_sum = tl.dot(ds.to(queries.dtype), queries, dk_sum)
    tl.store(dk + at, (dk_sum * scale).to(dk.dtype.element_ty))
    tl.store(dv + at, dv_sum.to(dv.dtype.element_ty))


@triton.jit
def attention_queries_kernel(
    q, k, v, do, dq, lse, delta, length, scale, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr
):
    block, head = tl.program_id(0), tl.program_id(1)
    i, j, d = block * M + tl.arange(0, M), tl.arange(0, N), tl.arange(0, D)
    base = head.to(tl.int64) * length * D
    at = base + i[:, None] * D + d[None, :]
    queries, grads = tl.load(q + at), tl.load(do + at)
    top, shift = tl.load(lse + head * length + i), tl.load(delta + head * length + i)
    total = tl.zeros([M, D], tl.float32)
    for start in range(0, (block + 1) * M if CAUSAL else length, N):
        keys = tl.load(k + base + (start + j)[:, None] * D + d[None, :])
        values = tl.load(v + base + (start + j)[:, None] * D + d[None, :])
        p = tl.exp2(tl.dot(queries, tl.trans(keys)) * (scale * 1.44269504) - top[:, None])
        if CAUSAL:
            p = tl.where(i[:, None] >= start + j[None, :], p, 0.0)
        ds = p * (tl.dot(grads, tl.trans(values)) - shift[:, None])
        total = tl.dot(ds.to(keys.dtype), keys, total)
    tl.store(dq + at, (total * scale).to(dq.dtype.element_ty))


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal):
        batch, heads, length, dim = q.shape
        o, lse = torch.empty_like(q), torch.empty(batch, heads, length, device=q.device)
        sizes = dict(D=dim, M=128, N=64, CAUSAL=causal, num_warps=8 if dim > 64 else 4, num_stages=3)
        attention_kernel[(length // 128, batch * heads)](q, k, v, o, lse, length, dim**-0.5, **sizes)
        ctx.save_for_backward(q, k, v, o, lse)
        ctx.causal = causal
        return o

    @staticmethod
    def backward(ctx, do):
        q, k, v, o, lse = ctx.saved_tensors
        batch, heads, length, dim = q.shape
        do, (dq, dk, dv), delta = do.contiguous(), map(torch.empty_like, (q, k, v)), torch.empty_like(lse)
        attention_delta_kernel[(lse.numel() // 128,)](o, do, delta, D=dim, M=128)
        rest, sizes = (lse, delta, length, dim**-0.5), dict(D=dim, CAUSAL=ctx.causal, num_warps=8, num_stages=2)
        attention_keys_kernel[(length // 128, batch * heads)](q, k, v, do, dk, dv, *rest, M=64, N=128, **sizes)
        attention_queries_kernel[(length // 128, batch * heads)](q, k, v, do, dq, *rest, M=128, N=64, **sizes)
        return dq, dk, dv, None


@operator("own/attention", "1x2x256x64", "1x4x512x64", "4x16x2048x64", "2x16x4096x128")
def _(batch: int, heads: int, length: int, dim: int) -> Case:
    inputs = [leaf(batch, heads, length, dim, dtype=f16) for _ in range(3)]
    return case(lambda q, k, v: Attention.apply(q, k, v, False), attention, *inputs)


@operator("own/attention_causal", "1x2x256x64", "1x4x512x64", "4x16x2048x64", "2x16x4096x128")
def _(batch: int, heads: int, length: int, dim: int) -> Case:
    inputs = [leaf(batch, heads, length, dim, dtype=f16) for _ in range(3)]
    return case(lambda q, k, v: Attention.apply(q, k, v, True), lambda *x: attention(*x, causal=True), *inputs)
