"""Compares predicted costs of layouts with times on an NVIDIA GPU.

    pip install cupy-cuda12x ./python
    python tools/gpu/calibrate                       # a line per family
    python tools/gpu/calibrate --only scans --all    # and a line per kernel
    python tools/gpu/calibrate --held-out            # shapes that no cost was fitted to
    python tools/gpu/calibrate --predict             # without a GPU: only predictions

The kernels of a family differ only in layouts. The prediction is the cost by which `remove-layout-conversions` compares
layouts, in cycles of a multiprocessor per program. Printed per family: the number of kernels; Spearman's rank correlation;
the share of ordered pairs among those that differ by more than 3 % in time; the geometric mean of measured over predicted
cycles, and the factor by which single kernels deviate from it; the slowest over the fastest kernel.
Exits with 1 if a result is wrong.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import json
import math
import pathlib
import re
import statistics
import sys
import tempfile
from dataclasses import dataclass
from typing import Any, Optional, Sequence

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from families import FITTED, HELD_OUT, TILES, TURNS, WARPS, Variant, variants  # noqa: E402

#: Programs per multiprocessor, timed launches, and the difference of two times beyond noise.
PROGRAMS, LAUNCHES, NOISE = 16, 9, 0.03
#: The largest errors relative to the largest result, after the turns of a program.
TOLERANCE = {"f32": 1e-4, "f16": 0.02}


@dataclass
class Row:
    """The cycles of a multiprocessor per program of one kernel."""

    variant: Variant
    predicted: float
    measured: Optional[float] = None


def predicted_cycles(text: str) -> float:
    """Returns the cost of the layouts of a module."""
    import linear_layout as ll

    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        # The layouts stay, whatever others would save.
        ll.run_passes(text, f"remove-layout-conversions{{min-gain=100 loop-weight={TURNS} report={report}}}")
        cycles: float = json.loads(report.read_text())[0]["before"]["cycles"]
    return cycles


def relative_error(found: Any, wanted: Any) -> float:
    """Returns the largest error over the largest result; NaN if there is one."""
    return float(abs(found - wanted).max() / abs(wanted).max())


class Gpu:
    """Launches and times kernels."""

    def __init__(self) -> None:
        import cupy  # type: ignore[import-not-found]

        self.cupy = cupy
        device = cupy.cuda.Device()
        attributes = device.attributes
        self._programs = PROGRAMS * attributes["MultiProcessorCount"]
        self._clock = attributes["ClockRate"] * 1e3
        self._multiprocessors = attributes["MultiProcessorCount"]
        self.target = f"cuda:{device.compute_capability}"

    def cycles(self, variant: Variant) -> float:
        """Returns the cycles of a multiprocessor per program.

        :raises ArithmeticError: a result is wrong.
        """
        import linear_layout as ll

        cupy, tile = self.cupy, variant.tile
        made = ll.compile(variant.text, self.target, numbers="triton")
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
            file.write(made.ptx or "")
            file.flush()
            kernel = cupy.RawModule(path=file.name).get_function("k")
        shared = made.metadata["ttg.shared"]
        kernel.max_dynamic_shared_size_bytes = shared
        type_ = {"f32": cupy.float32, "f16": cupy.float16}[tile.element]
        source = (cupy.random.rand(TILES, tile.rows, tile.columns, dtype=cupy.float32) / 8).astype(type_)
        destination = cupy.zeros_like(source)

        def launch() -> None:
            kernel((self._programs,), (32 * WARPS,), (source, destination), shared_mem=shared)

        launch()
        wanted = variant.result(source.astype(cupy.float32))
        error = relative_error(destination.reshape(wanted.shape), wanted)
        if not error <= TOLERANCE[tile.element]:
            raise ArithmeticError(f"{variant.family}, {variant.layouts}, {tile}: wrong by {error:.1e} of the largest result")
        times = [self._seconds(launch) for _ in range(LAUNCHES)]
        cycles: float = statistics.median(times) * self._clock * self._multiprocessors / self._programs
        return cycles

    def _seconds(self, launch: Any) -> float:
        start, end = self.cupy.cuda.Event(), self.cupy.cuda.Event()
        start.record()
        launch()
        end.record()
        end.synchronize()
        seconds: float = self.cupy.cuda.get_elapsed_time(start, end) / 1e3
        return seconds


def ranks(values: Sequence[float]) -> list[float]:
    """Returns the rank of each value; equal values have the mean of their ranks.

    >>> ranks([3.0, 1.0, 3.0])
    [1.5, 0.0, 1.5]
    """
    ordered = sorted(values)
    return [statistics.fmean((ordered.index(value), len(ordered) - 1 - ordered[::-1].index(value))) for value in values]


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Returns Spearman's rank correlation.

    >>> round(rank_correlation([1.0, 2.0, 3.0], [10.0, 30.0, 20.0]), 6)
    0.5
    """
    return statistics.correlation(ranks(first), ranks(second))


