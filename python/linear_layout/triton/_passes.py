"""The TTGIR stage with this compiler's passes: from Triton's default layouts to a module to be lowered.

Only `convert-triton-to-tritongpu` is Triton's. A module that our lowering declines goes through Triton's own stage
again, since Triton's lowering relies on Triton's passes.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Optional

from ..compiler import CompileError, run_passes
from ._candidates import TTGIR, Stages
from ._report import Entry
from ._settings import Settings

#: Parses text as a module of Triton, in the context of another module.
Reparse = Callable[[str, Any], Any]

PART = "passes"


def replace_passes(
    backend: Any, stages: Stages, compilation: tuple[Any, Any], settings: Settings, entry: Entry, reparsed: Reparse
) -> None:
    """Replaces the TTGIR stage, given Triton's options and the language.

    The stage `llir` in `stages` becomes a fallback that begins with Triton's TTGIR stage.
    """
    from triton.backends.compiler import Language

    options, language = compilation
    if language != Language.TRITON:
        entry.decline(PART, "a Gluon kernel has explicit layouts")
        return
    make_ttgir, make_llir = stages[TTGIR], stages["llir"]
    source = ""

    def ttgir(src: Any, metadata: dict[str, Any]) -> Any:
        nonlocal source
        source = ""
        text = str(src)
        reason = _why_not(backend, options, text)
        if reason:
            entry.decline(PART, reason)
            return make_ttgir(src, metadata)
        start = time.perf_counter()
        try:
            default = _converted(backend, options, reparsed(text, src))
            made = run_passes(default, _pipeline(options, settings), locations=True, file="<ttgir>")
        except CompileError as error:
            entry.decline(PART, error)
            if not settings.fallback:
                raise
            return make_ttgir(src, metadata)
        entry.phase_ms[PART] = (time.perf_counter() - start) * 1e3
        entry.accept(PART, made.messages)
        source = text
        module = reparsed(made, src)
        metadata["tensordesc_meta"] = module.get_tensordesc_metadata()
        return module

    def llir(src: Any, metadata: dict[str, Any]) -> Any:
        if source:
            entry.withdraw(PART, "Triton's lowering requires Triton's passes")
            src = make_ttgir(reparsed(source, src), metadata)
        return make_llir(src, metadata)

    stages[TTGIR] = ttgir
    stages["llir"] = llir


def _why_not(backend: Any, options: Any, text: str) -> Optional[str]:
    """Returns the reason if a module needs Triton's passes, and ``None`` otherwise."""
    if backend.target.backend != "cuda":
        return "mode='passes' supports only NVIDIA GPUs; loops are not pipelined by copies to LDS"
    if backend.target.arch >= 100:
        return f"mode='passes' does not support tensor memory (cuda:{backend.target.arch})"
    if "tt.warp_specialize" in text:
        return "mode='passes' does not support tt.warp_specialize"
    if options.num_ctas > 1:
        return f"mode='passes' does not support clusters (num_ctas={options.num_ctas})"
    return None


def _converted(backend: Any, options: Any, module: Any) -> str:
    """Returns the text of a TTIR module with Triton's default layouts."""
    from triton._C.libtriton import ir, passes

    if options.maxnreg is not None:
        module.set_attr("ttg.maxnreg", ir.builder(module.context).get_int32_attr(options.maxnreg))
    manager = ir.pass_manager(module.context)
    target = f"cuda:{backend.target.arch}"
    passes.ttir.add_convert_to_ttgpuir(manager, target, options.num_warps, 32, options.num_ctas)
    manager.run(module, "convert_to_ttgpuir")
    return str(module)


def _pipeline(options: Any, settings: Settings) -> str:
    given = f"lower=false distinct-arguments=true num-stages={max(options.num_stages, 1)}"
    if settings.numbers == "triton":
        given += " triton-indices=true"
    return f"canonicalize,layout-pipeline{{{given}}},canonicalize,cse"
