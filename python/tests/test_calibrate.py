"""The kernels that costs are fitted to, in the simulator, and the statistics of their times."""

import doctest
import importlib.util
import itertools
import pathlib
import sys

import numpy as np
import pytest

import linear_layout as ll

FOLDER = pathlib.Path(__file__).parents[2] / "tools" / "gpu" / "calibrate"
sys.path.insert(0, str(FOLDER))

from families import FITTED, HELD_OUT, TILES, variants  # noqa: E402

spec = importlib.util.spec_from_file_location("calibrate", FOLDER / "__main__.py")
calibrate = importlib.util.module_from_spec(spec)
sys.modules["calibrate"] = calibrate
spec.loader.exec_module(calibrate)

ALL = [made for tile in (*FITTED, *HELD_OUT) for made in variants(tile, "cuda:90")]
GROUPS = [list(group) for _, group in itertools.groupby(ALL, lambda made: (made.family, made.tile))]
#: A kernel of each family and shape, in different layouts.
SOME = [group[at % len(group)] for at, group in enumerate(GROUPS)]


@pytest.mark.parametrize("made", SOME, ids=lambda made: f"{made.family}-{made.tile}")
def test_a_kernel_of_each_family_computes_its_result(made):
    type_ = {"f32": np.float32, "f16": np.float16}[made.tile.element]
    shape = (TILES, made.tile.rows, made.tile.columns)
    source = (np.random.default_rng(0).random(shape, np.float32) / 8).astype(type_)
    destination = np.zeros_like(source)
    pointer = "*" + made.tile.element.replace("f", "fp")
    ll.simulation.run(made.text, [("src", pointer, source), ("dst", pointer, destination)])
    wanted = made.result(source.astype(np.float32))
    # One program stores the first tile, or more.
    found = destination.reshape(wanted.shape)[0]
    assert calibrate.relative_error(found, wanted[0]) <= calibrate.TOLERANCE[made.tile.element]


def test_kernels_are_distinct_and_have_a_predicted_cost():
    assert len({made.text for made in ALL}) == len(ALL) and len(ALL) >= 60
    for made in SOME:
        assert calibrate.predicted_cycles(made.text) > 0


def test_a_store_of_columns_costs_more_than_a_conversion_to_rows():
    # On an H200, the first takes 17 times as long as the second.
    by_layout = {made.layouts: made for made in variants(FITTED[0], "cuda:90") if made.family == "transposes"}
    scattered, converted = (calibrate.predicted_cycles(by_layout[name].text) for name in ("rows of 1", "columns of 1"))
    assert scattered > 5 * converted


def test_the_examples_of_the_statistics():
    assert doctest.testmod(calibrate).failed == 0
    # Pairs with equal times do not count.
    assert calibrate.ordered_share([1.0, 2.0, 0.0], [10.0, 10.1, 20.0]) == 0.0
