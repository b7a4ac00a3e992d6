// Each program writes the numbers of programs, as digits, to its own place.

// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s | FileCheck %s --check-prefix=NVIDIA
// RUN: ll-opt --convert-layouts-to-llvm=target=hip:gfx1100 %s -o %t.amd.mlir
// RUN: FileCheck %s --check-prefix=AMD --input-file=%t.amd.mlir
// RUN: ll-opt --convert-layouts-to-llvm=target=cuda:90 %s | ll-sim - -q --grid 3,2,5 --arg out=zeros:i32:30 --arg want=full:523:i32:30 --expect-same out=want
// RUN: ll-sim %t.amd.mlir -q --grid 3,2,5 --arg out=zeros:i32:30 --arg want=full:523:i32:30 --expect-same out=want
// RUN: ll-translate --emit=amdgcn %t.amd.mlir | FileCheck %s --check-prefix=GCN

module attributes {"ttg.num-warps" = 1 : i32} {
  // NVIDIA-LABEL: llvm.func @count
  // NVIDIA: nvvm.read.ptx.sreg.nctaid.x
  // NVIDIA: nvvm.read.ptx.sreg.nctaid.y
  // NVIDIA: nvvm.read.ptx.sreg.nctaid.z
  // AMD-LABEL: llvm.func @count
  // AMD: %[[ARGS:.*]] = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // AMD: llvm.load %[[ARGS]]
  // GCN-LABEL: count:
  // GCN: s_load_b64 {{.*}}, 0x10
  // GCN: .value_kind: hidden_block_count_z
  tt.func public @count(%out: !tt.ptr<i32>, %want: !tt.ptr<i32>) {
    %c10 = arith.constant 10 : i32
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %z = tt.get_program_id z : i32
    %nx = tt.get_num_programs x : i32
    %ny = tt.get_num_programs y : i32
    %nz = tt.get_num_programs z : i32
    %zy = arith.muli %z, %ny : i32
    %row = arith.addi %zy, %y : i32
    %rowx = arith.muli %row, %nx : i32
    %place = arith.addi %rowx, %x : i32
    %pointer = tt.addptr %out, %place : !tt.ptr<i32>, i32
    %hundreds = arith.muli %nz, %c10 : i32
    %tens = arith.addi %hundreds, %ny : i32
    %shifted = arith.muli %tens, %c10 : i32
    %value = arith.addi %shifted, %nx : i32
    tt.store %pointer, %value : !tt.ptr<i32>
    tt.return
  }
}
