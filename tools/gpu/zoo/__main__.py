"""Times kernels of public packages on a GPU: by Triton alone, and by this compiler inside Triton.

    pip install torch triton==3.9.0 liger-kernel flash-linear-attention flag-gems ./python
    python tools/gpu/zoo                                        # all operators whose packages are installed
    python tools/gpu/zoo --only 'liger/.*norm' --modes lower,both:measured
    python tools/gpu/zoo --jobs 16 --no-tuning                  # in a quarter of an hour instead of an hour
    python tools/gpu/zoo --cold --modes both:measured           # with operands in memory instead of the L2 cache
    python tools/gpu/zoo --simulate cuda:90                     # without a GPU: on the CPU, at the smallest sizes
    python tools/gpu/zoo --list

A line per kernel: the time of Triton's, and for each mode the time over it. A line per operator: the largest error against
PyTorch, and against Triton's results. At the end: geometric means, the kernels above 1.02, compile times, and why kernels
fell back.
Exits with 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile
import time
from typing import Any, Callable, Iterator

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from rows import OperatorRow, Row, summary, to_json  # noqa: E402
from worker import END, Worker, run_all  # noqa: E402

SLOWER = 1.02


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=".*", help="operators whose whole name this expression matches, as 'liger/.*'")
    parser.add_argument(
        "--sizes", choices=("first", "last", "all"), help="which sizes of each operator (default: last, with --simulate first)"
    )
    parser.add_argument(
        "--modes",
        default="lower,both",
        help="modes of `ll.triton.install`, each with `:` and a `select`, as 'layouts:compiled' (default: lower,both)",
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds in which the modes take turns (default: 5)")
    parser.add_argument(
        "--seconds",
        type=float,
        default=math.inf,
        help="begin no further operator after this time, and with --jobs no further compilation after half of it",
    )
    parser.add_argument("--limit", type=float, default=60, help="seconds after which an operator is given up (default: 60)")
    parser.add_argument("--json", type=pathlib.Path, help="also write each row as a line of JSON to this file")
    parser.add_argument("--caches", type=pathlib.Path, help="keep Triton's cache of each mode in a folder of this one")
    parser.add_argument(
        "--jobs", type=int, default=1, help="processes that compile before kernels are timed, or that simulate (default: 1)"
    )
    parser.add_argument("--cold", action="store_true", help="clear the L2 cache before each kernel, as Triton's autotuner does")
    parser.add_argument("--no-tuning", action="store_true", help="autotuners take their first configuration, as with --simulate")
    parser.add_argument("--simulate", metavar="TARGET", help="run the kernels for cuda:90, hip:gfx942, ... on the CPU instead")
    parser.add_argument("--no-races", action="store_true", help="with --simulate, do not report races in global memory")
    parser.add_argument("--list", action="store_true", help="list the operators and their sizes, and end")
    parser.add_argument("--worker", choices=("compile", "time", "simulate"), help=argparse.SUPPRESS)
    return parser


def work(options: argparse.Namespace) -> None:
    """Runs the operators that standard input names, one per line."""
    run: Callable[[Any, str], Iterator[Row]]
    if options.worker == "simulate":
        from simulated import Simulation

        run = Simulation(options.simulate, not options.no_races).run
    else:
        from timing import Bench

        if options.no_tuning:
            from tuning import take_first_configuration

            take_first_configuration()
        bench = Bench(options.modes.split(","), options.rounds, options.caches, is_cold=options.cold)
        run = bench.compile if options.worker == "compile" else bench.run
    from operators import OPERATORS

    print(END, flush=True)
    for line in sys.stdin:
        name, size = json.loads(line)
        for row in run(OPERATORS[name], size):
            print(json.dumps(to_json(row)), flush=True)
        print(END, flush=True)


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    options.caches = options.caches or pathlib.Path(tempfile.mkdtemp(prefix="zoo-"))
    if options.worker:
        work(options)
        return 0
    try:
        import linear_layout  # noqa: F401
        import torch
        from operators import OPERATORS
    except ModuleNotFoundError as error:
        parser.error(f"{error}: `pip install torch triton==3.9.0 ./python`")
    names = [name for name in OPERATORS if re.fullmatch(options.only, name)]
    if options.list:
        for name in names:
            print(f"{name:44s} {' '.join(OPERATORS[name].sizes)}")
        return 0
    if not names:
        parser.error(f"no operator matches {options.only!r}; --list lists all operators")
    if not options.simulate and not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU; `--simulate cuda:90` runs the kernels on the CPU")
    now = time.monotonic()
    compiled_by, deadline = now + options.seconds / 2, now + options.seconds
    which = options.sizes or ("first" if options.simulate else "last")
    taken = {"first": slice(1), "last": slice(-1, None), "all": slice(None)}[which]
    tasks = [(name, size) for name in names for size in OPERATORS[name].sizes[taken]]

    def process(stage: str) -> Worker:
        own = ["--caches", str(options.caches), "--worker", stage]
        return Worker([sys.executable, __file__, *sys.argv[1:], *own], options.limit)

    if options.simulate:
        found = run_all(tasks, lambda: process("simulate"), options.jobs, deadline)
    else:
        seconds = {}
        if options.jobs > 1:
            for row in run_all(tasks, lambda: process("compile"), options.jobs, compiled_by):
                if isinstance(row, OperatorRow):
                    seconds[row.operator, row.size] = row.compile_seconds
                    print(f"compiled {len(seconds)} of {len(tasks)}", end="\r", file=sys.stderr, flush=True)
            # Operators that are not compiled yet come last.
            tasks.sort(key=lambda task: task not in seconds)
        found = run_all(tasks, lambda: process("time"), 1, deadline)
    rows: list[Row] = []
    with open(options.json or "/dev/null", "w") as file:
        for row in found:
            if isinstance(row, OperatorRow) and not options.simulate:
                row.compile_seconds = row.compile_seconds or seconds.get((row.operator, row.size), {})
            print(row, flush=True)
            file.write(json.dumps(to_json(row)) + "\n")
            file.flush()
            rows.append(row)
    print(summary(rows, options.modes.split(","), SLOWER))
    return 1 if any(isinstance(row, OperatorRow) and row.is_wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
