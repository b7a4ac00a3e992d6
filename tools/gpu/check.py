"""Runs the sm_90 kernels on an NVIDIA GPU and compares the results with NumPy.

    ll-opt --convert-layouts-to-llvm K.ttgir | ll-translate --emit=ptx -o DIR/K.ptx     (for each kernel)
    python3 tools/gpu/check.py DIR

The program needs cupy, and exits with 1 if a result is wrong. Conversion kernels in DIR are also timed, in
cycles of one SM per conversion: `lat` with one CTA per SM, and `thr` with four CTAs per SM.
"""
import pathlib
import sys

import cupy as cp
import numpy as np

THREADS = 128


def load(folder, name, entry=None):
    path = folder / f"{name}.ptx"
    if not path.exists():
        return None
    kernel = cp.RawModule(path=str(path)).get_function(entry or name)
    return kernel


def vector_add(kernel):
    for n in (0, 1, 1000, 1024, 100_003):
        x, y = (cp.random.rand(max(n, 1), dtype=cp.float32) for _ in range(2))
        out = cp.full(max(n, 1), 7, cp.float32)
        kernel((max(1, -(-n // 1024)),), (THREADS,), (x, y, out, np.int32(n)))
        yield n, cp.array_equal(out[:n], (x + y)[:n])


def outer_scale(kernel):
    for rows, cols in ((64, 64), (640, 80)):
        x = cp.random.rand(rows, cols, dtype=cp.float32)
        s = cp.random.rand(rows, dtype=cp.float32)
        out = cp.full((rows, cols), 7, cp.float32)
        kernel((rows // 64,), (THREADS,), (x, s, out, np.int32(cols)))
        expected = x[:, :64] * s[:, None] * s[None, :64]
        yield (rows, cols), cp.array_equal(out[:, :64], expected)


def transpose(kernel):
    for rows, cols in ((64, 128), (112, 144), (16, 16), (1024, 2048)):
        x = cp.random.rand(rows, cols, dtype=cp.float32).astype(cp.float16)
        out = cp.full((cols, rows), 7, cp.float16)
        grid = (-(-rows // 64) + 1, -(-cols // 128) + 1)
        kernel(grid, (THREADS,), (x, out, np.int32(rows), np.int32(cols)), shared_mem=16384)
        yield (rows, cols), cp.array_equal(out, x.T)


def row_softmax(kernel):
    stride = 2048
    for rows, cols in ((77, 16), (77, 1008), (528, stride)):
        x = cp.random.rand(rows, stride, dtype=cp.float32) * 8 - 4
        out = cp.full((rows, stride), 7, cp.float32)
        args = (x, out, np.int32(cols), np.int32(stride))
        kernel((rows,), (THREADS,), args, shared_mem=4096)
        expected = cp.exp(x[:, :cols] - x[:, :cols].max(1, keepdims=True))
        expected /= expected.sum(1, keepdims=True)
        kept = (out[:, cols:] == 7).all()
        yield (rows, cols), kept and cp.allclose(out[:, :cols], expected, rtol=1e-5)


def column_sum(kernel):
    for rows, cols in ((64, 64), (48, 80), (1024, 4096)):
        x = cp.random.rand(rows, cols, dtype=cp.float32).astype(cp.float16)
        out = cp.full(cols, 7, cp.float32)
        args = (x, out, np.int32(rows), np.int32(cols))
        kernel((-(-cols // 64),), (THREADS,), args, shared_mem=8192)
        yield (rows, cols), cp.allclose(out, x.astype(cp.float32).sum(0), rtol=1e-4)


def interleave(kernel):
    n = 512 * 33
    x, y = (cp.random.rand(n, dtype=cp.float32).astype(cp.float16) for _ in range(2))
    out = cp.full(2 * n, 7, cp.float16)
    kernel((33,), (THREADS,), (x, y, out, np.int32(n)))
    yield n, cp.array_equal(out, cp.stack((x, y), -1).ravel())


# Name of the kernel, element type, and number of elements of the tile.
CONVERSIONS = (
    ("transpose_f32_64x64", cp.float32, 64 * 64),
    ("vec_change_f16_128x64", cp.float16, 128 * 64),
    ("intra_warp_f32_64x32", cp.float32, 64 * 32),
    ("swap_lane_reg_f32", cp.float32, 32 * 32),
    ("blocked_to_dot0_f16_64x64", cp.float16, 64 * 64),
    ("mma2_to_blocked_f16_128x64", cp.float16, 128 * 64),
    ("mma3_to_blocked_f32_64x64", cp.float32, 64 * 64),
)


def convert(kernel, dtype, elements, shared):
    kernel.max_dynamic_shared_size_bytes = shared
    sms = cp.cuda.Device().attributes["MultiProcessorCount"]
    clock_khz = 1_980_000
    zero = np.asarray(0, dtype)
    figures = []
    for per_sm in (1, 4):
        ctas = sms * per_sm
        src = cp.random.rand(ctas * elements, dtype=cp.float32).astype(dtype)
        dst = cp.zeros_like(src)
        turns = 20_000

        def run(n):
            kernel((ctas,), (THREADS,), (src, dst, zero, np.int32(n)), shared_mem=shared)

        run(3)
        if not cp.array_equal(src, dst):
            return False, figures
        best = min(timed(run, turns) for _ in range(5))
        figures.append(best * clock_khz / (2 * turns) / per_sm)
    return True, figures


def timed(run, n):
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    run(n)
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end)


def main():
    folder = pathlib.Path(sys.argv[1])
    failed = False
    for case in (vector_add, outer_scale, transpose, interleave, row_softmax, column_sum):
        kernel = load(folder, case.__name__)
        if kernel is None:
            continue
        for size, good in case(kernel):
            print(f"{case.__name__} {size}: {'right' if good else 'WRONG'}")
            failed |= not bool(good)
    for name, dtype, elements in CONVERSIONS:
        kernel = load(folder, name, "k")
        if kernel is None:
            continue
        shared = 2 * elements * np.dtype(dtype).itemsize
        good, figures = convert(kernel, dtype, elements, shared)
        text = " ".join(f"{label} {value:.0f}" for label, value in zip(("lat", "thr"), figures))
        print(f"{name}: {'right' if good else 'WRONG'} {text}")
        failed |= not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
