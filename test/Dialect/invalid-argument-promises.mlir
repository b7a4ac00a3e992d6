// RUN: ll-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{needs `tt.divisibility` to have one number for each dimension, but argument 0 has rank 2 and `dense<16> : tensor<1xi32>`}}
// expected-note @+1 {{a single number, as `16 : i32`, applies to the first dimension}}
tt.func @f(%a: tensor<4x4xi32> {tt.divisibility = dense<16> : tensor<1xi32>}) { tt.return }

// -----

// expected-error @+2 {{needs `tt.constancy` to be positive powers of two of type `i32`, but argument 0 has `dense<[1, 12]> : tensor<2xi32>`}}
// expected-note @+1 {{the largest power of two that divides it is 4}}
tt.func @f(%a: tensor<4x4xi32> {tt.constancy = dense<[1, 12]> : tensor<2xi32>}) { tt.return }
