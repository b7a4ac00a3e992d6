"""Compares layouts with Triton's own; a program, run by an interpreter that has Triton.

Gluon's layout objects are given to Triton's builder and to `Layout.from_gluon`, random `LinearLayout`s to Triton's algebra
and to ours. Prints how many were compared.
"""

import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import triton.experimental.gluon.language as gl
from triton._C.libtriton import gluon_ir, ir
from triton._C.libtriton.linear_layout import LinearLayout
from triton.experimental.gluon.language.amd import AMDMFMALayout, AMDWMMALayout
from triton.experimental.gluon.language.nvidia.blackwell import TensorMemoryLayout, TensorMemoryScalesLayout

import linear_layout as ll


def power(rng, most):
    return 1 << rng.randrange(most + 1)


def split(rng, bits, rank):
    """Returns extents whose product is `2 ** bits`."""
    extents = [1] * rank
    for _ in range(bits):
        extents[rng.randrange(rank)] *= 2
    return extents


def cluster(rng, rank):
    """Returns how up to four thread blocks share a tensor."""
    sizes = [1] * rank
    bases = []
    for _ in range(rng.choice([0, 0, 1, 2])):
        dim = rng.randrange(rank)
        bases.append([sizes[i] if i == dim else 0 for i in range(rank)])
        sizes[dim] *= 2
    return bases


def mma(rng):
    if rng.random() < 0.5:
        return gl.NVMMADistributedLayout([2, 0], split(rng, 2, 2), [16, 8])
    return gl.NVMMADistributedLayout([3, 0], [4, 1], [16, 8 << rng.randrange(5), 16])


def distributed(rng, rank):
    kind = rng.randrange(6 if rank == 2 else 2)
    if kind == 0:
        order = rng.sample(range(rank), rank)
        sizes = split(rng, rng.randrange(4), rank), split(rng, 5, rank), split(rng, 2, rank)
        return gl.BlockedLayout(*sizes, order, cluster(rng, rank))
    if kind == 1:
        more = rank + 1
        sizes = (split(rng, bits, more) for bits in (2, 5, 2))
        blocked = gl.BlockedLayout(*sizes, rng.sample(range(more), more))
        return gl.SliceLayout(rng.randrange(more), distributed(rng, more) if rank == 1 else blocked)
    if kind == 2:
        return mma(rng)
    if kind == 3:
        parent = gl.NVMMADistributedLayout([2, 0], split(rng, 2, 2), [16, 8])
        return gl.DotOperandLayout(rng.randrange(2), parent, power(rng, 2))
    if kind == 4:
        size = rng.choice([[16, 16, 16], [32, 32, 8]])
        return AMDMFMALayout(3, size, rng.random() < 0.5, split(rng, 2, 2))
    return AMDWMMALayout(rng.choice([1, 2]), rng.random() < 0.5, [[0, 1], [1, 0]])


def shared(rng, rank, shape):
    kind = rng.randrange(4)
    order = rng.sample(range(rank), rank)
    if kind == 0:
        return gl.SwizzledSharedLayout(power(rng, 3), power(rng, 2), power(rng, 3), order, cluster(rng, rank))
    if kind == 1:
        return gl.PaddedSharedLayout.with_identity_for([[32 * power(rng, 2), power(rng, 3)]], shape, order)
    if kind == 2:
        # Triton ends the process where the shape does not fit.
        dtype = rng.choice([gl.int8, gl.float16, gl.float32])
        return gl.NVMMASharedLayout.get_default_for(shape, dtype, transposed=rank > 1 and rng.random() < 0.5)
    bits = [(dim, bit) for dim in order for bit in range(shape[dim].bit_length() - 1)]
    bases = [[1 << bit if dim == at else 0 for dim in range(rank)] for at, bit in rng.sample(bits, len(bits))]
    return gl.SharedLinearLayout(bases)


