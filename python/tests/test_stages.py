"""Our compiler inside Triton, without a GPU: stages, metadata, reports, and ways back."""

import importlib.util
import os
import pathlib
import re
import struct
import subprocess
import sys
import threading

import pytest

triton = pytest.importorskip("triton", exc_type=ImportError)
if not triton.__version__.startswith("3.9."):
    pytest.skip("for Triton 3.9", allow_module_level=True)

import triton.language as tl  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.experimental.gluon._runtime import GluonASTSource  # noqa: E402
from triton.language.extra import libdevice  # noqa: E402

import linear_layout as ll  # noqa: E402
from linear_layout.triton._cubin import usage  # noqa: E402
import specialized  # noqa: E402
import triton_kernels as kernels  # noqa: E402

H100 = GPUTarget("cuda", 90, 32)
ADD = ({"x": "*fp32", "y": "*fp32", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
MATMUL = (
    {"a": "*fp16", "b": "*fp16", "c": "*fp32", "M": "i32", "N": "i32", "K": "i32"} | dict.fromkeys(["BM", "BN", "BK"], "constexpr"),
    {"BM": 64, "BN": 64, "BK": 32},
)
SCALE_COLUMNS = (
    dict.fromkeys(["x", "out", "scales"], "*fp16") | dict.fromkeys(["stride", "ROWS", "COLUMNS"], "constexpr"),
    {"stride": 4096, "ROWS": 64, "COLUMNS": 32},
    {(index,): [["tt.divisibility", 16]] for index in range(3)},
)


@pytest.fixture(autouse=True)
def clean(tmp_path, monkeypatch):
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TRITON_DEFAULT_FP_FUSION", "1")
    ll.triton.clear_report()
    yield
    ll.triton.uninstall()

ROW_SUMS = ({"x": "*fp32", "out": "*fp32", "M": "constexpr", "N": "constexpr"}, {"M": 256, "N": 32})


def compiled(kernel, job, target=H100, **options):
    return triton.compile(ASTSource(kernel, *job), target=target, options=options)


def test_a_kernel_is_ours_and_triton_can_launch_it():
    theirs = compiled(kernels.add, ADD)
    ll.triton.install()
    ours = compiled(kernels.add, ADD)
    (entry,) = ll.triton.report()
    assert entry.used == ["lower"] and entry.kernel == "add" and entry.target == "cuda:90"
    assert ours.asm["ptx"] != theirs.asm["ptx"] and "cubin" in ours.asm
    for key in ("name", "shared", "num_warps", "tmem_size", "global_scratch_size", "profile_scratch_size"):
        assert getattr(ours.metadata, key) == getattr(theirs.metadata, key), key
    params = [re.findall(r"\.param[^\n]*_param_\d+", made.asm["ptx"]) for made in (ours, theirs)]
    assert len(params[0]) == len(params[1])
    assert ours.metadata.linear_layout == {"used": ["lower"], "reasons": {}}
    # Lines of the Python file.
    assert "triton_kernels.py" in ours.asm["ptx"] and ".loc" in ours.asm["ptx"]


def test_reductions_may_be_butterflies():
    assembly = {}
    for choice in ("cheapest", "butterfly"):
        with ll.triton.installed(lane_reductions=choice):
            assembly[choice] = compiled(kernels.row_sums, ROW_SUMS).asm["ptx"]
    shuffles = {choice: text.count("shfl.sync") for choice, text in assembly.items()}
    assert shuffles["butterfly"] > shuffles["cheapest"] > 0
    with ll.triton.installed(lane_reductions="compiled"):
        chosen = compiled(kernels.row_sums, ROW_SUMS)
    assert chosen.asm["ptx"].count("shfl.sync") in shuffles.values() and chosen.asm["cubin"]
    with pytest.raises(ValueError, match="lane_reductions='halving': expected one of 'compiled', 'cheapest', 'butterfly'"):
        ll.triton.install(lane_reductions="halving")


@pytest.mark.parametrize(
    "target, instruction",
    [
        (GPUTarget("cuda", 80, 32), "mma.sync"),
        (GPUTarget("hip", "gfx942", 64), "v_mfma"),
        # 16-bit operands are 32-bit registers in our assembly, and halves of registers in Triton's.
        (GPUTarget("hip", "gfx1100", 32), "v_wmma"),
        (GPUTarget("hip", "gfx1201", 32), "v_wmma"),
    ],
)
def test_products_and_amd_are_ours(target, instruction):
    half = dict.fromkeys("abc", "*fp16")
    with ll.triton.installed():
        made = compiled(kernels.matmul, (MATMUL[0] | half, MATMUL[1]), target, num_stages=1)
    assert [entry.used for entry in ll.triton.report()] == [["lower"]]
    assert made.metadata.shared > 0
    assembly, binary = ("ptx", "cubin") if target.backend == "cuda" else ("amdgcn", "hsaco")
    assert instruction in made.asm[assembly] and made.asm[binary].startswith(b"\x7fELF")


def test_products_of_warp_groups_are_ours():
    with ll.triton.installed():
        made = compiled(kernels.matmul, MATMUL)
    assert [entry.used for entry in ll.triton.report()] == [["lower"]]
    assert "wgmma" in made.asm["ptx"] and "cubin" in made.asm


def test_what_cannot_be_lowered_is_triton_s_with_the_line():
    # Products in tensor memory.
    blackwell = GPUTarget("cuda", 100, 32)
    ll.triton.install()
    made = compiled(kernels.matmul, MATMUL, blackwell)
    (entry,) = ll.triton.report()
    assert entry.kernel == "matmul" and made.metadata.linear_layout["reasons"] == entry.reasons
    assert not entry.is_used and "tcgen05" in made.asm["ptx"]
    assert "triton_kernels.py" in entry.reasons["lower"]
    assert "0 by linear-layout, 1 by Triton" in str(ll.triton.report())
    ll.triton.install(fallback=False)
    with pytest.raises(ll.CompileError) as caught:
        compiled(kernels.matmul, MATMUL, blackwell, num_warps=8)
    assert caught.value.first.file.endswith("triton_kernels.py")


def test_options_that_are_about_triton_s_lowering_leave_it_to_triton():
    ll.triton.install()
    compiled(kernels.add, ADD, min_shared_mem=4096)
    assert "min_shared_mem" in ll.triton.report()[0].reasons["lower"]


def test_fusion_registers_and_libraries_are_respected():
    ll.triton.install()
    made = compiled(kernels.add, ADD, maxnreg=64)
    assert ".maxnreg" in made.asm["ptx"]
    job = (ADD[0] | {"BLOCK": "constexpr"}, ADD[1])
    fused = compiled(fused_kernel, job, enable_fp_fusion=True).asm["ptx"]
    apart = compiled(fused_kernel, job, enable_fp_fusion=False).asm["ptx"]
    assert "fma.rn" in fused and "fma.rn" not in apart
    theirs, ours = {}, {}
    for kernel in (library_kernel, logarithm_kernel):
        ll.triton.uninstall()
        theirs[kernel] = compiled(kernel, ADD).asm["ptx"]
        ll.triton.install()
        ours[kernel] = compiled(kernel, ADD).asm["ptx"]
        assert ll.triton.report()[-1].used == ["lower"], ll.triton.report()[-1].reasons
        # The library's own functions, with subnormal numbers flushed as Triton does.
        for instruction in (r"\w+\.approx\.ftz\.f32", r"fma\.rn\.ftz\.f32", r"div\.\w+"):
            assert len(re.findall(instruction, ours[kernel])) == len(re.findall(instruction, theirs[kernel])), instruction


@triton.jit
def fused_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out + i, a * a + tl.load(y + i))


@triton.jit
def library_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, libdevice.tanh(tl.load(x + i)))


