"""Stages, options and metadata of Triton 3.9."""

from __future__ import annotations

import functools
import os
import pathlib
import re
import tempfile
import time
from typing import Any, Callable, Optional, Sequence

from ..compiler import CompileError, Compiled, compile, run_passes
from ..simulation import PixelOrder, TensorMap
from ._assembly import assembled, changed, has_many_loads, hold_or_print, is_much_faster, may_serialise
from ._candidates import TTGIR, Candidate, Fork, Stages
from ._compiled import selected
from ._cubin import usage
from ._measured import Selection, measured
from ._occupancy import more_resident
from ._passes import replace_passes
from ._pipeline import with_rewrite
from ._report import Entry, Recorder
from ._settings import Settings

#: Prefixes of the supported versions.
VERSIONS = ("3.9",)

#: The assembly stage of each backend. Under `lower`, this compiler replaces this stage and `llir`.
ASSEMBLY = {"cuda": "ptx", "hip": "amdgcn"}

#: Patterns of the kernel name in PTX, and in LLVM IR for AMD, as in Triton's stages.
KERNEL = {
    "cuda": re.compile(r"\.visible \.entry ([a-zA-Z_$][\w$]*)"),
    "hip": re.compile(r"define amdgpu_kernel void @([a-zA-Z_$][\w$]*)"),
}


#: The passes after a choice of layouts. The choice places each conversion right behind the value that it converts, in
#: front of later loads.
CLEANUP = "canonicalize,cse,hoist-loads"

#: The operations, besides `tt.extern_elementwise`, that may call a vendor library.
LIBRARY_CALL = re.compile(r"math\.(?!exp\b|exp2\b|rsqrt\b|sqrt\b|fma\b|abs|floor\b|ceil\b)")


def knobs() -> Any:
    import triton

    return triton.knobs


def get_hook() -> Optional[Callable[..., Any]]:
    """Returns the hook that Triton calls for the stages of each compilation."""
    hook: Optional[Callable[..., Any]] = knobs().runtime.add_stages_inspection_hook
    return hook


def set_hook(hook: Optional[Callable[..., Any]]) -> None:
    knobs().runtime.add_stages_inspection_hook = hook


class StagesHook:
    """A hook that replaces Triton's stages.

    Triton calls the hook without arguments at every launch, for a part of the cache key, and with the stages at every
    compilation. Triton has a single hook, so that this one calls the previous one.
    """

    def __init__(self, settings: Settings, recorder: Recorder, previous: Optional[Callable[..., Any]] = None):
        self.settings = settings
        self.recorder = recorder
        self.previous = previous
        _hold_errors()
        # The key has no quotes, since it becomes part of Python source.
        self._key = (settings.key, repr(settings.key))

    def __call__(
        self, backend: Any = None, stages: Any = None, options: Any = None, language: Any = None, capability: Any = None
    ) -> Any:
        if backend is None:
            if self.previous is None:
                return self._key
            key, value = self.previous()
            return key + self._key[0], f"({value}, {self._key[1]})"
        if self.previous is not None:
            self.previous(backend, stages, options, language, capability)
        entry = self.recorder.begin(_target(backend.target))

        def prepare(stages: Stages, settings: Settings, entry: Entry) -> None:
            if settings.replaces_passes:
                replace_passes(backend, stages, (options, language), settings, entry, reparsed)
            if settings.chooses_layouts:
                _choose_layouts(backend, stages, (options, language, capability), settings, entry)
            if settings.lowers:
                _lower(backend, stages, options, settings, entry)

        if self.settings.select == "predicted":
            prepare(stages, self.settings, entry)
        else:
            from triton.runtime.errors import PTXASError

            def extend(candidates: Sequence[Candidate]) -> list[Candidate]:
                reassembles = self.settings.assembly == "fastest"
                return more_resident(candidates, entry.target, refusal=PTXASError) if reassembles else []

            def select(candidates: Sequence[Candidate]) -> int:
                return selected(candidates, entry.target)

            fork = Fork(stages, self.settings, _Modules(), prepare, extend, select)
            names = list(stages)
            for name in names[names.index(TTGIR) :]:
                stages[name] = fork.stage(name, entry)
        for name in list(stages):
            stages[name] = _timed(entry, name, stages[name])
        return None


def _hold_errors() -> None:
    """Lets Triton's backend print the errors of `ptxas` only if no other assembly is tried."""
    from triton.backends.nvidia import compiler

    setattr(compiler, "print", hold_or_print)


