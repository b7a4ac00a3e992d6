# The lit suites. test/lit.rs sets the environment and runs lit; run one file or folder with
#   cargo test --test lit -- Dialect/round-trip
import os
import sys

import lit.formats
import lit.util

config.name = "linear-layout"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttgir", ".test"]
config.excludes = ["kernels", "golden", "rust", "fuzz", "Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.environ["LL_LIT_OUTPUT"]

# Our tools first, then those of the LLVM that they are linked with: FileCheck, not, mlir-opt,
# llvm-mc, ld.lld. Tests name them without a path.
tools = os.environ["LL_TOOLS"]
llvm = os.path.join(os.environ["LL_LLVM_PREFIX"], "bin")
path = [tools, llvm, os.environ.get("PATH", "")]
ptxas = os.environ.get("LL_PTXAS")
if ptxas:
    path.insert(2, os.path.dirname(ptxas))
    config.available_features.add("ptxas")
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
for variable in ("LD_LIBRARY_PATH", "RUST_BACKTRACE", "ASAN_OPTIONS", "LL_BLESS"):
    if variable in os.environ:
        config.environment[variable] = os.environ[variable]

if all(os.path.exists(os.path.join(llvm, tool)) for tool in ("ld.lld", "llvm-mc", "llvm-readelf")):
    config.available_features.add("amdgcn-link")

for program in ("cmake", "pkg-config", "embed-rust", "ll-layout"):
    if lit.util.which(program, config.environment["PATH"]):
        config.available_features.add(program)

# %sanitize: what a program of C++ has to be built with that takes the library in.
sanitizer = os.environ.get("LL_SANITIZER")
config.substitutions.append(("%sanitize", f"-fsanitize={sanitizer}" if sanitizer else ""))
if sanitizer:
    config.available_features.add("sanitizer")

# %python: what lit runs on.
config.substitutions.append(("%python", sys.executable))
# %root: the project; %tools: the folder of its built tools.
config.substitutions.append(("%root", os.path.dirname(config.test_source_root)))
config.substitutions.append(("%tools", tools))
# %plugin: the shared library for --load-dialect-plugin and --load-pass-plugin.
config.substitutions.append(("%plugin", os.environ["LL_PLUGIN"]))
# %llvm: the prefix of LLVM.
config.substitutions.append(("%llvm", os.environ["LL_LLVM_PREFIX"]))
# %kernels: whole kernels as Triton wrote them.
config.substitutions.append(("%kernels", os.path.join(config.test_source_root, "kernels")))
# %golden: what other programs answered.
config.substitutions.append(("%golden", os.path.join(config.test_source_root, "golden")))
# A DEFINE may use another one.
config.recursiveExpansionLimit = 4
