// Lists that count from the end or leave the rank open, batches of matrices of
// other ranks, sums over all, unknown sizes beside known ones.
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try drop-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=RANK

// CHECK: "torch.aten.matmul"({{.*}}) : (!torch.vtensor<[1,1,1],f32>, !torch.vtensor<[1,1],f32>) -> !torch.vtensor<[1,1,1],f32>
// RANK: "torch.aten.matmul"({{.*}}) : (!torch.vtensor<[6,10],f32>, !torch.vtensor<[10,7],f32>) -> !torch.vtensor<[6,7],f32>
// The dimension between stays; what it is counted among goes.
// RANK: %[[ONE:.*]] = "torch.constant.int"() <{value = 1 : i64}>
// RANK: "torch.aten.unsqueeze"(%{{[^,]*}}, %[[ONE]]) : (!torch.vtensor<[6,7],f32>, !torch.int) -> !torch.vtensor<[6,1,7],f32>
// CHECK: "torch.aten.squeeze.dim"({{.*}}) : (!torch.vtensor<[1,1,1,1],f32>, !torch.int) -> !torch.vtensor<[1,1,1],f32>
// RANK: "torch.aten.squeeze.dim"({{.*}}) : (!torch.vtensor<[6,1,7],f32>, !torch.int) -> !torch.vtensor<[6,7],f32>
// RANK: "torch.aten.sum.dim_IntList"({{.*}}) : (!torch.vtensor<[6,7],f32>, {{.*}} -> !torch.vtensor<[6,1],f32>
// CHECK: "torch.aten.sum.dim_IntList"({{.*}}) : (!torch.vtensor<[1,1,1],f32>, {{.*}} -> !torch.vtensor<[],f32>
// An order of which an entry is not known keeps all sizes.
// CHECK: "torch.aten.permute"({{.*}} -> !torch.vtensor<[4,3,2],f32>
// CHECK: "torch.aten.conv2d"({{.*}}) : (!torch.vtensor<[?,1,{{[0-9]+}},?],f32>, {{.*}} -> !torch.vtensor<[?,1,1,?],f32>
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[4,6,10],f32>, !torch.vtensor<[10,7],f32>) -> (!torch.vtensor<[4,6,1],f32>, !torch.vtensor<[],f32>), sym_name = "from_the_end"}> ({
  ^bb0(%x: !torch.vtensor<[4,6,10],f32>, %w: !torch.vtensor<[10,7],f32>):
    %none = "torch.constant.none"() : () -> !torch.none
    %true = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %false = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %last = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
    %0 = "torch.aten.matmul"(%x, %w) : (!torch.vtensor<[4,6,10],f32>, !torch.vtensor<[10,7],f32>) -> !torch.vtensor<[4,6,7],f32>
    %1 = "torch.aten.unsqueeze"(%0, %two) : (!torch.vtensor<[4,6,7],f32>, !torch.int) -> !torch.vtensor<[4,6,1,7],f32>
    %2 = "torch.aten.squeeze.dim"(%1, %two) : (!torch.vtensor<[4,6,1,7],f32>, !torch.int) -> !torch.vtensor<[4,6,7],f32>
    %dims = "torch.prim.ListConstruct"(%last) : (!torch.int) -> !torch.list<int>
    %3 = "torch.aten.sum.dim_IntList"(%2, %dims, %true, %none) : (!torch.vtensor<[4,6,7],f32>, !torch.list<int>, !torch.bool, !torch.none) -> !torch.vtensor<[4,6,1],f32>
    %all = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %4 = "torch.aten.sum.dim_IntList"(%2, %all, %false, %none) : (!torch.vtensor<[4,6,7],f32>, !torch.list<int>, !torch.bool, !torch.none) -> !torch.vtensor<[],f32>
    "func.return"(%3, %4) : (!torch.vtensor<[4,6,1],f32>, !torch.vtensor<[],f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!torch.vtensor<[2,3,4],f32>, !torch.int, !torch.vtensor<[?,3,8,?],f32>, !torch.vtensor<[16,3,3,3],f32>) -> (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[?,16,4,?],f32>), sym_name = "unknown"}> ({
  ^bb0(%x: !torch.vtensor<[2,3,4],f32>, %k: !torch.int, %y: !torch.vtensor<[?,3,8,?],f32>, %w: !torch.vtensor<[16,3,3,3],f32>):
    %none = "torch.constant.none"() : () -> !torch.none
    %zero = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %one = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %two = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %order = "torch.prim.ListConstruct"(%two, %k, %zero) : (!torch.int, !torch.int, !torch.int) -> !torch.list<int>
    %0 = "torch.aten.permute"(%x, %order) : (!torch.vtensor<[2,3,4],f32>, !torch.list<int>) -> !torch.vtensor<[4,3,2],f32>
    %strides = "torch.prim.ListConstruct"(%two, %two) : (!torch.int, !torch.int) -> !torch.list<int>
    %ones = "torch.prim.ListConstruct"(%one, %one) : (!torch.int, !torch.int) -> !torch.list<int>
    %1 = "torch.aten.conv2d"(%y, %w, %none, %strides, %ones, %ones, %one) : (!torch.vtensor<[?,3,8,?],f32>, !torch.vtensor<[16,3,3,3],f32>, !torch.none, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.int) -> !torch.vtensor<[?,16,4,?],f32>
    "func.return"(%0, %1) : (!torch.vtensor<[4,3,2],f32>, !torch.vtensor<[?,16,4,?],f32>) -> ()
  }) : () -> ()
}) : () -> ()