def _target(target: Any) -> str:
    """Returns the name of a target in `ttg.target`."""
    return f"{target.backend}:{target.arch}"


def _timed(entry: Entry, name: str, stage: Callable[..., Any]) -> Callable[..., Any]:
    def run(src: Any, metadata: dict[str, Any]) -> Any:
        start = time.perf_counter()
        try:
            return stage(src, metadata)
        finally:
            entry.stage_ms[name] = (time.perf_counter() - start) * 1e3

    return run


def text_of(module: Any) -> str:
    """Returns the text of a module, with locations unless they are disabled."""
    return str(module.str_nodebug() if knobs().compilation.disable_line_info else module)


class _Modules:
    """Conversion of Triton modules to and from text."""

    def text(self, module: Any) -> str:
        return str(module)

    def body(self, module: Any) -> str:
        return str(module.str_nodebug())

    def parse(self, text: str, module: Any) -> Any:
        return reparsed(text, module)


def kernel_name(ttgir: str) -> str:
    """Returns the name of the kernel in a module's text."""
    named = re.search(r"tt\.func public @\"?([^\s(\"]+)", ttgir)
    return named[1] if named else ""


def _choose_layouts(
    backend: Any, stages: Any, compilation: tuple[Any, Any, Any], settings: Settings, entry: Entry
) -> None:
    """Adds our choice of layouts after Triton's TTGIR stage, or in place of Triton's layout passes."""
    options, language, capability = compilation
    make_ttgir, make_cubin = stages["ttgir"], stages.get("cubin")
    is_changed = False
    # Gluon's pipeline does not choose layouts.
    from triton.backends.compiler import Language

    has_points = settings.layouts_at == "pipeline" and language == Language.TRITON
    # Triton lowers scans only in blocked layouts.
    scans = "" if settings.lowers else " blocked-scans=true"
    layouts = f"remove-layout-conversions{{min-gain={settings.min_gain}{scans}}}"

    def choose(module: Any) -> Optional[Any]:
        nonlocal is_changed
        text = str(module)
        entry.kernel = kernel_name(text)
        start = time.perf_counter()
        try:
            # Inside the pipeline, `None` would run Triton's pass.
            chosen = run_passes(text, f"{layouts},{CLEANUP}" if has_points else layouts, locations=True, file="<ttgir>")
            if not has_points:
                if _is_same(reparsed(chosen, module), module):
                    gain = f"save {settings.min_gain} % or more" if settings.min_gain else "be cheaper"
                    entry.decline("layouts", f"no other layouts are predicted to {gain}")
                    return None
                chosen = run_passes(chosen, CLEANUP, locations=True, file="<ttgir>")
        except CompileError as error:
            entry.decline("layouts", error)
            if not settings.fallback:
                raise
            return None
        finally:
            entry.phase_ms["layouts"] = entry.phase_ms.get("layouts", 0) + (time.perf_counter() - start) * 1e3
        entry.accept("layouts", chosen.messages)
        is_changed = True
        return reparsed(chosen, module)

    def at_end(src: Any, metadata: dict[str, Any]) -> Any:
        module = make_ttgir(src, metadata)
        chosen = choose(module)
        metadata["linear_layout"] = entry.summary()
        return module if chosen is None else chosen

    def in_pipeline(src: Any, metadata: dict[str, Any]) -> Any:
        kind = backend.target.backend
        names = ("passes", "nvidia" if kind == "cuda" else "amd")
        build = with_rewrite(type(backend).make_ttgir, names, "add_remove_layout_conversions", choose)
        module = build(src, metadata, options, *([capability] if kind == "cuda" else []))
        metadata["linear_layout"] = entry.summary()
        return module

    def cubin(src: Any, metadata: dict[str, Any]) -> Any:
        if not is_changed:
            return make_cubin(src, metadata)
        return _fastest(lambda ptx: make_cubin(ptx, metadata), src, settings, entry, metadata["shared"])

    stages["ttgir"] = in_pipeline if has_points else at_end
    if make_cubin is not None and not settings.lowers:
        stages["cubin"] = cubin


def _fastest(
    assemble: Callable[[str], bytes], ptx: str, settings: Settings, entry: Entry, shared_bytes: int
) -> bytes:
    """Assembles a kernel for the number of resident blocks at which it is fastest."""
    from triton.runtime.errors import PTXASError

    tries_blocks = settings.assembly == "fastest"
    best = assembled(assemble, ptx, entry.target, shared_bytes, tries_blocks=tries_blocks, refusal=PTXASError)
    entry.reassemble(best.reason)
    return best.cubin


