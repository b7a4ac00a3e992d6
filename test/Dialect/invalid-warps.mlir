// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Rules of `ttg.warp_specialize` and what it holds.

// warp_specialize_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f() {
 // expected-error @+1 {{second region does not begin with `ttg.warp_specialize.partitions`; expected exactly this operation}}
 "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({ ttg.warp_yield }, { ttg.warp_yield }) : () -> ()
 tt.return } }

// -----

// warp_specialize_c2
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f() {
 // expected-error @+1 {{has 1 partitions, but `partitionNumWarps` has 2 entries}}
 "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1, 1>}> ({ ttg.warp_yield }, { "ttg.warp_specialize.partitions"() ({ ttg.warp_return }) : () -> () }) : () -> ()
 tt.return } }

// -----

// warp_specialize_c3
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f() {
 // expected-error @+1 {{partition 0 has 3 warps; expected a power of two}}
 ttg.warp_specialize() default { ttg.warp_yield } partition0() num_warps(3) { ttg.warp_return } : () -> ()
 tt.return } }

// -----

// warp_specialize_c4
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f(%a: i32) {
 // expected-error @+1 {{has 1 partitions, but `warpGroupStartIds` has 2 entries}}
 ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 5>} default { ttg.warp_yield } partition0() num_warps(1) { ttg.warp_return } : () -> ()
 tt.return } }

// -----

// warp_specialize_c5
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f() {
 // expected-error @+1 {{must not be nested in another `ttg.warp_specialize`}}
 ttg.warp_specialize() default { ttg.warp_specialize() default { ttg.warp_yield } partition0() num_warps(1) { ttg.warp_return } : () -> ()
 ttg.warp_yield } partition0() num_warps(1) { ttg.warp_return } : () -> ()
 tt.return } }

// -----

// warp_specialize_c6
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 1 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f() {
 // expected-error @+1 {{requires a multiple of four warps, but the module's `"ttg.num-warps"` is 1}}
 ttg.warp_specialize() default { ttg.warp_yield } partition0() num_warps(1) { ttg.warp_return } : () -> ()
 tt.return } }

// -----

// warp_specialize_partitions_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f(%a: i32) {
 // expected-error @+1 {{captures have types (i32), but the arguments of partition 0 have types (i64); expected the same types}}
 ttg.warp_specialize(%a) default { ttg.warp_yield } partition0(%b: i64) num_warps(1) { ttg.warp_return } : (i32) -> ()
 tt.return } }

// -----

// warp_yield_c1
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:100", "ttg.threads-per-warp" = 32 : i32} { tt.func @f(%a: i32) {
 // expected-error @+1 {{yields (i32), but `ttg.warp_specialize` has the results (i64)}}
 %0 = ttg.warp_specialize() default { ttg.warp_yield %a : i32 } partition0() num_warps(1) { ttg.warp_return } : () -> i64
 tt.return } }
