"""The algebra against brute force by index, on random layouts."""

import itertools
import random
from functools import reduce
from operator import xor

import numpy as np
import pytest

import linear_layout as ll

SEEDS = range(60)
IN_DIMS = ["register", "lane", "warp", "block", "offset"]


def random_layout(
    seed: int, in_dims: list[str] | None = None, outs: dict[str, int] | None = None, most_bits: int = 3
) -> ll.Layout:
    rng = random.Random(seed)
    if outs is None:
        outs = {f"dim{i}": 1 << rng.randrange(4) for i in range(rng.randrange(1, 4))}
    if in_dims is None:
        in_dims = rng.sample(IN_DIMS, rng.randrange(1, 4))
    bases = {
        dim: [[rng.randrange(size) for size in outs.values()] for _ in range(rng.randrange(most_bits + 1))]
        for dim in in_dims
    }
    return ll.Layout.from_bases(bases, outs, surjective=False)


def brute(layout: ll.Layout, place: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the XOR of the bases of the bits that are set."""
    images = [
        basis
        for bases, index in zip(layout.bases.values(), place)
        for bit, basis in enumerate(bases)
        if index >> bit & 1
    ]
    return tuple(reduce(xor, column, 0) for column in zip(*images, [0] * len(layout.out_dims)))


def places(layout: ll.Layout) -> list[tuple[int, ...]]:
    return list(itertools.product(*map(range, layout.in_dims.values())))


def table(layout: ll.Layout) -> dict[tuple[int, ...], tuple[int, ...]]:
    return {place: brute(layout, place) for place in places(layout)}


@pytest.mark.parametrize("seed", SEEDS)
def test_apply_and_arrays(seed: int) -> None:
    layout = random_layout(seed)
    array, flat = layout.to_numpy(), layout.to_numpy(flat=True)
    assert array.dtype == flat.dtype == np.int64
    assert array.shape == (*layout.in_dims.values(), len(layout.out_dims))
    assert flat.shape == tuple(layout.in_dims.values())
    grid = np.meshgrid(*map(np.arange, layout.in_dims.values()), indexing="ij")
    vectorised = np.stack(layout.apply(dict(zip(layout.in_dims, grid))), axis=-1)
    assert (vectorised == array).all()
    for place, element in table(layout).items():
        assert layout.apply(dict(zip(layout.in_dims, place))) == element
        assert tuple(array[place]) == element
        assert flat[place] == np.ravel_multi_index(element, layout.shape)
    held = np.bincount(flat.ravel(), minlength=int(np.prod(layout.shape)))
    assert layout.is_surjective() == bool((held > 0).all())
    assert layout.is_injective() == bool((held < 2).all())
    assert layout.is_invertible() == bool((held == 1).all())
    assert 1 << layout.rank == (held > 0).sum()
    element = tuple(array.reshape(-1, len(layout.out_dims))[seed % flat.size])
    holders = {tuple(holder.values()) for holder in layout.holders(*element)}
    assert holders == {place for place, other in table(layout).items() if other == element}
    masks = layout.free_variable_masks()
    free = sum(mask.bit_count() for mask in masks.values())
    assert free == int(flat.size).bit_length() - 1 - layout.rank


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.uint32, np.int64, np.uint64])
def test_apply_takes_integers_of_every_width(dtype: type) -> None:
    layout = ll.Layout("local(1, 2).spatial(8, 4)")
    lanes = np.arange(32, dtype=dtype)[::3]
    rows, columns = layout.apply(lane=lanes, register=1)
    assert (rows == lanes.astype(int) // 4).all() and (columns == lanes.astype(int) % 4 + 4).all()
    assert layout.apply(lane=[])[0].shape == (0,)
    assert layout.apply(lane=np.array(3))[0].shape == ()
    assert layout.apply(lane=np.int16(5)) == (1, 1)


def test_arrays_of_the_largest_layouts() -> None:
    layout = ll.Layout.from_bases({"lane": [[0, 2**62, 1]]}, {"a": 1, "b": 2**63, "c": 2}, surjective=False)
    assert [list(part) for part in layout.apply(lane=[0, 1])] == [[0, 0], [0, 2**62], [0, 1]]
    assert layout.apply(lane=1) == (0, 2**62, 1)


@pytest.mark.parametrize("seed", SEEDS)
def test_compose(seed: int) -> None:
    first = random_layout(seed)
    second = random_layout(seed + 1, list(first.out_dims), {"x": 16, "y": 4})
    # In-dims are as large as their bases; out-dims of the first must fit.
    for dim, size in first.out_dims.items():
        second = second.resize_in(dim, size)
    both = first.compose(second)
    for place, element in table(first).items():
        assert brute(both, place) == brute(second, element)


@pytest.mark.parametrize("seed", SEEDS)
def test_inverses(seed: int) -> None:
    layout = random_layout(seed)
    if layout.is_surjective():
        right = layout.pseudo_invert()
        for element in itertools.product(*map(range, layout.shape)):
            assert brute(layout, brute(right, element)) == element
    else:
        with pytest.raises(ll.LayoutError):
            layout.pseudo_invert()
    if layout.is_invertible():
        inverse = layout.invert()
        for place, element in table(layout).items():
            assert brute(inverse, element) == place
    else:
        with pytest.raises(ll.LayoutError):
            layout.invert()


@pytest.mark.parametrize("seed", SEEDS)
def test_invert_and_compose(seed: int) -> None:
    outer = random_layout(seed)
    inner = random_layout(seed + 1, ["register", "warp"], outer.out_dims)
    reached = set(table(outer).values())
    try:
        found = inner.invert_and_compose(outer)
    except ll.LayoutError:
        assert not set(table(inner).values()) <= reached
        return
    for place, element in table(inner).items():
        assert brute(outer, brute(found, place)) == element


@pytest.mark.parametrize("seed", SEEDS)
def test_products_and_quotients(seed: int) -> None:
    low, high = random_layout(seed, most_bits=2), random_layout(seed + 1, most_bits=2)
    both = low * high
    ins, outs = list(both.in_dims), list(both.out_dims)
    for place, element in table(both).items():
        low_place, high_place = [], []
        for dim, index in zip(ins, place):
            size = low.in_dims.get(dim, 1)
            low_place.append(index % size)
            high_place.append(index // size)
        pick = lambda layout, indices: brute(layout, tuple(indices[ins.index(dim)] for dim in layout.in_dims))
        low_element = dict(zip(low.out_dims, pick(low, low_place)))
        high_element = dict(zip(high.out_dims, pick(high, high_place)))
        expected = tuple(
            low_element.get(dim, 0) + high_element.get(dim, 0) * low.out_dims.get(dim, 1) for dim in outs
        )
        assert element == expected
    rest = both.divide_left(low)
    assert (low * rest).transpose_ins(ins).transpose_outs(outs) == both
    rest = both.divide_right(high)
    assert (rest * high).transpose_ins(ins).transpose_outs(outs) == both


@pytest.mark.parametrize("seed", SEEDS)
def test_other_dims(seed: int) -> None:
    layout = random_layout(seed)
    ins, outs = list(layout.in_dims), list(layout.out_dims)
    turned = layout.transpose_ins(ins[::-1]).transpose_outs(outs[::-1])
    flat = layout.flatten_ins().flatten_outs()
    part = layout.sublayout(ins[:1], outs[-1:])
    for place, element in table(layout).items():
        assert brute(turned, place[::-1]) == element[::-1]
        number = sum(index * int(np.prod([*layout.in_dims.values()][:i], dtype=int)) for i, index in enumerate(place))
        image = sum(index * int(np.prod(layout.shape[:i], dtype=int)) for i, index in enumerate(element))
        assert brute(flat, (number,)) == (image,)
        if not any(place[1:]):
            assert brute(part, place[:1]) == element[-1:]
    assert flat.reshape_ins(layout.in_dims).reshape_outs(layout.out_dims) == layout
    renamed = layout.rename_in(ins[0], "other").rename_out(outs[0], "another")
    assert list(renamed.bases.values()) == list(layout.bases.values())
    other = random_layout(seed + 1, ["x"], layout.out_dims)
    assert table(layout.concat_ins(other)).keys() == set(places(layout.concat_ins(other)))
    for place, element in table(layout.concat_ins(other)).items():
        parts = brute(layout, place[:-1]), brute(other, place[-1:])
        assert element == tuple(map(xor, *parts))


@pytest.mark.parametrize("seed", range(30))
def test_blocked_by_its_definition(seed: int) -> None:
    rng = random.Random(seed)
    rank = rng.randrange(1, 4)
    order = rng.sample(range(rank), rank)

    def split(bits: int) -> list[int]:
        sizes = [1] * rank
        for _ in range(bits):
            sizes[rng.randrange(rank)] *= 2
        return sizes

    size, threads, warps = split(rng.randrange(3)), split(5), split(2)
    repeat = split(rng.randrange(3))
    shape = [a * b * c * d for a, b, c, d in zip(size, threads, warps, repeat)]
    text = f"#ttg.blocked<{{sizePerThread = {size}, threadsPerWarp = {threads}, warpsPerCTA = {warps}, order = {order}}}>"
    layout = ll.Layout(text, shape)

    def digits(number: int, sizes: list[int]) -> list[int]:
        found = [0] * rank
        for dim in order:
            number, found[dim] = divmod(number, sizes[dim])
        return found

    per_thread = int(np.prod(size))
    for register, lane, warp, _ in places(layout):
        inside, tile = digits(register % per_thread, size), digits(register // per_thread, repeat)
        parts = inside, digits(lane, threads), digits(warp, warps), tile
        expected = tuple(
            a + size[i] * (b + threads[i] * (c + warps[i] * d)) for i, (a, b, c, d) in enumerate(zip(*parts))
        )
        assert layout.apply(register=register, lane=lane, warp=warp) == expected


def random_cute(rng: random.Random) -> ll.cute.Layout:
    """Returns a layout of random modes, whose strides are those of a compact layout in some order."""
    shape = [rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randrange(1, 4))]
    order = rng.sample(range(len(shape)), len(shape))
    return ll.cute.Layout.ordered(tuple(shape), tuple(order))


@pytest.mark.parametrize("seed", SEEDS)
def test_cute(seed: int) -> None:
    rng = random.Random(seed)
    layout = random_cute(rng)
    indices = layout.to_numpy()
    coordinates = [np.unravel_index(i, layout.shape, order="F") for i in range(layout.size)]
    assert list(indices) == [int(np.dot(c, layout.stride)) for c in coordinates]
    assert [layout.coordinate(i) for i in range(layout.size)] == [tuple(map(int, c)) for c in coordinates]
    assert layout.cosize == max(indices) + 1
    assert list(layout.coalesce().to_numpy()) == list(indices)
    right, left = layout.right_inverse(), layout.left_inverse()
    assert [layout(right(i)) for i in range(right.size)] == list(range(right.size))
    assert [left(int(i)) for i in indices] == list(range(layout.size))
    gap = ll.cute.Layout(3, layout.cosize * 2)
    rest = ll.cute.Layout.concat(layout, gap).complement(layout.cosize * 12)
    reached = np.add.outer(rest.to_numpy(), ll.cute.Layout.concat(layout, gap).to_numpy()).ravel()
    assert len(set(reached)) == len(reached)
    inner = random_cute(rng)
    try:
        both = layout.composition(inner)
    except ll.LayoutError:
        return
    assert list(both.to_numpy()) == [layout(int(i)) for i in inner.to_numpy()]


@pytest.mark.parametrize("seed", SEEDS)
def test_cute_tiles(seed: int) -> None:
    rng = random.Random(seed)
    layout = random_cute(rng)
    tile = tuple(rng.choice([d for d in (1, 2, 3, 4, 6) if size % d == 0]) for size in layout.shape)
    parts = layout.zipped_divide(tile)
    assert sorted(parts.to_numpy()) == sorted(layout.to_numpy())
    for outer in range(parts.modes[1].size):
        origin = np.unravel_index(outer, tuple(n // t for n, t in zip(layout.shape, tile)), order="F")
        for inner in range(parts.modes[0].size):
            place = np.unravel_index(inner, tile, order="F")
            coordinate = tuple(int(o) * t + int(p) for o, t, p in zip(origin, tile, place))
            assert parts(inner, outer) == layout(coordinate)
    repeat = random_cute(rng)
    product = layout.logical_product(repeat)
    found = product.to_numpy().reshape(repeat.size, layout.size)
    assert (found - found[:, :1] == layout.to_numpy()).all()
    assert (found[:, 0] == repeat.to_numpy() * layout.cosize).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_tilus(seed: int) -> None:
    rng = random.Random(seed)
    rank = rng.randrange(1, 4)
    names = ["spatial", "local", "column_spatial", "column_local"]
    steps = [(rng.choice(names), [rng.choice([1, 2, 3]) for _ in range(rank)]) for _ in range(3)]
    parts = [getattr(ll.tilus, name)(shape) for name, shape in steps]
    layout = parts[0] * parts[1] * parts[2]
    shape = np.prod([shape for _, shape in steps], axis=0)
    assert layout.shape == tuple(shape)
    array = layout.to_numpy()
    assert array.shape == (layout.spatial_size, layout.local_size, rank)
    for index in np.ndindex(*shape):
        thread = local = 0
        rest = np.array(index)
        for i, (name, extents) in enumerate(steps):
            inner = np.prod([extents for _, extents in steps[i + 1 :]], axis=0, dtype=int) * np.ones(rank, int)
            digit, rest = rest // inner, rest % inner
            number = int(np.ravel_multi_index(tuple(digit), extents, order="F" if "column" in name else "C"))
            if "spatial" in name:
                thread = thread * int(np.prod(extents)) + number
            else:
                local = local * int(np.prod(extents)) + number
        assert (layout.threads_of(index), layout.local_of(index)) == ([thread], local)
        assert tuple(array[thread, local]) == layout.index_of(thread, local) == index
    assert layout.divide(parts[2]) == parts[0] * parts[1]
    assert layout.left_divide(parts[0]) == parts[1] * parts[2]
    values = layout.to_cute(row_major=True).to_numpy().reshape(layout.local_size, layout.spatial_size)
    assert (values.T == np.ravel_multi_index(tuple(np.moveaxis(array, -1, 0)), layout.shape)).all()
    assert layout.to_cute().to_tilus(list(layout.shape)) == layout


@pytest.mark.parametrize("seed", range(20))
def test_systems_agree(seed: int) -> None:
    """What is linear is the same layout as one of CuTe, as one of Tilus, and as bases."""
    rng = random.Random(seed)
    tile = [1 << rng.randrange(3) for _ in range(2)]
    tilus = ll.tilus.local(tile).spatial(8, 4).local(1, 2)
    linear = tilus.to_linear()
    assert linear == tilus.to_cute().to_linear(list(tilus.shape)) == ll.Layout(str(tilus.to_cute()), tilus.shape)
    assert ll.tilus.RegisterLayout.from_linear(linear) == tilus
    array = tilus.to_numpy().transpose(1, 0, 2)
    assert (linear.to_numpy().reshape(array.shape) == array).all()
    shared = ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2)
    offsets = shared.to_numpy()
    memory = shared.to_linear()
    assert memory == shared.to_cute().to_linear(memory=True)
    assert all(memory.apply(offset=int(offsets[index])) == index for index in np.ndindex(*shared.shape))
    assert (shared.to_cute().to_numpy().reshape(64, 8).T == offsets).all()


def conversions() -> list[tuple[ll.Layout, ll.Layout]]:
    names = ["local(2, 1).spatial(8, 4).local(1, 2)", "spatial(4, 8).local(4, 1)", "column_spatial(16, 2).local(1, 4)"]
    layouts = [ll.Layout(name) for name in names]
    return list(itertools.product(layouts, layouts))


@pytest.mark.parametrize("dtype", ["f8E5M2", np.float16, "f32", 64])
@pytest.mark.parametrize("strategy", [None, "shuffle", "shared"])
def test_conversions(dtype: object, strategy: object) -> None:
    for src, dst in conversions():
        conversion = ll.convert(src, dst, dtype, "cuda:90", strategy=strategy)  # type: ignore[arg-type]
        assert conversion.cycles >= 0 and len(conversion.steps) >= (src != dst)
        assert (conversion.shared_bytes > 0) == (conversion.kind in ("shared", "mixed"))
        assert (conversion.moves == ()) == (src == dst)
        moved = src.minimal_conversion_to(dst)
        assert conversion.moves == tuple(moved.in_dims)
        assert str(conversion).startswith(conversion.kind)
