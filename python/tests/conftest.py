"""Finds the package, the compiler's library and the modules of these tests, installed or not."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

# What `cargo` built last, unless the package has a library of its own or the user names one.
if "LINEAR_LAYOUT_LIBRARY" not in os.environ and not (HERE.parent / "linear_layout" / "_lib").is_dir():
    target = Path(os.environ.get("CARGO_TARGET_DIR", HERE.parents[1] / "target"))
    built = [target / kind / "liblinear_layout_mlir.so" for kind in ("release", "debug", "debug/deps")]
    built = sorted((path for path in built if path.is_file()), key=lambda path: path.stat().st_mtime)
    if built:
        os.environ["LINEAR_LAYOUT_LIBRARY"] = str(built[-1])

HAS_COMPILER = "LINEAR_LAYOUT_LIBRARY" in os.environ or (HERE.parent / "linear_layout" / "_lib").is_dir()
collect_ignore = [] if HAS_COMPILER else ["test_compiler.py", "test_simulation.py", "test_stages.py"]
