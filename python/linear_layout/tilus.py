"""Tilus layouts: mixed-radix digits of an index, mapped to threads, registers and memory offsets.

Example:

    >>> mma = ll.tilus.local(2, 1).spatial(8, 4).local(1, 2)
    >>> mma.threads_of(10, 5), mma.local_of(10, 5)
    ([10], 3)
    >>> (ll.tilus.local(2, 2) * mma).divide(mma) == ll.tilus.local(2, 2)
    True
"""

from ._native import TilusRegisterLayout as RegisterLayout
from ._native import TilusSharedLayout as SharedLayout
from ._native import auto_local_spatial, column_local, column_spatial, local, replicated, spatial

__all__ = [
    "RegisterLayout",
    "SharedLayout",
    "auto_local_spatial",
    "column_local",
    "column_spatial",
    "local",
    "replicated",
    "spatial",
]