@triton.jit
def logarithm_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.log(tl.load(x + i)))


def test_layouts_are_chosen_and_triton_lowers():
    theirs = compiled(kernels.scale_columns, SCALE_COLUMNS)
    ll.triton.install("layouts")
    made = compiled(kernels.scale_columns, SCALE_COLUMNS)
    (entry,) = ll.triton.report()
    assert entry.used == ["layouts"] and "layouts" in entry.phase_ms
    assert made.asm["ttgir"].count("convert_layout") < theirs.asm["ttgir"].count("convert_layout")
    ll.triton.install("both")
    compiled(kernels.scale_columns, SCALE_COLUMNS)
    assert ll.triton.report()[-1].used == ["layouts", "lower"]


def test_kernels_with_our_layouts_are_assembled_again(monkeypatch):
    assemblies = []
    assembled = ll.triton._v3_9.assembled
    record = lambda *a, **k: assemblies.append(k["tries_blocks"]) or assembled(*a, **k)  # noqa: E731
    monkeypatch.setattr(ll.triton._v3_9, "assembled", record)
    ll.triton.install("layouts")
    compiled(kernels.scale_columns, SCALE_COLUMNS)
    assert assemblies == [True]
    compiled(kernels.transpose, ({"x": "*fp32", "out": "*fp32", "rows": "i32", "columns": "i32", "B": "constexpr"}, {"B": 32}))
    assert assemblies == [True] and not ll.triton.report()[-1].used


