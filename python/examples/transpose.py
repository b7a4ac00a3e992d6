"""A Gluon kernel on a machine without a GPU: its layouts, their conversions, and bank conflicts of two shared layouts."""

import numpy as np
from triton.experimental import gluon
from triton.experimental.gluon import language as gl

import linear_layout as ll

ROWS = gl.constexpr(gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0]))
COLUMNS = gl.constexpr(gl.BlockedLayout([4, 1], [8, 4], [1, 4], [0, 1]))


@gluon.jit
def transpose(x, out, SHARED: gl.constexpr):
    rows: gl.constexpr = ROWS
    columns: gl.constexpr = COLUMNS
    i = gl.arange(0, 32, gl.SliceLayout(1, rows))[:, None]
    j = gl.arange(0, 32, gl.SliceLayout(0, rows))[None, :]
    buffer = gl.allocate_shared_memory(gl.float32, [32, 32], SHARED)
    buffer.store(gl.load(x + i * 32 + j))
    values = buffer.load(columns)
    i = gl.arange(0, 32, gl.SliceLayout(1, columns))[:, None]
    j = gl.arange(0, 32, gl.SliceLayout(0, columns))[None, :]
    gl.store(out + j * 32 + i, values)


x = np.arange(1024, dtype=np.float32).reshape(32, 32)
for shared in [gl.SwizzledSharedLayout(1, 1, 1, [1, 0]), gl.SwizzledSharedLayout(1, 1, 32, [1, 0])]:
    out = np.empty_like(x)
    report = ll.simulate(transpose)[(1,)](x, out, shared)
    np.testing.assert_array_equal(out, x.T)
    advice = [line for line in str(report).splitlines() if "advice" in line]
    print("\n".join([f"maxPhase = {shared.max_phase}: {report.bank_conflicts} bank conflicts", *advice]))

# The layouts of the kernel without it, and the conversion between them.
rows, columns = (ll.Layout.from_gluon(layout, (32, 32)) for layout in (ROWS.value, COLUMNS.value))
print("register 1 of lane 9 of warp 2 holds element", rows.apply(register=1, lane=9, warp=2))
conversion = ll.convert(rows, columns, "f32", "cuda:90")
print(f"convert_layout: {conversion.kind}, {conversion.shared_bytes} bytes of shared memory, {conversion.bank_conflicts} conflicts")
