// RUN: ll-opt %s -split-input-file -verify-diagnostics

// The rules of layouts of CuTe and Tilus; the error is at the letter or the key that breaks one.

// cute_layout_c1
// expected-error @+2 {{expected `,` or `)` at byte 10, found the end of the text}}
#e = #cute.layout<
  "(8,4):(4,1">

// -----

// expected-error @+2 {{expected `,` and the base of the swizzle at byte 4, found `>`}}
#e = #cute.layout<"(8,4):(4,1)",
  swizzle = "Sw<3>">

// -----

#e = #cute.layout<"Sw<1,0,3> o 0 o (8,4):(4,1)",
  // expected-error @+1 {{the layout already contains a swizzle; remove one swizzle}}
  swizzle = "Sw<1,0,3>">

// -----

// expected-error @+1 {{expected a layout in quotes without escapes}}
#e = #cute.layout<"(8,4)\22:(4,1)">

// -----

// expected-error @+1 {{unexpected key `swizle` in `cute.layout`; the nearest key is `swizzle`}}
#e = #cute.layout<"(8,4):(4,1)", swizle = "Sw<1,0,3>">

// -----

// cute_layout_c2
#e = #cute.layout<
  // expected-error @+1 {{mode 1 has extent 6; expected a power of two, such as 8}}
  "(8,6):(6,1)">

// -----

// cute_layout_c3
// expected-error @+1 {{bit 0 of mode 0 adds 9 and bit 0 of mode 1 adds 1; both change index bit 0, so the sum carries; expected addends that change disjoint bits}}
#e = #cute.layout<"(8,8):(9,1)">

// -----

// expected-error @+1 {{the layout maps coordinate 0 to index 3; expected index 0, because linear and Tilus layouts have no offset}}
#e = #cute.layout<"Sw<0,4,3> o 3 o 4:-1">

// -----

// cute_layout_c4
#e = #cute.layout<"(8,4):(4,1)",
  // expected-error @+1 {{`threadsPerWarp` is 48, expected a power of two; the nearest ones are 32 and 64}}
  threadsPerWarp = 48>

// -----

#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32} {
  // cute_layout_c5
  // expected-error @+1 {{shape has 8 elements along dim0, but the `cute.layout` encoding has exactly 16}}
  tt.func @f(%a: !ttg.memdesc<8x8xf32, #cute.layout<"(16,8):(8,1)">, #smem>) { tt.return }
}

// -----

#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32} {
  // cute_layout_c6
  // expected-error @+1 {{`cute.layout` cannot be converted to a linear layout: `Sw<1,0,3> o 0 o (8,2):(8,2)` is not a valid buffer layout: layout is not surjective: no input reaches offset = 1; the rank is 4, but the out-dims have 6 bits}}
  tt.func @f(%a: !ttg.memdesc<8x2xf32, #cute.layout<"Sw<1,0,3> o 0 o (8,2):(8,2)">, #smem>) { tt.return }
}

// -----

#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32} {
  // expected-error @+1 {{`(8,8):(0,1)` is not a valid buffer layout: two elements have the same offset; expected distinct offsets}}
  tt.func @f(%a: !ttg.memdesc<8x8xf32, #cute.layout<"(8,8):(0,1)">, #smem>) { tt.return }
}

// -----

#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32} {
  // cute_layout_c10
  // expected-error @+1 {{`threadsPerWarp` is 64, expected no `threadsPerWarp` in the encoding of a buffer}}
  tt.func @f(%a: !ttg.memdesc<8x8xf32, #cute.layout<"(8,8):(8,1)", threadsPerWarp = 64>, #smem>) { tt.return }
}

// -----

