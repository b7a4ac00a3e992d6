#!/usr/bin/env python3
"""Times the `tilus` package on the layouts of a file, for `cargo bench --bench tilus`.

A line of the file has three layouts as Tilus prints them, with tabs between: an outer one, a tile,
and their composition. Prints a name, a tab and nanoseconds for each operation.

The package imports `torch`, `cuda` and `tvm_ffi`, which layouts do not need: where they are missing, empty
modules stand in. `pip install --no-deps tilus==0.2.0` and numpy, tabulate, tqdm and filelock are enough.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import sys
import time
import types


class Nothing(types.ModuleType):
    """A stand-in for a missing module, which has every attribute."""

    __path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__call__": lambda self, *args, **kwargs: None})


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports an empty stand-in for each missing package."""

    def __init__(self, roots):
        self.roots = roots

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.roots:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Nothing(spec.name)

    def exec_module(self, module):
        pass


def best(call):
    """Returns the best time of a call in nanoseconds over a few rounds."""
    found = float("inf")
    for _ in range(7):
        start = time.perf_counter_ns()
        for _ in range(5):
            call()
        found = min(found, (time.perf_counter_ns() - start) / 5)
    return found


def main(file):
    missing = {root for root in ("torch", "cuda", "tvm_ffi") if importlib.util.find_spec(root) is None}
    sys.meta_path.insert(0, StandIns(missing))
    from tilus.ir.layout.ops import register_ops as ops
    from tilus.ir.layout.register_layout import RegisterLayout

    def read(text):
        fields = eval(text, {"RegisterLayout": dict})
        return RegisterLayout(**{key: tuple(value) for key, value in fields.items()})

    def fresh(layout):
        """Returns a copy of a layout without cached results, since linear-layout caches none."""
        return RegisterLayout(layout.shape, layout.mode_shape, layout.spatial_modes, layout.local_modes)

    triples = [[read(text) for text in line.split("\t")] for line in open(file)]
    operations = {
        "compose": lambda o, t, w: ops.compose(fresh(o), fresh(t)),
        "divide": lambda o, t, w: ops.divide(fresh(w), fresh(t)),
        "left_divide": lambda o, t, w: ops.left_divide(fresh(w), fresh(o)),
        "reduce": lambda o, t, w: ops.reduce(fresh(w), [0]),
        "permute": lambda o, t, w: ops.permute(fresh(w), list(range(len(w.shape)))[::-1]),
        "reshape to 1-D": lambda o, t, w: ops.reshape(fresh(w), [w.size]),
        "get_local (one element)": lambda o, t, w: w.get_local([extent - 1 for extent in w.shape]),
        "get_global (one place)": lambda o, t, w: w.get_global(spatial_index=0, local_index=0),
        "print": lambda o, t, w: str(w),
    }
    print(f"spatial(8, 4)\t{best(lambda: ops.spatial(8, 4))}")
    for name, operation in operations.items():
        times = []
        for triple in triples:
            try:
                times.append(best(lambda: operation(*triple)))
            except ops.LayoutOperationError:
                # Tilus finds no quotient for some layouts that have a quotient.
                pass
        times.sort()
        print(f"{name}\t{times[len(times) // 2]}")


if __name__ == "__main__":
    main(sys.argv[1])
