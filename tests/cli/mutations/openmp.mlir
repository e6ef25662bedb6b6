// Loops of OpenMP stand in wrappers, sections in omp.sections: they go
// together, and what stays says no more than it is.
// RUN: culprit-worker-mlir --try inline-region %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try hoist %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try erase %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try drop-region-argument %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try drop-iteration-dim %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "invalid": 0,
// In a form whose operations nobody knows it is no other.
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --apply inline-region --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefixes=BODY,BOTH
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 1 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefixes=BODY,BOTH
// RUN: culprit-worker-mlir --apply inline-region --only 2 %s | mlir-opt-22 | FileCheck %s --check-prefix=SIMD
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 2 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=SIMD
// RUN: culprit-worker-mlir --apply inline-region --only 5 %s | mlir-opt-22 | FileCheck %s --check-prefix=SECTION
// RUN: culprit-worker-mlir --apply hoist --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefix=BODY
// RUN: culprit-worker-mlir --form opaque --apply hoist --only 1 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=BODY
// RUN: culprit-worker-mlir --apply drop-iteration-dim --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefix=COUNTER
// RUN: culprit-worker-mlir --form opaque --apply drop-iteration-dim --only 1 %t.mlir | mlir-opt-22 | FileCheck %s --check-prefix=COUNTER
// RUN: culprit-worker-mlir --apply drop-region-argument --only 0 %s | mlir-opt-22 | FileCheck %s --check-prefix=PRIVATE
// RUN: culprit-worker-mlir --apply drop-region-argument --only 1 %s | mlir-opt-22 | FileCheck %s --check-prefix=REDUCTION

omp.private {type = private} @own : i32
omp.declare_reduction @add : f32 init {
^bb0(%x: f32):
  %0 = arith.constant 0.0 : f32
  omp.yield(%0 : f32)
} combiner {
^bb0(%a: f32, %b: f32):
  %1 = arith.addf %a, %b : f32
  omp.yield(%1 : f32)
}

// The loop runs once, at its lower bounds; what reduces into its own reduces
// into what that came from.
// BODY-LABEL: func.func @reduced
// BODY: omp.parallel {
// BODY-NOT: omp.wsloop
// BODY-NOT: omp.loop_nest
// BODY: llvm.load %arg3
// BOTH: llvm.store %{{.*}}, %arg4
// BODY: omp.terminator
// PRIVATE-LABEL: func.func @reduced
// PRIVATE: omp.wsloop reduction(@add %arg3 -> %[[R:.*]] : !llvm.ptr) {
// PRIVATE: llvm.store %{{.*}}, %arg4
// REDUCTION-LABEL: func.func @reduced
// REDUCTION: omp.wsloop private(@own %arg4 -> %{{.*}} : !llvm.ptr) {
// REDUCTION: llvm.load %arg3
func.func @reduced(%l: index, %u: index, %s: index, %p: !llvm.ptr, %q: !llvm.ptr) {
  omp.parallel {
    omp.wsloop private(@own %q -> %c : !llvm.ptr) reduction(@add %p -> %r : !llvm.ptr) {
      omp.loop_nest (%i) : index = (%l) to (%u) step (%s) {
        %0 = llvm.load %r : !llvm.ptr -> f32
        llvm.store %0, %c : f32, !llvm.ptr
        omp.yield
      }
    }
    omp.terminator
  }
  return
}

// A wrapper goes alone where another stays.
// SIMD-LABEL: func.func @nested
// SIMD: omp.simd {
// SIMD-NEXT: omp.loop_nest
// SIMD-NOT: omp.composite
// SIMD: return
// COUNTER-LABEL: func.func @nested
// COUNTER: omp.loop_nest (%[[I:.*]]) : index = (%arg0) to (%arg1) step (%arg2)
// COUNTER-NEXT: memref.store %arg4, %arg3[%[[I]], %arg0]
func.func @nested(%l: index, %u: index, %s: index, %m: memref<?x?xf32>, %x: f32) {
  omp.wsloop {
    omp.simd {
      omp.loop_nest (%i, %j) : index = (%l, %l) to (%u, %u) step (%s, %s) {
        memref.store %x, %m[%i, %j] : memref<?x?xf32>
        omp.yield
      }
    } {omp.composite}
  } {omp.composite}
  return
}

// SECTION-LABEL: func.func @sections
// SECTION-NEXT: memref.store %arg1
// SECTION-NEXT: return
func.func @sections(%m: memref<f32>, %x: f32, %y: f32) {
  omp.sections {
    omp.section {
      memref.store %x, %m[] : memref<f32>
      omp.terminator
    }
    omp.section {
      memref.store %y, %m[] : memref<f32>
      omp.terminator
    }
    omp.terminator
  }
  return
}
