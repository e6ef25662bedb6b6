// RUN: culprit-worker-mlir --apply drop-cases --only 0 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-cases --only 3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=REGION
// RUN: culprit-worker-mlir --apply drop-cases --only 0,1,2,3 %s | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=ALL
// RUN: mlir-opt --allow-unregistered-dialect --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-cases --only 0 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-cases --only 3 %t.mlir | mlir-opt --allow-unregistered-dialect | FileCheck %s --check-prefix=REGION

// CHECK-LABEL: func.func @f
// CHECK-NEXT: cf.switch %arg0 : i32, [
// CHECK-NEXT: default: ^bb1,
// CHECK-NEXT: 20: ^bb2(%arg2 : i32)
// CHECK-NEXT: ]
// CHECK-NOT: test.ten
// The last case stays: without it this is a branch.
// ALL: cf.switch
// ALL-NEXT: default:
// ALL-NEXT: 10:
// ALL-NEXT: ]
func.func @f(%k: i32, %a: i32, %b: i32) -> i32 {
  cf.switch %k : i32, [
    default: ^default,
    10: ^ten(%a : i32),
    20: ^end(%b : i32)
  ]
^default:
  cf.br ^end(%k : i32)
^ten(%x: i32):
  "test.ten"() : () -> ()
  cf.br ^end(%x : i32)
^end(%r: i32):
  return %r : i32
}

// REGION-LABEL: func.func @g
// REGION: scf.index_switch %arg0
// REGION-NEXT: case 1 {
// REGION-NEXT: "test.one"
// REGION-NEXT: scf.yield
// REGION-NEXT: }
// REGION-NEXT: default {
// REGION-NEXT: }
// ALL-LABEL: func.func @g
// ALL-NOT: case
// ALL: default {
func.func @g(%k: index) {
  scf.index_switch %k
  case 1 {
    "test.one"() : () -> ()
    scf.yield
  }
  case 2 {
    "test.two"() : () -> ()
    scf.yield
  }
  default {
  }
  return
}
