"""CuTe layouts: nested shapes with strides.

Example:

    >>> matrix = ll.cute.Layout("(8,6):(6,1)")
    >>> tiles = matrix.zipped_divide((4, "2:3"))
    >>> tiles
    Layout('((4,2),(2,3)):((6,3),(24,1))')
    >>> tiles((1, 1), (1, 2)) == matrix(5, 5)
    True
"""

from ._native import CuteComposedLayout as ComposedLayout
from ._native import CuteLayout as Layout
from ._native import CuteSwizzle as Swizzle

__all__ = ["ComposedLayout", "Layout", "Swizzle"]
