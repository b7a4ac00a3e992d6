"""A user's code, for the type checker; nothing here is run."""

from typing_extensions import assert_type

import numpy as np
import numpy.typing as npt

import linear_layout as ll

layout = ll.Layout("local(1, 2).spatial(8, 4)")
assert_type(layout.apply(register=1, lane=9), tuple[int, ...])
assert_type(layout.apply(lane=np.arange(32)), tuple[npt.NDArray[np.int64], ...])
assert_type(layout.to_numpy(flat=True), npt.NDArray[np.int64])
assert_type(layout * layout, ll.Layout)
assert_type(layout.quotient("warp"), ll.Layout | None)
assert_type(ll.Layout.from_bases({"lane": [1, 2], "warp": [[0]]}, {"dim0": 4}), ll.Layout)
assert_type(ll.Layout.from_bases({"lane": [[1, 0]]}, ["dim0", "dim1"]).bases["lane"], list[list[int]])
assert_type(ll.convert(layout, layout, np.float16, ll.Target("sm_90"), strategy="shared").cycles, float)
assert_type(ll.targets()[0].lanes, int)

matrix = ll.cute.Layout((8, 6), (6, 1))
assert_type(matrix.zipped_divide((4, "2:3"))((1, 1), (1, 2)), int)
assert_type(matrix.slice((None, 2))[0], ll.cute.Layout)
assert_type(ll.cute.ComposedLayout(ll.cute.Swizzle(2, 0, 3), 0, matrix).to_linear(), ll.Layout)

mma = ll.tilus.local(2, 1).spatial(8, 4)
assert_type(mma.threads_of(10, 3), list[int])
assert_type(ll.tilus.SharedLayout.row_major(4, 8).to_cute(), ll.cute.ComposedLayout)

try:
    ll.Layout("spatial(3)")
except ll.LayoutError as error:
    assert_type(error, ll.LayoutError)
