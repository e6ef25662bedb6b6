// A value in the region of a statement is printed in front of that: what stands
// beside it moves out, an element becomes 1, a counter 0.
// RUN: culprit-worker-mlir --apply print-value --sites %s | count 4
// RUN: culprit-worker-mlir --apply print-value --only 1 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply print-value --only 2 %s | mlir-opt | FileCheck %s --check-prefix=LOOP

func.func private @printMemrefF32(tensor<*xf32>)

// CHECK-LABEL: func.func @main()
// CHECK: %[[IN:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-NEXT: %[[OUT:.*]] = arith.constant 1.0{{.*}} : f32
// CHECK-NEXT: %[[A:.*]] = arith.mulf %[[IN]], %[[IN]] : f32
// CHECK-NEXT: %[[B:.*]] = arith.addf %[[A]], %[[OUT]] : f32
// CHECK-NEXT: vector.print %[[B]] : f32
// CHECK-NEXT: return

// LOOP-LABEL: func.func @main()
// LOOP: linalg.generic
// LOOP: %[[I:.*]] = arith.constant 0 : index
// LOOP-NEXT: %[[J:.*]] = arith.addi %[[I]], %[[I]] : index
// LOOP-NEXT: vector.print %[[J]] : index
// LOOP-NEXT: return
func.func @main() {
  %t = arith.constant dense<2.0> : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
    ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = arith.mulf %in, %in : f32
    %2 = arith.addf %1, %out : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  %cast = tensor.cast %0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%cast) : (tensor<*xf32>) -> ()
  affine.for %i = 0 to 4 {
    %3 = arith.addi %i, %i : index
    %4 = arith.addi %3, %i : index
    affine.for %j = 0 to 4 {
      %5 = arith.addi %4, %j : index
    }
  }
  return
}