def ordered_share(predicted: Sequence[float], measured: Sequence[float]) -> float:
    """Returns the share of pairs that are predicted in the measured order. Pairs with equal times do not count, and equal
    predictions count half.

    >>> ordered_share([1.0, 2.0, 3.0], [10.0, 30.0, 20.0])
    0.6666666666666666
    """
    shares = []
    for (p, m), (q, n) in itertools.combinations(zip(predicted, measured), 2):
        if abs(m - n) > NOISE * min(m, n):
            shares.append(0.5 if p == q else float((p < q) == (m < n)))
    return statistics.fmean(shares) if shares else 1.0


def summary(rows: Sequence[Row]) -> str:
    """Describes the rows of one family."""
    measured = [row.measured or 0.0 for row in rows]
    predicted = [row.predicted for row in rows]
    logs = [math.log(m / p) for m, p in zip(measured, predicted)]
    return (
        f"{len(rows):3d} kernels  rank {rank_correlation(predicted, measured):5.2f}  ordered {ordered_share(predicted, measured):4.2f}  "
        f"measured/predicted {math.exp(statistics.fmean(logs)):4.2f} */ {math.exp(statistics.pstdev(logs)):4.2f}  "
        f"slowest/fastest {max(measured) / min(measured):5.1f}"
    )


def expression(text: str) -> re.Pattern[str]:
    """Compiles a regular expression of an option."""
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None


def main() -> int:
    parser = argparse.ArgumentParser(prog="calibrate", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=expression, default=".*", help="families whose whole name this expression matches, as 'row sums|scans'")
    parser.add_argument("--held-out", action="store_true", help="take other shapes and element types than costs were fitted to")
    parser.add_argument("--all", action="store_true", help="print each kernel, fastest first")
    parser.add_argument("--predict", action="store_true", help="only predict, for cuda:90; no GPU is needed")
    parser.add_argument("--json", type=argparse.FileType("w"), help="also write the kernels as JSON to this file")
    options = parser.parse_args()
    if importlib.util.find_spec("linear_layout") is None:
        parser.error("no module `linear_layout`: `pip install ./python`")
    try:
        gpu = None if options.predict else Gpu()
    except Exception as error:
        parser.error(f"no GPU: {error}; install CuPy, or take --predict")
    target = gpu.target if gpu else "cuda:90"
    tiles = HELD_OUT if options.held_out else FITTED
    chosen = [made for tile in tiles for made in variants(tile, target) if options.only.fullmatch(made.family)]
    if not chosen:
        known = dict.fromkeys(made.family for made in variants(FITTED[0], target))
        parser.error(f"no family matches {options.only.pattern!r}; known: {', '.join(known)}")
    rows, is_wrong = [], False
    for made in chosen:
        row = Row(made, predicted_cycles(made.text))
        try:
            row.measured = gpu.cycles(made) if gpu else None
        except ArithmeticError as error:
            print(f"wrong: {error}", file=sys.stderr)
            is_wrong = True
        rows.append(row)
    for (family, tile), group in itertools.groupby(rows, lambda row: (row.variant.family, row.variant.tile)):
        found = list(group)
        timed = [row for row in found if row.measured is not None]
        print(f"{family:12s} {str(tile):11s}" + (summary(timed) if len(timed) > 1 else f"{len(found):3d} kernels"))
        for row in sorted(found, key=lambda row: row.measured or row.predicted) if options.all or options.predict else []:
            time = f"  measured {row.measured:9.0f}  {row.measured / row.predicted:4.2f}" if row.measured else ""
            print(f"    {row.variant.layouts:20s} predicted {row.predicted:9.0f}{time}")
    if options.json:
        kernels = [
            {"family": row.variant.family, "layouts": row.variant.layouts, "tile": str(row.variant.tile)}
            | {"predicted": row.predicted, "measured": row.measured}
            for row in rows
        ]
        json.dump(kernels, options.json, indent=1)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
