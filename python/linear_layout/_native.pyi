# Signatures are written by hand, docstrings are those of the extension module: `LL_BLESS=1 pytest tests/test_stubs.py`
# copies them.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt

_Shape: TypeAlias = int | Sequence[int]
_Sizes: TypeAlias = Mapping[str, int] | Sequence[tuple[str, int]]
_Names: TypeAlias = str | Sequence[str]
_Bases: TypeAlias = Mapping[str, Sequence[int | Sequence[int]]]
_Array: TypeAlias = npt.NDArray[np.int64]
_View: TypeAlias = Literal["tensor", "grid", "hardware", "matrix", "bases"]
_Nested: TypeAlias = int | tuple[_Nested, ...]
_Numbers: TypeAlias = int | str | tuple[_Numbers, ...] | list[_Numbers]
_Coordinate: TypeAlias = int | str | tuple[_Coordinate, ...] | list[_Coordinate] | None
_Tiler: TypeAlias = CuteLayout | str | int | tuple[_Tiler, ...] | list[_Tiler] | None
_CuteLayout: TypeAlias = CuteLayout | str
_Target: TypeAlias = Target | str

__all__ = [
    "Conversion",
    "CuteComposedLayout",
    "CuteLayout",
    "CuteSwizzle",
    "Layout",
    "LayoutError",
    "Target",
    "TilusRegisterLayout",
    "TilusSharedLayout",
    "__version__",
    "auto_local_spatial",
    "column_local",
    "column_spatial",
    "convert",
    "layouts",
    "local",
    "replicated",
    "spatial",
    "targets",
]
__version__: str

class LayoutError(ValueError):
    """A layout, a shape or a target that cannot be what was asked for.

    The message says what was found, what was expected and, on lines of their own that begin with `note:`, the nearest fix.

    Example:

        >>> try:
        ...     ll.Layout.identity_1d(6, "lane", "dim0")
        ... except ll.LayoutError as error:
        ...     print(error)
        size 6 of in-dim `lane` is not a power of two
    """