def _is_same(module: Any, other: Any) -> bool:
    return str(module.str_nodebug()) == str(other.str_nodebug())


def reparsed(text: str, module: Any) -> Any:
    """Parses a Triton module in the context of `module`."""
    from triton._C.libtriton import ir

    with tempfile.NamedTemporaryFile("w", suffix=".ttgir", delete=False) as file:
        file.write(text)
    try:
        made = ir.parse_mlir_module(file.name, module.context)
    finally:
        os.unlink(file.name)
    made.context = module.context
    return made


def _lower(backend: Any, stages: Any, options: Any, settings: Settings, entry: Entry) -> None:
    kind = backend.target.backend
    assembly = ASSEMBLY[kind]
    make_llir, make_assembly, make_cubin = stages["llir"], stages[assembly], stages.get("cubin")
    made: Optional[Compiled] = None

    cubins: dict[str, bytes] = {}

    def assemble(metadata: dict[str, Any]) -> Callable[[str], bytes]:
        def once(ptx: str) -> bytes:
            if ptx not in cubins:
                cubins[ptx] = make_cubin(ptx, metadata)
            return cubins[ptx]

        return once

    def llir(src: Any, metadata: dict[str, Any]) -> Any:
        nonlocal made
        made = None
        cubins.clear()
        entry.ttgir = text_of(src)
        entry.kernel = kernel_name(entry.ttgir)
        try:
            reason = _why_not(kind, options)
            if reason:
                entry.decline("lower", reason)
            elif settings.lane_reductions == "compiled":
                made = _best_reductions(kind, options, settings, entry, assemble(metadata))
            else:
                made = _compiled(kind, options, settings, entry, settings.lane_reductions)
        except CompileError as error:
            entry.decline("lower", error)
            if not settings.fallback:
                raise
        if made is None:
            metadata["linear_layout"] = entry.summary()
            return make_llir(src, metadata)
        _describe(made, kind, metadata)
        entry.accept("lower", made.remarks)
        metadata["linear_layout"] = entry.summary()
        entry.phase_ms.update(made.times)
        entry.shared = made.metadata["ttg.shared"]
        return made.llvm_ir

    def ptx_or_amdgcn(src: Any, metadata: dict[str, Any]) -> Any:
        # An override file may have replaced our text.
        if made is None or src != made.llvm_ir:
            from triton._C.libtriton import llvm

            llvm.init_targets()
            return make_assembly(src, metadata)
        named = made.assembly if kind == "cuda" else made.llvm_ir
        names = KERNEL[kind].findall(named)
        assert len(names) == 1, f"a module of Triton's has one kernel, not {names}"
        metadata["name"] = names[0]
        return made.assembly

    stages["llir"] = llir
    stages[assembly] = ptx_or_amdgcn
    if kind == "hip":
        make_hsaco = stages["hsaco"]

        def hsaco(src: Any, metadata: dict[str, Any]) -> Any:
            if made is None or src != made.assembly:
                return make_hsaco(src, metadata)
            return _hsaco(src, options.arch)

        stages["hsaco"] = hsaco
    else:
        def cubin(src: Any, metadata: dict[str, Any]) -> Any:
            if made is None or src != made.assembly:
                return make_cubin(src, metadata)
            return _fastest(assemble(metadata), src, settings, entry, entry.shared or 0)

        stages["cubin"] = cubin


def _hsaco(amdgcn: str, arch: str) -> bytes:
    """Assembles and links as Triton's stage, with 16-bit operands written as 32-bit registers.

    For gfx11 and gfx12, Triton's LLVM expects halves of registers, such as ``v3.l``; LLVM 22 writes ``v3``.
    """
    from triton._C.libtriton import amd
    from triton.backends.amd.compiler import assemble_amdgcn

    with tempfile.NamedTemporaryFile() as obj, tempfile.NamedTemporaryFile() as linked:
        obj.write(assemble_amdgcn(amdgcn, arch, "-real-true16"))
        obj.flush()
        amd.link_hsaco(obj.name, linked.name)
        # The linker may replace the file.
        return pathlib.Path(linked.name).read_bytes()


