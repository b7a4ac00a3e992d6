"""The command line: ``ll``, or ``python -m linear_layout``."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
import textwrap
from typing import Any, Optional, Sequence

EXAMPLES = """examples:
  LINEAR_LAYOUT=lower ll run train.py --epochs 1     a script whose kernels this compiler compiles where it can
  ll cache list                                      the kernels in Triton's cache
  ll cache layouts add_kernel                        the layouts of one, and the tensors that have them
  ll cache conversions add_kernel                    which conversions stay, and what they cost
  ll cache sim add_kernel --grid 4 --arg x=random:f32:1024 --arg y=zeros:f32:1024 --arg n=1000
  ll cache diff 3QJ5 7RTX                            two kernels, by the beginnings of their folders' names
  ll cache check kernel.ttgir --most-shared 49152    an exit status for CI"""


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="ll",
        description="GPU tensor layouts as linear maps: Triton's kernels compiled, explained and simulated.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run a script with this compiler inside Triton")
    run.add_argument("--mode", choices=("lower", "layouts", "both", "passes"), help="default: LINEAR_LAYOUT, or lower")
    run.add_argument("--no-fallback", action="store_true", help="fail where a kernel is not supported")
    run.add_argument("--report", action="store_true", help="print what became of each kernel at the end")
    run.add_argument("script")
    run.add_argument("arguments", nargs=argparse.REMAINDER)
    cache = commands.add_parser("cache", help="look at kernels that Triton has compiled")
    cache.add_argument("--dir", help="the cache, or a folder of dumps [default: TRITON_CACHE_DIR, or ~/.triton/cache]")
    verbs = cache.add_subparsers(dest="verb", required=True, metavar="VERB")
    verbs.add_parser("list", help="all kernels, the newest first")
    for verb, what in [
        ("show", "the metadata and the TTGIR of a kernel"),
        ("layouts", "its layouts, and the tensors that have them"),
        ("conversions", "which conversions of layouts stay, and what they cost"),
    ]:
        verbs.add_parser(verb, help=what).add_argument("name", help="a name, a folder's beginning, or a file of TTGIR")
    sim = verbs.add_parser("sim", help="run a kernel on the CPU, and look for mistakes")
    sim.add_argument("name")
    sim.add_argument("--grid", default="1", help="blocks along each axis: X, X,Y or X,Y,Z")
    sim.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="a number, or zeros|iota|random:TYPE:COUNT")
    differ = verbs.add_parser("diff", help="how two kernels differ")
    differ.add_argument("left")
    differ.add_argument("right")
    check = verbs.add_parser("check", help="compile a file; exit status 1 where it fails or is not as asked")
    check.add_argument("name")
    check.add_argument("--most-shared", type=int, metavar="BYTES")
    check.add_argument("--most-conversions", type=int, metavar="N")
    return top


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Runs a command line and returns the exit status."""
    given = parser().parse_args(arguments)
    try:
        return _run(given) if given.command == "run" else _cache(given)
    except (LookupError, OSError, ValueError, ImportError) as error:
        text = str(error)
        print(text if text.startswith("error") else f"error: {text}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1


def _run(given: Any) -> int:
    from . import triton as inside

    mode = given.mode or os.environ.get("LINEAR_LAYOUT") or "lower"
    inside.install(mode, fallback=not given.no_fallback)
    sys.argv = [given.script, *given.arguments]
    sys.path.insert(0, os.path.dirname(os.path.abspath(given.script)))
    try:
        runpy.run_path(given.script, run_name="__main__")
    finally:
        if given.report:
            print(inside.report(), file=sys.stderr)
    return 0


def _cache(given: Any) -> int:
    from . import cache, layouts

    if given.verb == "list":
        rows = [
            (kernel.name, kernel.target, str(kernel.metadata.get("num_warps", "")), str(kernel.shared), kernel.path.name[:8])
            for kernel in cache.kernels(given.dir)
        ]
        return _table(("kernel", "target", "warps", "shared", "folder"), rows)
    if given.verb == "diff":
        pair = [cache.find(name, given.dir) for name in (given.left, given.right)]
        lines = list(cache.diff(*pair))
        print("\n".join(lines) if lines else "no difference")
        return 1 if lines else 0
    kernel = cache.find(given.name, given.dir)
    if given.verb == "show":
        for key, value in sorted(kernel.metadata.items()):
            print(f"{key}: {value}")
        print(kernel.ttgir)
    elif given.verb == "layouts":
        for name, layout in layouts(kernel.ttgir):
            shape = "x".join(map(str, layout.shape))
            print(f"{name} on {shape}\n{textwrap.indent(layout.explain(), '    ')}")
    elif given.verb == "conversions":
        messages = cache.conversions(kernel.ttgir)
        print("\n".join(map(str, messages)) if messages else "no conversion of layouts")
    elif given.verb == "sim":
        report = cache.simulate(kernel, [int(n) for n in given.grid.split(",")], given.arg, on_fault="report")
        print(report)
        return 1 if report.fault else 0
    else:
        limits = {"most_shared": given.most_shared, "most_conversions": given.most_conversions}
        made, problems = cache.check(kernel.ttgir, file=str(kernel.file("ttgir")), **limits)
        for problem in problems:
            print(problem, file=sys.stderr)
        if made is not None:
            shared = made.metadata.get("ttg.shared", 0)
            print(f"{kernel.name}: compiles for {made.target}, {shared} bytes of shared memory")
        return 1 if problems else 0
    return 0


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
