"""Modules whose errors would repeat much of them: a deep type, an operation of many operands, a long name."""

import sys

HEAD = 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {\n'


def module():
    which = sys.argv[1]
    if which == "type":
        deep = "tuple<" * 900 + ", ".join(["tensor<4xf32>"] * 20000) + ">" * 900
        return HEAD + f"  tt.func public @k(%x: {deep}) {{\n    tt.return\n  }}\n}}\n"
    if which == "operands":
        operands = ", ".join(["%x"] * 100000)
        types = ", ".join(["i32"] * 100000)
        call = f'    tt.call @f({operands}) : ({types}) -> ()\n'
        return HEAD + f"  tt.func public @k(%x: i32) {{\n{call}    tt.return\n  }}\n}}\n"
    name = "n" * 1000000
    return HEAD + f'  tt.func public @k() {{\n    tt.call @"{name}"() : () -> ()\n    tt.return\n  }}\n}}\n'


sys.stdout.write(module())
