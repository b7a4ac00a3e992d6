"""Kernels with warp specialisation, the sources of `specialized/`."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import (
    fence_async_shared, mbarrier, tma, warpgroup_mma, warpgroup_mma_wait)
import triton, triton.language as tl


@gluon.jit
def init_stages(full, empty, S: gl.constexpr):
    for s in gl.static_range(S):
        mbarrier.init(full.index(s), count=1)
        mbarrier.init(empty.index(s), count=1)

@gluon.jit
def end_stages(full, empty, S: gl.constexpr):
    for s in gl.static_range(S):
        mbarrier.invalidate(full.index(s))
        mbarrier.invalidate(empty.index(s))

# Two groups of warps hand rotating buffers to each other, without asynchronous copies.

@gluon.jit
def put(x, buffers, full, empty, n, B: gl.constexpr, S: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    i = gl.arange(0, B, layout)
    for t in range(0, n):
        mbarrier.wait(empty.index(t % S), ((t // S) & 1) ^ 1)
        v = gl.load(x + t * B + i)
        buffers.index(t % S).store(v + v)
        mbarrier.arrive(full.index(t % S), count=1)

@gluon.jit
def get(out, buffers, full, empty, n, B: gl.constexpr, S: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    i = gl.arange(0, B, layout)
    for t in range(0, n):
        mbarrier.wait(full.index(t % S), (t // S) & 1)
        v = buffers.index(t % S).load(layout)
        mbarrier.arrive(empty.index(t % S), count=1)
        gl.store(out + t * B + i, v)

@gluon.jit
def hand_over(x, out, n, B: gl.constexpr, S: gl.constexpr, W: gl.constexpr):
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    buffers = gl.allocate_shared_memory(gl.float32, [S, B], shared)
    full = gl.allocate_shared_memory(gl.int64, [S, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [S, 1], mbarrier.MBarrierLayout())
    init_stages(full, empty, S)
    first = gl.program_id(0) * n * B
    gl.warp_specialize([(get, (out + first, buffers, full, empty, n, B, S)),
                        (put, (x + first, buffers, full, empty, n, B, S))], [W])
    end_stages(full, empty, S)

# Partitions in a loop, with captured values that change and with results; and a second operation.

@gluon.jit
def left(x, buffer, bar, t, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    v = gl.load(x + t * B + gl.arange(0, B, layout))
    mbarrier.wait(bar, t & 1)
    return v + buffer.load(layout)

@gluon.jit
def right(y, scale, buffer, bar, t, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    buffer.store(gl.load(y + t * B + gl.arange(0, B, layout)) * scale)
    mbarrier.arrive(bar, count=1)

@gluon.jit
def fill(out, t, value: gl.constexpr, B: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    gl.store(out + t * B + gl.arange(0, B, layout), gl.full([B], value, gl.float32, layout))

@gluon.jit
def rounds(x, y, out, n, B: gl.constexpr):
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [gl.num_warps()], [0])
    buffer = gl.allocate_shared_memory(gl.float32, [B], shared)
    bar = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(bar, count=1)
    i = gl.arange(0, B, layout)
    scale = 1.0
    for t in range(0, n):
        v = gl.warp_specialize([(left, (x, buffer, bar, t, B)), (right, (y, scale, buffer, bar, t, B))], [2])
        gl.store(out + t * B + i, v)
        scale = scale * 0.5
    mbarrier.invalidate(bar)
    gl.warp_specialize([(fill, (out, n, 7.0, B)), (fill, (out, n + 1, 9.0, B)), (fill, (out, n + 2, 11.0, B))],
                       [1, 4])

# One warp loads tiles by TMA, four warps multiply them.

@gluon.jit
def load_tiles(da, db, a, b, full, empty, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, S: gl.constexpr):
    for k in range(0, K, BK):
        t = k // BK
        mbarrier.wait(empty.index(t % S), ((t // S) & 1) ^ 1)
        mbarrier.expect(full.index(t % S), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_load(da, [gl.program_id(0) * BM, k], full.index(t % S), a.index(t % S))
        tma.async_load(db, [k, gl.program_id(1) * BN], full.index(t % S), b.index(t % S))

@gluon.jit
def multiply(c, M, N, K, a, b, full, empty, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, S: gl.constexpr):
    layout: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [gl.num_warps(), 1], [16, BN, 16])
    acc = gl.zeros((BM, BN), gl.float32, layout)
    for k in range(0, K, BK):
        t = k // BK
        mbarrier.wait(full.index(t % S), (t // S) & 1)
        acc = warpgroup_mma(a.index(t % S), b.index(t % S), acc, is_async=True)
        acc = warpgroup_mma_wait(0, deps=(acc,))
        mbarrier.arrive(empty.index(t % S), count=1)
    m = gl.program_id(0) * BM + gl.arange(0, BM, gl.SliceLayout(1, layout))
    n = gl.program_id(1) * BN + gl.arange(0, BN, gl.SliceLayout(0, layout))
    gl.store(c + m[:, None] * N + n[None, :], acc.to(gl.float16), mask=(m[:, None] < M) & (n[None, :] < N))

@gluon.jit
def matmul(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, S: gl.constexpr):
    of_a: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.float16)
    of_b: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BK, BN], gl.float16)
    da = tma.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK], of_a)
    db = tma.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN], of_b)
    tiles_a = gl.allocate_shared_memory(gl.float16, [S, BM, BK], of_a)
    tiles_b = gl.allocate_shared_memory(gl.float16, [S, BK, BN], of_b)
    full = gl.allocate_shared_memory(gl.int64, [S, 1], mbarrier.MBarrierLayout())
    empty = gl.allocate_shared_memory(gl.int64, [S, 1], mbarrier.MBarrierLayout())
    init_stages(full, empty, S)
    fence_async_shared()
    gl.warp_specialize([(multiply, (c, M, N, K, tiles_a, tiles_b, full, empty, BM, BN, BK, S)),
                        (load_tiles, (da, db, tiles_a, tiles_b, full, empty, K, BM, BN, BK, S))], [1], [24])
    end_stages(full, empty, S)

# Specialised by Triton: four warps load tiles, two partitions of four warps multiply them.

@triton.jit
def matmul_triton(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    db = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    dc = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, warp_specialize=True):
        acc = tl.dot(da.load([i, k]), db.load([k, j]), acc)
    dc.store([i, j], acc.to(tl.float16))
