// The first result of async.execute is a token, which stays; a value that it
// yields goes with the result that holds it.
// RUN: culprit-worker-mlir --try drop-region-result %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": 1,{{.*}} "unapplied": 0, "invalid": 0,
// RUN: culprit-worker-mlir --apply drop-region-result %s | mlir-opt-22 | FileCheck %s
func.func @f(%x: f32) {
  // CHECK: async.execute {
  // CHECK-NEXT: math.exp
  // CHECK-NEXT: async.yield{{$}}
  %t, %v = async.execute -> !async.value<f32> {
    %0 = math.exp %x : f32
    async.yield %0 : f32
  }
  async.await %t : !async.token
  return
}
