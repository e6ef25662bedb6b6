// Casts of the llvm dialect turn round or go with what they cast; what a
// struct holds, and bits, stay.
// RUN: culprit-worker-mlir --try shrink-element-type %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "invalid": 0,
// RUN: culprit-worker-mlir --apply shrink-element-type --only 0 %s | mlir-opt-22 | FileCheck %s
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type --only 0 %t.mlir | mlir-opt-22 | FileCheck %s
// RUN: culprit-worker-mlir --apply shrink-element-type --only 3 %s | mlir-opt-22 | FileCheck %s --check-prefix=GONE

// CHECK-LABEL: llvm.func @casts(%arg0: i1, %arg1: !llvm.ptr)
// CHECK: llvm.sext %arg0 : i1 to i32
// GONE-LABEL: llvm.func @casts(%arg0: i32, %arg1: !llvm.ptr)
// GONE-NOT: llvm.trunc
// GONE: llvm.store %arg0
llvm.func @casts(%a: i64, %p: !llvm.ptr) {
  %0 = llvm.trunc %a : i64 to i32
  llvm.store %0, %p : i32, !llvm.ptr
  llvm.return
}

llvm.func @struct(%x: i64, %y: f64) -> !llvm.struct<(i64, f32)> {
  %0 = llvm.mlir.undef : !llvm.struct<(i64, f32)>
  %1 = llvm.insertvalue %x, %0[0] : !llvm.struct<(i64, f32)>
  %2 = llvm.fptrunc %y : f64 to f32
  %3 = llvm.insertvalue %2, %1[1] : !llvm.struct<(i64, f32)>
  %4 = llvm.extractvalue %3[0] : !llvm.struct<(i64, f32)>
  %5 = llvm.bitcast %4 : i64 to f64
  %6 = "llvm.intr.sadd.with.overflow"(%x, %4) : (i64, i64) -> !llvm.struct<(i64, i1)>
  llvm.return %3 : !llvm.struct<(i64, f32)>
}
