// RUN: culprit-worker-mlir --apply drop-operand --sites %s | count 5
// RUN: culprit-worker-mlir --apply drop-operand --only 0 %s | mlir-opt-22 --allow-unregistered-dialect | FileCheck %s --check-prefix=UNKNOWN
// RUN: culprit-worker-mlir --apply drop-operand --only 4 %s | mlir-opt-22 --allow-unregistered-dialect | FileCheck %s --check-prefix=WAIT
// RUN: culprit-worker-mlir --form opaque --apply drop-operand --sites %s | count 3

// Of an operation that nobody knows; its producer goes too.
// UNKNOWN-LABEL: func.func @f
// UNKNOWN-NEXT: "test.any"(%arg1) : (f32) -> ()
// WAIT: gpu.wait [%{{.*}}]
"func.func"() ({
^bb0(%a: f32, %b: f32, %n: index):
  %0 = "math.exp"(%a) : (f32) -> f32
  "test.any"(%0, %b) : (f32, f32) -> ()
  %t = "gpu.wait"() : () -> !gpu.async.token
  %u = "gpu.wait"(%t) : (!gpu.async.token) -> !gpu.async.token
  "gpu.wait"(%t, %u) : (!gpu.async.token, !gpu.async.token) -> ()
  "func.return"() : () -> ()
}) {function_type = (f32, f32, index) -> (), sym_name = "f"} : () -> ()
