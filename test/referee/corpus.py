"""Compiles the kernels of Python packages to TTGIR; needs a Python with `triton==3.9.0`, no GPU.

    corpus.py PACKAGE... --site DIR --out DIR [--targets cuda:90,hip:gfx942] [--most N] [--skip REGEX]

PACKAGE is a folder below `--site`, where wheels are unpacked; nothing else that they import need be
installed. Every `@triton.jit` function without a result is a kernel. What its arguments are is guessed from
annotations, names, defaults, tuning configurations and what is loaded through, in several attempts. Of each
package the first `--most` kernels that compile are kept, in an order that only their names decide.
Writes `OUT/TARGET/KERNEL.ttgir`, and a line of JSON in `OUT/failures.jsonl` for each kernel and target that
the wheel does not compile. `cargo test --test fuzz -- corpus --dir OUT` lowers what is there.
"""
import argparse
import ast
import gc
import hashlib
import importlib.abc
import importlib.util
import json
import os
import re
import resource
import sys
import types

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
SECONDS = 10  # of processor time for one kernel, all its attempts and targets
# Folders without kernels of their own, and those for accelerators that the wheel does not compile for.
SKIPPED = (
    r"(^|\.)(tests?|benchmarks?|testing|conftest|setup|\w*_ascend|_cambricon|_mthreads|_kunlunxin|_iluvatar|_metax"
    r"|_hygon|_aipu|_tsingmicro|_sunrise|_enflame|_thead|_spacemit|npu\w*)(\.|$)"
)


# ---- packages without what they import

class Anything:
    """What a package gets for a name that is not installed: whatever it does with it at import goes on."""

    def __init__(self, name="anything"):
        self.__dict__["__name__"] = self.__dict__["__qualname__"] = name

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        return "9.9.9" if name == "__version__" else Anything(name)

    def __call__(self, *args, **_):
        # A decorator hands back what it decorates.
        return args[0] if len(args) == 1 and (callable(args[0]) or hasattr(args[0], "fn")) else Anything()

    def __mro_entries__(self, _):
        return (object,)

    def _itself(self, *_):
        return self

    __getitem__ = __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _itself
    __floordiv__ = __mod__ = __or__ = __ror__ = __and__ = __rand__ = __neg__ = __enter__ = _itself
    __ge__ = __gt__ = lambda *_: True
    __lt__ = __le__ = __contains__ = __bool__ = __exit__ = lambda *_: False
    __int__ = __index__ = lambda _: 1
    __float__ = lambda _: 1.0
    __setattr__ = __setitem__ = __delitem__ = lambda *_: None
    __iter__ = lambda _: iter(())
    __len__ = lambda _: 0
    __hash__ = lambda self: id(self)


class AnyModule(types.ModuleType):
    __path__ = []
    __version__ = "9.9.9"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything(name)


class Statements(importlib.abc.Loader):
    """Runs a module statement by statement, so that one that fails takes nothing else with it."""

    def __init__(self, path):
        self.path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        with open(self.path, encoding="utf-8") as file:
            tree = ast.parse(file.read(), self.path)
        future = any(isinstance(s, ast.ImportFrom) and s.module == "__future__" for s in tree.body)
        flags = __import__("__future__").annotations.compiler_flag if future else 0
        for statement in tree.body:
            self.run(statement, module, flags)

    def run(self, statement, module, flags):
        try:
            code = compile(ast.Module([statement], []), self.path, "exec", flags, True)
            exec(code, module.__dict__)
        except (Exception, SystemExit):
            if isinstance(statement, (ast.If, ast.Try)):
                for inner in statement.body:
                    self.run(inner, module, flags)
            elif isinstance(statement, ast.FunctionDef):
                # A kernel whose tuning fails is still a kernel.
                jit = [d for d in statement.decorator_list if ast.unparse(d).split("(")[0].endswith("jit")]
                if jit and jit != statement.decorator_list:
                    statement.decorator_list = jit
                    self.run(statement, module, flags)