@triton.jit
def scanned_product(x, y, out, n, BLOCK: tl.constexpr):
    i, k = tl.arange(0, 64), tl.arange(0, 32)
    product = tl.dot(tl.load(x + i[:, None] * 32 + k), tl.load(y + k[:, None] * 32 + k))
    total = tl.zeros([64, 32], tl.float32)
    for _ in range(n):
        total += tl.cumsum(product + total, 1)
    tl.store(out + i[:, None] * 32 + k, total)


def test_scans_have_layouts_that_triton_lowers():
    ll.triton.install("layouts", layouts_at="pipeline")
    job = ({"x": "*fp16", "y": "*fp16", "out": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 64})
    made = compiled(scanned_product, job, GPUTarget("cuda", 80, 32))
    assert re.search(r"tt\.scan[^}]*}\) : \(tensor<64x32xf32, #blocked", made.asm["ttgir"], re.S)


def test_layouts_are_kept_if_others_are_hardly_cheaper():
    job = ({"x": "*fp32", "out": "*fp32", "rows": "i32", "columns": "i32", "B": "constexpr"}, {"B": 32})
    theirs = compiled(kernels.transpose, job)
    ll.triton.install("layouts")
    made = compiled(kernels.transpose, job)
    (entry,) = ll.triton.report()
    assert not entry.used and entry.reasons == {"layouts": "no other layouts are predicted to save 3 % or more"}
    assert made.asm["ttgir"] == theirs.asm["ttgir"]


@pytest.mark.parametrize("target", [H100, GPUTarget("cuda", 80, 32), GPUTarget("hip", "gfx942", 64)])
@pytest.mark.parametrize("mode", ["layouts", "both"])
def test_layouts_are_chosen_inside_triton_s_pipeline(target, mode):
    theirs = compiled(kernels.matmul, MATMUL, target)
    runs = []
    run_passes = ll.triton._v3_9.run_passes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ll.triton._v3_9, "run_passes", lambda *a, **k: runs.append(a[0]) or run_passes(*a, **k))
        with ll.triton.installed(mode, layouts_at="pipeline"):
            ours = compiled(kernels.matmul, MATMUL, target)
    (entry,) = ll.triton.report()
    assert entry.used == (["layouts", "lower"] if mode == "both" else ["layouts"]), entry.reasons
    # Triton's pass runs four times; the first module has not been pipelined.
    assert len(runs) == 4
    assert "convert_layout" in runs[0] and "async" not in runs[0]
    assert ours.asm["ttgir"].count("tt.dot") == theirs.asm["ttgir"].count("tt.dot")
    assert ours.metadata.linear_layout["used"] == entry.used


ALIGNED_MATMUL = (*MATMUL, {(index,): [["tt.divisibility", 16]] for index in range(6)})


@pytest.mark.parametrize("arch, product", [(80, "mma.sync"), (90, "wgmma.mma_async")])
def test_passes_lead_from_default_layouts_to_a_pipelined_kernel(arch, product):
    ll.triton.install("passes", fallback=False)
    made = compiled(kernels.matmul, ALIGNED_MATMUL, GPUTarget("cuda", arch, 32), num_stages=4)
    (entry,) = ll.triton.report()
    assert entry.used == ["passes", "lower"] and not entry.reasons
    assert product in made.asm["ptx"]
    assert re.findall(r"cp\.async\.wait_group\s+(\d)", made.asm["ptx"]) == ["2", "0"]
    assert made.metadata.linear_layout["used"] == entry.used
    ll.triton.install("passes", fallback=False)
    compiled(kernels.matmul, ALIGNED_MATMUL, GPUTarget("cuda", arch, 32), num_stages=1)
    assert "cp.async" not in compiled(kernels.matmul, ALIGNED_MATMUL, GPUTarget("cuda", arch, 32), num_stages=1).asm["ptx"]


