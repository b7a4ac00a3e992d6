// A promise of an argument is a number, or one for each dimension of a tensor.
// RUN: ll-opt %s | ll-opt | FileCheck %s

// CHECK: tt.func @f(%{{.*}}: tensor<4x4xi32> {tt.contiguity = dense<[1, 4]> : tensor<2xi32>, tt.divisibility = dense<[1, 16]> : tensor<2xi32>}, %{{.*}}: i32 {tt.divisibility = dense<16> : tensor<1xi32>})
tt.func @f(%a: tensor<4x4xi32> {tt.divisibility = dense<[1, 16]> : tensor<2xi32>, tt.contiguity = dense<[1, 4]> : tensor<2xi32>}, %b: i32 {tt.divisibility = dense<16> : tensor<1xi32>}) { tt.return }