def _best_reductions(
    kind: str, options: Any, settings: Settings, entry: Entry, assemble: Callable[[str], bytes]
) -> Compiled:
    """Compiles a module, and again with butterflies if `ptxas` serialises the loads of a loop.

    Halving rows across lanes takes fewer instructions and registers than butterflies. With few registers, `ptxas` sinks
    loads to their uses.
    """
    first = _compiled(kind, options, settings, entry, "cheapest")
    if kind != "cuda" or "tt.reduce" not in entry.ttgir or not has_many_loads(first.assembly):
        return first
    halving = assemble(first.assembly)
    if not may_serialise(halving, entry.target):
        return first
    second = _compiled(kind, options, settings, entry, "butterfly")
    butterflies = assemble(second.assembly)
    if not is_much_faster(butterflies, halving, entry.target):
        return first
    entry.reassemble(changed("butterflies", usage(halving), usage(butterflies)))
    return second


def _compiled(kind: str, options: Any, settings: Settings, entry: Entry, lane_reductions: str) -> Compiled:
    """Compiles a module with Triton's options."""
    text = entry.ttgir
    # A library is linked only if called, since each compilation reads the file.
    calls = "tt.extern_elementwise" in text or (settings.numbers == "triton" and LIBRARY_CALL.search(text) is not None)
    link = [path for _, path in options.extern_libs or ()] if calls else []
    attributes = {}
    if kind == "hip":
        attributes["denormal-fp-math-f32"] = "preserve-sign" if options.allow_flush_denorm else "ieee"
        if options.waves_per_eu:
            attributes["amdgpu-waves-per-eu"] = f"{options.waves_per_eu},{options.waves_per_eu}"
    return compile(
        text,
        numbers=settings.numbers,
        lane_reductions=lane_reductions,
        fusion=options.enable_fp_fusion,
        abi="triton",
        debug_info=not knobs().compilation.disable_line_info,
        features=f"+ptx{options.ptx_version}" if getattr(options, "ptx_version", None) else None,
        link=link,
        call_libraries=bool(link) and settings.numbers == "triton",
        reflect_ftz=getattr(options, "enable_reflect_ftz", False),
        kernel_attributes=attributes,
        file="<ttgir>",
    )


def _why_not(kind: str, options: Any) -> Optional[str]:
    """Returns the reason if only Triton supports an option, and ``None`` otherwise."""
    compilation = knobs().compilation
    if options.instrumentation_mode:
        return f"instrumentation_mode={options.instrumentation_mode!r} requires Triton's lowering"
    if compilation.enable_asan:
        return "TRITON_ENABLE_ASAN requires Triton's lowering"
    if compilation.dump_ir_extract_di_local_variables:
        return "LLVM_EXTRACT_DI_LOCAL_VARIABLES requires Triton's lowering"
    if kind == "cuda":
        if options.min_shared_mem is not None:
            return f"min_shared_mem={options.min_shared_mem} requires Triton's lowering"
        return None
    amd = knobs().amd
    if amd.dump_mir or amd.swap_mir or amd.scalarize_packed_fops:
        return "TRITON_DUMP_MIR, TRITON_SWAP_MIR and AMDGCN_SCALARIZE_PACKED_FOPS require Triton's LLVM"
    if options.llvm_fn_attrs or options.wgp_cu_mode != "wgp":
        return "llvm_fn_attrs and wgp_cu_mode require Triton's LLVM"
    if options.arch != options.base_arch:
        return f"arch={options.arch!r} requires Triton's LLVM"
    return None


def _describe(made: Compiled, kind: str, metadata: dict[str, Any]) -> None:
    """Sets the metadata for the launcher, as Triton's own stage does."""
    numbers = made.metadata
    if "ttg.total-num-warps" in numbers:
        metadata["num_warps"] = numbers["ttg.total-num-warps"]
    metadata["shared"] = numbers["ttg.shared"]
    if kind == "cuda":
        metadata["tmem_size"] = numbers.get("ttg.tensor_memory_size", 0)
    for scratch in ("global_scratch", "profile_scratch"):
        metadata[f"{scratch}_size"] = numbers.get(f"ttg.{scratch}_memory_size", 0)
        metadata[f"{scratch}_align"] = numbers.get(f"ttg.{scratch}_memory_alignment", 1)


def set_measuring(recorder: Recorder) -> None:
    """Makes kernels with several candidates time them; only ``select="measured"`` creates such kernels."""
    runtime = knobs().runtime
    if not isinstance(runtime.jit_post_compile_hook, _MeasuringHook):
        runtime.jit_post_compile_hook = _MeasuringHook(recorder, runtime.jit_post_compile_hook)


