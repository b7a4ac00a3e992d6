"""Kernels that differ only in layouts, in families.

All tiles fit in the L2 cache, and each program takes several turns, so that the time depends on the layouts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional

WARPS = 4
#: Turns of the loop of a program, and tiles in memory (a power of two).
TURNS, TILES = 16, 512


@dataclass(frozen=True)
class Tile:
    """The shape and element type of a tile."""

    rows: int
    columns: int
    element: str

    def __str__(self) -> str:
        return f"{self.rows}x{self.columns}x{self.element}"

    def tensor(self, layout: str) -> str:
        return f"tensor<{self}, {layout}>"

    def indices(self, layout: str) -> str:
        return f"tensor<{self.rows}x{self.columns}xi32, {layout}>"

    @property
    def pointer(self) -> str:
        return f"!tt.ptr<{self.element}>"

    def pointers(self, layout: str) -> str:
        return f"tensor<{self.rows}x{self.columns}x{self.pointer}, {layout}>"


#: The shape that costs are fitted to, and shapes that no cost was fitted to.
FITTED = (Tile(64, 64, "f32"),)
HELD_OUT = (Tile(128, 32, "f32"), Tile(64, 128, "f16"))

#: Lines of a module.
Lines = list[str]
#: What a kernel computes, as a function of an array of all tiles.
Result = Callable[[Any], Any]


@dataclass(frozen=True)
class Variant:
    """One kernel ``k(source, destination)``."""

    family: str
    layouts: str
    tile: Tile
    result: Result
    text: str


def blocked(registers: str, lanes: str, warps: str, order: str = "1, 0") -> str:
    sizes = f"sizePerThread = [{registers}], threadsPerWarp = [{lanes}], warpsPerCTA = [{warps}]"
    return f"#ttg.blocked<{{{sizes}, order = [{order}]}}>"


COALESCED = "rows of 4"
#: Layouts that differ in sectors, bank conflicts, replicas, and in the lanes and warps along a row.
LAYOUTS = {
    COALESCED: blocked("1, 4", "2, 16", "4, 1"),
    "rows of 1": blocked("1, 1", "1, 32", "4, 1"),
    "rows of 8": blocked("1, 8", "4, 8", "4, 1"),
    "rows of 16": blocked("1, 16", "8, 4", "4, 1"),
    "whole rows": blocked("1, 32", "32, 1", "4, 1"),
    "squares": blocked("2, 2", "8, 4", "2, 2"),
    "warps along rows": blocked("1, 4", "8, 4", "1, 4"),
    "columns of 1": blocked("1, 1", "32, 1", "1, 4", "0, 1"),
    "columns of 4": blocked("4, 1", "16, 2", "1, 4", "0, 1"),
    "columns of 8": blocked("8, 1", "8, 4", "1, 4", "0, 1"),
    "whole columns": blocked("32, 1", "1, 32", "1, 4", "0, 1"),
}
#: Layouts to which a conversion from `COALESCED` stays within warps, or which hold replicas.
NEAR = {
    "lanes: rows of 2": blocked("1, 2", "2, 16", "4, 1"),
    "lanes: rows of 1": blocked("1, 1", "2, 16", "4, 1"),
    "lanes: pairs": blocked("2, 1", "1, 32", "4, 1"),
    "replicas": blocked("1, 4", "1, 32", "4, 1"),
}
#: All layouts, beside `COALESCED` or in pairs.
BESIDE = {**LAYOUTS, **NEAR}


def mma(warps: str) -> str:
    return f"#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [{warps}], instrShape = [16, 8]}}>"


#: Layouts of the results of products.
PRODUCTS = {f"mma, warps {warps}": mma(warps) for warps in ("4, 1", "2, 2", "1, 4")}


class Builder:
    """The text of a module with one kernel ``k(%src, %dst)``."""

    def __init__(self, tile: Tile, layouts: dict[str, str], target: str):
        self._tile = tile
        self._layouts = layouts
        self._target = target
        self._offsets: dict[tuple[Tile, str, bool], str] = {}
        self._setup: Lines = []

    def _offset(self, tile: Tile, layout: str, transposed: bool) -> str:
        """Returns the offsets of the elements of a tile that is contiguous along rows, or else along columns."""
        key = (tile, layout, transposed)
        if key in self._offsets:
            return self._offsets[key]
        name = self._offsets[key] = f"%offset{len(self._offsets)}"
        strides = (1, tile.rows) if transposed else (tile.columns, 1)
        for axis, (extent, stride) in enumerate(zip((tile.rows, tile.columns), strides)):
            line = f"tensor<{extent}xi32, #ttg.slice<{{dim = {1 - axis}, parent = {layout}}}>>"
            shape = f"1x{extent}" if axis else f"{extent}x1"
            flat = f"tensor<{shape}xi32, {layout}>"
            self._setup += [
                f"{name}r{axis} = tt.make_range {{end = {extent} : i32, start = 0 : i32}} : {line}",
                f"{name}e{axis} = tt.expand_dims {name}r{axis} {{axis = {1 - axis} : i32}} : {line} -> {flat}",
                f"{name}s{axis} = arith.constant dense<{stride}> : {flat}",
                f"{name}m{axis} = arith.muli {name}e{axis}, {name}s{axis} : {flat}",
                f"{name}b{axis} = tt.broadcast {name}m{axis} : {flat} -> {tile.indices(layout)}",
            ]
        self._setup.append(f"{name} = arith.addi {name}b0, {name}b1 : {tile.indices(layout)}")
        return name

    def _pointers(self, name: str, base: str, at: str, tile: Tile, layout: str, transposed: bool) -> Lines:
        """Returns lines that define the pointers ``name`` to the tile at element ``at``."""
        offset = self._offset(tile, layout, transposed)
        pointers = tile.pointers(layout)
        return [
            f"{name}a = tt.addptr {base}, {at} : {tile.pointer}, i32",
            f"{name}s = tt.splat {name}a : {tile.pointer} -> {pointers}",
            f"{name} = tt.addptr {name}s, {offset} : {pointers}, {tile.indices(layout)}",
        ]

    def load(self, name: str, layout: str, at: str, tile: Optional[Tile] = None) -> Lines:
        tile = tile or self._tile
        pointers = self._pointers(f"{name}from", "%src", at, tile, layout, False)
        return [*pointers, f"{name} = tt.load {name}from : {tile.pointers(layout)}"]

    def store(self, name: str, layout: str, at: str, transposed: bool = False) -> Lines:
        pointers = self._pointers(f"{name}to", "%dst", at, self._tile, layout, transposed)
        return [*pointers, f"tt.store {name}to, {name} : {self._tile.pointers(layout)}"]

    @staticmethod
    def at(name: str, tile: str) -> Lines:
        """Returns lines that define the first element of a tile, modulo the tiles in memory."""
        return [f"{name}w = arith.andi {tile}, %last : i32", f"{name} = arith.muli {name}w, %size : i32"]

    def module(self, body: Lines) -> str:
        pointer = f"{self._tile.pointer} {{tt.divisibility = 16 : i32}}"
        lines = [
            *(f"{name} = {layout}" for name, layout in self._layouts.items()),
            f'module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {WARPS} : i32, ttg.target = "{self._target}", '
            '"ttg.threads-per-warp" = 32 : i32} {',
            f"tt.func public @k(%src: {pointer}, %dst: {pointer}) {{",
            "%c0 = arith.constant 0 : i32",
            "%c1 = arith.constant 1 : i32",
            f"%turns = arith.constant {TURNS} : i32",
            f"%last = arith.constant {TILES - 1} : i32",
            f"%size = arith.constant {self._tile.rows * self._tile.columns} : i32",
            "%program = tt.get_program_id x : i32",
            "%first = arith.muli %program, %turns : i32",
            *self._setup,
            *body,
            "tt.return",
            "}",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def over_tiles(self, body: Lines) -> Lines:
        """Returns a loop over the tiles of a program, which start at ``%at``."""
        tile = ["%tile = arith.addi %first, %i : i32", *self.at("%at", "%tile")]
        return ["scf.for %i = %c0 to %turns step %c1 : i32 {", *tile, *body, "}"]

    def over_turns(self, turn: Lines, layout: str) -> Lines:
        """Returns a loop whose turns compute ``%next`` from ``%z``. It starts with a tile, and the end is stored."""
        type_ = self._tile.tensor(layout)
        return [
            *self.at("%at", "%program"),
            *self.load("%x", layout, "%at"),
            f"%y = scf.for %i = %c0 to %turns step %c1 iter_args(%z = %x) -> ({type_}) : i32 {{",
            *turn,
            f"scf.yield %next : {type_}",
            "}",
            *self.store("%y", layout, "%at"),
        ]


def converted(tile: Tile, name: str, value: str, src: str, dst: str) -> str:
    return f"{name} = ttg.convert_layout {value} : {tile.tensor(src)} -> {tile.tensor(dst)}"


def combined(name: str, operation: str, tile: Tile, value: str, attributes: str) -> Lines:
    """Returns the lines of a reduction or a scan up to its types."""
    element = tile.element
    return [
        f'{name} = "tt.{operation}"({value}) <{{{attributes}}}> ({{',
        f"^bb0(%l: {element}, %r: {element}):",
        f"%c = {'arith.maximumf' if name == '%m1' else 'arith.addf'} %l, %r : {element}",
        f"tt.{operation}.return %c : {element}",
    ]


def reduced(tile: Tile, name: str, value: str, axis: int) -> Lines:
    """Reduces a value in layout `#b` (``%m`` is a maximum, others are sums), and broadcasts the result."""
    extent = (tile.rows, tile.columns)[1 - axis]
    line = f"tensor<{extent}x{tile.element}, #ttg.slice<{{dim = {axis}, parent = #b}}>>"
    shape = f"{extent}x1" if axis else f"1x{extent}"
    flat = f"tensor<{shape}x{tile.element}, #b>"
    return [
        *combined(f"{name}1", "reduce", tile, value, f"axis = {axis} : i32"),
        f"}}) : ({tile.tensor('#b')}) -> {line}",
        f"{name}2 = tt.expand_dims {name}1 {{axis = {axis} : i32}} : {line} -> {flat}",
        f"{name} = tt.broadcast {name}2 : {flat} -> {tile.tensor('#b')}",
    ]


def scaled(type_: str, name: str, value: str, factor: float) -> Lines:
    """Returns lines that multiply by a factor, so that values stay small."""
    return [f"{name}f = arith.constant dense<{factor}> : {type_}", f"{name} = arith.mulf {value}, {name}f : {type_}"]


#: Lines that compute ``%w`` from ``%v`` in layout `#b`.
Work = Callable[[Tile], Lines]


def minus_mean(axis: int) -> Work:
    def work(tile: Tile) -> Lines:
        type_, extent = tile.tensor("#b"), (tile.rows, tile.columns)[axis]
        sums = reduced(tile, "%s", "%v", axis)
        return [*sums, *scaled(type_, "%mean", "%s", 1 / extent), f"%w = arith.subf %v, %mean : {type_}"]

    return work


def softmax(tile: Tile) -> Lines:
    type_ = tile.tensor("#b")
    return [
        *reduced(tile, "%m", "%v", 1),
        f"%d = arith.subf %v, %m : {type_}",
        f"%e = math.exp2 %d : {type_}",
        *reduced(tile, "%s", "%e", 1),
        f"%w = arith.divf %e, %s : {type_}",
    ]


#: The argument of polynomials.
FACTOR = -0.125


def polynomial(degree: int) -> Work:
    def work(tile: Tile) -> Lines:
        type_ = tile.tensor("#b")
        names = ["%v", *(f"%t{step}" for step in range(degree - 1)), "%w"]
        steps = [f"{after} = math.fma {before}, %factor, %v : {type_}" for before, after in zip(names, names[1:])]
        return [f"%factor = arith.constant dense<{FACTOR}> : {type_}", *steps]

    return work


def scan(tile: Tile) -> Lines:
    lines = combined("%sums", "scan", tile, "%v", "axis = 1 : i32, reverse = false")
    type_ = tile.tensor("#b")
    return [*lines, f"}}) : ({type_}) -> {type_}", *scaled(type_, "%w", "%sums", 1 / 16)]


def doubled(tile: Tile) -> Lines:
    return [f"%w = arith.addf %v, %v : {tile.tensor('#b')}"]


def repeat(turn: Result) -> Result:
    def result(x: Any) -> Any:
        for _ in range(TURNS):
            x = turn(x)
        return x

    return result


def polynomial_of(degree: int) -> Result:
    def result(x: Any) -> Any:
        y = x
        for _ in range(degree):
            y = FACTOR * y + x
        return y

    return result


def softmax_of(x: Any) -> Any:
    e = 2.0 ** (x - x.max(2, keepdims=True))
    return e / e.sum(2, keepdims=True)


#: Work between two conversions, and its result.
WORK: dict[str, tuple[Work, Result]] = {
    "row sums": (minus_mean(1), lambda x: x - x.mean(2, keepdims=True)),
    "column sums": (minus_mean(0), lambda x: x - x.mean(1, keepdims=True)),
    "softmax": (softmax, softmax_of),
    "scans": (scan, lambda x: x.cumsum(2) / 16),
}


def loads(tile: Tile, target: str) -> Iterator[Variant]:
    """Sums of tiles, loaded in one layout."""

    def sums(x: Any) -> Any:
        parts = x.reshape(TILES // TURNS, TURNS, *x.shape[1:]).sum(1)
        return parts[[index % len(parts) for index in range(TILES)]]

    for name, layout in LAYOUTS.items():
        builder = Builder(tile, {"#a": layout}, target)
        type_ = tile.tensor("#a")
        body = [
            f"%zero = arith.constant dense<0.0> : {type_}",
            f"%y = scf.for %i = %c0 to %turns step %c1 iter_args(%part = %zero) -> ({type_}) : i32 {{",
            "%tile = arith.addi %first, %i : i32",
            *builder.at("%at", "%tile"),
            *builder.load("%x", "#a", "%at"),
            f"%more = arith.addf %part, %x : {type_}",
            f"scf.yield %more : {type_}",
            "}",
            *builder.at("%end", "%program"),
            *builder.store("%y", "#a", "%end"),
        ]
        yield Variant("loads", name, tile, sums, builder.module(body))


def stores(tile: Tile, target: str) -> Iterator[Variant]:
    """Stores of the first tile to all tiles of a program, in one layout."""
    for name, layout in LAYOUTS.items():
        builder = Builder(tile, {"#a": layout}, target)
        body = [*builder.load("%x", "#a", "%c0"), *builder.over_tiles(builder.store("%x", "#a", "%at"))]
        yield Variant("stores", name, tile, lambda x: x[[0] * TILES], builder.module(body))


def transposes(tile: Tile, target: str) -> Iterator[Variant]:
    """Loads rows, converts, and stores columns: the store or the conversion is expensive."""
    for name, layout in LAYOUTS.items():
        builder = Builder(tile, {"#a": LAYOUTS[COALESCED], "#b": layout}, target)
        load, store = builder.load("%x", "#a", "%at"), builder.store("%y", "#b", "%at", transposed=True)
        body = builder.over_tiles([*load, converted(tile, "%y", "%x", "#a", "#b"), *store])
        yield Variant("transposes", name, tile, lambda x: x.swapaxes(1, 2), builder.module(body))


def repeated(family: str, label: str, tile: Tile, target: str, layouts: tuple[str, str], work: Work, turn: Result) -> Variant:
    """Several turns of work on one tile in the second of two layouts, between conversions from and to the first."""
    builder = Builder(tile, dict(zip(("#a", "#b"), layouts)), target)
    lines = [converted(tile, "%v", "%z", "#a", "#b"), *work(tile), converted(tile, "%next", "%w", "#b", "#a")]
    if layouts[0] == layouts[1]:
        lines = [line.replace("%v", "%z").replace("%w", "%next").replace("#b", "#a") for line in work(tile)]
    return Variant(family, label, tile, repeat(turn), builder.module(builder.over_turns(lines, "#a")))


def conversions(tile: Tile, target: str) -> Iterator[Variant]:
    """Conversions between different layouts, and back."""
    names = list(BESIDE)
    pairs = [*zip(names, names[1:]), *zip(names, names[6:])]
    for src, dst in pairs:
        layouts = (BESIDE[src], BESIDE[dst])
        yield repeated("conversions", f"{src} to {dst}", tile, target, layouts, doubled, lambda x: x + x)


def elementwise(tile: Tile, target: str) -> Iterator[Variant]:
    """Polynomials of several degrees in layouts with and without replicas."""
    for name in (COALESCED, "squares", "whole rows", "whole columns", "lanes: pairs", "replicas"):
        for degree in (2, 8, 32):
            layouts = (LAYOUTS[COALESCED], BESIDE[name])
            label = f"{name}, degree {degree}"
            yield repeated("elementwise", label, tile, target, layouts, polynomial(degree), polynomial_of(degree))


def repetitions(tile: Tile, target: str) -> Iterator[Variant]:
    """The families of `WORK` in each layout."""
    for family, (work, turn) in WORK.items():
        for name, layout in BESIDE.items():
            yield repeated(family, name, tile, target, (LAYOUTS[COALESCED], layout), work, turn)


def products(tile: Tile, target: str) -> Iterator[Variant]:
    """Products of 16-bit tiles, whose results are converted before or after rounding to 16 bits."""
    narrow, wide = (Tile(tile.rows, tile.columns, element) for element in ("f16", "f32"))
    square, share = Tile(tile.columns, tile.columns, "f16"), 16 / tile.columns

    def result(x: Any) -> Any:
        right = x.reshape(-1)[: tile.columns**2].reshape(tile.columns, tile.columns)
        return repeat(lambda left: left @ (right * share))(x)

    for name, layout in PRODUCTS.items():
        for kept in ("#a", "#c"):
            layouts = {"#a": LAYOUTS[COALESCED], "#c": layout}
            layouts |= {f"#{side}": f"#ttg.dot_op<{{opIdx = {index}, parent = #c, kWidth = 2}}>" for index, side in enumerate("lr")}
            builder = Builder(narrow, layouts, target)
            turn = [
                converted(narrow, "%left", "%z", "#a", "#l"),
                f"%d = tt.dot %left, %right, %zero : {narrow.tensor('#l')} * {square.tensor('#r')} -> {wide.tensor('#c')}",
            ]
            rounded = "arith.truncf {} : " + f"{wide.tensor(kept)} to {narrow.tensor(kept)}"
            if kept == "#a":
                turn += [converted(wide, "%e", "%d", "#c", "#a"), "%next = " + rounded.format("%e")]
            else:
                turn += ["%f = " + rounded.format("%d"), converted(narrow, "%next", "%f", "#c", "#a")]
            body = [
                *builder.load("%given", "#a", "%c0", square),
                *scaled(square.tensor("#a"), "%small", "%given", share),
                converted(square, "%right", "%small", "#a", "#r"),
                f"%zero = arith.constant dense<0.0> : {wide.tensor('#c')}",
                *builder.over_turns(turn, "#a"),
            ]
            label = f"{name}, {'f32' if kept == '#a' else 'f16'}"
            yield Variant("products", label, narrow, result, builder.module(body))


#: Functions that make the variants of one or more families.
FAMILIES = (loads, stores, transposes, conversions, elementwise, repetitions, products)


def variants(tile: Tile, target: str) -> list[Variant]:
    """Returns the variants of all families for one tile."""
    return [made for family in FAMILIES for made in family(tile, target)]
