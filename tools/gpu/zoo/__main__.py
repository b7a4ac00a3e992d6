"""Times kernels of public packages on a GPU: by Triton alone, and by this compiler inside Triton.

    pip install torch triton==3.9.0 liger-kernel flash-linear-attention flag-gems ./python
    python tools/gpu/zoo                                        # all operators whose packages are installed
    python tools/gpu/zoo --only 'liger/.*norm' --modes lower,both:measured
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
from typing import Any

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from rows import OperatorRow, Row, summary, to_json  # noqa: E402
from worker import END, Worker  # noqa: E402

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
    parser.add_argument("--seconds", type=float, default=math.inf, help="begin no further operator after this time")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which an operator is given up (default: 60)")
    parser.add_argument("--json", type=pathlib.Path, help="also write each row as a line of JSON to this file")
    parser.add_argument("--caches", type=pathlib.Path, help="keep Triton's cache of each mode in a folder of this one")
    parser.add_argument("--simulate", metavar="TARGET", help="run the kernels for cuda:90, hip:gfx942, ... on the CPU instead")
    parser.add_argument("--no-races", action="store_true", help="with --simulate, do not report races in global memory")
    parser.add_argument("--list", action="store_true", help="list the operators and their sizes, and end")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser


def work(bench: Any) -> None:
    """Runs the operators that the lines of the standard input name."""
    from operators import OPERATORS

    print(END, flush=True)
    for line in sys.stdin:
        name, size = json.loads(line)
        for row in bench.run(OPERATORS[name], size):
            print(json.dumps(to_json(row)), flush=True)
        print(END, flush=True)


def main() -> int:
    parser = arguments()
    options = parser.parse_args()
    modes = options.modes.split(",")
    caches = options.caches or pathlib.Path(tempfile.mkdtemp(prefix="zoo-"))
    if options.worker and options.simulate:
        from simulated import Simulation

        work(Simulation(options.simulate, not options.no_races))
        return 0
    if options.worker:
        from timing import Bench

        work(Bench(modes, options.rounds, caches))
        return 0
    try:
        import torch
        from operators import OPERATORS
    except ModuleNotFoundError as error:
        parser.error(f"{error}: `pip install torch triton==3.9.0`")
    names = [name for name in OPERATORS if re.fullmatch(options.only, name)]
    if options.list:
        for name in names:
            print(f"{name:44s} {' '.join(OPERATORS[name].sizes)}")
        return 0
    if not names:
        parser.error(f"no operator matches {options.only!r}; --list shows them")
    if not options.simulate and not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU; `--simulate cuda:90` runs the kernels on the CPU")
    deadline = time.monotonic() + options.seconds
    worker = Worker([sys.executable, __file__, *sys.argv[1:], "--caches", str(caches), "--worker"], options.limit)
    rows: list[Row] = []
    with open(options.json or "/dev/null", "w") as file:
        for name in names:
            sizes = OPERATORS[name].sizes
            which = options.sizes or ("first" if options.simulate else "last")
            for size in {"first": sizes[:1], "last": sizes[-1:], "all": sizes}[which]:
                if time.monotonic() > deadline:
                    continue
                for row in worker.run(name, size):
                    print(row, flush=True)
                    file.write(json.dumps(to_json(row)) + "\n")
                    file.flush()
                    rows.append(row)
    worker.end()
    print(summary(rows, modes, SLOWER))
    return 1 if any(isinstance(row, OperatorRow) and row.is_wrong for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
