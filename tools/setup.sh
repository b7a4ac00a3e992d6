#!/usr/bin/env bash
# Finds what the build needs, installs what is missing where it may, and writes .cargo/config.toml.
#
# Run by every verb of the Makefile; a few milliseconds when nothing is to be done.
#   LLVM_PREFIX=/opt/llvm-22 tools/setup.sh    use this LLVM and MLIR
#   tools/setup.sh --pure                      what the algebra alone needs: cargo and a linker
#   tools/setup.sh --python                    the same, and what the tests of the Python package need, in target/
#   tools/setup.sh --msrv                      the oldest supported Rust, by rustup
#   tools/setup.sh --test                      also the programs that only tests start: cmake, a browser, ptxas
#   tools/setup.sh --sanitizer                 also what `make asan` needs
#   LL_NO_INSTALL=1                            never install, only say what is missing
set -eu
cd "$(dirname "$0")/.."

readonly llvm_major=22
readonly rust_minimum=1.88

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
# version_at_least FOUND WANTED
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# --- Rust -------------------------------------------------------------------------------------

check_rust() {
    if ! command -v cargo >/dev/null; then
        die "cargo is missing: install Rust $rust_minimum or later with rustup (https://rustup.rs)"
    fi
    local found
    found=$(rustc --version | cut -d ' ' -f 2)
    if ! version_at_least "$found" "$rust_minimum"; then
        die "Rust $found is too old, expected $rust_minimum or later: run \`rustup update stable\`"
    fi
}

# --- LLVM and MLIR ----------------------------------------------------------------------------

# The folder that has bin/llvm-config, include/ and lib/ of LLVM 22; empty where there is none.
find_prefix() {
    if [ -n "${LLVM_PREFIX:-}" ]; then
        echo "$LLVM_PREFIX"
        return
    fi
    if [ -x "/usr/lib/llvm-$llvm_major/bin/llvm-config" ]; then
        echo "/usr/lib/llvm-$llvm_major"
        return
    fi
    local config
    for config in "llvm-config-$llvm_major" llvm-config; do
        if command -v "$config" >/dev/null && [ "$("$config" --version | cut -d . -f 1)" = "$llvm_major" ]; then
            "$config" --prefix
            return
        fi
    done
}

# One line per need: Debian package, then a file below the prefix (or an absolute path) that shows
# that it is there. A file may be a pattern.
needs() {
    cat <<-END
	llvm-22-dev       lib/libLLVM.so*
	llvm-22-dev       include/llvm/IR/Module.h
	libmlir-22-dev    lib/libMLIR.so*
	libmlir-22-dev    include/mlir/IR/Operation.h
	mlir-22-tools     bin/mlir-tblgen
	mlir-22-tools     bin/mlir-opt
	llvm-22-tools     bin/FileCheck
	clang-22          bin/clang++
	lld-22            bin/ld.lld
	libclang-22-dev   lib/libclang.so*
	libpolly-22-dev   lib/libPolly.*
	END
}

# Libraries and programs that do not come from LLVM: Debian package, then how to see it.
system_needs() {
    cat <<-END
	g++          command c++
	python3      command python3
	zlib1g-dev   library z
	libzstd-dev  library zstd
	libxml2-dev  library xml2
	END
}

any_exists() {
    local file
    for file in "$@"; do [ -e "$file" ] && return 0; done
    return 1
}

has_library() {
    any_exists /usr/lib/"$(uname -m)"-linux-gnu/lib"$1".so /usr/lib64/lib"$1".so \
        /usr/lib/lib"$1".so /usr/local/lib/lib"$1".so
}

# The Debian packages that are missing, one per line.
missing() {
    local prefix=$1 package what name
    needs | while read -r package what; do
        # shellcheck disable=SC2086 # the pattern is to be expanded
        if [ -z "$prefix" ] || ! any_exists $prefix/$what; then echo "$package"; fi
    done
    system_needs | while read -r package what name; do
        case $what in
            command) command -v "$name" >/dev/null || echo "$package" ;;
            library) has_library "$name" || echo "$package" ;;
        esac
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

