// RUN: culprit-worker-mlir --apply fold-branches --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply fold-branches --only 1 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --apply fold-branches --only 4 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=SWITCH
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply fold-branches --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply fold-branches --only 1 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=OTHER
// RUN: culprit-worker-mlir --form opaque --apply fold-branches --only 4 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=SWITCH

// CHECK-LABEL: func.func @f
// CHECK-NEXT: cf.br ^bb1(%arg1 : i32)
// CHECK: arith.addi
// CHECK-NOT: test.other
// OTHER-LABEL: func.func @f
// OTHER-NEXT: cf.br ^bb1
// OTHER-NOT: arith.addi
// OTHER: test.other
func.func @f(%c: i1, %a: i32) {
  cf.cond_br %c, ^one(%a : i32), ^two
^one(%x: i32):
  %0 = arith.addi %x, %x : i32
  cf.br ^end
^two:
  "test.other"() : () -> ()
  cf.br ^end
^end:
  return
}

// SWITCH-LABEL: func.func @g
// SWITCH-NEXT: cf.br ^bb1(%arg1 : i32)
// SWITCH-NEXT: ^bb1
// SWITCH-NEXT: return
// SWITCH-NOT: test.default
func.func @g(%k: i32, %a: i32, %b: i32) -> i32 {
  cf.switch %k : i32, [
    default: ^default,
    1: ^end(%b : i32),
    2: ^end(%a : i32)
  ]
^default:
  "test.default"() : () -> ()
  cf.br ^end(%k : i32)
^end(%x: i32):
  return %x : i32
}
