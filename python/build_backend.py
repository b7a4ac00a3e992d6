"""The build of the package, as PEP 517 asks for it: the compiler's library by cargo, then the extension by maturin.

The library is put into the package, beside the extension. `LINEAR_LAYOUT_WITHOUT_COMPILER=1` leaves it out: the layouts
work without it, and LLVM is not needed.
"""

import os
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
LIBRARY = "liblinear_layout_mlir.so"


def _build_compiler() -> None:
    """Builds the library with LLVM and MLIR, and puts it where the package looks for it."""
    place = HERE / "linear_layout" / "_lib"
    if os.environ.get("LINEAR_LAYOUT_WITHOUT_COMPILER"):
        shutil.rmtree(place, ignore_errors=True)
        return
    # Finds LLVM 22, or says what is missing and how to get it.
    subprocess.run([ROOT / "tools" / "setup.sh"], check=True, cwd=ROOT)
    print("building the compiler; the first build takes several minutes", flush=True)
    subprocess.run(["cargo", "build", "--release", "--package", "linear-layout-mlir", "--lib"], check=True, cwd=ROOT)
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    place.mkdir(exist_ok=True)
    shutil.copy2(target / "release" / LIBRARY, place / LIBRARY)
    subprocess.run(["strip", "--strip-debug", place / LIBRARY], check=False)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_compiler()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_compiler()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