may_install() {
    [ -z "${LL_NO_INSTALL:-}" ] && command -v apt-get >/dev/null &&
        { [ "$(id -u)" = 0 ] || { command -v sudo >/dev/null && sudo -n true 2>/dev/null; }; }
}

install_packages() {
    say "installing $*"
    as_root apt-get update -q >&2 || say "\`apt-get update\` failed; using the existing package lists"
    as_root apt-get install -y -q --no-install-recommends "$@" >&2
}

explain_missing() {
    local packages=$1
    say "parts of LLVM and MLIR $llvm_major, or libraries that LLVM needs, are missing. Missing Debian packages:"
    local package what
    for package in $packages; do
        printf '  %-16s %s\n' "$package" \
            "$({ needs; system_needs; } | awk -v p="$package" '$1 == p { printf "%s%s", n++ ? ", " : "", $NF }')" >&2
    done
    say "on Debian 12 or later:  sudo apt-get update && sudo apt-get install $(echo $packages)"
    say "                        Debian 12 has LLVM $llvm_major in bookworm-security, which must be among the sources of apt"
    say "built elsewhere:        LLVM_PREFIX=/path/to/llvm-$llvm_major make ... (shared libLLVM and libMLIR, built by Clang)"
    say "without MLIR:           make test-pure (the algebra needs no LLVM)"
    exit 1
}

# --- .cargo/config.toml ------------------------------------------------------------------------

write_config() {
    local prefix=$1 wanted
    wanted=$(
        cat <<-END
		# Written by tools/setup.sh; set LLVM_PREFIX and run it again to change it.
		[env]
		MLIR_SYS_LINK_SHARED = "1"
		MLIR_SYS_220_PREFIX = "$prefix"
		LLVM_SYS_221_PREFIX = "$prefix"
		TABLEGEN_220_PREFIX = "$prefix"
		LIBCLANG_PATH = "$prefix/lib"
		END
    )
    mkdir -p .cargo
    local file=.cargo/config.toml
    if [ -e $file ] && [ "$(cat $file)" = "$wanted" ]; then
        return
    fi
    # A user's own settings are not overwritten.
    if [ -e $file ] && grep -qvE '^(#.*|\[env\]|(MLIR_SYS|LLVM_SYS|TABLEGEN|LIBCLANG)_[A-Z0-9_]* = .*|)$' $file; then
        local variable
        for variable in MLIR_SYS_LINK_SHARED MLIR_SYS_220_PREFIX LLVM_SYS_221_PREFIX TABLEGEN_220_PREFIX; do
            grep -q "^$variable" $file ||
                die "$file has other settings but does not set $variable; add these lines:" "$wanted"
        done
        return
    fi
    printf '%s\n' "$wanted" >$file
    say "wrote $file for LLVM at $prefix"
}

# --- cmake and pkg-config, which only the tests of an installed library need ----------------------

fetch_package_tools() {
    local tool wanted=
    for tool in cmake pkg-config; do
        command -v $tool >/dev/null || wanted="$wanted $tool"
    done
    [ -n "$wanted" ] || return 0
    # shellcheck disable=SC2086 # one word per package
    if ! may_install || ! install_packages $wanted; then
        say "missing:$wanted; tests that need these programs are skipped"
    fi
}

# --- a browser, which only the tests of pages need ------------------------------------------------

fetch_browser() {
    local name
    [ -z "${LL_CHROMIUM:-}" ] || return 0
    for name in chromium chromium-browser google-chrome chrome; do
        if command -v "$name" >/dev/null; then return 0; fi
    done
    if ! may_install || ! install_packages chromium; then
        say "missing: chromium; the tests of ll-layout's HTML pages are skipped"
    fi
}

# --- ptxas, which only some tests need -----------------------------------------------------------

