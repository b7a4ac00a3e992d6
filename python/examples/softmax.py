"""A kernel of Triton's on a machine without a GPU: run on the CPU, compiled for an H100, and what became of it."""

import numpy as np
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import linear_layout as ll


@triton.jit
def softmax(x, out, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.program_id(0) * columns
    values = tl.load(x + row + i, mask=i < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + i, powers / tl.sum(powers, 0), mask=i < columns)


# On the CPU, lane by lane.
x = np.random.default_rng(0).standard_normal((5, 1000), np.float32)
out = np.empty_like(x)
print(ll.simulate(softmax)[(5,)](x, out, 1000, BLOCK=1024))
np.testing.assert_allclose(out.sum(1), 1, rtol=1e-5)

# A mistake is found at its line: the grid has a program too many.
try:
    ll.simulate(softmax)[(6,)](x, out, 1000, BLOCK=1024)
except ll.SimulationError as error:
    print(error.fault.kind, "at line", error.fault.line)

# From here on this compiler compiles Triton's kernels where it can.
ll.triton.install()
signature = {"x": "*fp32", "out": "*fp32", "columns": "i32", "BLOCK": "constexpr"}
kernel = triton.compile(ASTSource(softmax, signature, {"BLOCK": 1024}), target=GPUTarget("cuda", 90, 32))
print(kernel.metadata.linear_layout, kernel.metadata.shared, "bytes of shared memory")
print(ll.triton.report())
