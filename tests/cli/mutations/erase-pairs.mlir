// What stands as often as another, and never before it, goes with it: begin
// with end.  What gives a value does not stand second; what stands a few times
// is no pair.
// RUN: culprit-worker-mlir --form native-generic --apply erase-pairs --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --form native-generic --apply erase-pairs --only 0,2 %s | FileCheck %s
// RUN: culprit-worker-text --form mlir-text --apply text-erase-pairs --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-text --form mlir-text --apply text-erase-pairs --only 0,2 %s | grep -v '^//' | FileCheck %s
// SITES-COUNT-8: weight
// SITES-NOT: weight
// CHECK: "t.begin"() {n = 1
// CHECK-NEXT: "t.end"() {n = 1
// CHECK-NEXT: "t.begin"() {n = 3
// CHECK-NOT: n = 2
func.func @f(%a: i32) {
  "t.begin"() {n = 0} : () -> ()
  "t.begin"() {n = 1} : () -> ()
  "t.end"() {n = 0} : () -> ()
  "t.end"() {n = 1} : () -> ()
  "t.begin"() {n = 2} : () -> ()
  "t.begin"() {n = 3} : () -> ()
  "t.begin"() {n = 4} : () -> ()
  "t.end"() {n = 2} : () -> ()
  "t.begin"() {n = 5} : () -> ()
  "t.end"() {n = 3} : () -> ()
  "t.end"() {n = 4} : () -> ()
  "t.end"() {n = 5} : () -> ()
  "t.begin"() {n = 6} : () -> ()
  "t.end"() {n = 6} : () -> ()
  "t.begin"() {n = 7} : () -> ()
  "t.end"() {n = 7} : () -> ()
  "t.few"() : () -> ()
  "t.one"() : () -> ()
  return
}
