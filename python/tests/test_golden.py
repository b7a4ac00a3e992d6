"""Vectors that Triton, CuTe and Tilus computed themselves, through the package."""

import json
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pytest

import linear_layout as ll

GOLDEN = Path(__file__).parents[2] / "test" / "golden"


def cases(name: str) -> Iterator[dict[str, Any]]:
    text = (GOLDEN / name).read_text()
    yield from json.loads(text) if name.endswith(".json") else map(json.loads, text.splitlines())


def linear(case: Any) -> ll.Layout:
    return ll.Layout.from_bases(dict(case["bases"]), dict(case["out_dims"]), surjective=False)


@pytest.mark.parametrize("file", ["encodings.jsonl", "encodings_random.jsonl"])
def test_encodings(file: str) -> None:
    seen = 0
    for case in cases(file):
        if "shape" not in case:
            continue
        seen += 1
        if "error" in case:
            with pytest.raises(ll.LayoutError):
                ll.Layout(case["enc"], case["shape"])
            continue
        layout = ll.Layout(case["enc"], case["shape"])
        # An in-dim without bases may be left out of a vector.
        bases = {dim: list(map(list, bases)) for dim, bases in dict(case["bases"]).items()}
        assert {dim: found for dim, found in layout.bases.items() if found or dim in bases} == bases, case["enc"]
        # A cluster may hold more than the tensor has.
        assert all(size >= asked for size, asked in zip(layout.shape, case["shape"]))
    assert seen > 700


@pytest.mark.parametrize("file", ["linear_layout.jsonl", "linear_layout_shared_dims.jsonl"])
def test_linear_layouts(file: str) -> None:
    seen = 0
    for case in cases(file):
        op, args, ok = case["op"], case["args"], case["ok"]
        seen += 1
        if op in ("identity_1d", "strided_1d", "zeros_1d"):
            found: Any = getattr(ll.Layout, op)(*args)
        elif op == "apply":
            layout = linear(args[0])
            assert dict(zip(layout.out_dims, layout.apply(args[1]))) == ok
            continue
        elif op == "properties":
            layout = linear(args[0])
            assert layout.is_surjective() == ok["surjective"]
            assert layout.is_injective() == ok["injective"]
            assert layout.is_invertible() == ok["invertible"]
            continue
        elif op == "print":
            assert str(linear(args[0])) == ok.rstrip("\n")
            continue
        else:
            name = {"mul": "product", "pseudoinvert": "pseudo_invert"}.get(op, op)
            found = getattr(linear(args[0]), name)(*map(linear, args[1:]))
        assert found == linear(ok), case
        assert list(found.out_dims.items()) == [tuple(pair) for pair in ok["out_dims"]]
    assert seen > 500


def cute(value: Any) -> Any:
    """Returns an argument of a vector of CuTe as the package takes it."""
    if isinstance(value, dict):
        return cute(value["tile"]) if "tile" in value else ll.cute.Layout(cute(value["shape"]), cute(value["stride"]))
    return tuple(map(cute, value)) if isinstance(value, list) else value


CUTE = {"call": "__call__", "make_layout_like": "compact_like", "complement_default": "complement"}


def test_cute() -> None:
    seen = 0
    for case in cases("cute.jsonl"):
        name = CUTE.get(case["op"], case["op"])
        ok = case.get("expect", {})
        is_agreed = case.get("consensus", "exact") in ("exact", "mod_size1_stride")
        is_here = hasattr(ll.cute.Layout, name) and case["args"] and isinstance(case["args"][0], dict)
        if not (ok and is_agreed and is_here) or case["category"] == "malformed":
            continue
        if case["op"] == "logical_product" and isinstance(case["args"][1], int):
            continue  # pycute divides instead
        seen += 1
        layout, *args = map(cute, case["args"])
        found = getattr(layout, name)
        found = found(*args) if callable(found) else found
        if "value" in ok:
            assert found == ok["value"], case
        else:
            assert list(found.to_numpy()[:64]) == ok["table"], case
            assert found.shape == cute(ok["shape"]), case
    assert seen > 2200


def tilus(value: Any) -> Any:
    """Returns an argument of a vector of Tilus as the package takes it."""
    if not isinstance(value, dict) or "shape" not in value:
        return value
    if "mode_strides" in value:
        swizzle = value["swizzle"] and tuple(value["swizzle"][key] for key in ("base", "bits", "shift"))
        return ll.tilus.SharedLayout(value["shape"], value["mode_shape"], value["mode_strides"], swizzle)
    return ll.tilus.RegisterLayout(value["shape"], value["mode_shape"], value["spatial_modes"], value["local_modes"])


def answer(op: str, args: list[Any]) -> Any:
    """Returns what the package makes of a vector of Tilus, `None` for what it does not have."""
    if op in ("spatial", "local", "column_spatial", "column_local"):
        return getattr(ll.tilus, op)(args)
    if op == "auto_local_spatial":
        return ll.tilus.auto_local_spatial(args[1], threads=args[0])
    if op == "replicated":
        return ll.tilus.replicated(args[0], threads=args[1])
    if op == "register_layout":
        return ll.tilus.RegisterLayout(*args)
    if op == "chain":
        layout: Any = ll.tilus
        for name, shape in args[0]:
            layout = getattr(layout, name)(shape)
        return layout
    if op == "reduce":
        return args[0].reduce(args[1], keep_dims=args[2])
    if op in ("compose", "divide", "left_divide", "permute", "reduce_to", "reshape", "squeeze", "unsqueeze", "concat"):
        return getattr(args[0], op)(*args[1:])
    if op == "shared_compose" and any(layout.swizzle for layout in args):
        return None  # Tilus loses the swizzle
    if op in ("shared_compose", "shared_permute", "shared_reshape", "shared_slice", "shared_unsqueeze"):
        return getattr(args[0], op.removeprefix("shared_"))(*args[1:])
    return None


def test_tilus() -> None:
    seen = 0
    for case in cases("tilus.json"):
        ok = case.get("expect", {})
        if "table" not in ok or not case.get("sound", True):
            continue
        found = answer(case["op"], [tilus(argument) for argument in case["args"]])
        if found is None:
            continue
        seen += 1
        indices = list(np.ndindex(*found.shape))[: len(ok["table"])]
        if isinstance(found, ll.tilus.SharedLayout):
            assert [found(index) for index in indices] == ok["table"], case
        else:
            table = [[found.local_of(index), found.threads_of(index)] for index in indices]
            assert table == ok["table"], case
            assert (found.spatial_size, found.local_size) == (ok["spatial_size"], ok["local_size"])
    assert seen > 500


def test_conversions() -> None:
    """Every plan is proved when it is made; here also what moves is what Triton says."""
    seen = 0
    for case in list(cases("conversions.jsonl"))[::7]:
        src, dst = (ll.Layout(case[side], case["shape"]) for side in ("src", "dst"))
        if case["bits"] not in (8, 16, 32, 64):
            continue
        seen += 1
        target = "cuda:90" if case["threads_per_warp"] == 32 else "hip:gfx942"
        conversion = ll.convert(src, dst, case["bits"], target)
        assert list(conversion.moves) == case["moves"], case
        assert conversion.cycles == conversion.considered[0][1] if conversion.considered else True
    assert seen > 100
