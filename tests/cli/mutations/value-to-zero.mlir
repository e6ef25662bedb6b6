// Results become zero constants of their types.
// RUN: culprit-worker-mlir --apply value-to-zero --sites %s | count 8
// RUN: culprit-worker-mlir --apply value-to-zero %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply value-to-zero %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque > /dev/null

// CHECK: func.func @f
// CHECK-DAG: arith.constant 0 : i32
// CHECK-DAG: arith.constant false
// CHECK-DAG: arith.constant 0.0{{.*}} : f16
// CHECK-DAG: arith.constant dense<0.0{{.*}}> : vector<4xf32>
// CHECK-DAG: arith.constant dense<0> : tensor<2xi8>
// CHECK-DAG: complex.constant [0.0
// CHECK-DAG: tensor.empty(%{{.*}}) : tensor<?xf32>
// No zero for a memref: it stays.
// CHECK-DAG: memref.alloc
func.func @f(%i: i32, %h: f16, %v: vector<4xf32>, %t: tensor<2xi8>,
             %c: complex<f32>, %d: tensor<?xf32>)
    -> (i32, i1, f16, vector<4xf32>, tensor<2xi8>, complex<f32>,
        tensor<?xf32>, memref<4xf32>) {
  %0 = arith.addi %i, %i : i32
  %1 = arith.cmpi eq, %i, %i : i32
  %2 = arith.addf %h, %h : f16
  %3 = math.exp %v : vector<4xf32>
  %4 = arith.addi %t, %t : tensor<2xi8>
  %5 = complex.neg %c : complex<f32>
  %6 = math.exp %d : tensor<?xf32>
  %m = memref.alloc() : memref<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %m : i32, i1, f16, vector<4xf32>,
      tensor<2xi8>, complex<f32>, tensor<?xf32>, memref<4xf32>
}
// CHECK: llvm.func @l
// CHECK-NEXT: %[[Z:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT: llvm.return %[[Z]]
llvm.func @l(%p: !llvm.ptr) -> !llvm.ptr {
  %0 = llvm.getelementptr %p[1] : (!llvm.ptr) -> !llvm.ptr, i32
  llvm.return %0 : !llvm.ptr
}
// Already zero, or unused: no site.
// CHECK: func.func @none
func.func @none() -> i32 {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 5 : i32
  return %0 : i32
}
