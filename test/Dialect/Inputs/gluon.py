"""Kernels in Gluon, the sources of gluon_*.ttgir."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import tma, mbarrier, fence_async_shared, warpgroup_mma, warpgroup_mma_wait
from triton.experimental.gluon.language.nvidia import blackwell as bw
from triton.experimental.gluon.language.amd import cdna4, gfx1250 as rdna

@gluon.jit
def hopper(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr, num_warps: gl.constexpr):
    la: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.float16)
    lb: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BK, BN], gl.float16)
    lc: gl.constexpr = gl.NVMMADistributedLayout([3, 0], [num_warps, 1], [16, BN, 16])
    da = tma.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK], la)
    db = tma.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN], lb)
    sa = gl.allocate_shared_memory(gl.float16, [2, BM, BK], la)
    sb = gl.allocate_shared_memory(gl.float16, [2, BK, BN], lb)
    bar = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bar.index(i), count=1)
    acc = gl.zeros((BM, BN), gl.float32, lc)
    phase = 0
    for k in range(0, K, BK):
        s = k // BK % 2
        mbarrier.expect(bar.index(s), da.block_type.nbytes + db.block_type.nbytes)
        tma.async_load(da, [0, k], bar.index(s), sa.index(s))
        tma.async_load(db, [k, 0], bar.index(s), sb.index(s))
        mbarrier.wait(bar.index(s), phase)
        acc = warpgroup_mma(sa.index(s), sb.index(s), acc, is_async=True)
        acc = warpgroup_mma_wait(0, deps=(acc,))
        phase = phase ^ (s == 1)
    for i in gl.static_range(2):
        mbarrier.invalidate(bar.index(i))
    r = gl.arange(0, BM, gl.SliceLayout(1, lc))
    q = gl.arange(0, BN, gl.SliceLayout(0, lc))
    gl.store(c + r[:, None] * N + q[None, :], acc.to(gl.float16))

@gluon.jit
def load_part(da, db, sa, sb, full, K, BK: gl.constexpr):
    mbarrier.expect(full, da.block_type.nbytes + db.block_type.nbytes)
    tma.async_load(da, [0, 0], full, sa)
    tma.async_load(db, [0, 0], full, sb)

@gluon.jit
def mma_part(sa, sb, acc, full, done):
    mbarrier.wait(full, 0)
    bw.tcgen05_mma(sa, sb, acc, use_acc=False)
    bw.tcgen05_commit(done)

@gluon.jit
def epilogue(c, N, acc, done, BM: gl.constexpr, BN: gl.constexpr):
    mbarrier.wait(done, 0)

    x = acc.load()
    lo: gl.constexpr = gl.BlockedLayout([1, 4], [1, 32], [4, 1], [1, 0])
    y = gl.convert_layout(x, lo)
    r = gl.arange(0, BM, gl.SliceLayout(1, lo))
    q = gl.arange(0, BN, gl.SliceLayout(0, lo))
    gl.store(c + r[:, None] * N + q[None, :], y.to(gl.float16))

@gluon.jit
def blackwell(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    la: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BM, BK], gl.float16)
    lb: gl.constexpr = gl.NVMMASharedLayout.get_default_for([BK, BN], gl.float16)
    lt: gl.constexpr = bw.TensorMemoryLayout([BM, BN], col_stride=1)
    da = tma.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK], la)
    db = tma.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN], lb)
    sa = gl.allocate_shared_memory(gl.float16, [BM, BK], la)
    sb = gl.allocate_shared_memory(gl.float16, [BK, BN], lb)
    acc = bw.allocate_tensor_memory(gl.float32, [BM, BN], lt)
    full = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    done = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(full, count=1)
    mbarrier.init(done, count=1)
    fence_async_shared()
    gl.warp_specialize([
        (epilogue, (c, N, acc, done, BM, BN)),
        (load_part, (da, db, sa, sb, full, K, BK)),
        (mma_part, (sa, sb, acc, full, done)),
    ], [1, 1], [24, 24])
    mbarrier.invalidate(full)
    mbarrier.invalidate(done)

@gluon.jit
def cdna(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    lm: gl.constexpr = gl.amd.AMDMFMALayout(4, [32, 32, 16], True, [2, 2])
    ld: gl.constexpr = gl.BlockedLayout([1, 8], [8, 8], [4, 1], [1, 0])
    lsh: gl.constexpr = gl.SwizzledSharedLayout(8, 1, 8, [1, 0])
    r = gl.arange(0, BM, gl.SliceLayout(1, ld))
    k = gl.arange(0, BK, gl.SliceLayout(0, ld))
    x = cdna4.buffer_load(a, r[:, None] * K + k[None, :])
    s = gl.allocate_shared_memory(gl.float16, [BM, BK], lsh, x)
    u = s.load(gl.DotOperandLayout(0, lm, 8))
    v = s.permute((1, 0)).load(gl.DotOperandLayout(1, lm, 8))
    acc = gl.zeros((BM, BM), gl.float32, lm)
    acc = cdna4.mfma(u, v, acc)
    rm = gl.arange(0, BM, gl.SliceLayout(1, lm))
    cm = gl.arange(0, BM, gl.SliceLayout(0, lm))
    cdna4.buffer_store(acc.to(gl.float16), c, rm[:, None] * N + cm[None, :], mask=(rm[:, None] < M) & (cm[None, :] < N))

@gluon.jit
def gfx12(a, b, c, M, N, K, BM: gl.constexpr, BN: gl.constexpr, BK: gl.constexpr):
    lsh: gl.constexpr = gl.PaddedSharedLayout.with_identity_for([[BK, 8]], [BM, BK], [1, 0])
    lm: gl.constexpr = gl.amd.AMDWMMALayout(3, True, [[0, 1], [1, 0]], [], [16, 16, 32])
    da = rdna.tdm.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK], lsh)
    s = gl.allocate_shared_memory(gl.float16, [BM, BK], lsh)
    rdna.tdm.async_load(da, [0, 0], s)
    rdna.tdm.async_wait(0)
    u = s.load(gl.DotOperandLayout(0, lm, 8))
    v = s.permute((1, 0)).load(gl.DotOperandLayout(1, lm, 8))
    acc = gl.zeros((BM, BM), gl.float32, lm)
    acc = rdna.wmma(u, v, acc)
    rm = gl.arange(0, BM, gl.SliceLayout(1, lm))
    cm = gl.arange(0, BM, gl.SliceLayout(0, lm))
    gl.store(c + rm[:, None] * N + cm[None, :], acc.to(gl.float16))