@final
class Layout:
    """A linear layout: a map from places (register, lane, warp, block, or memory offset) to elements of a tensor. The map
    is linear over GF(2): `f(x ^ y) == f(x) ^ f(y)`.

    `text` is a TTGIR encoding or type, a Triton LinearLayout as printed, or a layout in the notation of Gluon, CuTe,
    CUTLASS, Tilus, XeGPU, IREE or Mosaic GPU. `shape` is the shape of the tensor, which encodings require. With a
    shape, a CuTe layout is a thread-value layout `((threads), (values))`. `aliases` is the text of a module with the
    `#name = ...` lines that `text` uses. `lanes` is the warp size for CuTe and Tilus layouts.

    Layouts are immutable. Layouts compare equal if they are the same map between the same dims, even with different
    texts. Raises `LayoutError` for text that is not a linear layout, and for a shape that does not fit.

    Example:

        >>> blocked = ll.Layout(
        ...     "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>",
        ...     [16, 8],
        ... )
        >>> blocked.apply(register=1, lane=5, warp=0)
        (1, 3)
        >>> ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)").bases["register"]
        [[0, 1], [8, 0]]
        >>> ll.Layout("((4,8),(2,2)):((32,1),(16,8))", [16, 8]) == ll.Layout("local(2, 1).spatial(8, 4).local(1, 2)")
        True
        >>> ll.Layout("gl.BlockedLayout([1, 2], [8, 4], [2, 1], [1, 0])", [16, 8]) == blocked
        True
    """
    def __new__(cls, text: str, shape: _Shape | None = None, *, aliases: str | None = None, lanes: int = 32) -> Layout: ...
    @staticmethod
    def from_bases(bases: _Bases, out_dims: _Sizes | _Names, surjective: bool = True) -> Layout:
        """Returns the layout with the given basis vectors.

        `bases` maps each in-dim to its basis vectors, lowest bit first. A basis vector has one number per out-dim;
        if there is only one out-dim, a number may replace the vector. `out_dims` either maps each out-dim to its
        size, or lists the names of the out-dims. In the second case, each out-dim has the smallest size that fits.
        The order of dims is part of a layout.

        Raises `LayoutError` if a size is not a power of two, or if a basis vector does not fit. If `surjective` is
        true, the layout must also reach each element.

        Example:

            >>> layout = ll.Layout.from_bases({"register": [[0, 1]], "lane": [[0, 2], [1, 0]]}, {"dim0": 2, "dim1": 4})
            >>> layout.apply(register=1, lane=3)
            (1, 3)
            >>> ll.Layout.from_bases({"lane": [1, 2, 0]}, ["dim0"]).out_dims
            {'dim0': 4}
        """
    @staticmethod
    def identity_1d(size: int, in_dim: str, out_dim: str) -> Layout:
        """Returns the layout `i -> i` from `in_dim` to `out_dim`, both of size `size`.

        Example:

            >>> ll.Layout.identity_1d(4, "lane", "dim0").bases
            {'lane': [[1], [2]]}
        """
    @staticmethod
    def strided_1d(size: int, stride: int, in_dim: str, out_dim: str) -> Layout:
        """Returns the layout `i -> i * stride` from `in_dim`, of size `size`, to `out_dim`.

        Example:

            >>> ll.Layout.strided_1d(4, 2, "lane", "dim0").apply(lane=3)
            (6,)
        """
    @staticmethod
    def zeros_1d(size: int, in_dim: str, out_dim: str, out_size: int = 1) -> Layout:
        """Returns the layout `i -> 0` (a broadcast) from `in_dim`, of size `size`, to `out_dim`, of size `out_size`.

        Example:

            >>> ll.Layout.zeros_1d(4, "warp", "dim0").bases
            {'warp': [[0], [0]]}
        """
    @staticmethod
    def identity_nd(in_dim: str, shape: _Shape, order: _Shape) -> Layout:
        """Returns the layout that enumerates the elements of a tensor of shape `shape` along `in_dim`. Dim `order[0]`
        varies fastest.

        Example:

            >>> row_major = ll.Layout.identity_nd("offset", [2, 4], [1, 0])
            >>> row_major.apply(offset=5), list(row_major.out_dims)
            ((1, 1), ['dim1', 'dim0'])
        """
    @staticmethod
    def from_gluon(layout: Any, shape: _Shape | None = None) -> Layout:
        """Returns the linear layout of a Gluon layout, such as `gl.BlockedLayout(...)`, on a tensor of shape `shape`.

        The class name and the attributes of the object are read; Triton is not imported. A layout that contains its
        own shape does not need `shape`. On a larger `shape`, such a layout is repeated.

        Raises `LayoutError` for an open layout (`AutoLayout`) or an invalid layout, and `TypeError` for other
        objects.

        Example:

            >>> from dataclasses import dataclass
            >>> @dataclass
            ... class BlockedLayout:  # stands for triton.experimental.gluon.language.BlockedLayout
            ...     size_per_thread: list
            ...     threads_per_warp: list
            ...     warps_per_cta: list
            ...     order: list
            >>> ll.Layout.from_gluon(BlockedLayout([1, 2], [8, 4], [2, 1], [1, 0]), [16, 8]).apply(lane=5, register=1)
            (1, 3)
        """
    @staticmethod
    def from_triton(layout: Any) -> Layout:
        """Converts a Triton `LinearLayout` (`triton._C.libtriton.linear_layout`) to a layout.

        The attributes `bases` and `out_dims` of the object are read as lists of pairs; Triton is not imported.

        Example:

            >>> from types import SimpleNamespace
            >>> theirs = SimpleNamespace(bases=[("lane", [[1], [2]])], out_dims=[("dim0", 4)])
            >>> ll.Layout.from_triton(theirs) == ll.Layout.identity_1d(4, "lane", "dim0")
            True
        """
    @property
    def encoding(self) -> str | None:
        """The text of the encoding from which the layout was created, or `None`.

        Example:

            >>> ll.Layout("#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>", 4).encoding
            '#ttg.shared_linear<{offset = [[1], [2]]}, alignment = 16>'
            >>> ll.Layout("local(4)").encoding is None
            True
        """
    @property
    def bases(self) -> dict[str, list[list[int]]]:
        """The basis vectors of each in-dim, lowest bit first.

        Example:

            >>> ll.Layout("spatial(2, 4)", lanes=4).bases
            {'register': [], 'lane': [[0, 1], [0, 2]], 'warp': [[1, 0]], 'block': []}
        """
    @property
    def in_dims(self) -> dict[str, int]:
        """The in-dims with their sizes, in order.

        Example:

            >>> ll.Layout("local(1, 2).spatial(8, 4)").in_dims
            {'register': 2, 'lane': 32, 'warp': 1, 'block': 1}
        """
    @property
    def out_dims(self) -> dict[str, int]:
        """The out-dims with their sizes, in order.

        Example:

            >>> ll.Layout("local(1, 2).spatial(8, 4)").out_dims
            {'dim0': 8, 'dim1': 8}
        """
    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor: the sizes of the out-dims, in order.

        Example:

            >>> ll.Layout("local(1, 2).spatial(8, 4)").shape
            (8, 8)
        """
    @property
    def paddings(self) -> list[tuple[int, int]]:
        """The padding of a padded shared-memory layout, as pairs `(interval, padding)`. After every `interval`
        elements, there are `padding` unused elements.

        Offsets in the layout do not count padding.

        Example:

            >>> ll.Layout("#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [8, 128]}>", [8, 128]).paddings
            [(32, 4)]
        """
    @property
    def rank(self) -> int:
        """The rank of the layout's matrix over GF(2). It is log2 of the number of elements that the layout reaches.

        Example:

            >>> ll.Layout.from_bases({"lane": [1, 2, 0]}, ["dim0"]).rank
            2
        """
    @overload
    def apply(self, place: Mapping[str, int] | None = None, /, **indices: int) -> tuple[int, ...]:
        """Returns the element at a place, as a tuple with one index per out-dim.

        A place is given by keyword arguments, or by a mapping if dim names are not identifiers. Omitted in-dims
        have index 0. If an index is an array, all indices are broadcast, and the result is a tuple of int64 arrays
        that can index the tensor.

        Raises `LayoutError` for an unknown in-dim or an index out of range, and `TypeError` for arrays of
        non-integers.

        Example:

            >>> layout = ll.Layout("local(1, 2).spatial(8, 4)")
            >>> layout.apply(register=1, lane=9)
            (2, 5)
            >>> layout.apply({"lane": 9})
            (2, 1)
            >>> rows, columns = layout.apply(register=[[0], [1]], lane=np.arange(32))
            >>> rows.shape, columns[:, 9]
            ((2, 32), array([1, 5]))
        """
    @overload
    def apply(self, place: Mapping[str, npt.ArrayLike] | None = None, /, **indices: npt.ArrayLike) -> tuple[_Array, ...]: ...
    def to_numpy(self, *, flat: bool = False) -> _Array:
        """Returns the element at every place, as an int64 array.

        The array has one axis per in-dim and a last axis for the out-dims. For a register layout, the shape is
        `(register, lane, warp, block, rank)`. If `flat` is true, there is no last axis, and each element is given
        by its index in `tensor.ravel()`.

        Raises `LayoutError` for layouts with more than 2^26 places.

        Example:

            >>> layout = ll.Layout("local(1, 2).spatial(8, 4)")
            >>> layout.to_numpy().shape, layout.to_numpy()[1, 9, 0, 0]
            ((2, 32, 1, 1, 2), array([2, 5]))
            >>> tensor = np.arange(64).reshape(8, 8)
            >>> int(tensor.ravel()[layout.to_numpy(flat=True)][1, 9, 0, 0]), int(tensor[2, 5])
            (21, 21)
        """
    def holders(self, *index: int) -> list[dict[str, int]]:
        """Returns the places that hold an element. Each place is a dict from in-dims to indices.

        Raises `LayoutError` if the index is outside the tensor.

        Example:

            >>> ll.Layout.from_bases({"register": [1], "lane": [2, 0]}, ["dim0"]).holders(3)
            [{'register': 1, 'lane': 1}, {'register': 1, 'lane': 3}]
        """
    def is_surjective(self) -> bool:
        """Returns true if each element is held at one place or more.

        Example:

            >>> ll.Layout.from_bases({"lane": [2]}, {"dim0": 4}, surjective=False).is_surjective()
            False
        """
    def is_injective(self) -> bool:
        """Returns true if no element is held at two places.

        Example:

            >>> ll.Layout.from_bases({"lane": [1, 0]}, ["dim0"]).is_injective()
            False
        """
    def is_invertible(self) -> bool:
        """Returns true if each element is held at exactly one place.

        Example:

            >>> ll.Layout("spatial(8, 4)").is_invertible()
            True
        """
    def free_variable_masks(self) -> dict[str, int]:
        """Returns the mask of the free bits of each in-dim. A bit is free if its basis vector is an XOR of earlier
        basis vectors. Each element that the layout reaches has exactly one place with all free bits 0.

        Example:

            >>> ll.Layout.from_bases({"lane": [1, 0, 2]}, ["dim0"]).free_variable_masks()
            {'lane': 2}
        """
    def num_consecutive_in_out(self) -> int:
        """Returns the largest `2^k` for which the low `k` bits of the first out-dim are a copy of the low `k` bits of
        the first in-dim. No other input bit may affect these output bits.

        Example:

            >>> ll.Layout.from_bases({"register": [1, 2, 8, 4]}, ["offset"]).num_consecutive_in_out()
            4
        """
    def contiguous_elems_along(self, dim: str) -> int:
        """Returns the largest power of two `n` such that all indices from 0 to `n - 1` along `dim` are reached. Index
        `i` counts as reached if some place holds the element whose index is `i` along `dim` and 0 along all other
        dims.

        Example:

            >>> layout = ll.Layout.from_bases({"lane": [1, 2, 8]}, {"dim0": 16}, surjective=False)
            >>> layout.contiguous_elems_along("dim0")
            4
        """
    def invert(self) -> Layout:
        """Returns the inverse: `element -> place`.

        Raises `LayoutError` if the layout is not a bijection.

        Example:

            >>> layout = ll.Layout("spatial(8, 4).local(1, 2)")
            >>> layout.invert().apply(dim0=1, dim1=3)
            (1, 5, 0, 0)
        """
    def pseudo_invert(self) -> Layout:
        """Returns a right inverse, which maps each element to one of its places.

        `layout.pseudo_invert().compose(layout)` is the identity. Raises `LayoutError` if the layout is not surjective.

        Example:

            >>> layout = ll.Layout.from_bases({"lane": [1, 2, 0]}, {"dim0": 4})
            >>> layout.pseudo_invert().apply(dim0=3)
            (3,)
        """
    def compose(self, outer: Layout) -> Layout:
        """Returns the layout `place -> outer(self(place))`.

        Raises `LayoutError` if the out-dims are not the in-dims of `outer`.

        Example:

            >>> layout = ll.Layout.identity_1d(4, "lane", "offset").compose(ll.Layout.strided_1d(4, 2, "offset", "dim0"))
            >>> layout.apply(lane=3)
            (6,)
        """
    def invert_and_compose(self, outer: Layout) -> Layout:
        """Returns a layout `result` with `result.compose(outer) == self`.

        For example, `register -> element` and `offset -> element` give `register -> offset`: the offset at which to
        store each register. Raises `LayoutError` if `outer` does not hold each element of this layout.

        Example:

            >>> registers = ll.Layout.from_bases({"register": [[0, 1], [1, 0]]}, ["dim0", "dim1"])
            >>> column_major = ll.Layout.from_bases({"offset": [[1, 0], [0, 1]]}, ["dim0", "dim1"])
            >>> registers.invert_and_compose(column_major).apply(register=1)
            (2,)
        """
    def product(self, outer: Layout) -> Layout:
        """Returns the product of two layouts: this layout, repeated in the arrangement that `outer` describes. The
        matrix of the product is the direct sum of the matrices of both layouts.

        In each dim, the low bits of an index are those of this layout, and the high bits are those of `outer`.
        `a * b` is `a.product(b)`.

        Example:

            >>> pair = ll.Layout.identity_1d(2, "register", "dim0")
            >>> pair.product(ll.Layout.identity_1d(32, "lane", "dim0")).apply(register=1, lane=3)
            (7,)
            >>> pair * pair == ll.Layout.identity_1d(4, "register", "dim0")
            True
        """
    def __mul__(self, outer: Layout, /) -> Layout: ...
    def __rmul__(self, value: Layout, /) -> Layout: ...
    def divide_left(self, tile: Layout) -> Layout:
        """Returns the layout `rest` with `tile * rest == self`, up to the order of dims.

        Raises `LayoutError` if there is no such layout. The message names the first basis vector that is partly in the
        tile.

        Example:

            >>> eight, two = (ll.Layout.identity_1d(n, "lane", "dim0") for n in (8, 2))
            >>> eight.divide_left(two) == ll.Layout.identity_1d(4, "lane", "dim0")
            True
        """
    def divide_right(self, tile: Layout) -> Layout:
        """Returns the layout `rest` with `rest * tile == self`, up to the order of dims.

        Raises `LayoutError` if there is no such layout. The message names the first basis vector that is partly in the
        tile.

        Example:

            >>> layout = ll.Layout.identity_1d(2, "register", "dim0") * ll.Layout.identity_1d(4, "lane", "dim0")
            >>> layout.divide_right(ll.Layout.identity_1d(4, "lane", "dim0")).in_dims
            {'register': 2, 'lane': 1}
        """
    def concat_ins(self, other: Layout) -> Layout:
        """Returns the layout with the in-dims of this layout, followed by the in-dims of `other`. The out-dims must be the
        same.

        Example:

            >>> lanes = ll.Layout.from_bases({"lane": [1, 2]}, {"dim0": 4})
            >>> lanes.concat_ins(ll.Layout.from_bases({"warp": [3]}, {"dim0": 4}, surjective=False)).in_dims
            {'lane': 4, 'warp': 2}
        """
    def concat_outs(self, other: Layout) -> Layout:
        """Returns the layout with the out-dims of this layout, followed by the out-dims of `other`. The in-dims must be
        the same.

        Example:

            >>> rows = ll.Layout.from_bases({"lane": [1, 0]}, {"dim0": 2})
            >>> rows.concat_outs(ll.Layout.from_bases({"lane": [0, 1]}, {"dim1": 2})).apply(lane=2)
            (0, 1)
        """
    def sublayout(self, in_dims: _Names, out_dims: _Names) -> Layout:
        """Returns the layout restricted to the given in-dims and out-dims.

        Example:

            >>> layout = ll.Layout("spatial(8, 4).local(1, 2)")
            >>> layout.sublayout(["lane"], ["dim0"]).bases
            {'lane': [[0], [0], [1], [2], [4]]}
        """
    def quotient(self, dims: _Names) -> Layout | None:
        """Returns the layout without the in-dims and out-dims named in `dims`. Returns `None` if the layout does not
        map each of these in-dims to the out-dim of the same name unchanged. Also returns `None` if one of these
        in-dims affects a remaining out-dim, or if a remaining in-dim affects one of these out-dims.

        Example:

            >>> layout = ll.Layout.identity_1d(4, "lane", "lane") * ll.Layout.identity_1d(2, "warp", "warp")
            >>> layout.quotient("warp") == ll.Layout.identity_1d(4, "lane", "lane")
            True
        """
    def minimal_conversion_to(self, dst: Layout) -> Layout:
        """Returns the conversion to `dst`, without the last in-dims if no element moves in them. The conversion maps
        each place of `dst` to a place of this layout that holds the same element.

        In-dims are removed from last to first, until a dim in which elements move is reached. If all in-dims are
        removed, no element moves. If only `register` remains, each element stays in its thread.

        Example:

            >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
            >>> list(rows.minimal_conversion_to(columns).in_dims)
            ['register', 'lane']
            >>> list(rows.minimal_conversion_to(rows).in_dims)
            []
        """
    def remove_zero_bases(self, dim: str) -> Layout:
        """Returns the layout without the zero basis vectors (replicas) of in-dim `dim`.

        Example:

            >>> ll.Layout.from_bases({"register": [0, 1]}, ["dim0"]).remove_zero_bases("register").bases
            {'register': [[1]]}
        """
    def resize_in(self, dim: str, size: int) -> Layout:
        """Returns the layout with the in-dim `dim` resized to `size`. If the size becomes smaller, the highest basis
        vectors are dropped. If it becomes larger, zero basis vectors are appended.

        Example:

            >>> ll.Layout.identity_1d(2, "warp", "dim0").resize_in("warp", 4).bases
            {'warp': [[1], [0]]}
        """
    def resize_out(self, dim: str, size: int) -> Layout:
        """Returns the layout with the size of the out-dim `dim` reduced to `size`. In this dim, each basis component
        that is not below `size` becomes 0.

        Example:

            >>> ll.Layout.identity_1d(4, "lane", "dim0").resize_out("dim0", 2).bases
            {'lane': [[1], [0]]}
        """
    def transpose_ins(self, order: _Names) -> Layout:
        """Returns the layout with its in-dims in the given order.

        Example:

            >>> list(ll.Layout("spatial(8, 4)").transpose_ins(["block", "warp", "lane", "register"]).in_dims)
            ['block', 'warp', 'lane', 'register']
        """
    def transpose_outs(self, order: _Names) -> Layout:
        """Returns the layout with its out-dims in the given order.

        Example:

            >>> ll.Layout("spatial(8, 4)").transpose_outs(["dim1", "dim0"]).shape
            (4, 8)
        """
    def reshape_ins(self, dims: _Sizes) -> Layout:
        """Returns the layout whose input bits are divided among the in-dims `dims`. The first of these in-dims has the
        lowest bits.

        Example:

            >>> threads = ll.Layout.identity_1d(128, "lane", "dim0")
            >>> threads.reshape_ins({"lane": 32, "warp": 4}).bases["warp"]
            [[32], [64]]
        """
    def reshape_outs(self, dims: _Sizes) -> Layout:
        """Returns the layout whose output bits are divided among the out-dims `dims`. The first of these out-dims has
        the lowest bits.

        Example:

            >>> ll.Layout.identity_1d(32, "lane", "dim0").reshape_outs({"dim0": 4, "dim1": 8}).apply(lane=7)
            (3, 1)
        """
    def flatten_ins(self) -> Layout:
        """Returns the layout with all in-dims merged into the first in-dim. The first in-dim keeps the lowest bits.

        Example:

            >>> ll.Layout("spatial(8, 4).local(1, 2)").flatten_ins().in_dims
            {'register': 64}
        """
    def flatten_outs(self) -> Layout:
        """Returns the layout with all out-dims merged into the first out-dim. The first out-dim keeps the lowest bits.

        Example:

            >>> ll.Layout("spatial(8, 4)").flatten_outs().apply(lane=5)
            (9,)
        """
    def squeeze_ins(self, dim: str) -> Layout:
        """Returns the layout without the in-dim `dim`, which must have size 1.

        Example:

            >>> list(ll.Layout("spatial(8, 4)").squeeze_ins("block").in_dims)
            ['register', 'lane', 'warp']
        """
    def squeeze_outs(self, dim: str) -> Layout:
        """Returns the layout without the out-dim `dim`, which must have size 1.

        Example:

            >>> ll.Layout("spatial(1, 32)").squeeze_outs("dim0").out_dims
            {'dim1': 32}
        """
    def rename_in(self, old: str, new: str) -> Layout:
        """Returns the layout with the in-dim `old` renamed to `new`.

        Example:

            >>> ll.Layout.identity_1d(4, "register", "dim0").rename_in("register", "lane").in_dims
            {'lane': 4}
        """
    def rename_out(self, old: str, new: str) -> Layout:
        """Returns the layout with the out-dim `old` renamed to `new`.

        Example:

            >>> ll.Layout.identity_1d(4, "lane", "dim0").rename_out("dim0", "offset").out_dims
            {'offset': 4}
        """
    def explain(self) -> str:
        """Returns a description in words: the size of the layout, its replicas, and the effect of each basis.

        Example:

            >>> print(ll.Layout.from_bases({"lane": [[0, 1], [1, 0]]}, ["dim0", "dim1"]).explain())
            a tensor of 2x2 in 4 lanes
            each element is held once
            2 neighbours along dim1 lie side by side in lanes
            <BLANKLINE>
            lane: what its 2 bits do
              lane 1: goes on by 1 along dim1
              lane 2: goes on by 1 along dim0
        """
    def text(self, view: _View = "tensor", *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as text.

        The view `tensor` shows the place of each element. `grid` shows the same in boxes, as `thread: register`.
        `hardware` shows the element of each place, `matrix` shows the matrix over GF(2), and `bases` is Triton's
        text of a LinearLayout. `rows` and `columns` limit the picture. If rows or columns are hidden, a last line
        states their number.

        Example:

            >>> print(ll.Layout("spatial(2, 2).local(1, 2)").text())
            2 x 4: dim0 down, dim1 across; a cell is T<lane>:<register>
                   0     1     2     3
            0:  T0:0  T0:1  T1:0  T1:1
            1:  T2:0  T2:1  T3:0  T3:1
        """
    def show(self, view: _View = "tensor", *, rows: int | None = None, columns: int | None = None) -> None:
        """Prints a picture as text. The arguments are those of `text`.

        Example:

            >>> ll.Layout("spatial(2, 2)").show("grid")
            ┌──────┬──────┐
            │ 0: 0 │ 1: 0 │
            ├──────┼──────┤
            │ 2: 0 │ 3: 0 │
            └──────┴──────┘
        """
    def svg(self, view: _View = "tensor", *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as SVG. The arguments are those of `text`, except that there is no view `bases`.

        Example:

            >>> ll.Layout("spatial(8, 4)").svg().startswith("<svg")
            True
        """
    def html(self) -> str:
        """Returns a self-contained HTML page with the views `tensor`, `hardware` and `matrix`.

        The page names the element, lane, register and warp of the cell under the pointer.

        Example:

            >>> ll.Layout("spatial(8, 4)").html().rstrip().endswith("</html>")
            True
        """
    def banks(
        self,
        dtype: Any,
        target: _Target,
        access: Layout | None = None,
        *,
        store: bool = False,
        rows: int | None = None,
        columns: int | None = None,
        format: Literal["text", "svg"] = "text",
    ) -> str:
        """Returns a picture of shared memory by bank, for a layout with an in-dim `offset`.

        Without `access`, the picture shows the elements that each bank contains. If `access` is a register layout,
        the picture shows the loads from the buffer into these registers instead, with their phases and bank
        conflicts. If `store` is true, it shows the stores from these registers. `format` is `text` or `svg`.

        Raises `LayoutError` for layouts without `offset`, and for unknown element types and targets.

        Example:

            >>> buffer = ll.Layout("#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>", [32, 32])
            >>> columns = ll.Layout("column_spatial(32, 1).column_local(1, 32)")
            >>> "224 bank conflicts" in buffer.banks("f32", "cuda:90", columns)
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> "image/svg+xml" in ll.Layout("spatial(8, 4)")._repr_html_()
            True
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Conversion:
    """A planned conversion between two register layouts on a GPU, with its steps and costs.

    `ll.convert` returns conversions. A cost is a predicted number of clock cycles that one SM (CU) needs for one
    thread block.

    Example:

        >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
        >>> conversion = ll.convert(rows, columns, "f32", "cuda:90")
        >>> conversion.kind, conversion.bank_conflicts, conversion.shared_bytes
        ('shuffle', 0, 0)
    """
    @property
    def kind(self) -> str:
        """The kind of the plan: `rename`, `select`, `shuffle`, `shared`, `mixed` or `cluster`.

        Example:

            >>> layout = ll.Layout("spatial(8, 4)")
            >>> ll.convert(layout, layout, "f32", "cuda:90").kind
            'rename'
        """
    @property
    def steps(self) -> list[str]:
        """The steps that each thread executes, as text. `str(conversion)` also contains the tables that the steps use.

        Example:

            >>> layout = ll.Layout("spatial(8, 4)")
            >>> ll.convert(layout, ll.Layout("column_spatial(8, 4)"), "f32", "cuda:90").steps
            ['%1 = shuffle %0 from lanes 0']
        """
    @property
    def cycles(self) -> float:
        """The cost in clock cycles. The cost is `max(l, a) + min(l, a) / 8 + w`, where `l` is the number of load-store
        cycles, `a` the number of arithmetic cycles, and `w` the number of waiting cycles.

        Example:

            >>> layout = ll.Layout("spatial(8, 4)")
            >>> ll.convert(layout, layout, "f32", "cuda:90").cycles
            0.0
        """
    @property
    def load_store_cycles(self) -> float:
        """The clock cycles that the load-store unit spends on wavefronts, shuffles, and the issue of instructions.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").load_store_cycles > 0
            True
        """
    @property
    def arithmetic_cycles(self) -> float:
        """The clock cycles that the arithmetic unit spends on selects and permutes.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").arithmetic_cycles
            0.0
        """
    @property
    def waiting_cycles(self) -> float:
        """The clock cycles spent waiting at barriers, and for the latency of shared memory and shuffles.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").waiting_cycles > 0
            True
        """
    @property
    def bank_conflicts(self) -> int:
        """The number of bank conflicts, i.e. the number of wavefronts that exceed the minimum, summed over all warps.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").bank_conflicts
            0
        """
    @property
    def shared_bytes(self) -> int:
        """The size of the scratch memory that the conversion uses in shared memory, in bytes.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").shared_bytes
            256
        """
    @property
    def moves(self) -> tuple[str, ...]:
        """The in-dims that remain after dims without movement are removed: in-dims are removed from last to first,
        until a dim in which elements move, such as `lane`, is reached. These are the in-dims of
        `minimal_conversion_to`. The tuple is empty if no element moves.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").moves
            ('register', 'lane', 'warp')
        """
    @property
    def considered(self) -> list[tuple[str, float]]:
        """The candidate plans as pairs `(kind, cycles)`, cheapest first. The first entry is the plan of this
        conversion.

        Example:

            >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
            >>> conversion = ll.convert(rows, columns, "f32", "cuda:90")
            >>> conversion.considered[0] == (conversion.kind, conversion.cycles)
            True
        """
    @property
    def registers(self) -> tuple[int, int]:
        """The number of registers per thread before the conversion, and the number after it. Replicas are not counted.

        Example:

            >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").registers
            (2, 2)
        """
    @property
    def element_bits(self) -> int:
        """The width of an element in bits.

        Example:

            >>> layout = ll.Layout("spatial(8, 4)")
            >>> ll.convert(layout, layout, np.float16, "cuda:90").element_bits
            16
        """
    @property
    def target(self) -> Target:
        """The GPU for which the conversion is planned.

        Example:

            >>> layout = ll.Layout("spatial(8, 4)")
            >>> ll.convert(layout, layout, "f16", "sm_90").target
            Target('cuda:90')
        """
    def text(self, view: Literal["arrows", "banks"] = "arrows", *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture of the conversion as text.

        The view `arrows` shows both layouts and the moves of elements. The view `banks` shows the banks that each
        store and load accesses. Raises `LayoutError` for `banks` if the conversion does not use shared memory.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> "bank" in ll.convert(rows, columns, "f32", "cuda:90").text("banks")
            True
        """
    def svg(self, view: Literal["arrows", "banks"] = "arrows", *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture of the conversion as SVG. The arguments are those of `text`.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 8)"), ll.Layout("column_spatial(8, 8)")
            >>> ll.convert(rows, columns, "f32", "cuda:90").svg("banks").startswith("<svg")
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> rows, columns = ll.Layout("spatial(8, 4)"), ll.Layout("column_spatial(8, 4)")
            >>> "image/svg+xml" in ll.convert(rows, columns, "f32", "cuda:90")._repr_html_()
            True
        """

@final
class Target:
    """A GPU, with its warp size, banks and shared memory.

    `name` is a `ttg.target` (`cuda:90`, `hip:gfx942`), a processor (`sm_90`) or a product (`h100`). Raises
    `LayoutError` for an unknown name. The message suggests the most similar name.

    Example:

        >>> target = ll.Target("sm_90")
        >>> target
        Target('cuda:90')
        >>> target.lanes, target.banks, target.max_shared_bytes
        (32, 32, 232448)
    """
    def __new__(cls, name: str) -> Target: ...
    @property
    def name(self) -> str:
        """The name of the GPU in `ttg.target`.

        Example:

            >>> ll.Target("gfx942").name
            'hip:gfx942'
        """
    @property
    def vendor(self) -> str:
        """The vendor of the GPU: `nvidia` or `amd`.

        Example:

            >>> ll.Target("gfx942").vendor
            'amd'
        """
    @property
    def lanes(self) -> int:
        """The number of lanes per warp (wave).

        Example:

            >>> ll.Target("gfx942").lanes
            64
        """
    @property
    def banks(self) -> int:
        """The number of banks of shared memory.

        Example:

            >>> ll.Target("gfx950").banks
            64
        """
    @property
    def bank_bytes(self) -> int:
        """The width of a bank in bytes.

        Example:

            >>> ll.Target("sm_90").bank_bytes
            4
        """
    @property
    def max_shared_bytes(self) -> int:
        """The maximum shared memory of a thread block, in bytes.

        Example:

            >>> ll.Target("gfx942").max_shared_bytes
            65536
        """
    def resident_blocks(self, threads: int, shared_bytes: int = 0, registers: int = 0) -> int:
        """Returns the occupancy: the number of thread blocks that are resident on one SM (CU).

        A block has `threads` threads and `shared_bytes` bytes of shared memory, and each thread has `registers`
        32-bit registers. If `registers` is 0, registers do not limit the result. The result is 0 if a block does
        not fit.

        Example:

            >>> ll.Target("h100").resident_blocks(128, registers=110), ll.Target("h100").resident_blocks(128, registers=96)
            (4, 5)
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def convert(
    src: Layout,
    dst: Layout,
    dtype: Any,
    target: _Target,
    *,
    strategy: Literal["local", "shuffle", "shared"] | None = None,
    scratch_limit: int | None = None,
) -> Conversion:
    """Plans the conversion of a tensor from layout `src` to layout `dst`.

    `dtype` is an element type: a name as in IR (`f16`, `i8`, `!tt.ptr<f16>`), a type of NumPy, PyTorch or Triton,
    or a width in bits. `target` is a `Target` or its name. `strategy` is `local`, `shuffle` or `shared`; by
    default, the cheapest strategy is chosen. `scratch_limit` limits the shared memory of the plan, in bytes.

    The plan is validated by symbolic execution for every lane. The GIL is released during planning and validation.
    Raises `LayoutError` if the layouts are not register layouts of the same tensor, or if there is no plan.

    Example:

        >>> rows, columns = ll.Layout("local(1, 2).spatial(8, 4)"), ll.Layout("local(1, 2).column_spatial(8, 4)")
        >>> conversion = ll.convert(rows, columns, "f32", "cuda:90", strategy="shared")
        >>> conversion.kind, conversion.shared_bytes
        ('shared', 256)
    """
def layouts(ttgir: str) -> list[tuple[str, Layout]]:
    """Returns the layouts that the text of a TTGIR module contains, as pairs `(name, layout)`. Each encoding is listed
    once for each shape of a tensor or buffer to which it applies.

    The layouts are in the order of the text. Attributes that are not encodings are ignored, and the rest of the
    module need not be valid. Raises `LayoutError` for an encoding that cannot be parsed or does not fit its tensor.

    Example:

        >>> ttgir = '''
        ... #b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
        ... tt.func @f(%x: tensor<512xf32, #b>, %y: tensor<1024xf32, #b>) { tt.return }
        ... '''
        >>> [(name, layout.in_dims["register"], layout.shape) for name, layout in ll.layouts(ttgir)]
        [('#b', 4, (512,)), ('#b', 8, (1024,))]
    """
def targets() -> list[Target]:
    """Returns all GPUs for which conversions can be planned.

    Example:

        >>> [target.name for target in ll.targets()][:3]
        ['cuda:70', 'cuda:72', 'cuda:75']
        >>> {target.vendor for target in ll.targets()} == {"nvidia", "amd"}
        True
    """

@final
class CuteLayout:
    """A CuTe layout: a function from coordinates to indices, given by a nested shape and nested strides.

    `shape` is a number, a nested tuple, or the text of a whole layout, such as `(4,2):(2,1)`. `stride` is congruent to
    `shape`; by default, the layout is compact and mode 0 varies fastest. Numbers need not be powers of two.

    An operation raises `LayoutError` if its result is not a layout. The message names the mode that does not fit.

    Example:

        >>> layout = ll.cute.Layout((4, (2, 3)), (6, (3, 1)))
        >>> layout
        Layout('(4,(2,3)):(6,(3,1))')
        >>> layout(2, 5), layout(2, (1, 2)), layout(22)
        (17, 17, 17)
        >>> ll.cute.Layout("(4,2)").stride
        (1, 4)
    """
    def __new__(cls, shape: _Numbers, stride: _Numbers | None = None) -> CuteLayout: ...
    @staticmethod
    def concat(*layouts: CuteLayout) -> CuteLayout:
        """Returns the layout whose modes are the given layouts.

        Example:

            >>> ll.cute.Layout.concat(ll.cute.Layout("4:2"), ll.cute.Layout("2:1"))
            Layout('(4,2):(2,1)')
        """
    @staticmethod
    def ordered(shape: _Numbers, order: _Numbers) -> CuteLayout:
        """Returns the compact layout of `shape`. The mode with the smallest number in `order` varies fastest.

        Example:

            >>> ll.cute.Layout.ordered((2, 2, 2, 2), (0, 2, 3, 1))
            Layout('(2,2,2,2):(1,4,8,2)')
        """
    @property
    def shape(self) -> _Nested:
        """The shape of the layout: a number, or a tuple of numbers and tuples.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").shape
            (4, (2, 3))
        """
    @property
    def stride(self) -> _Nested:
        """The stride of the layout, congruent to the shape.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").stride
            (6, (3, 1))
        """
    @property
    def size(self) -> int:
        """The number of coordinates.

        Example:

            >>> ll.cute.Layout("(4,2):(8,1)").size
            8
        """
    @property
    def cosize(self) -> int:
        """One more than the largest index of the layout. A negative stride is counted with its absolute value.

        Example:

            >>> ll.cute.Layout("(4,2):(8,1)").cosize
            26
        """
    @property
    def rank(self) -> int:
        """The number of modes.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").rank
            2
        """
    @property
    def depth(self) -> int:
        """The nesting depth of the shape, 0 for a number.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").depth
            2
        """
    @property
    def modes(self) -> list[CuteLayout]:
        """The modes of the layout, each as a layout.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").modes
            [Layout('4:6'), Layout('(2,3):(3,1)')]
        """
    def __call__(self, *coordinate: _Numbers) -> int: ...
    def coordinate(self, number: int) -> _Nested:
        """Returns the coordinate whose number in column-major order is `number`. The coordinate is congruent to the
        shape.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").coordinate(22)
            (2, (1, 2))
        """
    def slice(self, coordinate: _Coordinate) -> tuple[CuteLayout, int]:
        """Returns the pair `(layout, offset)`. `layout` has the modes that are `None` in `coordinate`, and `offset` is
        the index to which the given numbers map.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(1,(4,8))").slice((None, (1, None)))
            (Layout('(4,3):(1,8)'), 4)
        """
    def dice(self, coordinate: _Coordinate) -> CuteLayout:
        """Returns the layout with only those modes for which `coordinate` has a number. Modes for which `coordinate`
        has `None` are removed. The values of the numbers have no effect.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(1,(4,8))").dice((0, (None, 0)))
            Layout('(4,3):(1,8)')
        """
    def to_numpy(self) -> _Array:
        """Returns the indices of all coordinates as a one-dimensional int64 array. The first mode varies fastest.

        Example:

            >>> ll.cute.Layout("(2,3):(3,1)").to_numpy()
            array([0, 3, 1, 4, 2, 5])
        """
    def to_linear(self, shape: _Shape | None = None, *, lanes: int = 32) -> Layout:
        """Returns the equivalent linear layout.

        Without `shape`, the result maps `(dim0, dim1, ...) -> offset`. With a tensor shape, this layout must be a
        thread-value layout: it maps `((threads), (values))` to column-major element indices. The result then maps
        `(register, lane, warp, block) -> (dim0, dim1, ...)`, with `lanes` threads per warp. Raises `LayoutError` if the
        layout is not linear over GF(2).

        Example:

            >>> ll.cute.Layout("(2,4):(4,1)").to_linear().apply(dim0=1, dim1=2)
            (6,)
            >>> ll.cute.Layout("((4,8),(2,2)):((32,1),(16,8))").to_linear([16, 8]).apply(lane=5, register=1)
            (1, 3)
        """
    def to_tilus(self, shape: _Shape, *, row_major: bool = False) -> TilusRegisterLayout:
        """Returns the Tilus register layout of this thread-value layout, for a tensor of shape `shape`.

        This layout maps `((threads), (values))` to element indices in column-major order, or in row-major order if
        `row_major` is true.

        Example:

            >>> tv = ll.cute.Layout("((4,8),(2,2)):((32,1),(16,8))")
            >>> tv.to_tilus([16, 8]) == ll.tilus.local(2, 1).spatial(8, 4).local(1, 2)
            True
        """
    def select(self, modes: _Shape) -> CuteLayout:
        """Returns the layout with the given modes, in the given order.

        Example:

            >>> ll.cute.Layout("(4,2,3):(6,3,1)").select([2, 0])
            Layout('(3,4):(1,6)')
        """
    def coalesce(self, profile: _Numbers | None = None) -> CuteLayout:
        """Returns the same function with as few modes as possible.

        If `profile` is given, each of its entries selects the mode at the same position of this layout. Only the
        selected modes are coalesced, each on its own.

        Example:

            >>> ll.cute.Layout("(2,(1,6)):(1,(6,2))").coalesce()
            Layout('12:1')
            >>> ll.cute.Layout("(2,(1,6)):(1,(6,2))").coalesce((1, 1))
            Layout('(2,6):(1,2)')
        """
    def filter(self, profile: _Numbers | None = None) -> CuteLayout:
        """Returns the layout without its modes of stride 0. The remaining modes are coalesced. If `profile` is given,
        the modes at the positions of its entries are filtered separately.

        Example:

            >>> ll.cute.Layout("(2,4,3):(0,1,4)").filter()
            Layout('12:1')
        """
    def filter_zeros(self) -> CuteLayout:
        """Returns the layout in which each mode of stride 0 has size 1.

        Example:

            >>> ll.cute.Layout("(2,4):(0,1)").filter_zeros()
            Layout('(1,4):(0,1)')
        """
    def flatten(self) -> CuteLayout:
        """Returns the layout without nesting of modes.

        Example:

            >>> ll.cute.Layout("(4,(2,3)):(6,(3,1))").flatten()
            Layout('(4,2,3):(6,3,1)')
        """
    def take(self, begin: int, end: int) -> CuteLayout:
        """Returns the layout of modes `begin` to `end - 1`.

        Example:

            >>> ll.cute.Layout("(4,2,3):(6,3,1)").take(1, 3)
            Layout('(2,3):(3,1)')
        """
    def group(self, begin: int, end: int) -> CuteLayout:
        """Returns the layout with modes `begin` to `end - 1` grouped into one mode.

        Example:

            >>> ll.cute.Layout("(4,2,3):(6,3,1)").group(0, 2)
            Layout('((4,2),3):((6,3),1)')
        """
    def append(self, rank: int) -> CuteLayout:
        """Returns the layout with modes `1:0` appended until its rank is `rank`.

        Example:

            >>> ll.cute.Layout("4:2").append(3)
            Layout('(4,1,1):(2,0,0)')
        """
    def prepend(self, rank: int) -> CuteLayout:
        """Returns the layout with modes `1:0` prepended until its rank is `rank`.

        Example:

            >>> ll.cute.Layout("4:2").prepend(2)
            Layout('(1,4):(0,2)')
        """
    def upcast(self, factor: int) -> CuteLayout:
        """Returns the layout of the same data, viewed as elements that are `factor` times as wide.

        Example:

            >>> ll.cute.Layout("(8,4):(1,8)").upcast(2)
            Layout('(4,4):(1,4)')
        """
    def downcast(self, factor: int) -> CuteLayout:
        """Returns the layout of the same data, viewed as elements that are `1 / factor` times as wide.

        Example:

            >>> ll.cute.Layout("(4,4):(1,4)").downcast(2)
            Layout('(8,4):(1,8)')
        """
    def recast(self, old_bits: int, new_bits: int) -> CuteLayout:
        """Returns the layout of the same data, viewed as elements of `new_bits` bits instead of `old_bits` bits.

        Example:

            >>> ll.cute.Layout("(8,4):(1,8)").recast(16, 32)
            Layout('(4,4):(1,4)')
        """
    def max_alignment(self) -> int:
        """Returns the largest vector length `n`, in elements, to which the layout is aligned: for each multiple `m` of
        `n`, the image of the layout contains either all indices from `m` to `m + n - 1` or none of them.

        Example:

            >>> ll.cute.Layout("(8,4):(1,12)").max_alignment()
            4
        """
    def compact_like(self) -> CuteLayout:
        """Returns the compact layout that has the same shape and whose strides have the same order. Modes of stride 0
        keep stride 0.

        Example:

            >>> ll.cute.Layout("(5,16,3):(96,6,2)").compact_like()
            Layout('(5,16,3):(48,3,1)')
        """
    def fragment_like(self) -> CuteLayout:
        """Returns the compact layout of the same shape for the registers of a thread. Mode 0 varies fastest, and the
        other modes follow in the order of their strides.

        Example:

            >>> ll.cute.Layout("((2,2),4):((1,16),2)").fragment_like()
            Layout('((2,2),4):((1,2),4)')
        """
    def composition(self, inner: _Tiler) -> CuteLayout:
        """Returns the layout `c -> self(inner(c))`. If `inner` is a tuple, it is a tiler, and each mode is composed
        with its own part of the tuple.

        Raises `LayoutError` if there is no such layout. The message names the mode that does not fit.

        Example:

            >>> ll.cute.Layout("(6,2):(8,2)").composition("(4,3):(3,1)")
            Layout('((2,2),3):((24,2),8)')
            >>> ll.cute.Layout("(8,6):(6,1)").composition((4, "2:3"))
            Layout('(4,2):(6,3)')
        """
    def complement(self, cotarget: _Numbers | None = None) -> CuteLayout:
        """Returns the complement of this layout in the range from 0 to `cotarget - 1`. The indices of the complement
        are offsets: copies of this layout that are shifted by these offsets do not overlap. `cotarget` is a number
        or a shape; by default, it is the cosize of this layout.

        Example:

            >>> ll.cute.Layout("(2,2):(1,6)").complement(24)
            Layout('(3,2):(2,12)')
        """
    def right_inverse(self) -> CuteLayout:
        """Returns the largest layout `inverse` with `self(inverse(i)) == i` for every `i` below the size of `inverse`.

        Example:

            >>> ll.cute.Layout("(8,16,4):(64,1,16)").right_inverse()
            Layout('(64,8):(8,1)')
        """
    def left_inverse(self) -> CuteLayout:
        """Returns a layout `inverse` with `inverse(self(c)) == c` for every coordinate `c`.

        Raises `LayoutError` if two coordinates have the same index.

        Example:

            >>> ll.cute.Layout("(4,2):(2,1)").left_inverse()
            Layout('(2,4):(4,1)')
        """
    def nullspace(self) -> CuteLayout:
        """Returns a layout whose indices are the numbers of certain coordinates of this layout. These coordinates are
        0 in every mode that has a non-zero stride, so this layout maps all of them to 0. Coordinates are numbered
        in column-major order.

        Example:

            >>> ll.cute.Layout("(4,2):(1,0)").nullspace()
            Layout('2:4')
        """
    def max_common_layout(self, other: _CuteLayout) -> CuteLayout:
        """Returns the largest layout `common` with `self(common(i)) == other(common(i)) == i` for every `i` below the
        size of `common`.

        Example:

            >>> ll.cute.Layout("(4,4):(1,4)").max_common_layout("(4,4):(1,8)")
            Layout('4:1')
        """
    def max_common_vector(self, other: _CuteLayout) -> int:
        """Returns the number of elements in the longest vector that can be copied at once between the two layouts.
        This is the size of `max_common_layout`.

        Example:

            >>> ll.cute.Layout("(4,4):(1,4)").max_common_vector("(4,4):(1,8)")
            4
        """
    def logical_divide(self, tiler: _Tiler) -> CuteLayout:
        """Returns the layout divided into tiles: a pair of modes `(tile, rest)`. The mode `tile` enumerates the
        elements of one tile, and the mode `rest` enumerates the tiles.

        If `tiler` is a tuple, each item divides one mode of this layout. The divided mode becomes a pair
        `(tile, rest)`. Modes without a tiler do not change.

        Example:

            >>> ll.cute.Layout("12:1").logical_divide("4:3")
            Layout('(4,3):(3,1)')
        """
    def zipped_divide(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_divide`, with its modes arranged as `((tiles), (rests))`.

        Example:

            >>> ll.cute.Layout("(8,6):(6,1)").zipped_divide((4, "2:3"))
            Layout('((4,2),(2,3)):((6,3),(24,1))')
        """
    def tiled_divide(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_divide`, with its modes arranged as `((tiles), rest, rest, ...)`.

        Example:

            >>> ll.cute.Layout("(8,6):(6,1)").tiled_divide((4, 2))
            Layout('((4,2),2,3):((6,1),24,2)')
        """
    def flat_divide(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_divide`, with its modes arranged as `(tile, tile, ..., rest, rest, ...)`.

        Example:

            >>> ll.cute.Layout("(8,6):(6,1)").flat_divide((4, 2))
            Layout('(4,2,2,3):(6,1,24,2)')
        """
    def logical_product(self, tiler: _Tiler) -> CuteLayout:
        """Returns this layout repeated as a block: `(block, repetitions)`. The mode `repetitions` enumerates the
        copies of the block in the order of `tiler`. If `tiler` is a tuple, each mode with a tiler becomes such a
        pair.

        Example:

            >>> ll.cute.Layout("(2,2):(4,1)").logical_product("6:1")
            Layout('((2,2),(2,3)):((4,1),(2,8))')
        """
    def zipped_product(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_product`, with its modes arranged as `((blocks), (repetitions))`.

        Example:

            >>> ll.cute.Layout("(2,5):(5,1)").zipped_product((3, 4))
            Layout('((2,5),(3,4)):((5,1),(1,5))')
        """
    def tiled_product(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_product`, with its modes arranged as
        `((blocks), repetition, repetition, ...)`.

        Example:

            >>> ll.cute.Layout("(2,5):(5,1)").tiled_product((3, 4))
            Layout('((2,5),3,4):((5,1),1,5)')
        """
    def flat_product(self, tiler: _Tiler) -> CuteLayout:
        """Returns the result of `logical_product`, with its modes arranged as
        `(block, block, ..., repetition, repetition, ...)`.

        Example:

            >>> ll.cute.Layout("(2,5):(5,1)").flat_product((3, 4))
            Layout('(2,5,3,4):(5,1,1,5)')
        """
    def blocked_product(self, tiler: _CuteLayout) -> CuteLayout:
        """Returns a layout that consists of copies of this layout, which is called the block. Mode `i` of `tiler`
        describes the copies along mode `i` of the block. In each mode of the result, the coordinate within the
        block varies faster than the number of the copy.

        Example:

            >>> ll.cute.Layout("(2,5):(5,1)").blocked_product("(3,4):(1,3)")
            Layout('((2,3),(5,4)):((5,10),(1,30))')
        """
    def raked_product(self, tiler: _CuteLayout) -> CuteLayout:
        """Returns the layout that repeats this layout, the block, according to `tiler`, mode by mode. In each mode,
        the repetition varies faster than the coordinate within the block.

        Example:

            >>> ll.cute.Layout("(2,5):(5,1)").raked_product("(3,4):(1,3)")
            Layout('((3,2),(4,5)):((10,5),(30,1))')
        """
    def tile_to_shape(self, shape: _Numbers, order: _Numbers | None = None) -> CuteLayout:
        """Returns the layout that repeats this layout, the block, until it has the shape `shape`. `order` is the order
        of the repetitions, as in `Layout.ordered`.

        Example:

            >>> ll.cute.Layout("(2,2):(2,1)").tile_to_shape((4, 6), (1, 0))
            Layout('((2,2),(2,3)):((2,12),(1,4))')
        """
    def text(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as text: a table of the indices.

        Example:

            >>> print(ll.cute.Layout("(2,3):(3,1)").text())
            (2,3):(3,1): mode 0 down, mode 1 across; a cell is <index>
                0  1  2
            0:  0  1  2
            1:  3  4  5
        """
    def show(self, *, rows: int | None = None, columns: int | None = None) -> None:
        """Prints a picture as text.

        Example:

            >>> ll.cute.Layout("(2,2):(2,1)").show()
            (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
                0  1
            0:  0  1
            1:  2  3
        """
    def svg(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as SVG.

        Example:

            >>> ll.cute.Layout("(2,3):(3,1)").svg().startswith("<svg")
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> "image/svg+xml" in ll.cute.Layout("(2,3):(3,1)")._repr_html_()
            True
        """
    def explain(self) -> str:
        """Returns a description in words: the number of coordinates and the effect of each mode.

        Example:

            >>> print(ll.cute.Layout("(2,3):(3,1)").explain())
            6 coordinates to indices below 6
            <BLANKLINE>
            what the modes do, the fastest of a coordinate that is one number first
              mode 0: 2 steps of 3
              mode 1: 3 steps of 1
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CuteComposedLayout:
    """A CuTe layout that is followed by a swizzle. It maps a coordinate `c` to `swizzle(offset + layout(c))`.

    The first argument may also be the text of the whole composed layout, such as `Sw<3,4,3> o 0 o (8,64):(64,1)`.

    Example:

        >>> layout = ll.cute.ComposedLayout(ll.cute.Swizzle(2, 0, 3), 0, ll.cute.Layout("(8,8):(8,1)"))
        >>> layout(1)
        9
        >>> layout == ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)")
        True
    """
    @overload
    def __new__(cls, swizzle: str, offset: None = None, layout: None = None) -> CuteComposedLayout: ...
    @overload
    def __new__(cls, swizzle: CuteSwizzle, offset: int, layout: CuteLayout) -> CuteComposedLayout: ...
    @staticmethod
    def from_linear(layout: Layout) -> CuteComposedLayout:
        """Returns the CuTe layout that is equivalent to a linear layout `(dim0, dim1, ...) -> offset`. The result has
        a swizzle if it needs one.

        Raises `LayoutError` if no CuTe layout with at most one swizzle is equivalent.

        Example:

            >>> ll.cute.ComposedLayout.from_linear(ll.Layout.strided_1d(4, 2, "dim0", "offset"))
            ComposedLayout('((4)):((2))')
        """
    @property
    def swizzle(self) -> CuteSwizzle:
        """The swizzle.

        Example:

            >>> ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)").swizzle
            Swizzle(2, 0, 3)
        """
    @property
    def offset(self) -> int:
        """The offset that is added before the swizzle.

        Example:

            >>> ll.cute.ComposedLayout("Sw<2,0,3> o 16 o (8,8):(8,1)").offset
            16
        """
    @property
    def layout(self) -> CuteLayout:
        """The layout that is applied before the swizzle.

        Example:

            >>> ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)").layout
            Layout('(8,8):(8,1)')
        """
    def __call__(self, coordinate: int) -> int: ...
    def to_numpy(self) -> _Array:
        """Returns the indices of all coordinates as a one-dimensional int64 array. The first mode varies fastest.

        Example:

            >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o 4:1").to_numpy()
            array([0, 1, 3, 2])
        """
    def right_inverse(self) -> CuteComposedLayout:
        """Returns the largest layout `inverse` with `self(inverse(i)) == i` for every `i` below the size of `inverse`.

        Example:

            >>> ll.cute.ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)").right_inverse()
            ComposedLayout('Sw<3,0,-3> o 0 o (8,8):(8,1)')
        """
    def left_inverse(self) -> CuteComposedLayout:
        """Returns a layout `inverse` with `inverse(self(c)) == c` for every coordinate `c`.

        Example:

            >>> ll.cute.ComposedLayout("Sw<3,0,3> o 0 o (8,8):(8,1)").left_inverse()
            ComposedLayout('Sw<3,0,-3> o 0 o (8,8):(8,1)')
        """
    def slice(self, coordinate: _Coordinate) -> tuple[CuteComposedLayout, int]:
        """Returns the pair `(layout, offset)`. `layout` has the modes that are `None` in `coordinate`, and `offset`
        must be added to the indices of `layout`.

        Example:

            >>> ll.cute.ComposedLayout("Sw<2,0,2> o 0 o (4,4):(1,4)").slice((None, 2))
            (ComposedLayout('((2,2)):((1,-2))'), 10)
        """
    def to_linear(self, shape: _Shape | None = None, *, lanes: int = 32, memory: bool = False) -> Layout:
        """Returns the equivalent linear layout. `shape` and `lanes` have the same meaning as in `Layout.to_linear`.

        If `memory` is true, the result is the inverse map `offset -> (dim0, dim1, ...)`, as in the encoding of a
        buffer. `shape` must then be `None`.

        Example:

            >>> layout = ll.cute.ComposedLayout("Sw<2,0,3> o 0 o (8,8):(8,1)")
            >>> layout.to_linear().apply(dim0=1, dim1=0)
            (9,)
            >>> layout.to_linear(memory=True).apply(offset=9)
            (1, 0)
        """
    def text(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as text: a table of the indices.

        Example:

            >>> print(ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").text())
            Sw<1,0,1> o 0 o (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
                0  1
            0:  0  1
            1:  3  2
        """
    def show(self, *, rows: int | None = None, columns: int | None = None) -> None:
        """Prints a picture as text.

        Example:

            >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").show()
            Sw<1,0,1> o 0 o (2,2):(2,1): mode 0 down, mode 1 across; a cell is <index>
                0  1
            0:  0  1
            1:  3  2
        """
    def svg(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as SVG.

        Example:

            >>> ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)").svg().startswith("<svg")
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> "image/svg+xml" in ll.cute.ComposedLayout("Sw<1,0,1> o 0 o (2,2):(2,1)")._repr_html_()
            True
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class CuteSwizzle:
    """A CuTe swizzle `Sw<bits,base,shift>`. For each `i < bits`, it XORs bit `base + shift + i` of an index into bit
    `base + i` of the index. If `shift` is negative, it XORs bit `base + i` into bit `base - shift + i` instead.

    The only argument may also be the text of a swizzle, such as `Sw<3,4,3>`.

    Example:

        >>> swizzle = ll.cute.Swizzle(2, 0, 3)
        >>> swizzle, swizzle(8)
        (Swizzle(2, 0, 3), 9)
    """
    @overload
    def __new__(cls, bits: str, base: None = None, shift: None = None) -> CuteSwizzle: ...
    @overload
    def __new__(cls, bits: int, base: int, shift: int) -> CuteSwizzle: ...
    @property
    def bits(self) -> int:
        """The number of bits that are XORed.

        Example:

            >>> ll.cute.Swizzle(3, 4, 3).bits
            3
        """
    @property
    def base(self) -> int:
        """The lowest bit that the swizzle reads or changes.

        Example:

            >>> ll.cute.Swizzle(2, 4, 3).base
            4
        """
    @property
    def shift(self) -> int:
        """The distance from the changed bits to the bits that are XORed into them. The distance may be negative.

        Example:

            >>> ll.cute.Swizzle(2, 4, 3).shift
            3
        """
    def is_identity(self) -> bool:
        """Returns true if the swizzle changes no index.

        Example:

            >>> ll.cute.Swizzle(0, 4, 3).is_identity()
            True
        """
    def __call__(self, index: int) -> int: ...
    def composition(self, inner: CuteSwizzle) -> CuteSwizzle:
        """Returns the swizzle `i -> self(inner(i))`.

        Raises `LayoutError` if the composition is not a swizzle.

        Example:

            >>> ll.cute.Swizzle(2, 0, 3).composition(ll.cute.Swizzle(2, 0, 3)).is_identity()
            True
        """
    def recast(self, old_bits: int, new_bits: int) -> CuteSwizzle:
        """Returns the swizzle of the same data, viewed as elements of `new_bits` bits instead of `old_bits` bits.

        Example:

            >>> ll.cute.Swizzle(3, 4, 3).recast(8, 16)
            Swizzle(3, 3, 3)
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class TilusRegisterLayout:
    """A Tilus register layout. For each element of a tensor, it contains the threads that hold the element, and the
    local index (register) at which they hold it.

    `shape` is the tensor shape, or the text of a whole layout, such as `local(2, 1).spatial(8, 4)`. `mode_shape`
    splits the dims into modes (mixed-radix digits). `spatial_modes` lists the modes of the thread index, slowest
    first; `local_modes` lists the modes of the local index. An entry `-n` in `spatial_modes` means `n` replicas.
    Extents need not be powers of two.

    Layouts compare equal if they are the same map, even with different modes.

    Example:

        >>> mma = ll.tilus.local(2, 1).spatial(8, 4).local(1, 2)
        >>> mma
        RegisterLayout(shape=[16, 8], mode_shape=[2, 8, 4, 2], spatial_modes=[1, 2], local_modes=[0, 3])
        >>> mma == ll.tilus.RegisterLayout("local(2, 1).spatial(8, 4).local(1, 2)")
        True
        >>> mma.threads_of(10, 5), mma.local_of(10, 5)
        ([10], 3)
    """
    @overload
    def __new__(
        cls, shape: str, mode_shape: None = None, spatial_modes: None = None, local_modes: None = None
    ) -> TilusRegisterLayout: ...
    @overload
    def __new__(
        cls, shape: _Shape, mode_shape: _Shape, spatial_modes: Sequence[int], local_modes: Sequence[int]
    ) -> TilusRegisterLayout: ...
    @staticmethod
    def from_linear(layout: Layout) -> TilusRegisterLayout:
        """Returns the Tilus register layout of a linear layout. In the thread index, lanes vary fastest, then warps,
        then blocks.

        Raises `LayoutError` if a basis vector has more than one bit, or if two registers of a thread hold the same
        element.

        Example:

            >>> ll.tilus.RegisterLayout.from_linear(ll.Layout("spatial(8, 4)")) == ll.tilus.spatial(8, 4)
            True
        """
    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).shape
            (16, 4)
        """
    @property
    def mode_shape(self) -> tuple[int, ...]:
        """The extents of the modes.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).mode_shape
            (2, 8, 4)
        """
    @property
    def spatial_modes(self) -> tuple[int, ...]:
        """The modes of the thread index, slowest first. An entry `-n` means `n` replicas.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_modes
            (1, 2)
        """
    @property
    def local_modes(self) -> tuple[int, ...]:
        """The modes of the local index, slowest first.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).local_modes
            (0,)
        """
    @property
    def spatial_size(self) -> int:
        """The number of threads.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_size
            32
        """
    @property
    def local_size(self) -> int:
        """The number of elements per thread.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).local_size
            2
        """
    @property
    def size(self) -> int:
        """The number of elements.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).size
            64
        """
    @property
    def replications(self) -> int:
        """The number of threads that hold each element.

        Example:

            >>> ll.tilus.replicated(2, threads=3).replications
            3
        """
    def local_of(self, *index: _Shape) -> int:
        """Returns the local index of an element, which is the same in all threads.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).local_of(9, 0)
            1
        """
    def threads_of(self, *index: _Shape) -> list[int]:
        """Returns the threads that hold an element, in ascending order.

        Example:

            >>> ll.tilus.spatial(2).compose(ll.tilus.replicated(2, threads=3)).threads_of(3)
            [3, 4, 5]
        """
    def index_of(self, thread: int, local: int) -> tuple[int, ...]:
        """Returns the tensor index of the element at local index `local` of thread `thread`.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).index_of(5, 1)
            (9, 1)
        """
    def to_numpy(self) -> _Array:
        """Returns the tensor index of the element at each thread and local index. The result is an int64 array of
        shape `(spatial_size, local_size, rank)`.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).to_numpy()[5, 1]
            array([9, 1])
        """
    def to_linear(self, *, lanes: int = 32) -> Layout:
        """Returns the equivalent linear layout `(register, lane, warp, block) -> (dim0, dim1, ...)`, with `lanes` threads
        per warp.

        Raises `LayoutError` if an extent is not a power of two.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).to_linear().apply(register=1, lane=5)
            (9, 1)
        """
    def to_cute(self, *, row_major: bool = False) -> CuteLayout:
        """Returns the equivalent CuTe layout `((threads), (values)) -> element`. Elements are numbered in column-major
        order, or in row-major order if `row_major` is true.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).local(1, 2).to_cute()
            Layout('((4,8),(2,2)):((32,1),(16,8))')
        """
    def text(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as text, with the thread and the local index of each element.

        Example:

            >>> print(ll.tilus.local(2, 1).spatial(1, 2).text())
            RegisterLayout(shape=[2, 2], mode_shape=[2, 2], spatial_modes=[1], local_modes=[0])
            ┌──────┬──────┐
            │ 0: 0 │ 1: 0 │
            ├──────┼──────┤
            │ 0: 1 │ 1: 1 │
            └──────┴──────┘
        """
    def show(self, *, rows: int | None = None, columns: int | None = None) -> None:
        """Prints a picture as text.

        Example:

            >>> ll.tilus.spatial(1, 2).show()
            RegisterLayout(shape=[1, 2], mode_shape=[2], spatial_modes=[0], local_modes=[])
            ┌──────┬──────┐
            │ 0: 0 │ 1: 0 │
            └──────┴──────┘
        """
    def svg(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as SVG.

        Example:

            >>> ll.tilus.spatial(8, 4).svg().startswith("<svg")
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> "image/svg+xml" in ll.tilus.spatial(8, 4)._repr_html_()
            True
        """
    def explain(self) -> str:
        """Returns a description in words: the number of threads, the number of places (local indices) per thread, the
        number of replicas, and the effect of each mode.

        Example:

            >>> print(ll.tilus.local(3, 1).spatial(2, 4).explain())
            a tensor of 6x4 in 3 places of each of 8 threads
            each element is held once
            <BLANKLINE>
            what the digits of an index do, the slowest first
              3 steps of 2 along dim0: the place, by 1 each
              2 steps of 1 along dim0: the thread, by 4 each
              4 steps of 1 along dim1: the thread, by 1 each
        """
    def compose(self, inner: TilusRegisterLayout) -> TilusRegisterLayout:
        """Returns the layout in which each element of this layout is replaced by a tile with the layout `inner`.
        `a * b` is `a.compose(b)`.

        Example:

            >>> ll.tilus.local(2, 1).compose(ll.tilus.spatial(8, 4)) == ll.tilus.local(2, 1) * ll.tilus.spatial(8, 4)
            True
        """
    def __mul__(self, inner: TilusRegisterLayout, /) -> TilusRegisterLayout: ...
    def __rmul__(self, value: TilusRegisterLayout, /) -> TilusRegisterLayout: ...
    def concat(self, other: TilusRegisterLayout) -> TilusRegisterLayout:
        """Returns the layout with the dims of this layout, followed by the dims of `other`.

        Example:

            >>> ll.tilus.spatial(2).concat(ll.tilus.local(3)).shape
            (2, 3)
        """
    def divide(self, inner: TilusRegisterLayout) -> TilusRegisterLayout:
        """Returns the layout `q` with `q.compose(inner) == self`.

        Raises `LayoutError` if there is no such layout.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).divide(ll.tilus.spatial(8, 4)) == ll.tilus.local(2, 1)
            True
        """
    def left_divide(self, outer: TilusRegisterLayout) -> TilusRegisterLayout:
        """Returns the layout `q` with `outer.compose(q) == self`.

        Raises `LayoutError` if there is no such layout.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).left_divide(ll.tilus.local(2, 1)) == ll.tilus.spatial(8, 4)
            True
        """
    def spatial(self, *shape: _Shape) -> TilusRegisterLayout:
        """Returns `self.compose(ll.tilus.spatial(*shape))`.

        Example:

            >>> ll.tilus.local(2, 1).spatial(8, 4).spatial_size
            32
        """
    def local(self, *shape: _Shape) -> TilusRegisterLayout:
        """Returns `self.compose(ll.tilus.local(*shape))`.

        Example:

            >>> ll.tilus.spatial(8, 4).local(1, 2).local_size
            2
        """
    def column_spatial(self, *shape: _Shape) -> TilusRegisterLayout:
        """Returns `self.compose(ll.tilus.column_spatial(*shape))`.

        Example:

            >>> ll.tilus.local(2, 1).column_spatial(8, 4).threads_of(1, 0)
            [1]
        """
    def column_local(self, *shape: _Shape) -> TilusRegisterLayout:
        """Returns `self.compose(ll.tilus.column_local(*shape))`.

        Example:

            >>> ll.tilus.spatial(8, 4).column_local(2, 2).local_of(1, 0)
            1
        """
    def permute(self, dims: _Shape) -> TilusRegisterLayout:
        """Returns the layout whose dim `i` is dim `dims[i]` of this layout.

        Example:

            >>> ll.tilus.spatial(8, 4).permute([1, 0]).shape
            (4, 8)
        """
    def reshape(self, *shape: _Shape) -> TilusRegisterLayout:
        """Returns the layout of the same elements, arranged in the shape `shape`. The row-major order of the elements
        does not change.

        Example:

            >>> ll.tilus.spatial(8, 4).reshape(32) == ll.tilus.spatial(32)
            True
        """
    def squeeze(self, dims: _Shape) -> TilusRegisterLayout:
        """Returns the layout without the given dims, which must have extent 1.

        Example:

            >>> ll.tilus.spatial(1, 32).squeeze(0).shape
            (32,)
        """
    def unsqueeze(self, dims: _Shape) -> TilusRegisterLayout:
        """Returns the layout with new dims of extent 1 at positions `dims` of the new shape.

        Example:

            >>> ll.tilus.spatial(2, 3).unsqueeze([0, 2]).shape
            (1, 2, 1, 3)
        """
    def flatten(self, begin: int, end: int) -> TilusRegisterLayout:
        """Returns the layout with dims `begin` to `end - 1` merged into one dim.

        Example:

            >>> ll.tilus.spatial(2, 3, 4).flatten(0, 2).shape
            (6, 4)
        """
    def reduce(self, dims: _Shape, *, keep_dims: bool = False) -> TilusRegisterLayout:
        """Returns the layout of a tensor after a reduction along `dims`. Threads that held different elements along
        `dims` hold replicas of the result.

        If `keep_dims` is true, the reduced dims are kept with extent 1. Otherwise, they are removed.

        Example:

            >>> ll.tilus.spatial(8, 4).reduce(1).threads_of(1)
            [4, 5, 6, 7]
        """
    def reduce_to(self, shape: _Shape) -> TilusRegisterLayout:
        """Returns the layout after a reduction to `shape`, which has extent 1 for each reduced dim.

        Example:

            >>> ll.tilus.spatial(8, 4).reduce_to([8, 1]).replications
            4
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class TilusSharedLayout:
    """A Tilus shared layout. It maps each element of a tensor to its offset in shared memory, in elements.

    `shape` is the tensor shape, or the text of a whole layout as Tilus prints it. `mode_shape` splits the dims into
    modes (mixed-radix digits). `mode_strides` contains the stride of each mode, in elements. `swizzle` is `None` or
    `(base, bits, shift)`.

    Example:

        >>> ll.tilus.SharedLayout([4, 8], [4, 8], [8, 1]) == ll.tilus.SharedLayout.row_major(4, 8)
        True
        >>> ll.tilus.SharedLayout.row_major(4, 8)(2, 3)
        19
    """
    @overload
    def __new__(
        cls, shape: str, mode_shape: None = None, mode_strides: None = None, swizzle: None = None
    ) -> TilusSharedLayout: ...
    @overload
    def __new__(
        cls,
        shape: _Shape,
        mode_shape: _Shape,
        mode_strides: _Shape,
        swizzle: tuple[int, int, int] | None = None,
    ) -> TilusSharedLayout: ...
    @staticmethod
    def row_major(*shape: _Shape) -> TilusSharedLayout:
        """Returns the compact layout in which the last dim varies fastest.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8)(1, 0)
            8
        """
    @staticmethod
    def column_major(*shape: _Shape) -> TilusSharedLayout:
        """Returns the compact layout in which the first dim varies fastest.

        Example:

            >>> ll.tilus.SharedLayout.column_major(4, 8)(1, 0)
            1
        """
    @staticmethod
    def row_major_swizzled(*shape: _Shape, element_bytes: int) -> TilusSharedLayout:
        """Returns the row-major layout with a swizzle. The swizzle avoids bank conflicts of 16-byte accesses along a
        column.

        Example:

            >>> ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2)(1, 0)
            72
        """
    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).shape
            (4, 8)
        """
    @property
    def mode_shape(self) -> tuple[int, ...]:
        """The extents of the modes.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).mode_shape
            (4, 8)
        """
    @property
    def mode_strides(self) -> tuple[int, ...]:
        """The stride of each mode, in elements.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).mode_strides
            (8, 1)
        """
    @property
    def swizzle(self) -> tuple[int, int, int] | None:
        """The swizzle as `(base, bits, shift)`, or `None`.

        Example:

            >>> ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2).swizzle
            (3, 3, 3)
        """
    @property
    def size(self) -> int:
        """The number of elements.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).size
            32
        """
    @property
    def span(self) -> int:
        """The size of the buffer in elements. It is one more than the largest offset that an element has before the
        swizzle is applied.

        Example:

            >>> ll.tilus.SharedLayout([4, 8], [4, 8], [9, 1]).span
            35
        """
    def __call__(self, *index: _Shape) -> int: ...
    def to_numpy(self) -> _Array:
        """Returns all offsets as an int64 array with the shape of the tensor.

        Example:

            >>> ll.tilus.SharedLayout.column_major(2, 3).to_numpy()
            array([[0, 2, 4],
                   [1, 3, 5]])
        """
    def without_swizzle(self) -> TilusSharedLayout:
        """Returns the layout without its swizzle.

        Example:

            >>> swizzled = ll.tilus.SharedLayout.row_major_swizzled(8, 64, element_bytes=2)
            >>> swizzled.without_swizzle() == ll.tilus.SharedLayout.row_major(8, 64)
            True
        """
    def with_swizzle(self, base: int, bits: int, shift: int) -> TilusSharedLayout:
        """Returns the layout followed by a swizzle.

        Raises `LayoutError` if the layout already has a swizzle.

        Example:

            >>> ll.tilus.SharedLayout.row_major(8, 8).with_swizzle(0, 3, 3)(1, 0)
            9
        """
    def compose(self, inner: TilusSharedLayout) -> TilusSharedLayout:
        """Returns the layout in which each element of this layout is replaced by a copy of `inner`. Each copy takes
        `inner.span` elements of memory. `a * b` is `a.compose(b)`.

        Example:

            >>> tile = ll.tilus.SharedLayout.row_major(2, 2)
            >>> (ll.tilus.SharedLayout.row_major(1, 2) * tile)(0, 2)
            4
        """
    def __mul__(self, inner: TilusSharedLayout, /) -> TilusSharedLayout: ...
    def __rmul__(self, value: TilusSharedLayout, /) -> TilusSharedLayout: ...
    def permute(self, dims: _Shape) -> TilusSharedLayout:
        """Returns the layout whose dim `i` is dim `dims[i]` of this layout.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).permute([1, 0])(1, 0)
            1
        """
    def slice(self, dims: _Shape) -> TilusSharedLayout:
        """Returns the layout restricted to the dims `dims`, in this order. The index along all other dims is 0.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).slice([0])(3)
            24
        """
    def reshape(self, *shape: _Shape) -> TilusSharedLayout:
        """Returns the layout of the same elements, arranged in the shape `shape`. The row-major order of the elements
        does not change.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).reshape(2, 16)(1, 3)
            19
        """
    def unsqueeze(self, dims: _Shape) -> TilusSharedLayout:
        """Returns the layout with new dims of extent 1 at positions `dims` of the new shape.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).unsqueeze(1).shape
            (4, 1, 8)
        """
    def prepend_dim(self, extent: int) -> TilusSharedLayout:
        """Returns the layout of `extent` consecutive copies of this buffer. A new first dim selects the copy.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).prepend_dim(2)(1, 0, 0)
            32
        """
    def to_linear(self) -> Layout:
        """Returns the linear layout `offset -> (dim0, dim1, ...)` of the buffer, as in an encoding.

        Raises `LayoutError` if the layout is not linear over GF(2).

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).to_linear().apply(offset=19)
            (2, 3)
        """
    def to_cute(self) -> CuteComposedLayout:
        """Returns the equivalent CuTe layout `(dim0, dim1, ...) -> offset`, with one mode per dim.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).to_cute()
            ComposedLayout('((4),(8)):((8),(1))')
        """
    def text(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as text: a table of the offsets.

        Example:

            >>> print(ll.tilus.SharedLayout.row_major(2, 3).text())
            SharedLayout(shape=[2, 3], mode_shape=[2, 3], mode_strides=[3, 1], swizzle=None)
            ┌───┬───┬───┐
            │ 0 │ 1 │ 2 │
            ├───┼───┼───┤
            │ 3 │ 4 │ 5 │
            └───┴───┴───┘
        """
    def show(self, *, rows: int | None = None, columns: int | None = None) -> None:
        """Prints a picture as text.

        Example:

            >>> ll.tilus.SharedLayout.row_major(1, 2).show()
            SharedLayout(shape=[1, 2], mode_shape=[2], mode_strides=[1], swizzle=None)
            ┌───┬───┐
            │ 0 │ 1 │
            └───┴───┘
        """
    def svg(self, *, rows: int | None = None, columns: int | None = None) -> str:
        """Returns a picture as SVG.

        Example:

            >>> ll.tilus.SharedLayout.row_major(4, 8).svg().startswith("<svg")
            True
        """
    def _repr_html_(self) -> str:
        """Returns the picture that a notebook shows.

        Example:

            >>> "image/svg+xml" in ll.tilus.SharedLayout.row_major(4, 8)._repr_html_()
            True
        """
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

def auto_local_spatial(*shape: _Shape, threads: int) -> TilusRegisterLayout:
    """Returns a layout `local(...).spatial(...)` of the given shape for `threads` threads. Threads are distributed
    along the last dim first, then along the dim before it, and so on. Adjacent elements along these dims are
    therefore in different threads.

    Example:

        >>> ll.tilus.auto_local_spatial(2, 32, threads=16) == ll.tilus.local(2, 2).spatial(1, 16)
        True
    """
def column_local(*shape: _Shape) -> TilusRegisterLayout:
    """Returns the layout in which thread 0 holds all elements. The elements are numbered in column-major order.

    Example:

        >>> ll.tilus.column_local(2, 3).local_of(1, 0)
        1
    """
def column_spatial(*shape: _Shape) -> TilusRegisterLayout:
    """Returns the layout in which each thread holds one element. Threads are numbered in column-major order.

    Example:

        >>> ll.tilus.column_spatial(2, 3).threads_of(1, 0)
        [1]
    """
def local(*shape: _Shape, ranks: _Shape | None = None) -> TilusRegisterLayout:
    """Returns the layout in which thread 0 holds all elements. The elements are numbered in row-major order.

    If `ranks` is given, the elements are numbered in another order: `ranks[i]` is the position of dim `i` in the
    list of dims from the slowest to the fastest.

    Example:

        >>> ll.tilus.local(2, 3).local_of(1, 0)
        3
    """
def replicated(*shape: _Shape, threads: int) -> TilusRegisterLayout:
    """Returns the layout in which each of `threads` threads holds all elements. The elements are numbered in row-major
    order.

    Example:

        >>> ll.tilus.replicated(2, threads=3).threads_of(1)
        [0, 1, 2]
    """
def spatial(*shape: _Shape, ranks: _Shape | None = None) -> TilusRegisterLayout:
    """Returns the layout in which each thread holds one element. Threads are numbered in row-major order.

    If `ranks` is given, it determines the order in which threads are numbered. The dim with rank 0 varies slowest,
    and the dim with the largest rank varies fastest; `ranks[i]` is the rank of dim `i`.

    Example:

        >>> ll.tilus.spatial(2, 3).threads_of(1, 0)
        [3]
        >>> ll.tilus.spatial(2, 3, ranks=[1, 0]) == ll.tilus.column_spatial(2, 3)
        True
    """
