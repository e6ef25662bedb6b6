// Of results of one size that with smaller numbers is handed back; f32 counts
// as the plainest type of floats.
// RUN: culprit reduce %s -o %t.out -j1 -- fake-compiler --has linalg.matmul @@
// RUN: FileCheck %s <%t.out
// CHECK: linalg.matmul ins({{.*}} : tensor<1x1xf32>, tensor<1x1xf32>)
// CHECK-NOT: f64

// The numbers that the failure needs stay: 5 in the middle.
// RUN: printf '#!/bin/sh\ngrep -q "linalg.matmul ins(.* : tensor<[0-9]*x5xf" "$1"\n' >%t.sh && chmod +x %t.sh
// RUN: culprit reduce %s -o %t.five -j1 --script %t.sh
// RUN: FileCheck --check-prefix=FIVE %s <%t.five
// FIVE: linalg.matmul ins({{.*}} : tensor<1x5xf32>, tensor<5x1xf32>)

// So does a loop that counts to 8, and to 1 as well.
// RUN: culprit reduce %s -o %t.loop -j1 -- fake-compiler --has affine.for @@
// RUN: FileCheck --check-prefix=LOOP %s <%t.loop
// LOOP: affine.for %{{.*}} = 0 to 1 {
func.func @g() {
  affine.for %i = 0 to 8 {
  }
  return
}
func.func @f(%a: tensor<4x5xf64>, %b: tensor<5x6xf64>, %c: tensor<4x6xf64>) -> tensor<4x6xf64> {
  %0 = linalg.matmul ins(%a, %b : tensor<4x5xf64>, tensor<5x6xf64>) outs(%c : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %0 : tensor<4x6xf64>
}
