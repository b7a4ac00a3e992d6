"""Records the generic form that Triton prints for files; needs a Python with `triton==3.9.0`, no GPU.

    generic.py FILE             prints one file's generic form
    generic.py --custom FILE    prints it as Triton does by itself
    generic.py --record         writes test/golden/generic for all kernels and test/Dialect/Inputs

Python's bindings print with Triton's own flags only, so MLIR's printer is called in the library
that they are linked into, which exports its C++ symbols.
"""
import ctypes as C
import glob
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
TEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def pointer_of(obj):
    """The C++ object behind a nanobind instance."""
    base = id(obj) + object.__basicsize__
    offset, flags = C.c_int32.from_address(base).value, C.c_uint32.from_address(base + 4).value
    place = id(obj) + offset
    return place if flags >> 2 & 1 else C.c_void_p.from_address(place).value


def printed(path, generic):
    import triton._C.libtriton as triton

    library = C.CDLL(triton.__file__)
    context = triton.ir.context()
    triton.ir.load_dialects(context)
    triton.nvidia.load_dialects(context)
    triton.amd.load_dialects(context)
    module = triton.ir.parse_mlir_module(path, context)
    flags = C.create_string_buffer(1024)
    library._ZN4mlir15OpPrintingFlagsC1Ev(flags)
    if generic:
        library._ZN4mlir15OpPrintingFlags18printGenericOpFormEb(flags, C.c_bool(True))
    operation = C.c_void_p.from_address(pointer_of(module)).value
    with tempfile.TemporaryFile() as file:
        stream = C.create_string_buffer(4096)
        library._ZN4llvm14raw_fd_ostreamC1EibbNS_11raw_ostream11OStreamKindE(
            stream, C.c_int(file.fileno()), C.c_bool(False), C.c_bool(True), C.c_int(0)
        )
        library._ZN4mlir9Operation5printERN4llvm11raw_ostreamERKNS_15OpPrintingFlagsE(
            C.c_void_p(operation), stream, flags
        )
        file.seek(0)
        return file.read().decode().rstrip("\n") + "\n"


def record():
    files = glob.glob(f"{TEST}/kernels/*/*.ttgir") + glob.glob(f"{TEST}/kernels/*/*.mlir")
    files += glob.glob(f"{TEST}/Dialect/Inputs/*.mlir") + glob.glob(f"{TEST}/Dialect/Inputs/*.ttgir")
    for path in sorted(files):
        name = os.path.relpath(path, TEST).replace(os.sep, "_")
        # A file that Triton refuses may end the process, so each one gets its own.
        text = subprocess.check_output([sys.executable, __file__, path])
        with open(f"{TEST}/golden/generic/{name}", "wb") as file:
            file.write(text)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments == ["--record"]:
        record()
    else:
        sys.stdout.write(printed(arguments[-1], "--custom" not in arguments))
        sys.stdout.flush()
        os._exit(0)  # the library's own shutdown is not clean after calls past its bindings
