"""Kernels on the CPU: results, mistakes at their lines, agreement with Triton's interpreter."""

import inspect

import pytest

np = pytest.importorskip("numpy")
triton = pytest.importorskip("triton", exc_type=ImportError)
if not triton.__version__.startswith("3.9."):
    pytest.skip("for Triton 3.9", allow_module_level=True)

import triton.language as tl  # noqa: E402
from triton.experimental.gluon import language as gl  # noqa: E402
from triton.experimental.gluon.nvidia.hopper import TensorDescriptorIm2Col  # noqa: E402
from triton.tools.tensor_descriptor import TensorDescriptor  # noqa: E402

import linear_layout as ll  # noqa: E402
import specialized  # noqa: E402
import triton_kernels as kernels  # noqa: E402


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def floats(rng, *shape):
    return rng.standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "hip:gfx942", "hip:gfx1100"])
def test_rows_of_softmax(rng, target):
    x = floats(rng, 3, 100)
    out = np.zeros_like(x)
    ll.simulate(kernels.softmax, target=target)[(3,)](x, out, 100, 100, BLOCK=128)
    powers = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out, powers / powers.sum(1, keepdims=True), rtol=1e-6)


def test_a_grid_may_be_a_function_and_sizes_odd(rng):
    x, y = floats(rng, 2, 1000)
    out = np.zeros(1000, np.float32)
    report = ll.simulate(kernels.add)[lambda args: (triton.cdiv(args["n"], args["BLOCK"]),)](x, y, out, 1000, BLOCK=256)
    np.testing.assert_array_equal(out, x + y)
    assert report.data["blocks"] == 4 and report.bank_conflicts == 0
    # Where the mask's bound is no multiple of 4, each element is an access of its own.
    assert report.uncoalesced
    whole = ll.simulate(kernels.add)[(1,)](x, y, out, 992, BLOCK=1024)
    assert not whole.uncoalesced


def test_lines_are_those_of_the_python_file(rng):
    x = floats(rng, 32, 32)
    out = np.zeros_like(x)
    report = ll.simulate(kernels.transpose)[(1, 1)](x, out, 32, 32, B=32)
    np.testing.assert_array_equal(out, x.T)
    source, first = inspect.getsourcelines(kernels.transpose.fn)
    marked = {first + number for number, line in enumerate(source) if "tl.load" in line or "tl.store" in line}
    found = {int(line["location"].split(":")[1]) for line in report.lines if line["global_accesses"]}
    assert found <= marked and found


def test_products_of_a_pipelined_kernel(rng):
    a, b = floats(rng, 33, 40).astype(np.float16), floats(rng, 40, 35).astype(np.float16)
    c = np.zeros((33, 35), np.float32)
    ll.simulate(kernels.matmul)[(2, 2)](a, b, c, 33, 35, 40, BM=32, BN=32, BK=16)
    np.testing.assert_allclose(c, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-3, atol=1e-3)


def test_what_stands_around_a_kernel_is_looked_through(rng):
    x = floats(rng, 300)
    expected = x * 2.5
    ll.simulate(kernels.scale)[lambda args: (triton.cdiv(args["n"], args["BLOCK"]),)](x, 2.5, 300)
    np.testing.assert_array_equal(x, expected.astype(np.float32))


def test_gluon_runs_too(rng):
    x = floats(rng, 200)
    out = np.zeros_like(x)
    ll.simulate(kernels.gluon_copy)[(2,)](x, out, 200, BLOCK=128)
    np.testing.assert_array_equal(out, x)


def test_views_share_the_memory_behind_them(rng):
    memory = floats(rng, 400)
    expected = memory[100:200] + memory[200:300]
    ll.simulate(kernels.add)[(1,)](memory[100:], memory[200:], memory[300:], 100, BLOCK=128)
    np.testing.assert_array_equal(memory[300:], expected)


def test_what_is_read_only_stays(rng):
    x = floats(rng, 64)
    x.flags.writeable = False
    out = np.zeros_like(x)
    ll.simulate(kernels.add)[(1,)](x, x, out, 64, BLOCK=64)
    with pytest.raises(ValueError, match="the read-only array `out`"):
        out[:] = 0
        out.flags.writeable = False
        ll.simulate(kernels.add)[(1,)](x, x, out, 64, BLOCK=64)


