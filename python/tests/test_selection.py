"""The choice among candidates of one kernel: by machine code, and by a clock, which is simulated here."""

import itertools
import json

import pytest

triton = pytest.importorskip("triton", exc_type=ImportError)
if not triton.__version__.startswith("3.9."):
    pytest.skip("for Triton 3.9", allow_module_level=True)

import triton.language as tl  # noqa: E402

import linear_layout as ll  # noqa: E402
import test_stages as stages  # noqa: E402
import triton_kernels as kernels  # noqa: E402
from linear_layout.triton import _compiled, _measured  # noqa: E402
from linear_layout.triton._candidates import unpacked  # noqa: E402
from linear_layout.triton._cubin import usage  # noqa: E402
from test_stages import ADD, H100, MATMUL, SCALE_COLUMNS, clean, compiled  # noqa: E402, F401

RECURRENCE = (
    {"a": "*fp32", "b": "*fp32", "y": "*fp32", "length": "i32", "dim": "i32", "T": "constexpr", "D": "constexpr"},
    {"T": 64, "D": 32},
    {(index,): [["tt.divisibility", 16]] for index in range(5)},
)
BLACKWELL = stages.GPUTarget("cuda", 100, 32)


class Clock:
    """A GPU whose launches take the time that their machine code is given."""

    def __init__(self):
        self.now = 0.0
        self.capturing = False
        self.launches = []
        #: The launches for which the GPU has waited, by number. They take much longer.
        self.late = set()
        self.has_waited = False
        #: Microseconds of a launch by the machine code; raises what it holds if that is an error.
        self.costs = {}

    # Triton's driver.
    get_current_target = staticmethod(lambda: H100)
    get_current_device = staticmethod(lambda: 0)
    get_current_stream = staticmethod(lambda device: 0)
    get_empty_cache_for_benchmark = staticmethod(lambda: None)
    clear_cache = staticmethod(lambda cache: None)

    def get_device_interface(self):
        return self

    @property
    def utils(self):
        return self

    def unload_module(self, module):
        pass

    # The interface of `torch.cuda`.
    def is_current_stream_capturing(self):
        return self.capturing

    def get_device_name(self):
        return "clock"

    def Event(self, enable_timing):
        clock = self

        class Event:
            def record(self):
                self.at = clock.now

            def synchronize(self):
                pass

            def query(self):
                return clock.has_waited

            def elapsed_time(self, end):
                return (end.at - self.at) / 1e3

        return Event()

    # The launcher and the loader of a kernel.
    def load(self, kernel):
        cost = self.costs.get(kernel.kernel, 10.0)
        if isinstance(cost, Exception):
            raise cost

        def run(x, y, z, stream, function, packed, *rest):
            self.has_waited = len(self.launches) in self.late
            self.launches.append(kernel.kernel)
            self.now += cost + 500 * self.has_waited

        kernel._run = run


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(type(triton.runtime.driver), "active", property(lambda self: made))
    monkeypatch.setattr(triton.compiler.compiler.CompiledKernel, "_init_handles", lambda self: made.load(self))
    return made


def launch(kernel, programs=64, n=1000):
    x = triton.MockTensor(tl.float32)
    kernel[(programs,)](x, x, x, n, BLOCK=512)


@pytest.mark.parametrize("mode", ["lower", "layouts", "both", "passes"])
def test_candidates_are_what_a_mode_allows(mode):
    with ll.triton.installed(mode, select="compiled"):
        made = compiled(kernels.matmul, MATMUL)
    (entry,) = ll.triton.report()
    expected = {
        "lower": {"lower", "triton"},
        "layouts": {"triton", "layouts"},
        "both": {"lower", "both", "triton", "layouts"},
        "passes": {"lower", "passes", "triton"},
    }[mode]
    assert set(entry.candidates) <= expected and entry.selected in entry.candidates
    assert made.metadata.linear_layout["used"] == entry.used and entry.kernel == "matmul"
    assert made.asm["ttgir"] and made.asm["ptx"] and made.asm["cubin"]


def test_a_candidate_that_falls_back_is_triton_s():
    with ll.triton.installed("lower", select="compiled"):
        compiled(kernels.matmul, MATMUL, BLACKWELL)
    (entry,) = ll.triton.report()
    assert len(entry.candidates) == 1 and not entry.is_used and "triton_kernels.py" in entry.reasons["lower"]
    with ll.triton.installed("lower", select="compiled", fallback=False):
        with pytest.raises(ll.CompileError):
            compiled(kernels.matmul, MATMUL, BLACKWELL, num_warps=8)


@pytest.mark.parametrize("select", ["compiled", "measured"])
@pytest.mark.parametrize("mode", ["lower", "layouts", "both", "passes"])
def test_a_kernel_that_falls_back_is_compiled_once(monkeypatch, mode, select):
    backend = triton.backends.backends["nvidia"].compiler
    lowered = []
    make_llir = backend.make_llir
    monkeypatch.setattr(backend, "make_llir", lambda *given: lowered.append(mode) or make_llir(*given))
    with ll.triton.installed(mode, select=select):
        compiled(kernels.matmul, MATMUL, BLACKWELL)
    assert lowered == [mode]


