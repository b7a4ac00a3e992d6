"""How long code generation takes and how long its PTX is, beside Triton; needs a Python with `triton==3.9.0`, no GPU.

    codegen.py FOLDER --tool TARGET/release/ll-translate [--rounds N] [--exact]

For each `.ttgir` below FOLDER for an NVIDIA GPU: instructions of PTX and milliseconds from TTGIR to PTX, Triton's,
ours and their ratio; each time is the best of N rounds (3). Both have Triton's numbers, unless `--exact` is given.
"""
import argparse
import os
import re
import subprocess
import sys
import time

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
NUMBERS = "builtin.module(use-triton-numbers,convert-layouts-to-llvm)"


def instructions(ptx):
    lines = [line.strip() for line in ptx.splitlines()]
    return sum(line.endswith(";") and not line.startswith(".") for line in lines)


def triton(path):
    """PTX of one module, and the milliseconds of its making."""
    from triton._C.libtriton import ir
    from triton.backends.compiler import GPUTarget
    from triton.compiler import make_backend

    with open(path, encoding="utf-8") as file:
        text = file.read()
    number = lambda name: int(re.search(rf'"ttg\.{name}" = (\d+)', text)[1])
    target = GPUTarget("cuda", int(re.search(r'ttg\.target = "cuda:(\d+)"', text)[1]), 32)
    backend = make_backend(target)
    options = backend.parse_options({"num_warps": number("num-warps"), "num_ctas": number("num-ctas")})
    stages = {}
    backend.add_stages(stages, options, None)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    begin = time.perf_counter()
    module = ir.parse_mlir_module(path, context)
    module.context = context
    metadata = {"target": target, **options.__dict__}
    for stage in ("llir", "ptx"):
        module = stages[stage](module, metadata)
    return module, (time.perf_counter() - begin) * 1e3


def ours(tool, path, exact):
    lower = "--lower" if exact else f"--lower={NUMBERS}"
    made = subprocess.run([tool, lower, "--emit=ptx", "--time=1", path], capture_output=True, text=True)
    if made.returncode:
        raise RuntimeError(made.stderr.strip().splitlines()[0])
    return made.stdout, float(re.search(r"^total\s+([\d.]+)", made.stderr, re.M)[1])


def best(make, rounds):
    made = [make() for _ in range(rounds)]
    return instructions(made[0][0]), min(milliseconds for _, milliseconds in made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--exact", action="store_true")
    options = parser.parse_args()
    paths = [os.path.join(root, file) for root, _, files in os.walk(options.folder) for file in files]
    statuses = []
    print(f"{'kernel':<50} {'PTX':>7} {'ours':>7} {'ratio':>6} {'ms':>9} {'ours':>9} {'ratio':>6}")
    for path in sorted(path for path in paths if path.endswith(".ttgir")):
        name = os.path.basename(path).removesuffix(".ttgir")[:50]
        sys.stdout.flush()
        # The wheel has assertions that end the process.
        child = os.fork()
        if child:
            statuses.append(os.waitpid(child, 0)[1])
            continue
        try:
            (size, their_ms), (our_size, our_ms) = (
                best(make, options.rounds)
                for make in (lambda: triton(path), lambda: ours(options.tool, path, options.exact))
            )
            print(f"{name:<50} {size:7} {our_size:7} {our_size / size:6.2f}"
                  f" {their_ms:9.1f} {our_ms:9.1f} {our_ms / their_ms:6.2f}", flush=True)
            os._exit(0)
        except Exception as reason:
            print(f"{name:<50} {reason}", flush=True)
            os._exit(1)
    failed = sum(status != 0 for status in statuses)
    print(f"{len(statuses) - failed} of {len(statuses)} compared")


if __name__ == "__main__":
    main()
