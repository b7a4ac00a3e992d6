"""Kernels of Triton's and Gluon's for the tests: right ones, and some with a mistake at the line that says so."""

import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia import hopper


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + i, powers / tl.sum(powers, 0), mask=i < columns)


@triton.jit
def scaled(x, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n).to(tl.float32) * scale.to(tl.float32)
    tl.store(out + i, values, mask=i < n)


@triton.jit
def transpose(x, out, rows, columns, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    j = tl.program_id(1) * B + tl.arange(0, B)
    inside = (i[:, None] < rows) & (j[None, :] < columns)
    values = tl.load(x + i[:, None] * columns + j[None, :], mask=inside)
    tl.store(out + j[:, None] * rows + i[None, :], tl.trans(values), mask=tl.trans(inside))


@triton.jit
def matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i = tl.program_id(0) * BM + tl.arange(0, BM)
    j = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a + i[:, None] * K + (start + k)[None, :], mask=(i[:, None] < M) & ((start + k)[None, :] < K), other=0.0)
        right = tl.load(b + (start + k)[:, None] * N + j[None, :], mask=((start + k)[:, None] < K) & (j[None, :] < N), other=0.0)
        total = tl.dot(left, right, total)
    tl.store(c + i[:, None] * N + j[None, :], total, mask=(i[:, None] < M) & (j[None, :] < N))


@triton.autotune([triton.Config({"BLOCK": 128}, num_warps=2), triton.Config({"BLOCK": 256})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def scale(x, factor, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x + i, tl.load(x + i) * factor)
    else:
        tl.store(x + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=0)
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(values, BINS))


@triton.jit
def scan(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=i < n, other=0), 0), mask=i < n)


@gluon.jit
def gluon_copy(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout)
    gl.store(out + i, gl.load(x + i, mask=i < n), mask=i < n)


# --- mistakes, each at the line that is marked ---


@triton.jit
def missing_mask(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i)  # fault
    tl.store(out + i, values, mask=i < n)


@triton.jit
def missing_mask_of_a_store(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, values)  # fault


@triton.jit
def wrong_stride(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0)
    values = tl.load(x + row * (n + 1) + i, mask=i < n)  # fault
    tl.store(out + row * n + i, values, mask=i < n)


@triton.jit
def in_front(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i - 1, mask=i < n)  # fault
    tl.store(out + i, values, mask=i < n)


@triton.jit
def racing_threads(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n)
    tl.store(out + i // 2, values, mask=i < n)  # fault


@triton.jit
def racing_programs(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.sum(tl.load(x + tl.program_id(0) * BLOCK + i), 0)
    tl.store(out, tl.load(out) + total)  # fault


@triton.jit
def failing_assertion(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=-1)
    tl.device_assert(values < 0, "only negative numbers")  # fault
    tl.store(out + i, values, mask=i < n)


@triton.jit
def divides_by_zero(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n, other=1)
    quotients = n // values  # fault
    tl.store(out + i, quotients, mask=i < n)


@gluon.jit
def uninitialised(x, out, n, BLOCK: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    shared: gl.constexpr = gl.SwizzledSharedLayout(1, 1, 1, [0])
    i = gl.arange(0, BLOCK, layout)
    buffer = gl.allocate_shared_memory(gl.float32, [BLOCK], shared)
    values = buffer.load(layout)  # fault
    gl.store(out + i, values, mask=i < n)


@triton.jit
def value_of_no_load(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    values = tl.load(x + i, mask=i < n)  # fault
    tl.store(out, tl.sum(values, 0))


@triton.jit
def indirect(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    index = tl.load(x + i, mask=i < n, other=0).to(tl.int32)
    values = tl.load(x + index * n)  # fault
    tl.store(out + i, values, mask=i < n)


@triton.jit
def row_sums(x, out, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tl.store(out + i, tl.sum(tl.load(x + i[:, None] * N + j[None, :]), 1))


@triton.jit
def scale_columns(x, out, scales, stride: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    """Columns over their largest value, transposed, and the scales of the columns, which take a division of f64."""
    rows, columns = tl.arange(0, ROWS), tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    values = tl.load(x + rows[:, None] * stride + columns[None, :])
    scale = (448.0 / tl.max(tl.abs(values), 0).to(tl.float64)).to(tl.float32)
    tl.store(out + columns[:, None] * ROWS + rows[None, :], (values * scale[None, :]).trans(1, 0))
    tl.store(scales + columns, 1.0 / scale)


@triton.jit
def described_matmul(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """A product of tiles that descriptors of the host copy: rows of `a` by rows of `b`."""
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for step in range(0, k, K):
        total = tl.dot(a.load([row, step]), b.load([column, step]).T, total)
    c.store([row, column], total.to(tl.float16))


@gluon.jit
def image_pixels(images, out, n, y, x, R: gl.constexpr, S: gl.constexpr):
    """Copies pixels from (n, y, x) on, each at the offset (R, S), in the order of the descriptor."""
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    buffer = gl.allocate_shared_memory(images.dtype, images.block_shape, images.layout)
    arrived = hopper.mbarrier.allocate_mbarrier()
    hopper.mbarrier.init(arrived, count=1)
    hopper.mbarrier.expect(arrived, images.nbytes_per_cta)
    hopper.tma.async_load_im2col(images, [n, y, x, 0], [R, S], arrived, buffer)
    hopper.mbarrier.wait(arrived, 0)
    hopper.mbarrier.invalidate(arrived)
    values = buffer.load(layout)
    pixels = gl.arange(0, images.block_shape[0], gl.SliceLayout(1, layout))
    channels = gl.arange(0, images.block_shape[1], gl.SliceLayout(0, layout))
    gl.store(out + pixels[:, None] * images.block_shape[1] + channels[None, :], values)


@triton.jit
def _compose(first_factor, first_value, factor, value):
    return first_factor * factor, factor * first_value + value


@triton.jit
def recurrence(a, b, y, length, dim, T: tl.constexpr, D: tl.constexpr):
    # y[t] = a[t] y[t - 1] + b[t], a tile of T steps at a time.
    j, state = tl.program_id(1) * D + tl.arange(0, D), tl.zeros([D], tl.float32)
    base = tl.program_id(0) * length * dim
    for start in range(0, length, T):
        at = base + (start + tl.arange(0, T))[:, None] * dim + j[None, :]
        factor, value = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, _compose)
        value += factor * state[None, :]
        tl.store(y + at, value)
        state = tl.sum(tl.where((tl.arange(0, T) == T - 1)[:, None], value, 0.0), 0)
