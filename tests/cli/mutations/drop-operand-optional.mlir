// Operands that the verifier gets along without go, of operations that the
// mutation does not know: a mask, what is copied, one of any number.  Not an
// index, and not what the printed form cannot do without although the verifier
// can: a padding, a bound of a loop.
// RUN: culprit-worker-mlir --apply drop-operand --sites %s | count 4
// RUN: culprit-worker-mlir --apply drop-operand --only 0,1,3 %s | mlir-opt-22 | FileCheck %s
// RUN: culprit check %s --explain-op vector.transfer_read -- fake-compiler --has transfer_read @@ | FileCheck --check-prefix=EXPLAIN %s
// CHECK-LABEL: func.func @f
// CHECK: vector.transfer_read %arg0[%arg1], %{{[a-z0-9]+}} : memref<8xf32>, vector<4xf32>
// CHECK: bufferization.alloc_tensor() : tensor<4xf32>
// CHECK: shape.assuming_all %arg6{{$}}
// EXPLAIN-NOT: operand {{[012]}}: may go
// EXPLAIN: -> operand 3: may go
func.func @f(%m: memref<8xf32>, %i: index, %mask: vector<4xi1>, %p: vector<4xf32>, %v: vector<4xi32>, %t: tensor<4xf32>, %w: !shape.witness) {
  %c = arith.constant 0.0 : f32
  %0 = vector.transfer_read %m[%i], %c, %mask : memref<8xf32>, vector<4xf32>
  %1 = vector.gather %m[%i] [%v], %mask, %p : memref<8xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  %2 = bufferization.alloc_tensor() copy(%t) : tensor<4xf32>
  %3 = memref.load %m[%i] : memref<8xf32>
  %4 = "shape.assuming_all"(%w, %w) : (!shape.witness, !shape.witness) -> !shape.witness
  scf.parallel (%k) = (%i) to (%i) step (%i) {
    scf.reduce
  }
  return
}
