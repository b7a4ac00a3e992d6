// Undefined values and poison: each use of one is an error that names its origin and its user; unused values may be undefined.

// RUN: not ll-sim %s -q --entry store_undef --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// UNDEF: error: use of an undefined value
// UNDEF-NEXT: in `{{.*}}"llvm.mlir.undef"{{.*}} at {{.*}}undefined.mlir:
// UNDEF-NEXT: by lane 0 of warp 0 in block (0, 0, 0)
// UNDEF-NEXT: note: the value is used by `"llvm.store"
// RUN: not ll-sim %s -q --entry store_poison --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not ll-sim %s -q --entry branch --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not ll-sim %s -q --entry address --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not ll-sim %s -q --entry poison_and_zero --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=POISON
// RUN: not ll-sim %s -q --entry atomic --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=POISON
// POISON: error: use of a poison value
// RUN: not ll-sim %s -q --entry shared --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// RUN: not ll-sim %s -q --entry shuffled --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=SHUFFLED
// SHUFFLED: error: use of an undefined value
// SHUFFLED: by lane 0 of warp 0
// RUN: not ll-sim %s -q --entry through_stack --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// RUN: not ll-sim %s -q --entry field --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// RUN: not ll-sim %s -q --entry half_of_a_word --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// RUN: not ll-sim %s -q --entry past_the_end --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=ELEMENT
// ELEMENT: error: index 32 is past the end of a vector of 2 elements
// RUN: not ll-sim %s -q --entry uninitialised_asm --arg o=zeros:i32:32 2>&1 | FileCheck %s --check-prefix=ASM
// ASM: error: use of an uninitialised register
// ASM-NEXT: in `{{.*}}llvm.inline_asm

