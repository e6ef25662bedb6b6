// Discardable and optional attributes go, defaults come back, required ones
// are no sites.  Where the operations are not known here, the tool is asked; where
// nobody can be, what an operation has of its own stays.
// RUN: culprit-worker-mlir --apply drop-attributes --sites %s | count 5
// RUN: culprit-worker-mlir --apply drop-attributes %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt-22 %t.out > /dev/null
// RUN: mlir-opt-22 --mlir-print-op-generic %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes --sites %t.generic | count 2
// RUN: culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --apply drop-attributes --sites %t.generic | count 6
// RUN: culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --apply drop-attributes --only 0-4 %t.generic > %t.opaque
// RUN: mlir-opt-22 %t.opaque | FileCheck %s --check-prefix=OPAQUE

// CHECK: module {
// CHECK-NEXT: func.func @f(%{{.*}}: f32, %{{.*}}: memref<4xf32>, %{{.*}}: index) -> f32 {
// CHECK-NEXT: memref.load %{{.*}}[%{{.*}}] : memref<4xf32>
// CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-NEXT: arith.cmpf olt,
// OPAQUE: module {
// OPAQUE-NEXT: func.func @f(%{{.*}}: f32, %{{.*}}: memref<4xf32>, %{{.*}}: index) -> f32 {
module attributes {note.x = 1 : i32} {
  func.func @f(%a: f32 {note.y}, %m: memref<4xf32>, %i: index) -> f32
      attributes {note.z = "z"} {
    %0 = memref.load %m[%i] {nontemporal = true} : memref<4xf32>
    %1 = arith.addf %0, %a fastmath<fast> : f32
    %2 = arith.cmpf olt, %1, %a : f32
    return %1 : f32
  }
}