def with_measuring(kernel: Any, recorder: Recorder) -> Any:
    """Returns a compiled kernel that times its candidates, if it has several."""

    def report(selection: Selection) -> None:
        metadata = selection.kernel.metadata
        entry = recorder.begin(_target(metadata.target))
        entry.kernel = metadata.name
        entry.used = selection.used
        entry.selected = selection.name
        entry.microseconds = selection.microseconds
        entry.programs = selection.programs

    return measured(kernel, report)


class _MeasuringHook:
    """A hook that replaces each kernel in a function's cache by one that times its candidates."""

    def __init__(self, recorder: Recorder, previous: Optional[Callable[..., Any]]):
        self.recorder = recorder
        self.previous = previous

    def __call__(self, *, key: Any, fn: Any, compile: Any, **rest: Any) -> Any:
        kernels = fn.jit_function.device_caches[compile["device"]][0]
        if key in kernels:
            kernels[key] = with_measuring(kernels[key], self.recorder)
        return self.previous(key=key, fn=fn, compile=compile, **rest) if self.previous is not None else None


def jit_function(kernel: Any) -> Any:
    """Returns the `@triton.jit` or `@gluon.jit` function inside autotuners and heuristics."""
    from triton.runtime.jit import JITFunction

    inner = kernel
    while not isinstance(inner, JITFunction):
        if not hasattr(inner, "fn"):
            raise TypeError(f"expected a function of `@triton.jit` or `@gluon.jit`, found {type(kernel).__name__}")
        inner = inner.fn
    return inner


