#!/usr/bin/env python3
"""Prints a kernel that stores (b + k) * s for k below a number: products.py NUMBER [TARGET]."""

import sys

number = int(sys.argv[1])
target = sys.argv[2] if len(sys.argv) > 2 else "cuda:90"
vendor = "rocdl" if target.startswith("hip") else "nvvm"
print(f'module attributes {{ttg.target = "{target}"}} {{')
print("llvm.func @products(%p: !llvm.ptr<1>, %b: i32, %s: i32)")
print(f"    attributes {{{vendor}.kernel}} {{")
for k in range(number):
    print(f"  %k{k} = llvm.mlir.constant({k} : i32) : i32")
    print(f"  %sum{k} = llvm.add %b, %k{k} : i32")
    print(f"  %product{k} = llvm.mul %sum{k}, %s : i32")
    print(f"  llvm.store volatile %product{k}, %p : i32, !llvm.ptr<1>")
print("  llvm.return\n}\n}")
