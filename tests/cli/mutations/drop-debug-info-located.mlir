// Locations are dropped where they are printed, of arguments too.
// RUN: culprit-worker-mlir --apply drop-debug-info --sites %s | FileCheck %s --allow-empty --check-prefix=NONE
// RUN: culprit-worker-mlir --located --apply drop-debug-info --sites %s | FileCheck %s --check-prefix=ONE
// RUN: culprit-worker-mlir --located --apply drop-debug-info %s | FileCheck %s
// RUN: culprit-worker-mlir --located --print %s | FileCheck %s --check-prefix=KEPT
// NONE-NOT: weight
// ONE-COUNT-1: weight
// ONE-NOT: weight
// CHECK: #[[U:.*]] = loc(unknown)
// CHECK: func.func @f(%{{.*}}: i32 loc(unknown)) -> i32 {
// CHECK-NEXT: arith.addi {{.*}} loc(#[[U]])
// KEPT: func.func @f(%{{.*}}: i32 loc("a")) -> i32 {
// KEPT: #[[B:.*]] = loc("b")
func.func @f(%a: i32 loc("a")) -> i32 {
  %0 = arith.addi %a, %a : i32 loc("b")
  return %0 : i32
}
