"""Writes a kernel with `tt.dot_scaled`, its operands, and the product as Python computes it.

    scaled.py FOLDER TARGET A B [packed=mn] [m=32 n=32 k=64] [scale=e4m3] [unscaled=a] [layouts=mfma32]
        [result=ENCODING left=ENCODING right=ENCODING a_scale=ENCODING b_scale=ENCODING]

A and B are e2m1, e4m3, e5m2, bf16 or fp16; the first three have scales, for 32 elements, or for 16 where scales are e4m3.
`layouts` are Triton's of an instruction. Elements are such that all
sums are exact in f32. The first row of A has scales of 0, which is 2^-127 (but for fp16, in which that is 0); the last
one has a scale of 255, NaN.
"""

import random
import struct
import sys

folder, target, a_type, b_type, *rest = sys.argv[1:]
options = dict(option.split("=", 1) for option in rest)
exponents = options.get("scale") != "e4m3"
M, N, K = (int(options.get(name, size)) for name, size in [("m", 32), ("n", 32), ("k", 64)])
BLOCK = 32 if exponents else 16
packed_along_k = options.get("packed") != "mn"
lanes = 32 if target.startswith(("cuda", "hip:gfx1")) else 64
draw = random.Random(f"{a_type} {b_type}")

FP4 = [0, 0.5, 1, 1.5, 2, 3, 4, 6]


def decoded(kind, code):
    """The number that an element's bits stand for."""
    if kind == "e2m1":
        return -FP4[code & 7] if code & 8 else FP4[code]
    if kind in ("bf16", "fp16"):
        return struct.unpack("<f", struct.pack("<I", code << 16))[0] if kind == "bf16" else struct.unpack("<e", struct.pack("<H", code))[0]
    mantissa, bias = {"e4m3": (3, 7), "e5m2": (2, 15)}[kind]
    exponent, fraction = (code & 0x7F) >> mantissa, code & ((1 << mantissa) - 1)
    size = fraction * 2.0 ** (1 - bias - mantissa) if exponent == 0 else (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias)
    return -size if code & 0x80 else size


def element(kind):
    """Bits of an element between 1/2 and 8 in size, or zero."""
    if kind == "e2m1":
        return draw.randrange(16)
    if kind == "bf16":
        return struct.unpack("<I", struct.pack("<f", draw.choice([-3, -2, -1, 0, 1, 2, 4, 5])))[0] >> 16
    if kind == "fp16":
        return struct.unpack("<H", struct.pack("<e", draw.choice([-3, -2, -1, 0, 1, 2, 4, 5])))[0]
    mantissa, bias = {"e4m3": (3, 7), "e5m2": (2, 15)}[kind]
    exponent = draw.randrange(bias - 1, bias + 3)
    return draw.choice([0, 0x80]) | exponent << mantissa | draw.randrange(1 << mantissa)


def scale(row, block):
    if not exponents:
        return draw.randrange(0x30, 0x48)
    if row == 0 and b_type != "fp16":
        return 0
    if row == 31 and block == 1:
        return 255
    return draw.randrange(126, 129)


def power(code):
    if not exponents:
        return decoded("e4m3", code)
    return float("nan") if code == 255 else 2.0 ** (code - 127)


PARENTS = {
    "mfma32": ("#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [32, 32, 64], isTransposed = true}>", 16),
    "mfma16": ("#ttg.amd_mfma<{version = 4, warpsPerCTA = [2, 2], instrShape = [16, 16, 128], isTransposed = false}>", 16),
    "wmma": ("#ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, instrShape = [16, 16, 128]}>", 16),
    "mma": ("#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>", 4),
}
if "layouts" in options:
    parent, width = PARENTS[options["layouts"]]
    operand = "#ttg.dot_op<{{opIdx = {}, parent = {}, kWidth = {}}}>"
    options = {"result": parent, "left": operand.format(0, parent, width), "right": operand.format(1, parent, width)} | options

