"""Prints a module with so many `scf.if`, or slices, in each other: nested.py if 1000"""
import sys

what, times = sys.argv[1], int(sys.argv[2])
blocked = "#ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>"
if what == "slice":
    print("#e = " + "#ttg.slice<{dim = 0, parent = " * times + blocked + "}>" * times)
else:
    print(f"""#b = {blocked}
module attributes {{"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"}} {{
  tt.func public @nested(%p: !tt.ptr<f32>, %c: i1) {{
    %x = arith.constant dense<1.0> : tensor<128xf32, #b>
    %i = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, #b>
    %q = tt.splat %p : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>, #b>
    %r = tt.addptr %q, %i : tensor<128x!tt.ptr<f32>, #b>, tensor<128xi32, #b>
{"scf.if %c {" * times}
    tt.store %r, %x : tensor<128x!tt.ptr<f32>, #b>
{"}" * times}
    tt.return
  }}
}}""")
