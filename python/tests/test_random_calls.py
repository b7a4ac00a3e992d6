"""Random calls with numbers at the borders: every answer is a value or an exception with a reason, never a panic.

`LL_CALLS=1000000` makes so many.
"""

import os
import random
from typing import Any

import pytest

import linear_layout as ll

CALLS = int(os.environ.get("LL_CALLS", "20000"))
DIMS = ["register", "lane", "warp", "block", "offset", "dim0", "dim1", "x"]
SIZES = [0, 1, 2, 3, 4, 7, 8, 64, 2**20, 2**31, 2**32, 2**62, 2**63, 2**64 - 1]
INTEGERS = [0, 1, -1, 2, 3, 4, 6, -3, 8, 12, 2**31, 2**40, -(2**40), 2**62, 2**63 - 1, -(2**63)]
NULLARY = {
    ll.Layout: ["invert", "pseudo_invert", "flatten_ins", "flatten_outs", "is_surjective", "is_injective", "explain"],
    ll.cute.Layout: ["coalesce", "filter", "flatten", "right_inverse", "left_inverse", "nullspace", "complement"]
    + ["max_alignment", "compact_like", "fragment_like", "explain", "to_linear"],
    ll.cute.ComposedLayout: ["right_inverse", "left_inverse", "to_linear"],
    ll.tilus.RegisterLayout: ["to_linear", "to_cute", "explain"],
    ll.tilus.SharedLayout: ["to_linear", "to_cute", "without_swizzle"],
}
BINARY = {
    ll.Layout: ["compose", "invert_and_compose", "product", "divide_left", "divide_right", "concat_ins", "concat_outs"]
    + ["minimal_conversion_to"],
    ll.cute.Layout: ["composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product"]
    + ["zipped_product", "blocked_product", "raked_product", "max_common_layout", "max_common_vector"],
    ll.tilus.RegisterLayout: ["compose", "concat", "divide", "left_divide"],
    ll.tilus.SharedLayout: ["compose"],
}