class Finder(importlib.abc.MetaPathFinder):
    """Finds the packages that are asked for, in front of all, and anything that no other finder resolves, behind."""

    def __init__(self, site, packages, front):
        self.site, self.packages, self.front = site, packages, front

    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if self.front and top in self.packages:
            base = os.path.join(self.site, *name.split("."))
            for file, folders in ((f"{base}/__init__.py", [base]), (f"{base}.py", None)):
                if os.path.exists(file):
                    return importlib.util.spec_from_file_location(
                        name, file, loader=Statements(file), submodule_search_locations=folders
                    )
            if os.path.isdir(base):
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
                spec.submodule_search_locations = [base]
                return spec
        if not self.front and top not in ("triton", "__main__", *sys.stdlib_module_names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return AnyModule(spec.name)

    def exec_module(self, module):
        pass


def modules(site, packages, skip):
    """The packages' modules, imported as far as they go."""
    sys.meta_path.insert(0, Finder(site, packages, True))
    sys.meta_path.append(Finder(site, packages, False))
    for package in packages:
        names = [package]
        for root, folders, files in os.walk(os.path.join(site, package)):
            folders.sort()
            prefix = os.path.relpath(root, site).replace(os.sep, ".")
            names += [f"{prefix}.{f[:-3]}" for f in sorted(files) if f.endswith(".py") and f != "__init__.py"]
        for name in names:
            file = os.path.join(site, *name.split(".")) + ".py"
            if re.search(skip, name) or os.path.exists(file) and "triton" not in open(file, encoding="utf-8").read():
                continue
            try:
                yield package, importlib.import_module(name)
            except (Exception, SystemExit) as reason:
                print(f"{name}: {type(reason).__name__}: {reason}", file=sys.stderr)


# ---- kernels and what they are called with

def is_kernel(fn):
    body = ast.walk(fn.parse())
    return not any(isinstance(node, ast.Return) and node.value is not None for node in body)


def kernels(site, packages, skip):
    """Name, package, function and tuning of each kernel."""
    from triton.runtime.jit import JITFunction

    seen = set()
    for package, module in modules(site, packages, skip):
        for value in list(vars(module).values()):
            tuning, depth = {}, 0
            while not isinstance(value, JITFunction) and "fn" in getattr(value, "__dict__", {}) and depth < 8:
                configs = value.__dict__.get("configs")
                if isinstance(configs, (list, tuple)) and configs and hasattr(configs[0], "num_warps"):
                    middle = configs[len(configs) // 2]
                    tuning.update(middle.kwargs, num_warps=middle.num_warps, num_stages=middle.num_stages)
                value, depth = value.__dict__["fn"], depth + 1
            if isinstance(value, JITFunction) and value.__module__ == module.__name__ and id(value) not in seen:
                seen.add(id(value))
                if is_kernel(value):
                    yield f"{module.__name__}.{value.__name__}", package, value, tuning


READS = {"load", "store", "make_block_ptr", "make_tensor_descriptor", "atomic_add", "atomic_max", "atomic_min",
         "atomic_cas", "atomic_xchg", "atomic_and", "atomic_or", "atomic_xor"}


def pointers(fn, depth=0):
    """The parameters through which memory is accessed, here or in functions that are called."""
    from triton.runtime.jit import JITFunction

    tree, names, found = fn.parse().body[0], set(fn.arg_names), set()
    sources = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    sources.setdefault(target.id, []).append(node.value)

    def leaves(node, seen):
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return leaves(node.left, seen) or leaves(node.right, seen)
        if isinstance(node, ast.IfExp):
            return leaves(node.body, seen) | leaves(node.orelse, seen)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "advance"):
            return leaves(node.args[0] if ast.unparse(node.func.value) == "tl" else node.func.value, seen)
        if not isinstance(node, ast.Name) or node.id in seen:
            return set()
        if node.id in names:
            return {node.id}
        return next((got for s in sources.get(node.id, []) if (got := leaves(s, seen | {node.id}))), set())

    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        named = [keyword.value for keyword in node.keywords if keyword.arg in ("pointer", "base")]
        pointer = (node.args[:1] or named[:1] or [None])[0]
        if called in READS and pointer is not None:
            found |= leaves(pointer, set())
        inner = fn.__globals__.get(called)
        if isinstance(inner, JITFunction) and depth < 4 and inner is not fn:
            wanted = pointers(inner, depth + 1)
            given = list(zip(inner.arg_names, node.args)) + [(k.arg, k.value) for k in node.keywords]
            for name, value in given:
                if name in wanted:
                    found |= leaves(value, set())
    return found


WHOLE64 = r"(^|_)(idx|index|indices|ids?|labels?|target|targets)(_|$)"
WHOLE32 = (
    r"cu_|seqlens?|lens?(_|$)|offsets?|table|loc(_|$)|slot|count|sorted|expert|block_table|positions?|qweight|packed"
    r"|start|num_"
)
FLAGS = (
    r"^(is|use|has|with|store|save|apply|return|enable|do|need|causal|reverse|inplace|even|mask|output|write|add|no"
    r"|allow)(_|$)|^(is|use|has)|causal|flag|reverse|transposed|_bias$"
)
FEW = r"stages?|unroll|group|num_(kv|splits?|heads?)|^(h|hq|hk|g|ns|nt|nk)$|heads|split|ratio|loops?|iters?|top_?k"
FLOATS = (
    r"eps|scale|alpha|beta|(^|_)lr|^p$|prob|value|momentum|decay|temp|cap|factor|slope|lambda|gamma|theta|rate|min_val"
    r"|max_val|threshold|weight|norm|dropout|(^|_)(lo|hi|low|high|std|mean|fill)"
)
BLOCKS = r"(block|tile|chunk)|^B[A-Z0-9]{1,2}$|^[BCKVDNM]$|dim|size"


def unrolled(fn):
    """The parameters that say how often a loop is unrolled."""
    calls = [node for node in ast.walk(fn.parse()) if isinstance(node, ast.Call)]
    loops = [call for call in calls if ast.unparse(call.func).endswith("static_range")]
    return {name.id for loop in loops for name in ast.walk(loop) if isinstance(name, ast.Name)}


def constant(name, tuning, attempt, times):
    """A value for a constexpr parameter."""
    lower, flags = name.lower(), attempt["flags"]
    if name in tuning:
        return tuning[name]
    if name in times:
        return attempt["few"]
    if "dtype" in lower or lower.endswith("_type"):
        return attempt["dtype"]
    if re.search(FLAGS, lower):
        return flags
    if re.search(r"num_?warps", lower):
        return tuning.get("num_warps", 4)
    if re.search(FEW, lower):
        return attempt["few"]
    if re.search(FLOATS, lower) and not re.search(BLOCKS, lower):
        return 1.0
    if re.search(r"stride", lower):
        return 64
    if re.search(r"activation|mode|reduction|^act|kind|precision|name", lower):
        return attempt["word"]
    if re.search(BLOCKS, name):
        return attempt["block"]
    return attempt["block"] if re.search(r"^[A-Z_0-9]+$|n_|num", name) else flags


def signature(fn, tuning, attempt, wanted):
    """What the launcher would make of the arguments: types, constants, and which of them 16 divides."""
    types_, constants, divisible, times = {}, {}, [], unrolled(fn)
    names = fn.arg_names
    for at, parameter in enumerate(fn.params):
        name, default = parameter.name, parameter.default
        lower = name.lower()
        if parameter.is_constexpr or name in tuning:
            value = constant(name, tuning, attempt, times)
            if parameter.has_default and name not in tuning and attempt["defaults"]:
                value = default
            types_[name], constants[name] = "constexpr", value
        elif parameter.has_default and default is None:
            types_[name], constants[name] = "constexpr", None
        elif parameter.annotation_type:
            types_[name] = parameter.annotation_type
            if parameter.annotation_type.startswith("*"):
                divisible.append(at)
        elif name in wanted or re.search(r"_ptrs?$|^ptr_|pointer", lower):
            kind = attempt["pointee"]
            if attempt["hints"]:
                kind = "i64" if re.search(WHOLE64, lower) else "i32" if re.search(WHOLE32, lower) else kind
                kind = "i1" if re.search(r"mask", lower) else kind
            types_[name] = f"*{kind}"
            divisible.append(at)
        elif re.search(r"stride", lower):
            # The innermost of a group of strides is 1, which the launcher makes a constant.
            following = names[at + 1] if at + 1 < len(names) else ""
            if attempt["strides"] and "stride" not in following.lower() and "row" not in lower:
                types_[name], constants[name] = "constexpr", 1
            else:
                types_[name] = "i32"
                divisible.append(at)
        elif re.search(FLOATS, lower) and not re.search(r"^n_|num|size|stride|len|dim|seed|numel|_n$|start|end", lower):
            types_[name] = "fp32"
        else:
            types_[name] = "i32"
            if not re.search(r"seed|offset|pad|start|end|num_heads|index|step", lower):
                divisible.append(at)
    divisible = [at for at in divisible if not fn.params[at].do_not_specialize]
    return types_, constants, divisible


def attempts(name):
    """What is tried, the likeliest first; which float comes first depends on the name."""
    import triton.language as tl

    floats = [("bf16", tl.bfloat16), ("fp32", tl.float32), ("fp16", tl.float16)]
    turn = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 3
    floats = floats[turn:] + floats[:turn]
    usual = dict(flags=False, block=64, few=2, word="", hints=True, strides=True, defaults=True)
    for pointee, dtype in floats[:2]:
        base = dict(usual, pointee=pointee, dtype=dtype)
        yield base
        yield dict(base, flags=True)
    base = dict(usual, pointee="fp32", dtype=tl.float32)
    yield dict(base, block=128, few=4)
    yield dict(base, few=16)
    yield dict(base, defaults=False)
    yield dict(base, flags=True, defaults=False, strides=False)
    yield dict(base, word="silu")
    yield dict(base, block=16, few=1)
    yield dict(base, hints=False)
    yield dict(base, pointee="i32", dtype=tl.int32, hints=False)
    yield dict(base, pointee="i64", dtype=tl.int64, hints=False)
    yield dict(base, pointee="u8", dtype=tl.uint8, hints=False)


# ---- compiling

def target_of(text):
    from triton.backends.compiler import GPUTarget

    vendor, arch = text.split(":")
    if vendor == "cuda":
        return GPUTarget("cuda", int(arch), 32)
    return GPUTarget("hip", arch, 64 if arch.startswith("gfx9") else 32)


def ttgir(fn, tuning, attempt, wanted, target):
    """The module's text, as far as the vendor's own pipeline goes before LLVM."""
    from triton._C.libtriton import ir
    from triton.compiler import ASTSource, make_backend

    backend = make_backend(target)
    types_, constants, divisible = signature(fn, tuning, attempt, wanted)
    attributes = {}
    for at in divisible:
        near = "S" if target.backend == "hip" and types_[fn.arg_names[at]].startswith("*") else ""
        attributes[(at,)] = backend.parse_attr("D" + near)
    source = ASTSource(fn, types_, constants, attributes)
    warps = tuning.get("num_warps", 4)
    if target.backend == "hip":
        warps = min(warps, 1024 // target.warp_size)
    options = {"num_warps": warps}
    if "num_stages" in tuning:
        options["num_stages"] = tuning["num_stages"]
    options = backend.parse_options(options)
    stages = {}
    backend.add_stages(stages, options, source.language)
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    implementation, map_ = backend.get_codegen_implementation(options), backend.get_module_map()
    module = source.make_ir(target, options, implementation, map_, context)
    metadata = {"target": target, **options.__dict__}
    for stage in ("ttir", "ttgir"):
        module = stages[stage](module, metadata)
    return module.str_nodebug()


def reason_of(error):
    while error.__cause__ is not None:
        error = error.__cause__
    lines = [line for line in str(error).strip().splitlines() if line.strip()] or [""]
    return f"{type(error).__name__}: {lines[-1]}"[:300]


def compile_all(name, fn, tuning, targets):
    """A JSON line for each target: the text, or why there is none; an attempt that compiled is kept."""
    wanted = pointers(fn)
    kept = None
    for target in targets:
        found, first = None, None
        for attempt in [kept] if kept else attempts(name):
            try:
                found, kept = ttgir(fn, tuning, attempt, wanted, target_of(target)), attempt
                break
            except (Exception, SystemExit) as error:
                first = first or reason_of(error)
        yield {"kernel": name, "target": target, **({"text": found} if found else {"reason": first})}


def answers(name, fn, tuning, targets):
    """The same from a child, since the wheel has assertions that end the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        with os.fdopen(writer, "w") as pipe:
            for answer in compile_all(name, fn, tuning, targets):
                pipe.write(json.dumps(answer) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        got = [json.loads(line) for line in pipe]
    status = os.waitpid(child, 0)[1]
    if len(got) < len(targets):
        got.append({"kernel": name, "target": targets[len(got)], "reason": f"the wheel ends with status {status}"})
    return got


class Pretended:
    """The driver that packages ask for their GPU when they are imported."""

    def __init__(self, target):
        self.target = target

    def get_current_target(self):
        return self.target

    def __getattr__(self, name):
        return Anything(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="+")
    parser.add_argument("--site", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--targets", default="cuda:90,hip:gfx942")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--skip", default=SKIPPED)
    options = parser.parse_args()
    import triton

    targets = options.targets.split(",")
    triton.runtime.driver.set_active(Pretended(target_of(targets[0])))
    found = {}
    for name, package, fn, tuning in kernels(options.site, options.packages, options.skip):
        found.setdefault(package, {})[name] = (fn, tuning)
    gc.freeze()  # children share what is imported
    os.makedirs(options.out, exist_ok=True)
    with open(f"{options.out}/failures.jsonl", "a") as failures:
        for package, of_package in found.items():
            order = sorted(of_package, key=lambda name: hashlib.sha256(name.encode()).hexdigest())
            kept, tried = 0, 0
            for name in order:
                if kept == options.most:
                    break
                tried += 1
                compiled = False
                for answer in answers(name, *of_package[name], targets):
                    text = answer.pop("text", None)
                    if text is None:
                        failures.write(json.dumps(answer) + "\n")
                        failures.flush()
                        continue
                    compiled = True
                    folder = f"{options.out}/{answer['target'].split(':')[1]}"
                    os.makedirs(folder, exist_ok=True)
                    with open(f"{folder}/{name}.ttgir", "w") as file:
                        file.write(text)
                kept += compiled
            print(f"{package}: {len(of_package)} kernels, {tried} tried, {kept} compiled", flush=True)
    os._exit(0)  # the library's own shutdown is not always clean


if __name__ == "__main__":
    main()