def compile_with(kernel: Any, around: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replaces `kernel.compile` by `around(kernel.compile)` when Triton first binds arguments."""
    from collections import defaultdict

    create_binder = kernel.create_binder

    def create() -> Any:
        bound = create_binder()
        kernel.compile = around(kernel.compile)
        return bound

    kernel.create_binder = create
    kernel.device_caches = defaultdict(create)


class _Captured(Exception):
    """Ends a compilation early, with its module and the metadata of its descriptors."""

    def __init__(self, text: str, descriptors: list[dict[str, Any]]):
        self.made = text, descriptors


_ttgir_cache: dict[tuple[str, str, str], tuple[str, list[dict[str, Any]]]] = {}


def is_descriptor(value: Any) -> bool:
    """Returns true for a host-side tensor descriptor of Triton or Gluon."""
    return all(hasattr(value, name) for name in ("base", "shape", "strides", "block_shape", "padding"))


def _tensor_map(name: str, value: Any, described: Optional[dict[str, Any]]) -> TensorMap:
    if described is None:
        raise TypeError(f"argument `{name}` is a tensor descriptor, which requires the target `cuda:90` or later")
    if described["fp4_padded"]:
        raise TypeError(f"argument `{name}` is a tensor descriptor of 4-bit elements, which cannot be simulated")
    pixels = None
    if described.get("is_im2col"):
        steps = value.element_strides or [1] * len(value.shape)
        pixels = PixelOrder(value.pixel_box_lower_corner, value.pixel_box_upper_corner, steps[1:-1])
    # 11 is TF32: an access clears the low bits.
    element = 11 if value.round_f32_to_tf32 else described["elem_type"]
    fills_nan = value.padding == "nan"
    return TensorMap(value.base, value.shape, value.strides, described["block_size"], element, described["swizzle"], fills_nan, pixels)


def resolve(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Returns the function inside autotuners and heuristics, with the keywords that they add. An autotuner adds its
    first configuration.
    """
    from triton.runtime.autotuner import Autotuner, Heuristics
    from triton.runtime.jit import JITFunction

    kwargs = dict(kwargs)
    while not isinstance(kernel, JITFunction):
        if isinstance(kernel, Heuristics):
            named = dict(zip(kernel.arg_names, args))
            for name, heuristic in kernel.values.items():
                kwargs[name] = heuristic({**named, **kwargs})
        elif isinstance(kernel, Autotuner):
            config = kernel.configs[0]
            kwargs = {**kwargs, **config.all_kwargs()}
            if config.pre_hook is not None:
                config.pre_hook({**dict(zip(kernel.arg_names, args)), **kwargs})
        elif not hasattr(kernel, "fn"):
            raise TypeError(f"expected a function of `@triton.jit` or `@gluon.jit`, found {type(kernel).__name__}")
        kernel = kernel.fn
    return kernel, kwargs


def launch(kernel: Any, args: tuple[Any, ...], kwargs: dict[str, Any], target: str, wrap: Callable[..., Any]) -> tuple[str, list[tuple[str, str, Any]], dict[str, Any]]:
    """Returns the TTGIR of a launch, the parameters as ``("x", "*fp32", value)``, and all arguments by name. No GPU is
    needed.

    ``wrap`` gives an array the tensor interface of Triton: ``data_ptr()`` and ``dtype``.
    """
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, make_backend
    from triton.runtime.jit import create_function_from_signature

    kernel, kwargs = resolve(kernel, args, kwargs)
    name, arch = target.split(":", 1)
    gpu = GPUTarget("cuda", int(arch), 32) if name == "cuda" else GPUTarget("hip", arch, 64)
    backend = make_backend(gpu)
    if name == "hip":
        gpu = GPUTarget("hip", arch, backend.parse_options({}).warp_size)
        backend = make_backend(gpu)
    kwargs = {"debug": kernel.debug or False, "instrumentation_mode": "", "fpsan_homomorphic_casts": False, **kwargs}
    binder = create_function_from_signature(kernel.signature, kernel.params, backend)
    bound, specialization, extra = binder(*map(wrap, args), **{key: wrap(value) for key, value in kwargs.items()})
    options, signature, constants, attributes = kernel._pack_args(backend, extra, bound, specialization, extra)
    source_type: Any = ASTSource
    if kernel.is_gluon():
        from triton.experimental.gluon._runtime import GluonASTSource

        source_type = GluonASTSource
    source = source_type(kernel, signature, constants, attributes)
    key = (source.hash(), options.hash(), target)
    if key not in _ttgir_cache:
        _ttgir_cache[key] = _ttgir(triton, source, gpu, options)
    text, descriptors = _ttgir_cache[key]
    described = iter(descriptors)
    parameters = [
        (name, type_, _tensor_map(name, bound[name], next(described, None)) if is_descriptor(bound[name]) else bound[name])
        for name, type_ in signature.items()
        if type_ != "constexpr"
    ]
    return text, parameters, dict(bound)


def _ttgir(triton: Any, source: Any, gpu: Any, options: Any) -> tuple[str, list[dict[str, Any]]]:
    def capture(backend: Any = None, stages: Any = None, *_: Any) -> Any:
        if backend is None:
            return "-linear-layout-ttgir", "'linear-layout-ttgir'"

        def stop(src: Any, metadata: dict[str, Any]) -> Any:
            raise _Captured(str(src), metadata.get("tensordesc_meta") or [])

        stages["llir"] = stop
        return None

    before = get_hook()
    set_hook(capture)
    try:
        triton.compile(source, target=gpu, options=options.__dict__)
    except _Captured as captured:
        return captured.made
    finally:
        set_hook(before)
    raise AssertionError("a compilation goes through the stage `llir`")


def interpret(kernel: Any, grid: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Runs a kernel in Triton's interpreter, on objects that it accepts as tensors."""
    from triton.runtime.jit import JITFunction

    kernel, kwargs = resolve(kernel, args, kwargs)
    options = {"num_warps", "num_stages", "num_ctas", "maxnreg"} - set(kernel.arg_names)
    kwargs = {key: value for key, value in kwargs.items() if key not in options}
    constants = {parameter.name for parameter in kernel.params if parameter.is_constexpr}
    args = tuple(value if name in constants else _scalar(value) for name, value in zip(kernel.arg_names, args))
    kwargs = {key: value if key in constants else _scalar(value) for key, value in kwargs.items()}
    # Functions decorated without `TRITON_INTERPRET`, such as those in `triton.language`, refuse calls.
    refuses = JITFunction.__call__
    JITFunction.__call__ = _call_interpreted
    try:
        _interpreted(kernel)[grid](*args, **kwargs)
    finally:
        JITFunction.__call__ = refuses


def _scalar(value: Any) -> Any:
    """Converts a `float` to a `float32` tensor, which the interpreter does not do."""
    import numpy as np
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    if not isinstance(value, float):
        return value
    return tl.tensor(TensorHandle(np.array([value], dtype=np.float32), tl.float32), tl.float32)


def _call_interpreted(function: Any, *args: Any, **kwargs: Any) -> Any:
    from triton.runtime.interpreter import _patch_lang

    # The interpreter's own call does not restore `triton.language`.
    scope = _patch_lang(function.fn)
    try:
        return _interpreted(function).rewrite()(*args, **kwargs)
    finally:
        scope.restore()


@functools.lru_cache(maxsize=None)
def _interpreted(function: Any) -> Any:
    from triton.runtime.interpreter import InterpretedFunction

    return InterpretedFunction(function.fn)