def test_passes_pipeline_the_blocks_of_descriptors():
    blocks = {"a": "tensordesc<fp16[64,64]>", "b": "tensordesc<fp16[32,64]>", "c": "tensordesc<fp16[64,32]>", "k": "i32"}
    job = (blocks | dict.fromkeys("MNK", "constexpr"), {"M": 64, "N": 32, "K": 64})
    theirs = compiled(kernels.described_matmul, job, num_stages=3)
    ll.triton.install("passes", fallback=False)
    made = compiled(kernels.described_matmul, job, num_stages=3)
    (entry,) = ll.triton.report()
    assert entry.used == ["passes", "lower"] and not entry.reasons
    # The launcher makes the same descriptors.
    assert made.metadata.tensordesc_meta == theirs.metadata.tensordesc_meta
    assert "cp.async.bulk.tensor.2d.global" in made.asm["ptx"]
    # Two operands of two iterations in front of the loop, and of one in the loop.
    assert made.asm["ptx"].count("complete_tx::bytes") == theirs.asm["ptx"].count("complete_tx::bytes") == 6


def test_triton_s_passes_precede_triton_s_lowering(monkeypatch):
    theirs = compiled(kernels.matmul, ALIGNED_MATMUL)

    def fails(*_, **__):
        raise ll.CompileError([])

    monkeypatch.setattr(ll.triton._v3_9, "compile", fails)
    ll.triton.install("passes")
    made = compiled(kernels.matmul, ALIGNED_MATMUL)
    (entry,) = ll.triton.report()
    assert entry.used == [] and entry.reasons["passes"] == "Triton's lowering requires Triton's passes"
    assert made.asm["ptx"] == theirs.asm["ptx"]


@pytest.mark.parametrize("target, why", [(GPUTarget("hip", "gfx942", 64), "LDS"), (GPUTarget("cuda", 100, 32), "tensor memory")])
def test_passes_are_triton_s_where_ours_lack_something(target, why):
    theirs = compiled(kernels.matmul, MATMUL, target)
    ll.triton.install("passes")
    made = compiled(kernels.matmul, MATMUL, target)
    (entry,) = ll.triton.report()
    assert "passes" not in entry.used and why in entry.reasons["passes"]
    assert made.asm["ttgir"] == theirs.asm["ttgir"]


def test_warps_of_partitions_are_launched():
    job = (
        {"a": "*fp16", "b": "*fp16", "c": "*fp16", "M": "i32", "N": "i32", "K": "i32"} | dict.fromkeys(["BM", "BN", "BK", "S"], "constexpr"),
        {"BM": 128, "BN": 256, "BK": 64, "S": 3},
    )
    source = GluonASTSource(specialized.matmul, *job)
    theirs = triton.compile(source, target=H100, options={"num_warps": 8})
    ll.triton.install()
    ours = triton.compile(source, target=H100, options={"num_warps": 8})
    (entry,) = ll.triton.report()
    assert entry.used == ["lower"], entry.reasons
    assert ours.metadata.num_warps == theirs.metadata.num_warps == 12
    assert ours.metadata.global_scratch_size == theirs.metadata.global_scratch_size
    for text in (".reqntid 384", ".maxnreg 168", "setmaxnreg.inc.sync.aligned.u32 \t240", "setmaxnreg.dec.sync.aligned.u32 \t24"):
        assert text in ours.asm["ptx"] and text in theirs.asm["ptx"], text


def test_settings_outside_their_values_are_refused():
    with pytest.raises(ValueError, match="layouts_at='start': expected one of 'end', 'pipeline'"):
        ll.triton.install(layouts_at="start")


def test_registers_of_a_cubin_are_those_that_ptxas_states():
    made = compiled(kernels.matmul, MATMUL)
    found = usage(made.asm["cubin"])
    assert 16 < found.registers <= 255 and found.frame_bytes == 0
    for damaged in (b"", b"PK", made.asm["cubin"][:5000]):
        with pytest.raises(ValueError, match="expected a cubin"):
            usage(damaged)


