// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Names that the dialects do not have, in each place where a name can stand.

tt.func @operation(%arg0: i32) {
  // expected-error @+2 {{unknown operation `ttg.local_laod`: dialect `ttg` of Triton 3.9 has no such operation}}
  // expected-note @+1 {{the nearest operation is `ttg.local_load`}}
  %0 = ttg.local_laod %arg0 : i32 -> i32
  tt.return
}

// -----

tt.func @generic_operation(%arg0: i32) {
  // expected-error @+2 {{unknown operation `tt.make_rang`: dialect `tt` of Triton 3.9 has no such operation}}
  // expected-note @+1 {{the nearest operation is `tt.make_range`}}
  %0 = "tt.make_rang"(%arg0) : (i32) -> i32
  tt.return
}

// -----

tt.func @later_operation() {
  // expected-error @+1 {{unknown operation `ttng.quantum_entangle`: dialect `ttng` of Triton 3.9 has no such operation}}
  "ttng.quantum_entangle"() : () -> ()
  tt.return
}

// -----

tt.func @amd_operation() {
  // expected-error @+2 {{unknown operation `amdg.cond_barier`: dialect `amdg` of Triton 3.9 has no such operation}}
  // expected-note @+1 {{the nearest operation is `amdg.cond_barrier`}}
  "amdg.cond_barier"() : () -> ()
  tt.return
}

// -----

// expected-error @+2 {{unknown type `ttg.memdes`: dialect `ttg` of Triton 3.9 has no such type}}
// expected-note @+1 {{the nearest type is `ttg.memdesc`}}
tt.func private @type(!ttg.memdes<i32>)

// -----

// expected-error @+1 {{unknown type `amdg.tile`: dialect `amdg` of Triton 3.9 has no such type}}
tt.func private @amd_type(!amdg.tile)

// -----

// expected-error @+2 {{unknown attribute `ttg.blocke`: dialect `ttg` of Triton 3.9 has no such attribute}}
// expected-note @+1 {{the nearest attribute is `ttg.blocked`}}
tt.func private @attribute(tensor<4xf32, #ttg.blocke<{order = [0]}>>)

// -----

// expected-error @+2 {{unknown attribute `ttng.tensor_memory_encodin`: dialect `ttng` of Triton 3.9 has no such attribute}}
// expected-note @+1 {{the nearest attribute is `ttng.tensor_memory_encoding`}}
tt.func private @nvidia_attribute(tensor<4xf32, #ttng.tensor_memory_encodin<blockM = 128>>)

// -----

// Values of enumerations, without names of C++.
// expected-error @+1 {{expected one of mnThenK, kThenMn}}
#e = #ttng.tensor_memory_scales_encoding<blockRepOrder = kThenM>

// -----

// expected-error @+1 {{expected one of evict_normal, evict_first, evict_last}}
#p = #tt.cache_policy<cache_modifier = ca, eviction_policy = evict_fist>

// -----

tt.func @other_dialect() {
  // expected-error @+1 {{dialect `nvws` is not supported; supported are `tt`, `ttg`, `ttng`, `amdg` and `gluon`}}
  nvws.warp_group
  tt.return
}

// -----

// expected-error @+1 {{dialect `tti` is not supported; supported are `tt`, `ttg`, `ttng`, `amdg` and `gluon`}}
tt.func private @attribute_of_other_dialect(tensor<16xi32, #tti.auto_encoding>)

// -----

// expected-error @+1 {{dialect `nvws` is not supported; supported are `tt`, `ttg`, `ttng`, `amdg` and `gluon`}}
tt.func private @type_of_other_dialect(!nvws.token)

// -----

tt.func @former_name(%arg0: i32) {
  // expected-error @+1 {{dialect `triton_gpu` is named `ttg` since Triton 3.2}}
  triton_gpu.async_wait
  tt.return
}

// -----

// expected-error @+1 {{dialect `triton_nvidia_gpu` is named `ttng` since Triton 3.2}}
tt.func private @former_type(!triton_nvidia_gpu.token)

// -----

tt.func @no_dialect_of_triton() {
  // expected-note @+2 {{Available dialects}}
  // expected-error @+1 {{Dialect `nothing' not found for custom op 'nothing.at_all'}}
  nothing.at_all
  tt.return
}
