// An operand of a dispatch goes with its block argument, of another type, and
// with its sizes; ties are counted anew.  What a result is tied to stays, and
// what nothing can stand in for.  The workload goes from both sides, too.
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --sites %s | count 5
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --only 0 %s | FileCheck %s --check-prefix=COUNT
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument --only 2 %s | FileCheck %s --check-prefix=SIZED
// RUN: culprit-worker-mlir --form opaque --apply drop-region-argument %s | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --form opaque --try drop-region-argument %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// COUNT: "flow.dispatch.workgroups"(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}) <{operandSegmentSizes = array<i32: 1, 4, 1, 0>, tied_operands = [2 : index]}>
// COUNT: ^bb0(%[[N:[^:]*]]: index):
// COUNT-NEXT: "flow.return"(%[[N]], %[[N]], %[[N]])

// SIZED: "flow.dispatch.workgroups"{{.*}} <{operandSegmentSizes = array<i32: 2, 3, 0, 0>, tied_operands = [1 : index]}>
// SIZED-NEXT: ^bb0(%[[A:[^:]*]]: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>, %[[O:[^:]*]]: !flow.dispatch.tensor<readwrite:tensor<4x8xf32>>, %{{[^:]*}}: index):
// SIZED-NEXT: "flow.dispatch.tensor.load"(%[[A]])

// ALL: "flow.dispatch.workgroups"{{.*}} <{operandSegmentSizes = array<i32: 0, 2, 0, 0>, tied_operands = [1 : index]}>
// ALL-NEXT: ^bb0(%{{[^:]*}}: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>, %{{[^:]*}}: !flow.dispatch.tensor<readwrite:tensor<4x8xf32>>):
"builtin.module"() ({
  "util.func"() <{function_type = (tensor<4x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, index) -> tensor<4x8xf32>, sym_name = "f", tied_operands = [-1 : index]}> ({
  ^bb0(%x: tensor<4x8xf32>, %y: tensor<?x8xf32>, %z: tensor<4x8xf32>, %n: index):
    %r = "flow.dispatch.workgroups"(%n, %n, %x, %y, %z, %n, %n) <{operandSegmentSizes = array<i32: 2, 4, 1, 0>, tied_operands = [2 : index]}> ({
    ^bb0(%a: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>, %b: !flow.dispatch.tensor<readonly:tensor<?x8xf32>>, %o: !flow.dispatch.tensor<readwrite:tensor<4x8xf32>>, %m: index):
      %0 = "flow.dispatch.tensor.load"(%a) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>}> : (!flow.dispatch.tensor<readonly:tensor<4x8xf32>>) -> tensor<4x8xf32>
      "flow.dispatch.tensor.store"(%0, %o) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>}> : (tensor<4x8xf32>, !flow.dispatch.tensor<readwrite:tensor<4x8xf32>>) -> ()
      "flow.return"() : () -> ()
    }, {
    ^bb0(%i: index, %j: index):
      "flow.return"(%i, %j, %i) : (index, index, index) -> ()
    }) : (index, index, tensor<4x8xf32>, tensor<?x8xf32>, tensor<4x8xf32>, index, index) -> tensor<4x8xf32>
    %s = "flow.dispatch.region"(%n) <{operandSegmentSizes = array<i32: 0, 1>}> ({
      "flow.return"(%r) : (tensor<4x8xf32>) -> ()
    }, {
    ^bb0(%i: index):
      "flow.return"(%i, %i, %i) : (index, index, index) -> ()
    }) : (index) -> tensor<4x8xf32>
    "util.return"(%s) : (tensor<4x8xf32>) -> ()
  }) : () -> ()
}) : () -> ()
