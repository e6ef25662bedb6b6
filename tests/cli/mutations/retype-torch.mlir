// The torch dialect says shapes and dimensions with operands: lists of
// constants.  They follow, each where it is used; what else a constant is used
// for stays.
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-element-type %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=RANK
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s --check-prefix=ELEMENT
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension --only 4 %s | FileCheck %s --check-prefix=PART
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type --only 8 %s | FileCheck %s --check-prefix=SIGN

// The product stays a product: all factors are 1; what is spread has an end of
// its own.
// CHECK-LABEL: sym_name = "views"
// CHECK: "torch.aten.add.Tensor"({{.*}}) : (!torch.vtensor<[1,1,1],f32>, !torch.vtensor<[1],f32>, !torch.int) -> !torch.vtensor<[1,1,1],f32>
// CHECK: %[[ONE:.*]] = "torch.constant.int"() <{value = 1 : i64}>
// CHECK: %[[LIST:.*]] = "torch.prim.ListConstruct"({{.*}}) : (!torch.int, !torch.int) -> !torch.list<int>
// CHECK: "torch.aten.view"(%{{.*}}, %[[LIST]]) : (!torch.vtensor<[1,1,1],f32>, !torch.list<int>) -> !torch.vtensor<[1,1],f32>
// CHECK: "torch.aten.mm"({{.*}}) : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[1,1],f32>) -> !torch.vtensor<[1,1],f32>
// CHECK: -> !torch.vtensor<[2,1],f32>
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3,4],f32>, !torch.vtensor<[4],f32>, !torch.vtensor<[4,5],f32>) -> !torch.vtensor<[12,5],f32>, sym_name = "views"}> ({
  ^bb0(%x: !torch.vtensor<[2,3,4],f32>, %b: !torch.vtensor<[4],f32>, %w: !torch.vtensor<[4,5],f32>):
    %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %0 = "torch.aten.add.Tensor"(%x, %b, %one) : (!torch.vtensor<[2,3,4],f32>, !torch.vtensor<[4],f32>, !torch.int) -> !torch.vtensor<[2,3,4],f32>
    %six = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
    %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %shape = "torch.prim.ListConstruct"(%six, %four) : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = "torch.aten.view"(%0, %shape) : (!torch.vtensor<[2,3,4],f32>, !torch.list<int>) -> !torch.vtensor<[6,4],f32>
    %2 = "torch.aten.mm"(%1, %w) : (!torch.vtensor<[6,4],f32>, !torch.vtensor<[4,5],f32>) -> !torch.vtensor<[6,5],f32>
    %zero = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %tensors = "torch.prim.ListConstruct"(%2, %2) : (!torch.vtensor<[6,5],f32>, !torch.vtensor<[6,5],f32>) -> !torch.list<vtensor>
    %3 = "torch.aten.cat"(%tensors, %zero) : (!torch.list<vtensor>, !torch.int) -> !torch.vtensor<[12,5],f32>
    "func.return"(%3) : (!torch.vtensor<[12,5],f32>) -> ()
  }) : () -> ()

  // Dimensions that are named stay, the others go, and are counted anew.  The
  // order loses its entry, the sum's list counts without it.
  // CHECK-LABEL: sym_name = "named"
  // RANK-LABEL: sym_name = "named"
  // RANK: "torch.aten.softmax.int"({{.*}}) : (!torch.vtensor<[5],f32>, !torch.int, !torch.none) -> !torch.vtensor<[5],f32>
  // RANK: "torch.aten.permute"
  // RANK: %[[ZERO:.*]] = "torch.constant.int"() <{value = 0 : i64}>
  // RANK: %[[LIST:.*]] = "torch.prim.ListConstruct"(%[[ZERO]]) : (!torch.int) -> !torch.list<int>
  // RANK: "torch.aten.sum.dim_IntList"(%{{.*}}, %[[LIST]], {{.*}}) : (!torch.vtensor<[5],f32>, {{.*}}) -> !torch.vtensor<[],f32>
  "func.func"() <{function_type = (!torch.vtensor<[2,3,5],f32>) -> !torch.vtensor<[3,2],f32>, sym_name = "named"}> ({
  ^bb0(%x: !torch.vtensor<[2,3,5],f32>):
    %none = "torch.constant.none"() : () -> !torch.none
    %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %zero = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %last = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
    %0 = "torch.aten.softmax.int"(%x, %last, %none) : (!torch.vtensor<[2,3,5],f32>, !torch.int, !torch.none) -> !torch.vtensor<[2,3,5],f32>
    %order = "torch.prim.ListConstruct"(%one, %zero, %two) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %1 = "torch.aten.permute"(%0, %order) : (!torch.vtensor<[2,3,5],f32>, !torch.list<int>) -> !torch.vtensor<[3,2,5],f32>
    %dims = "torch.prim.ListConstruct"(%two) : (!torch.int) -> !torch.list<int>
    %2 = "torch.aten.sum.dim_IntList"(%1, %dims, %false, %none) : (!torch.vtensor<[3,2,5],f32>, !torch.list<int>, !torch.bool, !torch.none) -> !torch.vtensor<[3,2],f32>
    "func.return"(%2) : (!torch.vtensor<[3,2],f32>) -> ()
  }) : () -> ()

  // What is viewed loses a dimension that is alone in both shapes: so does the
  // list.  A tensor of no dimension has an element, too.
  // PART-LABEL: sym_name = "part"
  // PART: %[[SIX:.*]] = "torch.constant.int"() <{value = 6 : i64}>
  // PART: %[[PART:.*]] = "torch.prim.ListConstruct"(%[[SIX]]) : (!torch.int) -> !torch.list<int>
  // PART: "torch.aten.view"(%{{.*}}, %[[PART]]) : (!torch.vtensor<[2,3],f32>, !torch.list<int>) -> !torch.vtensor<[6],f32>
  // ELEMENT: "torch.aten.mul.Tensor"({{.*}}) : (!torch.vtensor<[6,4],f16>, !torch.vtensor<[],f16>) -> !torch.vtensor<[6,4],f16>
  "func.func"() <{function_type = (!torch.vtensor<[2,3,4],f32>, !torch.vtensor<[],f32>) -> (), sym_name = "part"}> ({
  ^bb0(%x: !torch.vtensor<[2,3,4],f32>, %s: !torch.vtensor<[],f32>):
    %six = "torch.constant.int"() <{value = 6 : i64}> : () -> !torch.int
    %four = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %shape = "torch.prim.ListConstruct"(%six, %four) : (!torch.int, !torch.int) -> !torch.list<int>
    %0 = "torch.aten.view"(%x, %shape) : (!torch.vtensor<[2,3,4],f32>, !torch.list<int>) -> !torch.vtensor<[6,4],f32>
    %1 = "torch.aten.mul.Tensor"(%0, %s) : (!torch.vtensor<[6,4],f32>, !torch.vtensor<[],f32>) -> !torch.vtensor<[6,4],f32>
    "func.return"() : () -> ()
  }) : () -> ()

  // 8 + 2 * 1 - 3 + 1 = 8, and every second of that.
  // CHECK-LABEL: sym_name = "windows"
  // CHECK: "torch.aten.conv2d"({{.*}}) : (!torch.vtensor<[1,1,[[H:[0-9]+]],[[W:[0-9]+]]],f32>, !torch.vtensor<[1,1,{{[0-9]+}},{{[0-9]+}}],f32>, !torch.vtensor<[1],f32>, {{.*}}) -> !torch.vtensor<[1,1,1,1],f32>
  // Integers keep their signs.
  // ELEMENT: !torch.vtensor<[4],i1>
  // SIGN: "torch.aten.neg"({{.*}}) : (!torch.vtensor<[4],si32>) -> !torch.vtensor<[4],si32>
  "func.func"() <{function_type = (!torch.vtensor<[2,3,8,8],f32>, !torch.vtensor<[16,3,3,3],f32>, !torch.vtensor<[16],f32>, !torch.vtensor<[4],si64>) -> !torch.vtensor<[2,16,4,4],f32>, sym_name = "windows"}> ({
  ^bb0(%x: !torch.vtensor<[2,3,8,8],f32>, %w: !torch.vtensor<[16,3,3,3],f32>, %b: !torch.vtensor<[16],f32>, %i: !torch.vtensor<[4],si64>):
    %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %strides = "torch.prim.ListConstruct"(%two, %two) : (!torch.int, !torch.int) -> !torch.list<int>
    %ones = "torch.prim.ListConstruct"(%one, %one) : (!torch.int, !torch.int) -> !torch.list<int>
    %0 = "torch.aten.conv2d"(%x, %w, %b, %strides, %ones, %ones, %one) : (!torch.vtensor<[2,3,8,8],f32>, !torch.vtensor<[16,3,3,3],f32>, !torch.vtensor<[16],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int) -> !torch.vtensor<[2,16,4,4],f32>
    %1 = "torch.aten.neg"(%i) : (!torch.vtensor<[4],si64>) -> !torch.vtensor<[4],si64>
    "func.return"(%0) : (!torch.vtensor<[2,16,4,4],f32>) -> ()
  }) : () -> ()
}) : () -> ()