FAULTS = {
    "missing_mask": "out-of-bounds",
    "missing_mask_of_a_store": "out-of-bounds",
    "wrong_stride": "out-of-bounds",
    "in_front": "out-of-bounds",
    "racing_threads": "race",
    "racing_programs": "race",
    "failing_assertion": "assertion",
    "divides_by_zero": "division",
    "uninitialised": "uninitialised",
    "value_of_no_load": "poison",
    "indirect": "out-of-bounds",
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_mistake_is_found_at_its_line(name):
    kernel = getattr(kernels, name)
    kind = np.int32 if name == "divides_by_zero" else np.float32
    x = (np.arange(200) % 100).astype(kind)
    out = np.zeros(200, kind)
    options = {"debug": True} if name == "failing_assertion" else {}
    n = 100 if name == "wrong_stride" else 200
    grid = (2,) if name in ("wrong_stride", "racing_programs") else (1,)
    block = 128 if name in ("wrong_stride", "racing_programs", "uninitialised") else 256
    if name == "racing_programs":
        x = np.zeros(256, kind)
    report = ll.simulate(kernel, on_fault="report")[grid](x, out, n, BLOCK=block, **options)
    source, first = inspect.getsourcelines(kernel.fn)
    (line,) = [first + number for number, text in enumerate(source) if "# fault" in text]
    assert report.fault is not None, report
    assert (report.fault.kind, report.fault.line) == (FAULTS[name], line), report.fault
    assert report.fault.file.endswith("triton_kernels.py")
    with pytest.raises(ll.SimulationError, match=FAULTS[name]):
        ll.simulate(kernel)[grid](x, out, n, BLOCK=block, **options)


def test_the_interpreter_agrees(rng):
    x, out = floats(rng, 4, 100), np.zeros((4, 100), np.float32)
    ll.check(kernels.softmax, (4,), [x, out, 100, 100], {"BLOCK": 128})
    ll.check(kernels.matmul, (1, 1), [*(floats(rng, 32, 32) for _ in range(3)), 32, 32, 32], {"BM": 32, "BN": 32, "BK": 32}, rtol=1e-2, atol=1e-2)
    numbers = rng.integers(0, 16, 100).astype(np.int32)
    ll.check(kernels.scan, (1,), [numbers, np.zeros(100, np.int32), 100], {"BLOCK": 128})
    # A number of floating point is a scalar of the kernel's, which has methods.
    ll.check(kernels.scaled, (1,), [x[0], out[0], 100, 0.1], {"BLOCK": 128})
    ll.check(kernels.scaled, (1,), [], {"x": x[0], "out": out[0], "n": 100, "scale": 0.1, "BLOCK": 128})


def test_what_cannot_be_simulated_is_said():
    with pytest.raises(TypeError, match="expected a function of `@triton.jit`"):
        ll.simulate(len)[(1,)](3)
    with pytest.raises(ValueError, match="on_fault='ignore'"):
        ll.simulate(kernels.add, on_fault="ignore")[(1,)](*[np.zeros(4, np.float32)] * 3, 4, BLOCK=4)
    with pytest.raises(ll.LayoutError, match="unknown target `cuda:9x`; the nearest is `cuda:90`"):
        ll.simulate(kernels.add, target="cuda:9x")
    with pytest.raises(KeyError, match="BLOK"):
        ll.simulate(kernels.add)[(1,)](*[np.zeros(4, np.float32)] * 3, 4, BLOCK=4, BLOK=4)


def test_a_grid_of_nothing_runs_nothing():
    assert ll.simulate(kernels.add)[(0,)](*[np.zeros(4, np.float32)] * 3, 4, BLOCK=4).data["blocks"] == 0


@triton.jit
def transpose(x, y, M: tl.constexpr, N: tl.constexpr):
    i, j = tl.arange(0, M), tl.arange(0, N)
    tile = tl.load(x + i[:, None] * N + j[None, :])
    tl.store(y + j[:, None] * M + i[None, :], tl.trans(tile))


@pytest.mark.parametrize("num_ctas", [1, 2, 4])
def test_programs_may_be_clusters(rng, num_ctas):
    x, y = floats(rng, 2, 1000)
    out = np.zeros(1000, np.float32)
    report = ll.simulate(kernels.add)[(2,)](x, y, out, 1000, BLOCK=512, num_ctas=num_ctas)
    np.testing.assert_array_equal(out, x + y)
    assert report.data["blocks"] == 2 * num_ctas
    tile = floats(rng, 64, 32)
    out = np.zeros((32, 64), np.float32)
    ll.simulate(transpose)[(1,)](tile, out, M=64, N=32, num_ctas=num_ctas)
    np.testing.assert_array_equal(out, tile.T)


@pytest.mark.parametrize("arrival, schedule", [("late", None), ("early", 1), (3, 2)])
def test_warps_may_run_different_code(rng, arrival, schedule):
    run = {"target": "cuda:90", "arrival": arrival, "schedule": schedule}
    x = floats(rng, 2, 7, 256)
    out = np.zeros_like(x)
    ll.simulate(specialized.hand_over, **run)[(2,)](x, out, 7, B=256, S=2, W=2)
    np.testing.assert_array_equal(out, 2 * x)
    m, n, k = 80, 48, 240
    a, b = ((rng.integers(-4, 5, shape) / 4).astype(np.float16) for shape in ((m, k), (k, n)))
    for kernel, tile in ((specialized.matmul, {"BM": 64, "S": 2}), (specialized.matmul_triton, {"BM": 128})):
        c = np.zeros((m, n), np.float16)
        ll.simulate(kernel, **run)[(2, 2)](a, b, c, m, n, k, BN=32, BK=32, **tile)
        np.testing.assert_array_equal(c, (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16))


class Tensor(np.ndarray):
    """An array with what Triton's descriptors take for a tensor."""

    def data_ptr(self):
        return self.__array_interface__["data"][0]

    def stride(self):
        return tuple(step // self.itemsize for step in self.strides)


def aligned(values):
    """Returns a copy at a multiple of 16 bytes."""
    room = np.empty(values.nbytes + 16, np.uint8)
    start = -room.__array_interface__["data"][0] % 16
    made = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape).view(Tensor)
    made[:] = values
    return made


@pytest.mark.parametrize("arrival", ["early", "late", 3])
def test_descriptors_of_the_host(rng, arrival):
    a, b = (aligned(floats(rng, *shape).astype(np.float16)) for shape in ((72, 160), (96, 160)))
    out = aligned(np.zeros((72, 96), np.float16))
    tiles = [TensorDescriptor.from_tensor(array, block) for array, block in ((a, [64, 64]), (b, [32, 64]), (out, [64, 32]))]
    ll.simulate(kernels.described_matmul, arrival=arrival)[(2, 3)](*tiles, 160, M=64, N=32, K=64, num_stages=3)
    exact = a.astype(np.float32) @ b.astype(np.float32).T
    np.testing.assert_allclose(out, exact, atol=2e-2)


def test_elements_outside_of_a_descriptor_may_be_nan(rng):
    a, b = (aligned(floats(rng, 64, columns).astype(np.float16)) for columns in (64, 72))
    out = aligned(np.zeros((64, 64), np.float16))
    described = TensorDescriptor.from_tensor(a, [64, 64])
    tiles = [described, TensorDescriptor.from_tensor(b, [64, 64]), TensorDescriptor.from_tensor(out, [64, 64])]
    for padding, is_padded in ("zero", False), ("nan", True):
        described.padding = padding
        ll.simulate(kernels.described_matmul)[(1, 1)](*tiles, 72, M=64, N=64, K=64, num_stages=2)
        assert np.isnan(out).all() == is_padded


@pytest.mark.parametrize("step, pad", [(1, 0), (1, 1), (2, 1), (3, 2)])
@pytest.mark.parametrize("padding", ["zero", "nan"])
def test_pixels_of_images_are_those_of_a_convolution(rng, step, pad, padding):
    count, height, width, channels, pixels, filter_size = 2, 7, 9, 32, 64, 3
    images = aligned(floats(rng, count, height, width, channels).astype(np.float16))
    layout = gl.NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16, rank=2)
    described = TensorDescriptorIm2Col(
        images, list(images.shape), list(images.stride()), [pixels, channels], layout,
        element_strides=[1, step, step, 1],
        pixel_box_lower_corner=[-pad, -pad], pixel_box_upper_corner=[pad + 1 - filter_size] * 2,
    )
    described.padding = padding
    outside = np.nan if padding == "nan" else 0
    padded = np.pad(images, ((0, 1), (pad, pad), (pad, pad), (0, 0)), constant_values=outside)
    padded[count:] = outside
    for r, s in [(0, 0), (1, 2), (2, 1)]:
        read = padded[:, r : r + padded.shape[1] - filter_size + 1 : step, s : s + padded.shape[2] - filter_size + 1 : step]
        expected = np.full((pixels, channels), outside, np.float16)
        flat = read[:count].reshape(-1, channels)[:pixels]
        expected[: len(flat)] = flat
        out = np.zeros((pixels, channels), np.float16)
        ll.simulate(kernels.image_pixels)[(1,)](described, out, 0, -pad, -pad, R=r, S=s)
        np.testing.assert_array_equal(out, expected)


def test_descriptors_that_cannot_be_simulated_are_named(rng):
    a = aligned(floats(rng, 64, 64).astype(np.float16))
    plain = TensorDescriptor.from_tensor(a, [64, 64])
    with pytest.raises(TypeError, match="a tensor descriptor, which requires the target `cuda:90` or later"):
        ll.simulate(kernels.described_matmul, target="cuda:80")[(1, 1)](plain, plain, plain, 64, M=64, N=64, K=64)


def test_numbers_may_be_infinite():
    out = np.zeros(1, np.float32)
    text = """module attributes {"ttg.num-warps" = 1 : i32, ttg.target = "cuda:90"} {
      tt.func public @set(%p: !tt.ptr<f32>, %v: f32) { tt.store %p, %v : !tt.ptr<f32>  tt.return }
    }"""
    for value in (float("inf"), float("-inf"), 1e-3):
        ll.simulation.run(text, [("p", "*fp32", out), ("v", "fp32", value)])
        assert out[0] == np.float32(value)
    ll.simulation.run(text, [("p", "*fp32", out), ("v", "fp32", float("nan"))])
    assert np.isnan(out[0])
