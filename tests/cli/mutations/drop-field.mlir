// RUN: culprit-worker-mlir --try drop-field %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --apply drop-field --only 0 %s | mlir-opt | FileCheck %s --check-prefix=FIRST
// RUN: culprit-worker-mlir --apply drop-field %s | mlir-opt | FileCheck %s
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-field --only 0 %t.mlir | mlir-opt | FileCheck %s --check-prefix=FIRST
// RUN: culprit-worker-mlir --form opaque --apply drop-field %t.mlir | mlir-opt | FileCheck %s

// Fields 0, 1 and 3 of the struct of five, of which 2 and 4 are read; the only
// field of the packed one, and no field of one with a name.
// TRY: "sites": 4,{{.*}} "invalid": 0, {{.*}}"died": 0

// What is written into the field goes; the others are counted anew, also where
// the struct stands within other types.
// FIRST: llvm.mlir.global external @g() {{.*}} : !llvm.struct<(f32, i64, array<2 x i64>, i8)>
// FIRST: llvm.func @callee(!llvm.struct<(f32, i64, array<2 x i64>, i8)>) -> !llvm.array<2 x struct<(f32, i64, array<2 x i64>, i8)>>
// FIRST: llvm.func @f(%arg0: !llvm.struct<(f32, i64, array<2 x i64>, i8)>, %arg1: i64, %arg2: !llvm.ptr)
// FIRST-NEXT: %[[B:.*]] = llvm.insertvalue %arg1, %arg0[2, 1]
// FIRST-NEXT: llvm.extractvalue %[[B]][1]
// FIRST-NEXT: llvm.extractvalue %[[B]][3]
// FIRST-NEXT: llvm.call @callee(%[[B]]) : (!llvm.struct<(f32, i64, array<2 x i64>, i8)>) -> !llvm.array<2 x struct<(f32, i64, array<2 x i64>, i8)>>
// What is in memory stays: its fields have other numbers.
// FIRST-NEXT: llvm.getelementptr %arg2[0, 4] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>

// CHECK: llvm.func @callee(!llvm.struct<(i64, i8)>) -> !llvm.array<2 x struct<(i64, i8)>>
// CHECK: llvm.func @f(%arg0: !llvm.struct<(i64, i8)>, %arg1: i64, %arg2: !llvm.ptr)
// CHECK-NEXT: llvm.extractvalue %arg0[0]
// CHECK-NEXT: llvm.extractvalue %arg0[1]
// CHECK-NEXT: llvm.call @callee(%arg0)
// CHECK: llvm.func @packed(%arg0: !llvm.struct<packed ()>, %arg1: !llvm.struct<"named", (i8)>)
llvm.mlir.global external @g() : !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
llvm.func @callee(!llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>) -> !llvm.array<2 x struct<(ptr, f32, i64, array<2 x i64>, i8)>>
llvm.func @f(%s: !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>, %x: i64, %p: !llvm.ptr) {
  %a = llvm.insertvalue %p, %s[0] : !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
  %b = llvm.insertvalue %x, %a[3, 1] : !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
  %c = llvm.extractvalue %b[2] : !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
  %d = llvm.extractvalue %b[4] : !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
  %e = llvm.call @callee(%b) : (!llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>) -> !llvm.array<2 x struct<(ptr, f32, i64, array<2 x i64>, i8)>>
  %q = llvm.getelementptr %p[0, 4] : (!llvm.ptr) -> !llvm.ptr, !llvm.struct<(ptr, f32, i64, array<2 x i64>, i8)>
  llvm.return
}
llvm.func @packed(%s: !llvm.struct<packed (i8)>, %t: !llvm.struct<"named", (i8)>) {
  llvm.return
}
