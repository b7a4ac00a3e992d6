"""What Triton makes of modules: needs a Python with `triton==3.9.0`, no GPU.

    figures.py FOLDER [--again]

Compiles each `.ttgir` below FOLDER to PTX or AMD assembly, and writes `KERNEL.json` beside it: the bytes of
shared memory of a block, and how many barriers of all its threads the assembly has. Where the wheel fails
there is no such file. What has one is left out, unless `--again` is given.
`cargo test --test fuzz -- corpus --dir FOLDER` compares ours with them.
"""
import json
import os
import re
import resource
import sys

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
SECONDS = 60  # of processor time for one module
BARRIERS = {
    "ptx": r"^\s*(?:@!?%p\d+\s+)?(?:bar\.sync|barrier(?:\.cta)?\.sync)",
    # Where arriving and waiting are two instructions, the latter counts.
    "amdgcn": r"^\s*(?:s_barrier|s_barrier_wait)\b",
}


def figures(path):
    """Bytes and barriers of one module."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    with open(path, encoding="utf-8") as file:
        text = file.read()

    def number(name, default):
        found = re.search(rf'"ttg\.{name}" = (\d+)', text)
        return int(found[1]) if found else default

    vendor, arch = re.search(r'ttg\.target = "(\w+):(\w+)"', text).groups()
    arch = int(arch) if vendor == "cuda" else arch
    target = GPUTarget(vendor, arch, number("threads-per-warp", 32))
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": number("num-warps", 4), "num_ctas": number("num-ctas", 1)})
    stages = {}
    backend.add_stages(stages, options, None)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    module = ir.parse_mlir_module(path, context)
    module.context = context
    metadata = {"target": target, **options.__dict__}
    last = "ptx" if vendor == "cuda" else "amdgcn"
    for stage in ("llir", last):
        module = stages[stage](module, metadata)
    return {"shared_bytes": metadata["shared"], "barriers": len(re.findall(BARRIERS[last], module, re.M))}


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--again"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    import triton  # noqa: F401: children share it

    paths = []
    for root, folders, files in os.walk(arguments[0]):
        folders.sort()
        paths += [os.path.join(root, file) for file in sorted(files) if file.endswith(".ttgir")]
    failed = 0
    for path in paths:
        result = path.removesuffix(".ttgir") + ".json"
        if os.path.exists(result) and "--again" not in sys.argv:
            continue
        # The wheel has assertions that end the process.
        child = os.fork()
        if child == 0:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            try:
                found = json.dumps(figures(path))
                with open(result, "w", encoding="utf-8") as file:
                    file.write(found + "\n")
            except BaseException:
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0:
            failed += 1
            print(f"{path}: the wheel makes nothing of it", file=sys.stderr)
    print(f"{len(paths)} modules, of which the wheel fails on {failed}")


if __name__ == "__main__":
    main()
