// RUN: ll-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{axis hint `tt.divisibility` of argument 0 is `dense<16> : tensor<1xi32>`; expected one integer for each of 2 dimensions}}
// expected-note @+1 {{a single integer, such as `16 : i32`, applies to the first dimension}}
tt.func @f(%a: tensor<4x4xi32> {tt.divisibility = dense<16> : tensor<1xi32>}) { tt.return }

// -----

// expected-error @+2 {{axis hint `tt.constancy` of argument 0 is `dense<[1, 12]> : tensor<2xi32>`; expected positive powers of two of type `i32`}}
// expected-note @+1 {{the largest power of two that divides 12 is 4}}
tt.func @f(%a: tensor<4x4xi32> {tt.constancy = dense<[1, 12]> : tensor<2xi32>}) { tt.return }
