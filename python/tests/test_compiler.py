"""The compiler: text in, assembly, text and errors out."""

import threading

import pytest

import linear_layout as ll

KERNEL = """
#b = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func public @square(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
    %i = tt.make_range {end = 512 : i32, start = 0 : i32} : tensor<512xi32, #b>
    %ps = tt.splat %p : !tt.ptr<f32> -> tensor<512x!tt.ptr<f32>, #b>
    %at = tt.addptr %ps, %i : tensor<512x!tt.ptr<f32>, #b>, tensor<512xi32, #b>
    %x = tt.load %at : tensor<512x!tt.ptr<f32>, #b>
    %y = arith.mulf %x, %x : tensor<512xf32, #b>
    %z = arith.addf %y, %x : tensor<512xf32, #b>
    tt.store %at, %z : tensor<512x!tt.ptr<f32>, #b>
    tt.return
  }
}
"""


@pytest.mark.parametrize("target", ["cuda:80", "cuda:90", "hip:gfx942"])
def test_both_vendors_have_assembly(target):
    text = KERNEL if target.startswith("cuda") else KERNEL.replace("[32]", "[64]").replace("[4],", "[2],", 1)
    if target.startswith("hip"):
        text = text.replace('4 : i32}', '4 : i32, "ttg.threads-per-warp" = 64 : i32}', 1)
    made = ll.compile(text, target)
    assert made.target == target
    assert (made.ptx is None) == target.startswith("hip")
    assert "square" in made.assembly and "square" in made.llvm_ir
    assert made.metadata["ttg.shared"] == 0
    assert set(made.times) == {"parse", "lower", "translate", "optimise", "emit"}


def test_numbers_and_fusion_are_options():
    assert "fma.rn" not in ll.compile(KERNEL, "cuda:90").ptx
    assert "fma.rn" in ll.compile(KERNEL, "cuda:90", numbers="triton").ptx
    assert "fma.rn" not in ll.compile(KERNEL, "cuda:90", numbers="triton", fusion=False).ptx
    with pytest.raises(ValueError, match="expected 'exact' or 'triton'"):
        ll.compile(KERNEL, "cuda:90", numbers="fast")


def test_the_launcher_of_triton_hands_over_two_more_pointers():
    count = [ll.compile(KERNEL, "cuda:90", abi=abi).ptx.count(".param") for abi in ("plain", "triton")]
    assert count[1] > count[0]
    with pytest.raises(ll.CompileError, match="invalid option `abi=other`"):
        ll.compile(KERNEL, "cuda:90", abi="other")


def test_lines_of_the_source_are_in_the_assembly():
    assert ".loc" in ll.compile(KERNEL, "cuda:90", debug_info=True).ptx
    assert ".loc" not in ll.compile(KERNEL, "cuda:90").ptx


def test_an_error_says_where_and_what():
    broken = KERNEL.replace("arith.mulf %x, %x", "arith.mulf %x, %i")
    with pytest.raises(ll.CompileError) as caught:
        ll.compile(broken, "cuda:90", file="square.ttgir")
    first = caught.value.first
    assert (first.file, first.line, first.severity) == ("square.ttgir", 9, "error")
    assert first.place == f"square.ttgir:9:{first.column}"
    assert str(caught.value).startswith(first.place)


@pytest.mark.parametrize(
    "source, target, said",
    [
        ("module {}", None, "the module has no target"),
        ("module {}", "cuda:9", "unknown target"),
        ("module {}", "h2000", "unknown target"),
        ("func", "cuda:90", "custom op 'func' is unknown"),
        ("[" * 5000, "cuda:90", "nested more than"),
        ("\0", "cuda:90", ""),
        ("", "cuda:90", ""),
        (KERNEL.replace("[32]", "[16]"), "cuda:90", ""),
        (KERNEL.replace("sizePerThread = [4]", "sizePerThread = [3]"), "cuda:90", "expected a power of two"),
        (KERNEL.replace("tt.store", "tt.stor"), "cuda:90", "tt.store"),
    ],
)
def test_bad_input_is_an_error(source, target, said):
    try:
        ll.compile(source, target)
    except ll.CompileError as error:
        assert said in str(error) and "panicked" not in str(error)
    else:
        assert said == ""


def test_passes_run_from_text_to_text():
    module = ll.run_passes(KERNEL, "canonicalize,cse", locations=True)
    assert "loc(" in module and isinstance(module, str)
    explained = ll.run_passes(KERNEL, "remove-layout-conversions{target=cuda:90 explain=true}")
    assert [message.severity for message in explained.messages] == ["remark"]
    with pytest.raises(ll.CompileError, match="canonicalise"):
        ll.run_passes(KERNEL, "canonicalise")


def test_threads_compile_side_by_side():
    made = [None] * 4

    def work(number):
        made[number] = ll.compile(KERNEL, "cuda:90").ptx

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 1 and made[0]


def test_a_compiler_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("LINEAR_LAYOUT_LIBRARY", "/no/such/library.so")
    from linear_layout import compiler

    with pytest.raises(ImportError, match="pip install"):
        compiler.library_path()
