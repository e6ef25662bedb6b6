// RUN: culprit-worker-mlir --apply simplify-attributes --sites %s | count 29
// RUN: culprit-worker-mlir --try simplify-attributes --most 40 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --apply simplify-attributes --only 0 %s | FileCheck %s --check-prefix=LAST
// RUN: culprit-worker-mlir --apply simplify-attributes --only 1 %s | FileCheck %s --check-prefix=INNER
// RUN: culprit-worker-mlir --apply simplify-attributes --only 13 %s | FileCheck %s --check-prefix=ENTRY
// RUN: culprit-worker-mlir --apply simplify-attributes --only 6 %s | FileCheck %s --check-prefix=IDENTITY
// RUN: culprit-worker-mlir --apply simplify-attributes --only 7 %s | FileCheck %s --check-prefix=RESULT
// RUN: culprit-worker-mlir --apply simplify-attributes --only 8 %s | FileCheck %s --check-prefix=INPUT
// RUN: culprit-worker-mlir --apply simplify-attributes --only 19 %s | FileCheck %s --check-prefix=SET
// RUN: culprit-worker-mlir --apply simplify-attributes --only 21 %s | FileCheck %s --check-prefix=DENSE
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --only 6 %s | FileCheck %s --check-prefix=IDENTITY

// LAST: list = ["x"]
// INNER: list = ["x", 0]
// ENTRY: nested = {a = 8 : i32}
// IDENTITY: map = affine_map<(d0, d1) -> (d0, d1)>
// RESULT: map = affine_map<(d0, d1) -> (d1)>
// INPUT: map = affine_map<(d0, d1) -> (d1, d0)>
// SET: set = affine_set<(d0) : (d0 >= 0)>
// DENSE: some = array<i64: 4>
// TRY: "invalid": 0, "unparsable": 0, "died": 0
"test.op"() {
  list = ["x", 5],
  nested = {a = 8 : i32, b = "y"},
  map = affine_map<(d0, d1) -> (d1, d0 * 2 + d1)>,
  set = affine_set<(d0) : (d0 >= 0, 8 - d0 >= 0)>,
  some = array<i64: 4, 9>
} : () -> ()
