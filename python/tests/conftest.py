"""Finds the package, the compiler's library and the modules of these tests, installed or not."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "test" / "kernels")]

# What was built last, by cargo or into the package, unless the user names one.
if "LINEAR_LAYOUT_LIBRARY" not in os.environ:
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target"))
    folders = [HERE.parent / "linear_layout" / "_lib", *(target / kind for kind in ("release", "debug", "debug/deps"))]
    built = [folder / "liblinear_layout_mlir.so" for folder in folders]
    built = sorted((path for path in built if path.is_file()), key=lambda path: path.stat().st_mtime)
    if built:
        os.environ["LINEAR_LAYOUT_LIBRARY"] = str(built[-1])

HAS_COMPILER = "LINEAR_LAYOUT_LIBRARY" in os.environ
collect_ignore = [] if HAS_COMPILER else ["test_cache.py", "test_compiler.py", "test_kernels.py", "test_simulation.py", "test_stages.py"]