#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 1 : i32} {
  // memdesc_c5
  // expected-error @+1 {{a buffer requires a memory layout, but `#cute.layout<"((4,8),(2,2)):((32,1),(16,8))", tile = [16, 8]>` is a register layout}}
  tt.func @f(%a: !ttg.memdesc<16x8xf32, #cute.layout<"((4,8),(2,2)):((32,1),(16,8))", tile = [16, 8]>, #smem>) { tt.return }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // cute_layout_c7
    // expected-note @+2 {{the type is}}
    // expected-error @+1 {{`(4,8,4):(32,1,8)` is not a valid thread-value layout: the layout has 3 modes; expected 2, for threads and values}}
    %0 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #cute.layout<"(4,8,4):(32,1,8)">>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // cute_layout_c8
    // expected-note @+2 {{the type is}}
    // expected-error @+1 {{`((4,8),(2,2)):((32,1),(16,8))` is not a valid thread-value layout: the layout holds 128 elements, but the tensor has 64}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-error @+1 {{no input reaches dim0 = 2}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cute.layout<"(32,2):(4,1)", tile = [128]>>
    tt.return
  }
}

// -----

// expected-error @+2 {{`(32,2):(1,32)` is not a valid thread-value layout: the layout holds 64 elements, but the tensor has 16}}
#e = #cute.layout<"(32,2):(1,32)",
  tile = [16]>

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // cute_layout_c9
    // expected-note @+2 {{the type is}}
    // expected-error @+1 {{is not a valid thread-value layout: basis [3] of `register` has a step that is not a power of two; only `lane` and `warp` allow other steps}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cute.layout<"Sw<1,0,1> o 0 o ((2,16),2):((1,4),2)">>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // ttg_c5
    // expected-note @+3 {{the type is}}
    // expected-note @+2 {{change the encoding, or the module's `"ttg.num-warps"`}}
    // expected-error @+1 {{the layout has 1 warps per CTA, but the module has 4}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #cute.layout<"(32,2):(1,32)">>
    tt.return
  }
}

// -----

module attributes {"ttg.num-warps" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
  tt.func @f() {
    // expected-note @+3 {{the type is}}
    // expected-note @+2 {{change the encoding, or the module's `"ttg.threads-per-warp"`}}
    // expected-error @+1 {{the layout has 64 threads per warp, but the module has 32}}
    %0 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #tilus.register<"spatial(64)", threadsPerWarp = 64>>
    tt.return
  }
}

// -----

// slice_c1
// expected-error @+1 {{`parent` is a `cute.layout`, expected a distributed encoding; add the key `tile` with the tensor shape to the parent}}
#e = #ttg.slice<{dim = 0, parent = #cute.layout<"((4,8),(2,2)):((32,1),(16,8))">}>

// -----

// tilus_register_c1
// expected-error @+2 {{expected `spatial(`, `local(`, `column_spatial(`, `column_local(`, `register_layout(`, `reduce(` or another function of layouts at byte 12 of the layout text}}
#e = #tilus.register<
  "local(2, 1).spatal(8, 4)">

// -----

// tilus_register_c2
#e = #tilus.register<
  // expected-error @+1 {{mode 0 has extent 3; expected a power of two, such as 4}}
  "local(3, 1).spatial(8, 4)">

// -----

// tilus_register_c3
#e = #tilus.register<"spatial(8, 4)",
  // expected-error @+1 {{`threadsPerWarp` is 0, expected a power of two; the nearest one is 1}}
  threadsPerWarp = 0>

// -----

module attributes {"ttg.num-warps" = 1 : i32} {
  // memdesc_c5
  // expected-error @+1 {{a buffer requires a memory layout, but `#tilus.register<"spatial(8, 4)">` is a register layout}}
  tt.func @f(%a: !ttg.memdesc<8x4xf32, #tilus.register<"spatial(8, 4)">, #ttg.shared_memory>) { tt.return }
}

// -----

// expected-note @+2 {{the nearest attribute is `tilus.register`}}
// expected-error @+1 {{unknown attribute `tilus.regster`: dialect `tilus` has no such attribute}}
#e = #tilus.regster<"spatial(8, 4)">

// -----

// expected-error @+1 {{expected a layout in quotes, such as `"(8,4):(4,1)"`}}
#e = #cute.layout<8>

// -----

// expected-error @+1 {{unknown type `cute.layout`: dialect `cute` has no such type}}
func.func private @f(!cute.layout<"8:1">)
