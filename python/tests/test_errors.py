"""Bad input: an exception that says what was found, and never a panic.

An exception of the extension module for a panic is no `Exception`, so that it fails these tests.
"""

from types import SimpleNamespace
from typing import Any, Callable

import numpy as np
import pytest

import linear_layout as ll

L, C, T = ll.Layout, ll.cute.Layout, ll.tilus
BLOCKED = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
SHARED = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"
LOOP: list[Any] = []
LOOP.append(LOOP)
a = L("local(1, 2).spatial(8, 4)")
b = L("local(1, 2).column_spatial(8, 4)")
huge = L.identity_1d(2**62, "lane", "dim0")
swizzle = ll.cute.Swizzle(1, 0, 1)


def gluon(name: str, **attributes: Any) -> Any:
    return type(name, (), attributes)()


WRONG: dict[str, list[Callable[[], Any]]] = {
    "text": [
        lambda: L(""),
        lambda: L("#"),
        lambda: L("#ttg.blocked<{", [1]),
        lambda: L("("),
        lambda: L("(" * 100_000),
        lambda: L("0:1"),
        lambda: L("1:" * 1000),
        lambda: L("#ttg.slice<{dim = 0, parent = " * 20_000, [4]),
        lambda: L("spatial(" + "1," * 10_000 + "1)"),
        lambda: L("spatial(0)"),
        lambda: L("spatial(3)"),
        lambda: L("spatial(9223372036854775808)"),
        lambda: L("é" * 50),
        lambda: L("4:3"),
        lambda: L("#alias", [4]),
        lambda: L("#a", [4], aliases="#a = #b\n#b = #a"),
        lambda: L("spatial(4)", lanes=3),
        lambda: L("spatial(4)", lanes=0),
        lambda: L("spatial(4)", lanes=-1),
        lambda: L("spatial(4)", [8]),
    ],
    "shape": [
        lambda: L(BLOCKED),
        lambda: L(BLOCKED, []),
        lambda: L(BLOCKED, [3]),
        lambda: L(BLOCKED, [0]),
        lambda: L(BLOCKED, [-1]),
        lambda: L(BLOCKED, [2**63]),
        lambda: L(BLOCKED, [2**70]),
        lambda: L(BLOCKED, ["x"]),  # type: ignore[list-item]
        lambda: L(BLOCKED, "16"),  # type: ignore[arg-type]
        lambda: L(BLOCKED, 1.5),  # type: ignore[arg-type]
        lambda: L("((4,8),(2,2)):((32,1),(16,8))", [16]),
    ],
    "bases": [
        lambda: L.from_bases({"lane": [1]}, {"dim0": -1}),
        lambda: L.from_bases({"lane": [1]}, {"dim0": 3}),
        lambda: L.from_bases({"lane": [2]}, {"dim0": 4}),
        lambda: L.from_bases({"lane": [[1, 2]]}, ["dim0"]),
        lambda: L.from_bases({"lane": [2**64 - 1]}, ["dim0"]),
        lambda: L.from_bases({"lane": [2**64]}, ["dim0"]),
        lambda: L.from_bases({"lane": [-1]}, ["dim0"]),
        lambda: L.from_bases({"lane": [1] * 65}, ["dim0"]),
        lambda: L.from_bases({"lane": 1}, ["dim0"]),  # type: ignore[dict-item]
        lambda: L.from_bases({"lane": [1]}, ["dim0", "dim0"]),
        lambda: L.from_bases({5: [1]}, ["dim0"]),  # type: ignore[dict-item]
        lambda: L.from_bases({"x" * 300: [1]}, ["dim0"]),
        lambda: L.from_bases({f"d{i}": [] for i in range(100)}, ["dim0"]),
        lambda: L.from_bases(LOOP, ["dim0"]),  # type: ignore[arg-type]
        lambda: L.identity_1d(3, "lane", "dim0"),
        lambda: L.identity_1d(2**63 + 1, "lane", "dim0"),
        lambda: L.strided_1d(2**40, 2**40, "lane", "dim0"),
        lambda: L.zeros_1d(4, "lane", "dim0", 0),
        lambda: L.identity_nd("lane", [4, 4], [0, 0]),
        lambda: L.identity_nd("lane", [4, 4], [2**64 - 1, 0]),
    ],
    "other libraries": [
        lambda: L.from_gluon(5),
        lambda: L.from_gluon(None, [4]),
        lambda: L.from_gluon(gluon("BlockedLayout"), [4]),
        lambda: L.from_gluon(gluon("AutoLayout"), [4]),
        lambda: L.from_gluon(gluon("NVMMADistributedLayout", version=3), [4]),
        lambda: L.from_gluon(gluon("SliceLayout", dim=0, parent=5), [4]),
        lambda: L.from_gluon(
            gluon("BlockedLayout", size_per_thread=[1], threads_per_warp=[32], warps_per_cta=[3], order=[0]), [4]
        ),
        lambda: L.from_gluon(
            gluon("BlockedLayout", size_per_thread=[1], threads_per_warp=[32], warps_per_cta=[4], order=[0])
        ),
        lambda: L.from_triton(5),
        lambda: L.from_triton(SimpleNamespace(bases=5, out_dims=[])),
        lambda: L.from_triton(SimpleNamespace(bases=[("lane", [[1]])], out_dims=[("dim0", 3)])),
    ],
    "places": [
        lambda: a.apply(register=2),
        lambda: a.apply(foo=1),
        lambda: a.apply(lane=-1),
        lambda: a.apply(lane="a"),
        lambda: a.apply(lane=[1.5]),
        lambda: a.apply(lane=[99]),
        lambda: a.apply(lane=[-3]),
        lambda: a.apply(lane=[1, 2], register=[0, 1, 0]),
        lambda: a.apply({"lane": 1}, lane=2),
        lambda: a.apply(5),  # type: ignore[call-overload]
        lambda: a.apply(lane=2**70),
        lambda: a.apply(lane=np.array([2**63], dtype=np.uint64)),
        lambda: a.apply(lane=None),
        lambda: a.holders(),
        lambda: a.holders(8, 0),
        lambda: a.holders(-1, 0),
        lambda: a.holders("a", 0),  # type: ignore[arg-type]
        lambda: L.zeros_1d(2**40, "lane", "dim0").holders(0),
        lambda: huge.to_numpy(),
        lambda: a.contiguous_elems_along("foo"),
    ],
    "algebra": [
        lambda: a.compose(a),
        lambda: a.product(5),  # type: ignore[arg-type]
        lambda: a.divide_left(L.identity_1d(2, "foo", "dim0")),
        lambda: a.sublayout(["foo"], ["dim0"]),
        lambda: a.sublayout(["lane"], ["dim2"]),
        lambda: a.transpose_ins(["lane"]),
        lambda: a.reshape_ins({"lane": 3}),
        lambda: a.reshape_ins({f"d{i}": 1 for i in range(50)}),
        lambda: a.resize_in("lane", 0),
        lambda: a.resize_in("foo", 2),
        lambda: a.resize_out("dim0", 64),
        lambda: a.rename_in("lane", "warp"),
        lambda: a.squeeze_ins("lane"),
        lambda: a.minimal_conversion_to(L.identity_1d(4, "lane", "dim0")),
        lambda: a.concat_ins(a),
        lambda: a.concat_outs(a),
        lambda: a.remove_zero_bases("foo"),
        lambda: L.from_bases({"lane": [1, 0]}, ["dim0"]).invert(),
        lambda: L.from_bases({"lane": [2]}, {"dim0": 4}, False).pseudo_invert(),
        lambda: a.invert_and_compose(L.identity_1d(2, "offset", "dim0")),
    ],
    "pictures": [
        lambda: a.text("foo"),  # type: ignore[arg-type]
        lambda: a.svg("bases"),
        lambda: a.text(rows=-1),
        lambda: huge.text("hardware", rows=2**62),
        lambda: huge.svg(columns=2**64 - 1),
        lambda: C("4611686018427387904:1").text(rows=2**40, columns=2**40),
        lambda: T.spatial(2**30, 2**30).svg(rows=2**20, columns=2),
        lambda: T.SharedLayout.row_major(2**40).text(columns=2**40),
        lambda: a.text(rows="x"),  # type: ignore[arg-type]
        lambda: a.banks("f32", "cuda:90"),
        lambda: L(SHARED, [32, 32]).banks("f32", "cuda:90", L("spatial(3, 4)")),
        lambda: L(SHARED, [32, 32]).banks("f32", "cuda:90", format="x"),  # type: ignore[arg-type]
        lambda: L(SHARED, [32, 32]).banks("foo", "cuda:90"),
        lambda: L(SHARED, [32, 32]).banks(4, "hip:gfx942", rows=0),
        lambda: L(SHARED, [32768, 32768]).banks(64, "hip:gfx942"),
    ],
    "conversions": [
        lambda: ll.convert(a, a, "f33", "cuda:90"),
        lambda: ll.convert(a, a, "f32", "cuda:91"),
        lambda: ll.convert(a, 5, "f32", "cuda:90"),  # type: ignore[arg-type]
        lambda: ll.convert(a, a, 3, "cuda:90"),
        lambda: ll.convert(a, a, -8, "cuda:90"),
        lambda: ll.convert(a, a, None, "cuda:90"),
        lambda: ll.convert(a, a, float, "cuda:90"),
        lambda: ll.convert(a, a, np.dtype("S3"), "cuda:90"),
        lambda: ll.convert(a, a, "f32", None),  # type: ignore[arg-type]
        lambda: ll.convert(a, a, "f32", "gfx942"),
        lambda: ll.convert(a, a, "f32", "cuda:90", strategy="x"),  # type: ignore[arg-type]
        lambda: ll.convert(a, a, "f32", "cuda:90", scratch_limit=-1),
        lambda: ll.convert(a, b, "f32", "cuda:90", scratch_limit=0, strategy="shared"),
        lambda: ll.convert(a, b, "f32", "cuda:90", strategy="local"),
        lambda: ll.convert(a, a, "f32", "cuda:90").text("banks"),
        lambda: ll.convert(L("spatial(8, 4)"), a, "f32", "cuda:90"),
        lambda: ll.convert(L("32:1"), L("32:1"), "f32", "cuda:90"),
        lambda: ll.convert(huge, huge, "f32", "cuda:90"),
        lambda: ll.Target("foo"),
        lambda: ll.Target(5),  # type: ignore[arg-type]
    ],
    "cute.Layout": [
        lambda: C("(4,2):(2,1"),
        lambda: C((4, 2), (2,)),
        lambda: C(0),
        lambda: C((4, -2)),
        lambda: C(2**63),
        lambda: C((2**40, 2**40)),
        lambda: C(()),
        lambda: C(LOOP),
        lambda: C(None),  # type: ignore[arg-type]
        lambda: C([1] * 2000),
        lambda: C("4:1")(),
        lambda: C("4:1")((1, 2)),
        lambda: C("4:4611686018427387904"),
        lambda: C("4:1").slice((None, None)),
        lambda: C("4:1").select([7]),
        lambda: C("4:1").take(0, 10**18),
        lambda: C("4:1").group(0, 2**64 - 1),
        lambda: C("4:1").append(10**9),
        lambda: C("4:1").upcast(0),
        lambda: C("4:1").recast(-(2**63), -1),
        lambda: C("6:1").composition("4:5").composition("(2,2):(1,3)").composition(0),
        lambda: C("4:1").complement(-(2**63)),
        lambda: C("4:0").left_inverse().left_inverse().composition((1, 2)),
        lambda: C("4:1").logical_divide(LOOP),
        lambda: C("4:1").logical_product(2**62),
        lambda: C("4:1").tile_to_shape(3),
        lambda: C("3:1").to_linear(),
        lambda: C("4:1").to_linear([4]),
        lambda: C("(2,2):(1,2)").to_tilus([0]),
        lambda: C("4611686018427387904:1").to_numpy(),
    ],
    "cute.Swizzle, cute.ComposedLayout": [
        lambda: ll.cute.Swizzle(3),  # type: ignore[call-overload]
        lambda: ll.cute.Swizzle("x"),
        lambda: ll.cute.Swizzle(64, 64, 64),
        lambda: ll.cute.Swizzle(1, 0, -(2**63)),
        lambda: swizzle(2**63),
        lambda: swizzle.composition(ll.cute.Swizzle(1, 2, 1)),
        lambda: swizzle.recast(0, 0),
        lambda: swizzle.recast(1, 2**62).recast(2**62, 1).recast(1, 0),
        lambda: ll.cute.ComposedLayout("x"),
        lambda: ll.cute.ComposedLayout(swizzle),  # type: ignore[call-overload]
        lambda: ll.cute.ComposedLayout(swizzle, 2**63 - 1, C("4:1"))(3),
        lambda: ll.cute.ComposedLayout(swizzle, 2**63 - 1, C("4:1")).to_numpy(),
        lambda: ll.cute.ComposedLayout(swizzle, -1, C("4:1")).to_linear(),
        lambda: ll.cute.ComposedLayout(swizzle, 5, C("4:1")).right_inverse(),
        lambda: ll.cute.ComposedLayout("Sw<1,0,1> o 0 o 4:1").slice((None, None)),
        lambda: ll.cute.ComposedLayout("Sw<1,0,1> o 0 o 4:1").to_linear([4], memory=True),
    ],
    "tilus.RegisterLayout": [
        lambda: T.local(0),
        lambda: T.local(-1),
        lambda: T.local(2**40, 2**40),
        lambda: T.local("a"),  # type: ignore[arg-type]
        lambda: T.spatial(2, 3, ranks=[0, 0]),
        lambda: T.replicated(2, threads=0),
        lambda: T.replicated(2, threads=2**62).threads_of(0),
        lambda: T.auto_local_spatial(3, threads=2),
        lambda: T.RegisterLayout("(" * 100_000),
        lambda: T.RegisterLayout([4]),  # type: ignore[call-overload]
        lambda: T.RegisterLayout([4], [4], [0], [0]),
        lambda: T.RegisterLayout([4], [4], [-(2**63)], [0]),
        lambda: T.RegisterLayout([4], [2], [0], []),
        lambda: T.spatial(4).threads_of(9),
        lambda: T.spatial(4).index_of(9, 0),
        lambda: T.spatial(2**40).compose(T.spatial(2**40)),
        lambda: T.spatial(4).divide(T.spatial(3)),
        lambda: T.spatial(4).unsqueeze([9]),
        lambda: T.spatial(2, 2).flatten(3, 1),
        lambda: T.spatial(2, 2).flatten(2**64 - 1, 2**64 - 1),
        lambda: T.spatial(4).reduce([0, 0]),
        lambda: T.spatial(3).to_linear(),
        lambda: T.spatial(2**61).to_numpy(),
        lambda: T.RegisterLayout.from_linear(L("4:1")),
        lambda: T.local(*[2] * 20).to_linear(),
    ],
    "tilus.SharedLayout": [
        lambda: T.SharedLayout("x"),
        lambda: T.SharedLayout([4]),  # type: ignore[call-overload]
        lambda: T.SharedLayout([4], [4], [2**63]),
        lambda: T.SharedLayout([4], [4], [1, 2]),
        lambda: T.SharedLayout([4], [4], [1], (99, 99, 99)),
        lambda: T.SharedLayout([4], [4], [1], (2**32, 0, 0)),
        lambda: T.SharedLayout.row_major(0),
        lambda: T.SharedLayout.row_major(4)(5),
        lambda: T.SharedLayout.row_major_swizzled(3, 5, element_bytes=2),
        lambda: T.SharedLayout.row_major_swizzled(8, 64, element_bytes=2**63),
        lambda: T.SharedLayout.row_major(4).with_swizzle(-1, 0, 0),
        lambda: T.SharedLayout.row_major(4) * T.SharedLayout.row_major(4, 4),
        lambda: T.SharedLayout.row_major(4).prepend_dim(2**62),
        lambda: T.SharedLayout.row_major(3).to_linear(),
        lambda: T.SharedLayout.row_major(2**40).to_numpy(),
        lambda: T.SharedLayout([4], [4], [0]).to_linear(),
    ],
}