def from_their_linear(layout):
    """Returns the bases of a linear layout of Gluon, by in-dim."""
    if isinstance(layout, gl.DistributedLinearLayout):
        bases = layout.reg_bases, layout.lane_bases, layout.warp_bases, layout.block_bases
        return dict(zip(("register", "lane", "warp", "block"), bases))
    if hasattr(layout, "rows"):
        return {"row": layout.rows, "col": layout.cols}
    return {"offset": layout.offset_bases, "block": layout.block_bases}


def compare_gluon(builder, rng):
    rank = rng.randrange(1, 4)
    shape = [16 * power(rng, 3) for _ in range(rank)]
    if rng.random() < 0.5:
        layout = distributed(rng, rank)
    elif rng.random() < 0.1:
        shape = [128 * power(rng, 1), 64 * power(rng, 2)]
        columns = TensorMemoryLayout((64, 32), 1)
        layout = rng.choice([TensorMemoryLayout((128, 64), 1), columns, TensorMemoryScalesLayout()])
    else:
        layout = shared(rng, rank, shape)
    if isinstance(layout, gl.PaddedSharedLayout):
        # Triton's builder ends the process on these.
        theirs = {"offset": layout.offset_bases, "block": layout.cga_layout}
    elif isinstance(layout, (gl.DistributedLinearLayout, gl.SharedLinearLayout)):
        theirs = from_their_linear(layout)
    else:
        linear = builder.to_linear_layout(layout._to_ir(builder), shape)
        theirs = from_their_linear(linear)
        if isinstance(linear, gl.DistributedLinearLayout):
            assert ll.Layout.from_gluon(linear) == ll.Layout.from_gluon(layout, shape), (layout, shape)
    ours = ll.Layout.from_gluon(layout, shape)
    found = {dim: bases for dim, bases in ours.bases.items() if dim in theirs or bases}
    theirs = {dim: [list(basis) for basis in bases] for dim, bases in theirs.items()}
    assert found == theirs, (layout, shape, found, theirs)
    return type(layout).__name__


def random_linear(rng, outs=None):
    outs = outs or {f"dim{i}": power(rng, 3) for i in range(rng.randrange(1, 4))}
    ins = rng.sample(["register", "lane", "warp", "block"], rng.randrange(1, 4))
    basis = lambda: [rng.randrange(size) for size in outs.values()]
    bases = [(dim, [basis() for _ in range(rng.randrange(4))]) for dim in ins]
    return LinearLayout.from_bases(bases, list(outs), list(outs.values()), False)


def compare_algebra(rng):
    theirs = random_linear(rng)
    ours = ll.Layout.from_triton(theirs)
    assert list(ours.bases.items()) == [(dim, list(map(list, bases))) for dim, bases in theirs.bases]
    assert list(ours.out_dims.items()) == list(map(tuple, theirs.out_dims))
    assert str(ours) == str(theirs).rstrip("\n"), (str(ours), str(theirs))
    for name in ("is_surjective", "is_injective", "is_invertible"):
        assert getattr(ours, name)() == getattr(theirs, name)()
    place = {dim: rng.randrange(size) for dim, size in ours.in_dims.items()}
    assert dict(zip(ours.out_dims, ours.apply(place))) == theirs.apply(place)
    same = lambda a, b: ll.Layout.from_triton(a) == b
    if ours.is_invertible():
        assert same(theirs.invert(), ours.invert())
    if ours.is_surjective():
        assert same(theirs.pseudoinvert(), ours.pseudo_invert())
        other = random_linear(rng, ours.out_dims)
        assert same(other.invert_and_compose(theirs), ll.Layout.from_triton(other).invert_and_compose(ours))
    other = random_linear(rng)
    assert same(theirs * other, ours * ll.Layout.from_triton(other))


def main():
    context = ir.context()
    ir.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    families = {}
    for seed in range(3000):
        family = compare_gluon(builder, random.Random(seed))
        families[family] = families.get(family, 0) + 1
    for seed in range(3000):
        compare_algebra(random.Random(seed))
    print("equal:", families, "and 3000 linear layouts")


main()
