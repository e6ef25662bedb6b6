// RUN: culprit-worker-mlir --try drop-constraint %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --apply drop-constraint --only 1,3,4 %s | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-constraint %s | mlir-opt | FileCheck %s --check-prefix=ALL

// Four of the first: a result, two operands and a clobber; of the second the
// outputs, which are one struct, and an operand.
// TRY: "sites": 6,{{.*}} "invalid": 0, {{.*}}"died": 0

// CHECK: llvm.inline_asm has_side_effects "foo $0, $1", "=r,r" %arg1 : (i64) -> i32
// CHECK-NEXT: llvm.inline_asm "bar $0", "r" %arg0 : (i32) -> ()
// ALL: llvm.inline_asm has_side_effects "foo $0, $1", "" : () -> ()
// ALL-NEXT: llvm.inline_asm "bar $0", "" : () -> ()
llvm.func @f(%a: i32, %b: i64) -> i32 {
  %x = llvm.inline_asm has_side_effects "foo $0, $1", "=r,r,r,~{memory}" %a, %b : (i32, i64) -> i32
  %s = llvm.inline_asm "bar $0", "={ax},={dx},r" %a : (i32) -> !llvm.struct<(i32, i32)>
  %e = llvm.extractvalue %s[0] : !llvm.struct<(i32, i32)>
  %y = llvm.add %e, %x : i32
  llvm.return %y : i32
}
