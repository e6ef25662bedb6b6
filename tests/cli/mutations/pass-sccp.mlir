// RUN: culprit-workshop-mlir --apply pass-sccp %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: not culprit-workshop-mlir --form opaque --apply pass-sccp %t.mlir 2>&1 | FileCheck %s --check-prefix=OPAQUE

// The compiler's passes need its dialects.
// OPAQUE: no mutation pass-sccp for this form

// CHECK-LABEL: func.func @f
// CHECK: return %c3_i32
// CHECK-LABEL: func.func @g
// CHECK: return %{{[0-9]+}}
func.func @f(%c: i1) -> i32 {
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  cf.cond_br %c, ^one, ^two
^one:
  cf.br ^end(%c1 : i32)
^two:
  cf.br ^end(%c1 : i32)
^end(%x: i32):
  %0 = arith.addi %x, %c2 : i32
  return %0 : i32
}
func.func @g(%a: i32) -> i32 {
  %c2 = arith.constant 2 : i32
  %0 = arith.addi %a, %c2 : i32
  return %0 : i32
}