def test_the_cache_tells_our_kernels_from_triton_s():
    ll.triton.install()
    ours = compiled(kernels.add, ADD)
    ll.triton.uninstall()
    theirs = compiled(kernels.add, ADD)
    assert ours.hash != theirs.hash
    ll.triton.install()
    assert compiled(kernels.add, ADD).hash == ours.hash
    # It came from the cache, so nothing was compiled.
    assert len(ll.triton.report()) == 1


def test_a_hook_of_somebody_else_is_called_too():
    seen = []

    def hook(*given):
        seen.append(len(given))
        return ("key", "'hash'") if not given else None

    triton.knobs.runtime.add_stages_inspection_hook = hook
    try:
        ll.triton.install()
        compiled(kernels.add, ADD)
        assert 0 in seen and 5 in seen
        ll.triton.uninstall()
        assert triton.knobs.runtime.add_stages_inspection_hook is hook
    finally:
        triton.knobs.runtime.add_stages_inspection_hook = None


def test_installing_and_taking_away():
    ll.triton.uninstall()
    with ll.triton.installed("layouts"):
        with ll.triton.installed("lower"):
            assert triton.knobs.runtime.add_stages_inspection_hook.settings.mode == "lower"
        assert triton.knobs.runtime.add_stages_inspection_hook.settings.mode == "layouts"
    assert triton.knobs.runtime.add_stages_inspection_hook is None
    with pytest.raises(ValueError, match="expected one of 'lower'"):
        ll.triton.install("everything")


def test_an_unsupported_version_is_named(monkeypatch):
    monkeypatch.setattr(triton, "__version__", "3.5.1")
    with pytest.raises(ImportError, match="3.5.1 is not supported.*3.9"):
        ll.triton.install()


def test_use_compiles_one_kernel_and_leaves_launches_alone(monkeypatch):
    driver = triton.runtime.driver

    class Fake:
        get_current_target = staticmethod(lambda: H100)
        get_current_device = staticmethod(lambda: 0)
        get_current_stream = staticmethod(lambda device: 0)

    monkeypatch.setattr(type(driver), "active", property(lambda self: Fake))
    kernel = ll.triton.use(triton.jit(kernels.add.fn))
    kernel.warmup(triton.MockTensor(tl.float32), triton.MockTensor(tl.float32), triton.MockTensor(tl.float32), 1000, BLOCK=512, grid=(2,))
    assert [entry.used for entry in ll.triton.report()] == [["lower"]]
    assert triton.knobs.runtime.add_stages_inspection_hook is None
    other = triton.jit(kernels.softmax.fn)
    other.warmup(triton.MockTensor(tl.float32), triton.MockTensor(tl.float32), 100, 128, BLOCK=128, grid=(2,))
    assert len(ll.triton.report()) == 1
    with pytest.raises(TypeError, match="expected a function of `@triton.jit`"):
        ll.triton.use(len)


def test_kernels_compile_in_threads():
    ll.triton.install()
    jobs = [(kernels.add, ADD[0], {"BLOCK": 128 << size}) for size in range(4)]
    threads = [threading.Thread(target=lambda job=job: compiled(job[0], job[1:])) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ll.triton.report().used) == 4


def test_a_script_runs_with_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys; sys.path.insert(0, %r)\n" % str(pathlib.Path(__file__).parent)
        + "import triton, triton_kernels\n"
        "from triton.compiler import ASTSource\nfrom triton.backends.compiler import GPUTarget\n"
        f"triton.compile(ASTSource(triton_kernels.add, {ADD[0]!r}, {ADD[1]!r}), target=GPUTarget('cuda', 90, 32))\n"
        "print(sys.argv[1:])\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "linear_layout", "run", "--report", str(script), "--epochs", "1"],
        capture_output=True, text=True, env={**os.environ, "LINEAR_LAYOUT": "lower"},
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() == "['--epochs', '1']" and "1 by linear-layout, 0 by Triton" in ran.stderr


def test_libraries_can_be_imported_in_any_order():
    names = ["triton", "linear_layout.compiler"] + (["torch"] if importlib.util.find_spec("torch") else [])
    for first in names:
        order = [first, *(name for name in names if name != first)]
        load = "; ".join(f"import {name}" for name in order)
        use = "import linear_layout; linear_layout.run_passes('module {}', 'cse'); from triton._C.libtriton import ir; ir.context()"
        subprocess.run([sys.executable, "-c", f"{load}; {use}"], check=True)
