// RUN: ll-opt %s -split-input-file -verify-diagnostics

// Operations that need at least one operand.

// reduce_c1
tt.func @f() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  "tt.reduce"() <{axis = 0 : i32}> ({
  ^bb0:
    "tt.reduce.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

// scan_c1
tt.func @f() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  "tt.scan"() <{axis = 0 : i32, reverse = false}> ({
  ^bb0:
    "tt.scan.return"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

// map_elementwise_c1
tt.func @f() {
  // expected-error @+1 {{expected 1 or more operands, but found 0}}
  "tt.map_elementwise"() <{pack = 1 : i32}> ({
  ^bb0:
    tt.map_elementwise.return
  }) : () -> ()
  tt.return
}