# NVIDIA's assembler from its pip package, below target/; tests that need it are skipped without.
fetch_ptxas() {
    local home=target/tools/nvcc
    if command -v ptxas >/dev/null || any_exists $home/nvidia/*/bin/ptxas || [ -e $home/unavailable ]; then
        return 0
    fi
    if [ -n "${LL_NO_INSTALL:-}" ]; then
        say "missing: ptxas; tests that need ptxas are skipped"
        return 0
    fi
    mkdir -p $home
    local pip="python3 -m pip"
    if ! $pip --version >/dev/null 2>&1; then
        if may_install; then install_packages python3-pip || true; fi
    fi
    if $pip install --quiet --disable-pip-version-check --no-deps --target $home nvidia-cuda-nvcc >&2 2>$home/log &&
        any_exists $home/nvidia/*/bin/ptxas; then
        chmod +x $home/nvidia/*/bin/ptxas
        say "ptxas is at $(echo $home/nvidia/*/bin/ptxas)"
    else
        cp $home/log $home/unavailable
        say "no ptxas: \`pip install nvidia-cuda-nvcc\` failed (see $home/log); tests that need ptxas are skipped"
    fi
}

# --- pytest, NumPy and mypy, which only the tests of the Python package need -----------------------

# In an environment of its own below the target directory; where it cannot be made, `make test` says so and goes on.
make_python_environment() {
    local home=${CARGO_TARGET_DIR:-target}/tools/python
    if "$home/bin/python" -c 'import mypy, numpy, pytest' 2>/dev/null; then
        return 0
    fi
    if [ -n "${LL_NO_INSTALL:-}" ]; then
        say "missing: pytest, NumPy and mypy in $home"
        return 0
    fi
    if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
        say "missing: python3 of version 3.10 or later"
        return 0
    fi
    if ! python3 -m venv --clear "$home" >/dev/null 2>&1; then
        if may_install; then install_packages python3-venv || true; fi
        if ! python3 -m venv --clear "$home"; then
            rm -rf "$home"
            say "python3 cannot create a virtual environment: apt-get install python3-venv"
            return 0
        fi
    fi
    if "$home/bin/python" -m pip install --quiet --disable-pip-version-check mypy numpy pytest >&2; then
        say "made $home for the tests of the Python package"
    else
        rm -rf "$home"
        say "\`pip install mypy numpy pytest\` failed"
    fi
}

# --- the oldest supported Rust, which only `make msrv` needs -----------------------------------------

install_oldest_rust() {
    if cargo "+$rust_minimum" --version >/dev/null 2>&1; then return 0; fi
    if [ -n "${LL_NO_INSTALL:-}" ] || ! command -v rustup >/dev/null ||
        ! rustup toolchain install "$rust_minimum" --profile minimal --no-self-update >&2; then
        say "missing: Rust $rust_minimum; \`rustup toolchain install $rust_minimum\` installs it"
    fi
}

# --- main ------------------------------------------------------------------------------------------

check_rust
if [ "${1:-}" = --msrv ]; then
    install_oldest_rust
    exit 0
fi
if [ "${1:-}" = --pure ] || [ "${1:-}" = --python ]; then
    command -v cc >/dev/null || die "Rust requires a C compiler for linking, but cc is missing: apt-get install gcc"
    if [ "$1" = --python ]; then make_python_environment; fi
    exit 0
fi

prefix=$(find_prefix)
packages=$(missing "$prefix" | sort -u)
if [ -n "$packages" ]; then
    if [ -z "${LLVM_PREFIX:-}" ] && may_install; then
        # shellcheck disable=SC2086 # one word per package
        install_packages $packages || explain_missing "$packages"
        prefix=$(find_prefix)
        packages=$(missing "$prefix" | sort -u)
    fi
    [ -z "$packages" ] || explain_missing "$packages"
fi
write_config "$prefix"
if [ "${1:-}" = --sanitizer ]; then
    if ! any_exists "$prefix"/lib/clang/*/lib/*/*asan*; then
        may_install && install_packages libclang-rt-22-dev ||
            die "clang's sanitizers are missing: apt-get install libclang-rt-22-dev"
    fi
fi
if [ "${1:-}" = --test ]; then
    fetch_package_tools
    fetch_browser
    fetch_ptxas
fi
