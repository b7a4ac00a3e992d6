"""Layouts as Python objects: equality, hashes, pickles, representations, what is imported when."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linear_layout as ll

BLOCKED = "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>"
OBJECTS: list[Any] = [
    ll.Layout(BLOCKED, [32, 16]),
    ll.Layout("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 128]}>", [8, 128]),
    ll.Layout('#cute.layout<"((4,8),(2,2)):((32,1),(16,8))">', [16, 8]),
    ll.Layout("local(2, 1).spatial(8, 4)"),
    ll.Layout("Sw<2,0,3> o 0 o (8,8):(8,1)"),
    ll.Layout.from_bases({"lane": [[2]], "other": []}, {"dim0": 4}, surjective=False),
    ll.Layout.from_bases({}, {}),
    ll.Target("sm_90"),
    ll.cute.Layout("(4,(2,3)):(6,(3,-1))"),
    ll.cute.Swizzle(2, 0, -3),
    ll.cute.ComposedLayout("Sw<2,0,3> o 5 o (8,8):(8,1)"),
    ll.tilus.local(2, 1).spatial(3, 4) * ll.tilus.replicated(2, 2, threads=3),
    ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2),
]


@pytest.mark.parametrize("value", OBJECTS, ids=str)
def test_values(value: Any) -> None:
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert type(again) is type(value) and again == value and hash(again) == hash(value)
    assert getattr(again, "encoding", None) == getattr(value, "encoding", None)
    assert copy.copy(value) == copy.deepcopy(value) == value
    assert value != 5 and not value == "x" and value is not None
    with pytest.raises(AttributeError):
        value.shape = 5
    assert len({value, again}) == 1


@pytest.mark.parametrize("value", OBJECTS, ids=str)
def test_representations_are_expressions(value: Any) -> None:
    is_cute = type(value).__module__ == "linear_layout.cute"
    names = {**vars(ll), **vars(ll.cute)} if is_cute else {**vars(ll.tilus), **vars(ll)}
    text = repr(value).replace("Swizzle(base=", "(").replace("bits=", "").replace("shift=", "")
    assert eval(text, names) == value


def test_layouts_are_equal_by_their_maps() -> None:
    linear = ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)")
    mma = ll.Layout(
        "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>", [16, 8]
    )
    assert linear == mma and hash(linear) == hash(mma) and mma.encoding is not None
    assert linear != linear.transpose_outs(["dim1", "dim0"])
    assert ll.cute.Layout("(2,2):(1,2)") != ll.cute.Layout("4:1")


def test_aliases_are_read_from_a_module() -> None:
    module = f"""
#loc = loc("kernel.py":1:1)
#blocked = {BLOCKED}
#smem = #ttg.shared_memory
module attributes {{"ttg.num-warps" = 2 : i32}} {{}}
"""
    assert ll.Layout("#blocked", [16, 8], aliases=module) == ll.Layout(BLOCKED, [16, 8])
    parent = ll.Layout("#ttg.slice<{dim = 0, parent = #blocked}>", 8, aliases=module)
    assert parent.encoding == f"#ttg.slice<{{dim = 0, parent = {BLOCKED}}}>"


def test_layouts_of_kernels() -> None:
    kernels = sorted((Path(__file__).parents[2] / "test" / "kernels").rglob("*.ttgir"))
    assert len(kernels) > 10
    for kernel in kernels:
        module = kernel.read_text()
        found = ll.layouts(module)
        assert found, kernel
        for name, layout in found:
            assert ll.Layout(name, layout.shape, aliases=module) == layout
    with pytest.raises(ll.LayoutError, match="^line 2: "):
        ll.layouts("\n#a = #ttg.blocked<{sizePerThread = [3]}>\n")
    assert ll.layouts("") == []


def test_text_is_read_in_every_spelling() -> None:
    layout = ll.Layout(BLOCKED, [16, 8])
    assert ll.Layout(str(layout)) == layout
    assert ll.Layout(layout.text("bases")) == layout
    shared = ll.tilus.SharedLayout.row_major(4, 8)
    assert ll.Layout(repr(shared)) == shared.to_linear()
    assert ll.Layout("#xegpu.layout<lane_layout = [1, 16], lane_data = [1, 1]>", [8, 16]).in_dims["lane"] == 16
    for view in ("tensor", "grid", "hardware", "matrix"):
        assert layout.text(view) and layout.svg(view).startswith("<svg")  # type: ignore[arg-type]


def test_element_types() -> None:
    layout = ll.Layout("spatial(8, 4)")
    widths = {
        "f16": 16, "bf16": 16, "float32": 32, "fp8": None, "float8": None, "i1": 1, "int8": 8, "uint64": 64, "bool": 8,
        "f8E4M3FN": 8, "!tt.ptr<f16>": 64, np.float16: 16, np.dtype("int64"): 64, np.bool_: 8, 32: 32, "f4E2M1FN": 4,
    }
    for dtype, bits in widths.items():
        if bits is None:
            with pytest.raises(ll.LayoutError):
                ll.convert(layout, layout, dtype, "cuda:90")
        else:
            assert ll.convert(layout, layout, dtype, "cuda:90").element_bits == bits


def test_conversions_run_without_the_interpreter_lock() -> None:
    src, dst = ll.Layout("local(64, 4).spatial(8, 4)"), ll.Layout("spatial(8, 4).local(64, 4)")
    results: list[float] = []
    convert = lambda: results.append(ll.convert(src, dst, 32, "cuda:90").cycles)
    threads = [threading.Thread(target=convert) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4 and len(set(results)) == 1


IMPORT = """
import sys, time
start = time.perf_counter()
import linear_layout
print((time.perf_counter() - start) * 1000, "numpy" in sys.modules)
"""


def test_import_is_quick_and_without_numpy() -> None:
    # The best of a few: other programs run, too.
    runs = []
    for _ in range(5):
        environment = {**os.environ, "PYTHONPATH": str(Path(ll.__file__).parents[1])}
        said = subprocess.run([sys.executable, "-c", IMPORT], env=environment, capture_output=True, text=True, check=True)
        milliseconds, has_numpy = said.stdout.split()
        assert has_numpy == "False"
        runs.append(float(milliseconds))
    assert min(runs) < 50, f"the import takes {min(runs):.0f} ms"


def test_unknown_submodules() -> None:
    with pytest.raises(AttributeError, match="has no attribute `nonsense`"):
        ll.nonsense
