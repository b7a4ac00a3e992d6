"""The benchmark of real kernels, without a GPU: its rows, its summary, and its process."""

import pathlib
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools" / "gpu" / "zoo"))

from rows import KernelRow, OperatorRow, from_json, summary, to_json  # noqa: E402
from worker import Worker, run_all  # noqa: E402

KERNEL = KernelRow("own/add", "1024", "add_kernel", 10.0, {"lower": 0.5, "both": 1.05}, {"lower": "assembled"})
RIGHT = OperatorRow("own/add", "1024", "", {"triton": 1e-3, "lower": 1.5e-3}, 1e-2, {"lower": 0.0}, {"lower": (2.0, 1.0)})
ECHO = """
import json, sys, time
time.sleep(1)
print("end", flush=True)
for line in sys.stdin:
    name, size = json.loads(line)
    if name == "crash": sys.exit(3)
    if name == "hang": time.sleep(60)
    print("noise")
    print(json.dumps({"operator": name, "size": size}))
    print("end", flush=True)
"""


def test_rows_survive_json():
    for row in (KERNEL, RIGHT):
        assert to_json(from_json(to_json(row))) == to_json(row)
    assert "lower 0.500" in str(KERNEL) and "right" in str(RIGHT) and "equal" in str(RIGHT)


@pytest.mark.parametrize(
    "errors, is_wrong",
    [
        ({"triton": 0.0, "lower": 0.009}, False),
        ({"triton": 0.0, "lower": 0.011}, True),
        # Triton's own error is above the permitted one.
        ({"triton": 0.02, "lower": 0.03}, False),
        ({"triton": 0.02, "lower": 0.05}, True),
        ({"triton": 0.0, "lower": float("nan")}, True),
    ],
)
def test_errors_are_compared_with_the_tolerance_and_with_triton_s(errors, is_wrong):
    assert OperatorRow("x", "1", "", errors, 1e-2).is_wrong == is_wrong


def test_the_summary_has_means_slow_kernels_and_fallbacks():
    other = KernelRow("own/mul", "1024", "mul_kernel", 20.0, {"lower": 2.0})
    lost = OperatorRow("own/mul", "1024", "", fallbacks={"lower": ["mul_kernel: no products"]})
    failed = OperatorRow("own/sub", "1024", "TypeError: x")
    text = summary([KERNEL, RIGHT, other, lost, failed], ["lower", "both", "layouts"], 1.02)
    assert "lower: 2 kernels at 1.0000 of Triton's time, best 0.500, worst 2.000" in text and "compile time 0.50" in text
    assert "  2.000  own/mul 1024 mul_kernel 20.0 us\n  fell back: mul_kernel: no products" in text
    assert "both: 1 kernels" in text and "layouts" not in text
    assert text.endswith("3 operators: 0 wrong, 1 did not run")


def test_a_process_that_crashes_or_hangs_takes_one_operator_with_it():
    worker = Worker([sys.executable, "-c", ECHO], 0.8)
    try:
        rows = {name: list(worker.run(name, "1")) for name in ("a", "crash", "b", "hang", "c")}
    finally:
        worker.end()
    for name in "abc":
        assert rows[name] == [OperatorRow(name, "1")]
    assert [row.failure for row in rows["crash"]] == ["the process ended with exit code 3"]
    assert [row.failure for row in rows["hang"]] == ["no result after 1 s"]


def test_processes_share_the_operators_and_begin_none_after_the_deadline():
    tasks = [(name, "1") for name in ("a", "crash", "b", "c")]
    workers = lambda: Worker([sys.executable, "-c", ECHO], 5)  # noqa: E731
    rows = list(run_all(tasks, workers, 2, time.monotonic() + 60))
    assert sorted((row.operator, row.failure) for row in rows) == [
        ("a", ""), ("b", ""), ("c", ""), ("crash", "the process ended with exit code 3"),
    ]
    assert list(run_all(tasks, workers, 2, time.monotonic())) == []
