#!/usr/bin/env bash
# Copies what was built to a prefix: tools with completions and man pages, library, C header, pkg-config and CMake packages.
#
#   tools/install.sh PREFIX                 what `make build` made, in target/release
#   tools/install.sh PREFIX target/debug    another build
# DESTDIR is put before PREFIX, as packagers expect; nothing installed names it.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)

say() { printf 'install: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

[ $# -ge 1 ] && [ $# -le 2 ] || die "expected 1 or 2 arguments, found $#: tools/install.sh PREFIX [BUILD_FOLDER]"
case $1 in
    /*) prefix=${DESTDIR:-}$1 ;;
    *) die "the prefix \`$1\` is not an absolute path" ;;
esac
built=${2:-${CARGO_TARGET_DIR:-$root/target}/release}

# The newer of the two places where cargo leaves the library: tests build the one in deps/.
library=$(ls -t "$built"/liblinear_layout_mlir.so "$built"/deps/liblinear_layout_mlir.so 2>/dev/null | head -n 1)
[ -n "$library" ] || die "no liblinear_layout_mlir.so in $built: run \`make build\` first"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)
llvm_prefix=${LLVM_PREFIX:-$(sed -n 's/^MLIR_SYS_220_PREFIX = "\(.*\)"/\1/p' "$root/.cargo/config.toml" 2>/dev/null)}
llvm_prefix=${llvm_prefix:-${MLIR_SYS_220_PREFIX:-}}
[ -n "$llvm_prefix" ] || die "the location of LLVM is unknown: run tools/setup.sh first, or set LLVM_PREFIX"
llvm_major=$("$llvm_prefix/bin/llvm-config" --version | cut -d . -f 1)

# fill TEMPLATE FILE
fill() {
    sed -e "s|@VERSION@|$version|g" -e "s|@LLVM_PREFIX@|$llvm_prefix|g" \
        -e "s|@LLVM_MAJOR@|$llvm_major|g" "$root/tools/package/$1" >"$2"
    chmod 644 "$2"
}

cmake=$prefix/lib/cmake/LinearLayout
install -d "$prefix/bin" "$prefix/include" "$prefix/lib/pkgconfig" "$cmake"
for tool in "$built"/ll-*; do
    if [ -f "$tool" ] && [ -x "$tool" ]; then install -m 755 "$tool" "$prefix/bin/"; fi
done
layout=$built/ll-layout
if [ -x "$layout" ]; then
    # place SHELL FILE
    place() {
        install -d "$(dirname "$prefix/share/$2")"
        "$layout" completion "$1" >"$prefix/share/$2"
    }
    place bash bash-completion/completions/ll-layout
    place zsh zsh/site-functions/_ll-layout
    place fish fish/vendor_completions.d/ll-layout.fish
    install -d "$prefix/share/man/man1"
    "$layout" man >"$prefix/share/man/man1/ll-layout.1"
    for verb in show eval explain convert compare product list batch; do
        "$layout" man $verb >"$prefix/share/man/man1/ll-layout-$verb.1"
    done
fi
install -m 755 "$library" "$prefix/lib/liblinear_layout_mlir.so"
install -m 644 "$root/src/sys/linear_layout_c.h" "$prefix/include/"
fill linear-layout.pc.in "$prefix/lib/pkgconfig/linear-layout.pc"
fill LinearLayoutConfig.cmake.in "$cmake/LinearLayoutConfig.cmake"
fill LinearLayoutConfigVersion.cmake.in "$cmake/LinearLayoutConfigVersion.cmake"
say "linear-layout $version is installed in $prefix"