def test_the_selected_candidate_is_what_its_mode_compiles():
    with ll.triton.installed("lower"):
        alone = compiled(kernels.matmul, MATMUL)
    with ll.triton.installed("lower", select="measured"):
        among = compiled(kernels.matmul, MATMUL)
    assert among.asm["cubin"] == alone.asm["cubin"] and among.metadata.shared == alone.metadata.shared
    assert [packed["name"] for packed in among.metadata.linear_layout["candidates"]] == ["triton"]


def test_machine_code_decides(monkeypatch):
    assert ll.triton._v3_9.selected is _compiled.selected
    with ll.triton.installed("both", select="measured"):
        made = compiled(kernels.scale_columns, SCALE_COLUMNS)
    others = {packed["name"]: packed for packed in made.metadata.linear_layout["candidates"]}
    assert set(others) == {"lower", "both", "triton", "layouts"} - {made.metadata.linear_layout["selected"]}
    # The prediction stays, unless a candidate without a part of it has shorter latencies and issues no more instructions.
    calls = []

    def bounds(latency, issued):
        def of(binary, metadata, target):
            calls.append(binary)
            return _compiled.Bounds(latency, latency / 8, issued) if len(calls) == 2 else _compiled.Bounds(1000, 125, 500)

        return of

    for latency, issued, expected in ((900, 500, "lower"), (950, 500, "both"), (900, 501, "both")):
        calls.clear()
        monkeypatch.setattr(_compiled, "bounds", bounds(latency, issued))
        with ll.triton.installed("both", select="compiled"):
            compiled(kernels.scale_columns, SCALE_COLUMNS, num_stages=latency)
        assert ll.triton.report()[-1].selected == expected


@pytest.mark.parametrize("assembly, hints", [("fastest", [".minnctapersm 4", ".minnctapersm 8"]), ("first", [])])
def test_a_kernel_with_fewer_blocks_than_triton_s_is_assembled_for_more(assembly, hints):
    with ll.triton.installed("lower", select="measured", assembly=assembly):
        made = compiled(kernels.recurrence, RECURRENCE)
    packed = made.metadata.linear_layout["candidates"]
    assert made.metadata.linear_layout["selected"] == "lower"
    assert [other["name"] for other in packed] == ["triton", *(f"lower {hint}" for hint in hints)]
    binaries = [made.asm["cubin"], *(unpacked(other["binary"]) for other in packed)]
    registers = [usage(binary).registers for binary in binaries]
    assert registers[0] > registers[1] and sorted(registers[2:], reverse=True) == registers[2:]
    assert all(registers[0] > more for more in registers[2:])


def test_bounds_are_those_of_the_machine_code():
    made = compiled(kernels.matmul, MATMUL)
    found = _compiled.bounds(made.asm["cubin"], {"num_warps": 4, "shared": made.metadata.shared}, "cuda:90")
    assert found.latency > found.latency_per_warp > 0 and found.issued > 100
    crowded = _compiled.bounds(made.asm["cubin"], {"num_warps": 4, "shared": 200_000}, "cuda:90")
    assert crowded.latency == found.latency and crowded.latency_per_warp == found.latency / 4


