#!/usr/bin/env python3
"""Prints a kernel with a loop that compares i + a, i + b, ... with a label: comparisons.py NUMBER."""

import sys

number = int(sys.argv[1])
print('module attributes {ttg.target = "cuda:90"} {')
print("llvm.func @comparisons(%p: !llvm.ptr<1>, %n: i64, %label: i64) attributes {nvvm.kernel} {")
print("  %zero = llvm.mlir.constant(0 : i64) : i64\n  %step = llvm.mlir.constant(512 : i64) : i64")
for k in range(number):
    print(f"  %a{k} = llvm.load volatile %p : !llvm.ptr<1> -> i64")
print("  llvm.br ^loop(%zero : i64)\n^loop(%i: i64):")
for k in range(number):
    print(f"  %sum{k} = llvm.add %i, %a{k} : i64")
    print(f'  %is{k} = llvm.icmp "eq" %sum{k}, %label : i64')
    print(f"  %byte{k} = llvm.zext %is{k} : i1 to i8")
    print(f"  llvm.store volatile %byte{k}, %p : i8, !llvm.ptr<1>")
print('  %next = llvm.add %i, %step : i64\n  %more = llvm.icmp "slt" %next, %n : i64')
print("  llvm.cond_br %more, ^loop(%next : i64), ^end\n^end:\n  llvm.return\n}\n}")
