"""The command line over Triton's cache."""

import json
from pathlib import Path

import pytest

import linear_layout as ll
from linear_layout.__main__ import main
from test_compiler import KERNEL

TTGIR = KERNEL.replace("4 : i32}", '4 : i32, ttg.target = "cuda:90"}', 1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A cache with two kernels."""
    for number, (name, shared) in enumerate([("square", 0), ("other", 16)]):
        place = tmp_path / ("ABCDEFGH" if number else "STUVWXYZ")
        place.mkdir()
        (place / f"{name}.ttgir").write_text(TTGIR.replace("square", name))
        target = {"backend": "cuda", "arch": 90, "warp_size": 32}
        (place / f"{name}.json").write_text(json.dumps({"shared": shared, "num_warps": 4, "target": target}))
    return tmp_path


def run(folder: Path, *arguments: str) -> int:
    return main(["cache", "--dir", str(folder), *arguments])


def test_kernels_are_listed_and_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["kernel", "target", "warps", "shared", "folder"] and len(lines) == 3
    assert ll.cache.find("STUV", folder).name == "square"
    assert run(folder, "show", "square") == 0 and "tt.func public @square" in capsys.readouterr().out
    assert run(folder, "show", "sqare") == 1
    assert "the nearest are square" in capsys.readouterr().err


def test_layouts_and_conversions_are_explained(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "layouts", "square") == 0
    assert "#b on 512" in capsys.readouterr().out
    assert run(folder, "conversions", "square") == 0
    assert "remark" in capsys.readouterr().out


def test_a_kernel_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    assert run(folder, "sim", "square", "--arg", "p=random:f32:512") == 0
    assert "1 blocks of 128 threads" in capsys.readouterr().out
    assert run(folder, "sim", "square", "--arg", "p=random:f32:500") == 1
    assert "out-of-bounds" in capsys.readouterr().out
    assert run(folder, "sim", "square", "--arg", "p=noise:f32:500") == 1
    assert "expected a number, or `zeros|iota|random:TYPE:COUNT`" in capsys.readouterr().err


def test_kernels_differ_and_files_are_checked(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "diff", "square", "other") == 1
    assert "- shared: 0\n+ shared: 16" in capsys.readouterr().out
    assert run(folder, "diff", "square", "square") == 0
    file = folder / "STUVWXYZ" / "square.ttgir"
    assert run(folder, "check", str(file), "--most-shared", "0") == 0
    broken = folder / "broken.ttgir"
    broken.write_text(TTGIR.replace("[32]", "[3]"))
    assert run(folder, "check", str(broken)) == 1
    assert "broken.ttgir:2:" in capsys.readouterr().err