def test_a_candidate_that_cannot_be_assembled_is_reported(monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("no registers\nare left")

    monkeypatch.setattr(ll.triton._v3_9, "assembled", fails)
    with ll.triton.installed("lower", select="compiled"):
        compiled(kernels.matmul, MATMUL)
    (entry,) = ll.triton.report()
    assert entry.selected == "triton" and entry.reasons == {"lower": "RuntimeError: no registers"}
    with ll.triton.installed("lower", select="compiled", fallback=False):
        with pytest.raises(RuntimeError, match="no registers"):
            compiled(kernels.matmul, MATMUL, num_stages=1)


def test_an_unknown_selection_is_refused():
    with pytest.raises(ValueError, match="select='guessed': expected one of 'predicted', 'compiled', 'measured'"):
        ll.triton.install(select="guessed")


@pytest.mark.parametrize("faster", ["lower", "triton"])
@pytest.mark.parametrize("installs", [True, False])
def test_launches_select_the_fastest(clock, faster, installs):
    kernel = triton.jit(kernels.add.fn)
    if installs:
        ll.triton.install(select="measured")
    else:
        ll.triton.use(kernel, select="measured")
    launch(kernel)
    (compiled_kernel,) = kernel.device_caches[0][0].values()
    binaries = dict(zip(["lower", "triton"], (variant.kernel for variant in compiled_kernel._kernels.values())))
    assert len(set(binaries.values())) == 2
    clock.costs[binaries[faster]] = 5.0
    for variant in compiled_kernel._kernels.values():
        clock.load(variant)
    for _ in range(2 * _measured.ROUNDS):
        launch(kernel)
    assert {clock.launches.count(binary) for binary in binaries.values()} == {_measured.ROUNDS, _measured.ROUNDS + 1}
    clock.launches.clear()
    launch(kernel)
    assert clock.launches == [binaries[faster]]
    entry = ll.triton.report()[-1]
    assert entry.selected == faster and entry.programs == 64
    assert entry.microseconds == {"lower": 5.0 if faster == "lower" else 10.0, "triton": 5.0 if faster == "triton" else 10.0}
    assert f"selected {faster} at 64 programs" in str(ll.triton.report())
    # Another size of the grid is measured by itself.
    clock.launches.clear()
    for _ in range(2):
        launch(kernel, programs=4096)
    assert set(clock.launches) == set(binaries.values())
    # Another process finds the choice in the cache.
    again = triton.jit(kernels.add.fn)
    if not installs:
        ll.triton.use(again, select="measured")
    clock.launches.clear()
    for _ in range(3):
        launch(again)
    assert set(clock.launches[1:]) == {binaries[faster]}


def test_graphs_that_are_captured_are_not_timed(clock):
    ll.triton.install(select="measured")
    kernel = triton.jit(kernels.add.fn)
    clock.capturing = True
    for _ in range(3 * _measured.ROUNDS):
        launch(kernel)
    assert len(set(clock.launches)) == 1


def test_launches_into_another_stream_are_not_timed(clock):
    ll.triton.install(select="measured")
    kernel = triton.jit(kernels.add.fn)
    launch(kernel)
    (compiled_kernel,) = kernel.device_caches[0][0].values()
    x = triton.MockTensor(tl.float32)
    clock.launches.clear()
    for _ in range(3 * _measured.ROUNDS):
        compiled_kernel[(64, 1, 1)](x, x, x, 1000, stream=7)
    assert len(set(clock.launches)) == 1 and len(clock.launches) == 3 * _measured.ROUNDS


def test_a_candidate_beyond_the_gpu_is_dropped(clock):
    ll.triton.install(select="measured")
    kernel = triton.jit(kernels.add.fn)
    launch(kernel)
    (compiled_kernel,) = kernel.device_caches[0][0].values()
    ours, theirs = compiled_kernel._kernels.values()
    clock.costs[theirs.kernel] = RuntimeError("shared memory")
    clock.launches.clear()
    for _ in range(3 * _measured.ROUNDS):
        launch(kernel)
    assert set(clock.launches) == {ours.kernel}


def test_launches_that_the_gpu_waits_for_do_not_count(clock):
    ll.triton.install(select="measured")
    kernel = triton.jit(kernels.add.fn)
    launch(kernel)
    (compiled_kernel,) = kernel.device_caches[0][0].values()
    ours, theirs = compiled_kernel._kernels.values()
    clock.costs[theirs.kernel] = 5.0
    for variant in (ours, theirs):
        clock.load(variant)
    clock.launches.clear()
    # The candidates take turns, so the late launches are those of the faster one.
    clock.late = set(range(0, 40, 2))
    for _ in range(_measured.MOST_LAUNCHES):
        launch(kernel)
    assert clock.launches[-1] == theirs.kernel and compiled_kernel._clears == _measured.MOST_CLEARS


def run(trial, launches):
    """Runs launches that take `cost(candidate)` microseconds, until the trial is over."""
    for launch, cost in launches:
        candidate = trial.begin(launch)
        trial.end(lambda time=cost(candidate): time)
        if trial.is_over:
            return


def test_launches_of_other_sizes_are_not_compared():
    trial = _measured.Trial(2)
    run(trial, ((_measured.Launch((step,), ()), lambda candidate: 1.0) for step in itertools.count()))
    assert trial.means() == [] and _measured.fastest(trial.means()) == 0


@pytest.mark.parametrize("sites", [1, 2, 3, 5])
@pytest.mark.parametrize("candidates", [2, 3, 4, 6])
def test_places_that_launch_a_kernel_are_compared_with_themselves(sites, candidates):
    # One of the places has ten times as much to do, and the last candidate is the fastest.
    trial = _measured.Trial(candidates)
    costs = [lambda candidate, work=work: work * (100 - 3 * candidate) for work in [10, 1, 1, 1, 1][:sites]]
    launches = [(_measured.Launch((64,), (1000,), (site,)), cost) for site, cost in enumerate(costs)]
    run(trial, itertools.cycle(launches))
    assert _measured.fastest(trial.means()) == candidates - 1
    # Without addresses that recur, all launches of a size are of one kind.
    fresh = itertools.count()
    trial = _measured.Trial(candidates)
    run(trial, ((_measured.Launch((64,), (1000,), (next(fresh),)), costs[0]) for _ in itertools.count()))
    assert _measured.fastest(trial.means()) == candidates - 1


def test_a_damaged_cache_is_measured_again(clock, tmp_path):
    selections = _measured._Selections("hash")
    selections.write({7: "triton"})
    assert selections.read() == {7: "triton"}
    path = selections._manager.get_file(selections.FILE)
    for text in ("", "[1]", json.dumps({"x": "triton"})):
        with open(path, "w") as file:
            file.write(text)
        assert selections.read() == {}