class Caller:
    """Makes layouts and calls their methods."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def sizes(self) -> list[int]:
        return [self.rng.choice([1, 2, 3, 4, 8, 2**20, 2**31, 2**61]) for _ in range(self.rng.randrange(4))]

    def nested(self, leaves: list[int], depth: int = 0) -> Any:
        if depth > 2 or self.rng.random() < 0.5:
            return self.rng.choice(leaves)
        return tuple(self.nested(leaves, depth + 1) for _ in range(self.rng.randrange(1, 4)))

    def linear(self) -> ll.Layout:
        rng = self.rng
        outs = {dim: 1 << rng.choice([0, 1, 2, 5, 20, 31, 40, 63]) for dim in rng.sample(DIMS[4:], rng.randrange(4))}
        image = lambda: [rng.choice([rng.randrange(size), size >> 1]) for size in outs.values()]
        bits = lambda: rng.choice([0, 1, 2, 3, 12, 30, 63])
        ins = {dim: [image() for _ in range(bits())] for dim in rng.sample(DIMS, rng.randrange(4))}
        return ll.Layout.from_bases(ins, outs, surjective=False)

    def cute(self) -> ll.cute.Layout:
        shape = self.nested([1, 2, 3, 4, 6, 8])
        congruent = lambda part: (
            tuple(map(congruent, part)) if isinstance(part, tuple) else self.rng.choice([*INTEGERS, 1, 2, 3, 4, 8])
        )
        return ll.cute.Layout(shape, congruent(shape))

    def composed(self) -> ll.cute.ComposedLayout:
        rng = self.rng
        swizzle = ll.cute.Swizzle(rng.randrange(4), rng.choice([0, 1, 3, 40]), rng.choice([0, 1, 3, -3, 20]))
        return ll.cute.ComposedLayout(swizzle, rng.choice(INTEGERS), self.cute())

    def register(self) -> ll.tilus.RegisterLayout:
        tilus = ll.tilus
        return self.rng.choice([tilus.local, tilus.spatial, tilus.column_local, tilus.column_spatial])(self.sizes())

    def shared(self) -> ll.tilus.SharedLayout:
        if self.rng.random() < 0.5:
            return ll.tilus.SharedLayout(self.sizes(), self.sizes(), self.sizes())
        return ll.tilus.SharedLayout.row_major(self.sizes()).with_swizzle(*self.rng.choices(range(9), k=3))

    def call(self) -> None:
        rng = self.rng
        make = rng.choice([self.linear, self.cute, self.composed, self.register, self.shared])
        layout = make()
        kind = rng.randrange(5)
        if kind == 0:
            getattr(layout, rng.choice(NULLARY[type(layout)]))()
        elif kind == 1 and type(layout) in BINARY:
            getattr(layout, rng.choice(BINARY[type(layout)]))(make())
        elif kind == 2:
            layout.text(rows=2, columns=2)
            layout._repr_html_()
            repr(layout)
        elif isinstance(layout, ll.Layout):
            self.call_linear(layout)
        elif isinstance(layout, ll.cute.Layout):
            self.call_cute(layout)
        elif isinstance(layout, ll.tilus.RegisterLayout):
            self.call_register(layout)

    def call_linear(self, layout: ll.Layout) -> None:
        rng, size = self.rng, self.rng.choice(SIZES)
        dims = rng.sample(DIMS, rng.randrange(4))
        rng.choice(
            [
                lambda: layout.sublayout(dims, rng.choice(DIMS)),
                lambda: layout.quotient(dims),
                lambda: layout.resize_in(rng.choice(DIMS), size),
                lambda: layout.resize_out(rng.choice(DIMS), size),
                lambda: layout.reshape_ins({dim: rng.choice(SIZES) for dim in dims}),
                lambda: layout.reshape_outs({dim: rng.choice(SIZES) for dim in dims}),
                lambda: layout.transpose_ins(dims),
                lambda: layout.contiguous_elems_along(rng.choice(DIMS)),
                lambda: layout.holders(*(rng.choice(SIZES) for _ in layout.out_dims)),
                lambda: layout.apply({dim: [size % extent] for dim, extent in layout.in_dims.items()}),
                lambda: layout.banks(rng.choice([4, 8, 64]), "gfx942", self.linear(), rows=2, columns=2),
            ]
        )()

    def call_cute(self, layout: ll.cute.Layout) -> None:
        rng, a, b = self.rng, self.rng.choice(INTEGERS), self.rng.choice(INTEGERS)
        numbers = self.nested(INTEGERS)
        rng.choice(
            [
                lambda: layout(numbers),
                lambda: layout.coordinate(a),
                lambda: layout.slice(numbers),
                lambda: layout.coalesce(numbers),
                lambda: layout.complement(numbers),
                lambda: layout.composition(numbers),
                lambda: layout.logical_divide(numbers),
                lambda: layout.logical_product(numbers),
                lambda: layout.tile_to_shape(numbers, self.nested(INTEGERS)),
                lambda: layout.upcast(a).downcast(b),
                lambda: layout.recast(a, b),
                lambda: layout.group(rng.choice(SIZES), rng.choice(SIZES)),
                lambda: layout.to_linear(self.sizes(), lanes=rng.choice(SIZES)),
                lambda: layout.to_tilus(self.sizes()),
                lambda: ll.cute.Layout.ordered(numbers, self.nested(INTEGERS)),
            ]
        )()

    def call_register(self, layout: ll.tilus.RegisterLayout) -> None:
        rng, places = self.rng, [self.rng.randrange(5) for _ in range(self.rng.randrange(4))]
        rng.choice(
            [
                lambda: layout.reshape(self.sizes()),
                lambda: layout.reduce(places, keep_dims=rng.random() < 0.5),
                lambda: layout.reduce_to(self.sizes()),
                lambda: layout.squeeze(places),
                lambda: layout.unsqueeze(places),
                lambda: layout.permute(places),
                lambda: layout.flatten(rng.choice(SIZES), rng.choice(SIZES)),
                lambda: layout.index_of(rng.choice(SIZES), rng.choice(SIZES)),
                lambda: layout.to_linear(lanes=rng.choice(SIZES)),
            ]
        )()


@pytest.mark.parametrize("seed", range(4))
def test_random_calls(seed: int) -> None:
    caller = Caller(seed)
    answered = 0
    for _ in range(CALLS // 4):
        try:
            caller.call()
            answered += 1
        except ll.LayoutError:
            pass
    assert answered > CALLS // 4 * 0.3