// RUN: not ll-sim %s -q --entry lower_half_of_a_matrix --arg o=zeros:i16:32 2>&1 | FileCheck %s --check-prefix=UNDEF
// RUN: ll-sim %s -q --entry upper_half_of_a_matrix --arg o=zeros:i16:32
// RUN: ll-sim %s -q --entry correct --arg o=zeros:i32:32
// RUN: ll-sim %s -q --entry correct --schedule 3 --arg o=zeros:i32:32
module attributes {ttg.target = "cuda:90"} {
  llvm.mlir.global internal @smem() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<256 x i8>
  llvm.func @store_undef(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.undef : i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @store_poison(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.poison : i32
    llvm.store %v, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @branch(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.poison : i1
    llvm.cond_br %v, ^a, ^a
  ^a:
    llvm.return
  }
  llvm.func @address(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.poison : i32
    %p = llvm.getelementptr %o[%v] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.load %p : !llvm.ptr<1> -> i32
    llvm.return
  }
  // Zero absorbs undefined bits, but not poison.
  llvm.func @poison_and_zero(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %v = llvm.mlir.poison : i32
    %x = llvm.and %v, %zero : i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @atomic(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.poison : i32
    %x = llvm.atomicrmw add %o, %v monotonic : !llvm.ptr<1>, i32
    llvm.return
  }
  llvm.func @shared(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %v = llvm.mlir.undef : i32
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %smem[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
    %w = llvm.load %p : !llvm.ptr<3> -> i32
    %q = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %w, %q : i32, !llvm.ptr<1>
    llvm.return
  }
  // Lane 1 holds the undefined value, and lane 0 stores it.
  llvm.func @shuffled(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %all = llvm.mlir.constant(-1 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c = llvm.mlir.constant(31 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %is_one = llvm.icmp "eq" %t, %one : i32
    %v = llvm.mlir.undef : i32
    %x = llvm.select %is_one, %v, %t : i1, i32
    %y = nvvm.shfl.sync bfly %all, %x, %one, %c : i32 -> i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %y, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @through_stack(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %slot = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    %v = llvm.mlir.undef : i32
    llvm.store %v, %slot : i32, !llvm.ptr
    %x = llvm.load %slot : !llvm.ptr -> i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  // The second field of the struct is not set.
  llvm.func @field(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %one = llvm.mlir.constant(1 : i32) : i32
    %s = llvm.mlir.undef : !llvm.struct<(i32, i32)>
    %s0 = llvm.insertvalue %one, %s[0] : !llvm.struct<(i32, i32)>
    %x = llvm.extractvalue %s0[1] : !llvm.struct<(i32, i32)>
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @half_of_a_word(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %h = llvm.mlir.constant(7 : i16) : i16
    %v = llvm.mlir.undef : vector<2xi16>
    %v0 = llvm.insertelement %h, %v[%zero : i32] : vector<2xi16>
    %x = llvm.bitcast %v0 : vector<2xi16> to i32
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @past_the_end(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %c = llvm.mlir.constant(32 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %i = llvm.add %t, %c : i32
    %v = llvm.mlir.constant(dense<1> : vector<2xi32>) : vector<2xi32>
    %x = llvm.extractelement %v[%i : i32] : vector<2xi32>
    llvm.store %x, %o : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @uninitialised_asm(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %c = llvm.mlir.constant(16 : i32) : i32
    %half = llvm.icmp "ult" %t, %c : i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %x = llvm.inline_asm has_side_effects "@$2 ld.global.b32 $0, [$1];", "=r,l,b" %p, %half : (!llvm.ptr<1>, i1) -> i32
    llvm.store %x, %p : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @lower_half_of_a_matrix(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %all = llvm.mlir.constant(-1 : i32) : i32
    %0 = llvm.mlir.constant(0 : i32) : i32
    %1 = llvm.mlir.constant(1 : i32) : i32
    %7 = llvm.mlir.constant(7 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %4 = llvm.mlir.constant(4 : i32) : i32
    %odd = llvm.and %t, %4 : i32
    %is_odd = llvm.icmp "ne" %odd, %0 : i32
    %u = llvm.mlir.undef : i32
    %v = llvm.select %is_odd, %t, %u : i1, i32
    %p = llvm.getelementptr %smem[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %row = llvm.and %t, %7 : i32
    %q = llvm.getelementptr %smem[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %m = nvvm.ldmatrix %q {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
    %w = llvm.bitcast %m : i32 to vector<2xi16>
    %h = llvm.extractelement %w[%0 : i32] : vector<2xi16>
    %d = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
    llvm.store %h, %d : i16, !llvm.ptr<1>
    llvm.return
  }
  // Rows 0, 2, 4, 6 of the matrix are undefined, so half of each word is.
  llvm.func @upper_half_of_a_matrix(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %smem = llvm.mlir.addressof @smem : !llvm.ptr<3>
    %all = llvm.mlir.constant(-1 : i32) : i32
    %0 = llvm.mlir.constant(0 : i32) : i32
    %1 = llvm.mlir.constant(1 : i32) : i32
    %7 = llvm.mlir.constant(7 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %4 = llvm.mlir.constant(4 : i32) : i32
    %odd = llvm.and %t, %4 : i32
    %is_odd = llvm.icmp "ne" %odd, %0 : i32
    %u = llvm.mlir.undef : i32
    %v = llvm.select %is_odd, %t, %u : i1, i32
    %p = llvm.getelementptr %smem[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %v, %p : i32, !llvm.ptr<3>
    nvvm.bar.warp.sync %all : i32
    %row = llvm.and %t, %7 : i32
    %q = llvm.getelementptr %smem[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, vector<4xi32>
    %m = nvvm.ldmatrix %q {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<col>, num = 1 : i32, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>} : (!llvm.ptr<3>) -> i32
    %w = llvm.bitcast %m : i32 to vector<2xi16>
    %h = llvm.extractelement %w[%1 : i32] : vector<2xi16>
    %d = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i16
    llvm.store %h, %d : i16, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @correct(%o: !llvm.ptr<1>) attributes {nvvm.kernel, nvvm.reqntid = array<i32: 32>} {
    %zero = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %low = llvm.mlir.constant(65535 : i32) : i32
    %c16 = llvm.mlir.constant(16 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %c31 = llvm.mlir.constant(31 : i32) : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %p = llvm.getelementptr %o[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    // Undefined bits are absorbed, cut off, shifted out, or not chosen.
    %u = llvm.mlir.undef : i32
    %a = llvm.and %u, %zero : i32
    llvm.store %a, %p : i32, !llvm.ptr<1>
    %b = llvm.or %u, %all : i32
    llvm.store %b, %p : i32, !llvm.ptr<1>
    %m = llvm.mul %u, %zero : i32
    llvm.store %m, %p : i32, !llvm.ptr<1>
    %half = llvm.icmp "ult" %t, %c16 : i32
    %s = llvm.select %half, %t, %u : i1, i32
    llvm.cond_br %half, ^store, ^rest
  ^store:
    llvm.store %s, %p : i32, !llvm.ptr<1>
    llvm.br ^rest
  ^rest:
    // A frozen value is any, but the same one everywhere.
    %poison = llvm.mlir.poison : i32
    %f = llvm.freeze %poison : i32
    llvm.store %f, %p : i32, !llvm.ptr<1>
    // One half of a word is undefined, and the other one is used after an exchange.
    %h = llvm.trunc %t : i32 to i16
    %v = llvm.mlir.undef : vector<2xi16>
    %v0 = llvm.insertelement %h, %v[%zero : i32] : vector<2xi16>
    %w = llvm.bitcast %v0 : vector<2xi16> to i32
    %y = nvvm.shfl.sync bfly %all, %w, %one, %c31 : i32 -> i32
    %z = llvm.and %y, %low : i32
    llvm.store %z, %p : i32, !llvm.ptr<1>
    %up = llvm.shl %y, %c16 : i32
    llvm.store %up, %p : i32, !llvm.ptr<1>
    // A struct is put together from its fields.
    %e = llvm.mlir.undef : !llvm.struct<(i32, i32)>
    %e0 = llvm.insertvalue %t, %e[0] : !llvm.struct<(i32, i32)>
    %e1 = llvm.insertvalue %one, %e0[1] : !llvm.struct<(i32, i32)>
    %x = llvm.extractvalue %e1[1] : !llvm.struct<(i32, i32)>
    llvm.store %x, %p : i32, !llvm.ptr<1>
    // Stack memory that is written again is defined.
    %slot = llvm.alloca %one x i32 : (i32) -> !llvm.ptr
    llvm.store %u, %slot : i32, !llvm.ptr
    llvm.store %t, %slot : i32, !llvm.ptr
    %back = llvm.load %slot : !llvm.ptr -> i32
    llvm.store %back, %p : i32, !llvm.ptr<1>
    llvm.return
  }
}