@pytest.mark.parametrize(("group", "number"), [(group, i) for group, calls in WRONG.items() for i in range(len(calls))])
def test_wrong_input(group: str, number: int) -> None:
    with pytest.raises((ll.LayoutError, TypeError)) as caught:
        WRONG[group][number]()
    message = str(caught.value)
    assert message and not message[0].isspace() and not message.endswith(".")


def test_messages_have_the_nearest_fix() -> None:
    assert issubclass(ll.LayoutError, ValueError)
    with pytest.raises(ll.LayoutError) as caught:
        L("#ttg.blocked<{sizePerThread = [6], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>", [64])
    assert str(caught.value).splitlines() == [
        "`sizePerThread[0]` is 6, expected a power of two; the nearest ones are 4 and 8",
        "  #ttg.blocked<{sizePerThread = [6], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>",
        "                ^",
    ]
    with pytest.raises(ll.LayoutError, match="note: add a shape after the encoding, as in `ll.Layout"):
        L(BLOCKED)


def test_exceptions_of_the_arguments_come_through() -> None:
    class Index:
        def __index__(self) -> int:
            raise KeyError("of the caller")

    with pytest.raises(KeyError, match="of the caller"):
        L(BLOCKED, [Index()])  # type: ignore[list-item]


def test_large_layouts_are_shown_in_part() -> None:
    for layout in (huge, L.zeros_1d(2**62, "lane", "dim0"), C("4611686018427387904:1"), T.spatial(2**30, 2**30)):
        text = layout.text(rows=2, columns=2)
        assert len(text) < 2000
        assert len(layout._repr_html_()) < 10**6
    for size in (0, 2**64 - 1):
        assert a.text(rows=size, columns=size) and a.svg(rows=size, columns=size)