has_scale = {name: kind in ("e2m1", "e4m3", "e5m2") and options.get("unscaled") != name for name, kind in [("a", a_type), ("b", b_type)]}
a = [[element(a_type) for _ in range(K)] for _ in range(M)]
b = [[element(b_type) for _ in range(N)] for _ in range(K)]
a_scale = [[scale(m, k) for k in range(K // BLOCK)] for m in range(M)]
b_scale = [[draw.randrange(126, 129) if exponents else scale(1, 0) for _ in range(K // BLOCK)] for _ in range(N)]


def value(m, n):
    total = 0.0
    for k in range(K):
        left, right = decoded(a_type, a[m][k]), decoded(b_type, b[k][n])
        if has_scale["a"]:
            left *= power(a_scale[m][k // BLOCK])
        if has_scale["b"]:
            right *= power(b_scale[n][k // BLOCK])
        total += left * right
    return total


def stored(kind, rows, along_columns):
    """The bytes of a matrix, and its sizes in memory."""
    if kind in ("bf16", "fp16"):
        return b"".join(struct.pack("<H", code) for row in rows for code in row), len(rows), len(rows[0])
    if kind == "e2m1" and along_columns:
        rows = [[row[i] | row[i + 1] << 4 for i in range(0, len(row), 2)] for row in rows]
    elif kind == "e2m1":
        rows = [[low | high << 4 for low, high in zip(rows[i], rows[i + 1])] for i in range(0, len(rows), 2)]
    return bytes(code for row in rows for code in row), len(rows), len(rows[0])


def write(name, data):
    with open(f"{folder}/{name}", "wb") as file:
        file.write(data)


a_bytes, a_rows, a_columns = stored(a_type, a, packed_along_k)
b_bytes, b_rows, b_columns = stored(b_type, b, not packed_along_k)
write("a", a_bytes)
write("b", b_bytes)
write("a_scale", bytes(code for row in a_scale for code in row))
write("b_scale", bytes(code for row in b_scale for code in row))
write("want", b"".join(struct.pack("<f", value(m, n)) for m in range(M) for n in range(N)))

IR_TYPES = {"e2m1": "i8", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2", "bf16": "bf16", "fp16": "f16"}
rows = f"#ttg.blocked<{{sizePerThread = [1, 2], threadsPerWarp = [4, {lanes // 4}], warpsPerCTA = [4, 1], order = [1, 0]}}>"
text = []


def address(name, element, height, width):
    """Addresses of a matrix in row-major order."""
    t = lambda shape, of: f"tensor<{shape}x{of}, #b>"
    text.append(f"""
    %{name}_i = tt.make_range {{end = {height} : i32, start = 0 : i32}} : tensor<{height}xi32, #ttg.slice<{{dim = 1, parent = #b}}>>
    %{name}_i2 = tt.expand_dims %{name}_i {{axis = 1 : i32}} : tensor<{height}xi32, #ttg.slice<{{dim = 1, parent = #b}}>> -> {t(f'{height}x1', 'i32')}
    %{name}_w = arith.constant dense<{width}> : {t(f'{height}x1', 'i32')}
    %{name}_i3 = arith.muli %{name}_i2, %{name}_w : {t(f'{height}x1', 'i32')}
    %{name}_i4 = tt.broadcast %{name}_i3 : {t(f'{height}x1', 'i32')} -> {t(f'{height}x{width}', 'i32')}
    %{name}_j = tt.make_range {{end = {width} : i32, start = 0 : i32}} : tensor<{width}xi32, #ttg.slice<{{dim = 0, parent = #b}}>>
    %{name}_j2 = tt.expand_dims %{name}_j {{axis = 0 : i32}} : tensor<{width}xi32, #ttg.slice<{{dim = 0, parent = #b}}>> -> {t(f'1x{width}', 'i32')}
    %{name}_j3 = tt.broadcast %{name}_j2 : {t(f'1x{width}', 'i32')} -> {t(f'{height}x{width}', 'i32')}
    %{name}_at = arith.addi %{name}_i4, %{name}_j3 : {t(f'{height}x{width}', 'i32')}
    %{name}_p = tt.splat %{name} : !tt.ptr<{element}> -> {t(f'{height}x{width}', f'!tt.ptr<{element}>')}
    %{name}_q = tt.addptr %{name}_p, %{name}_at : {t(f'{height}x{width}', f'!tt.ptr<{element}>')}, {t(f'{height}x{width}', 'i32')}""")
    return t(f"{height}x{width}", f"!tt.ptr<{element}>")


def loaded(name, element, height, width, encoding):
    """Loads a matrix and converts it; returns its type."""
    pointers = address(name, element, height, width)
    shape = f"tensor<{height}x{width}x{element}"
    text.append(f"""
    %{name}_x = tt.load %{name}_q : {pointers}
    %{name}_v = ttg.convert_layout %{name}_x : {shape}, #b> -> {shape}, {encoding}>""")
    return f"{shape}, {encoding}>"


scale_type = "i8" if exponents else "f8E4M3FN"
arguments = [("a", IR_TYPES[a_type]), ("b", IR_TYPES[b_type]), ("a_scale", scale_type), ("b_scale", scale_type), ("out", "f32")]
left = loaded("a", IR_TYPES[a_type], a_rows, a_columns, options.get("left", "#b"))
right = loaded("b", IR_TYPES[b_type], b_rows, b_columns, options.get("right", "#b"))
operands, types = ["%a_v", "%b_v"], [left, right]
for i, (name, height) in enumerate([("a_scale", M), ("b_scale", N)]):
    if has_scale[name[0]]:
        types[i] += ", " + loaded(name, scale_type, height, K // BLOCK, options.get(name, "#b"))
        operands[i] += f" scale %{name}_v"
pointers = address("out", "f32", M, N)
result = f"tensor<{M}x{N}xf32, {options.get('result', '#b')}>"
packing = "" if packed_along_k else ", lhs_k_pack = false, rhs_k_pack = false"
text.append(f"""
    %zero = arith.constant dense<0.0> : {result}
    %d = tt.dot_scaled {operands[0]}, {operands[1]}, %zero lhs = {a_type} rhs = {b_type} {{fastMath = false{packing}}} : {types[0]} * {types[1]} -> {result}
    %e = ttg.convert_layout %d : {result} -> tensor<{M}x{N}xf32, #b>
    tt.store %out_q, %e : {pointers}
    tt.return""")
signature = ", ".join(f"%{name}: !tt.ptr<{element}>" for name, element in arguments)
module = f"""#b = {rows}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "{target}", "ttg.threads-per-warp" = {lanes} : i32}} {{
  tt.func public @scaled({signature}) {{{"".join(text)}
  }}
}}
"""
write("scaled.mlir", module.encode())
