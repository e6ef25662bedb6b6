// Parts, windows and norms of the torch dialect: what comes out of a window is so
// many steps shorter, whatever else is as large; a range up to the end follows it,
// one in the middle stays; the list of a norm follows the shape's end.
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=RANK
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// tests/systems/retype-iree.test asks iree-opt.

// CHECK: "torch.aten.batch_norm"({{.*}}) : (!torch.vtensor<[1,8,8,8],f32>, !torch.vtensor<[8],f32>
// CHECK: "torch.aten.max_pool2d"({{.*}} -> !torch.vtensor<[1,8,4,4],f32>
// CHECK: "torch.aten.group_norm"({{.*}} -> !torch.vtensor<[1,8,4,4],f32>
// CHECK: "torch.aten.avg_pool2d"({{.*}} -> !torch.vtensor<[1,8,2,2],f32>
// CHECK: "torch.aten.adaptive_avg_pool2d"({{.*}} -> !torch.vtensor<[1,8,1,1],f32>
// CHECK: %[[TWO:.*]] = "torch.constant.int"() <{value = 2 : i64}>
// CHECK: %[[LIST:.*]] = "torch.prim.ListConstruct"({{.*}}) : (!torch.int) -> !torch.list<int>
// CHECK: "torch.aten.layer_norm"(%{{.*}}, %[[LIST]], {{.*}} -> !torch.vtensor<[1,6,2],f32>
// CHECK: "torch.aten.slice.Tensor"({{.*}} -> !torch.vtensor<[1,2,2],f32>
// CHECK: "torch.aten.slice.Tensor"({{.*}} -> !torch.vtensor<[1,2,1],f32>
// CHECK: "torch.aten.select.int"({{.*}} -> !torch.vtensor<[1,2],f32>
// CHECK: "torch.aten.embedding"({{.*}} : (!torch.vtensor<[1,1],f32>, !torch.vtensor<[1],si64>, {{.*}} -> !torch.vtensor<[1,1],f32>
// CHECK: "torch.aten.index_select"({{.*}} : (!torch.vtensor<[1,1,1],f32>, {{.*}} -> !torch.vtensor<[1,1,1],f32>

// RANK: "torch.aten.layer_norm"({{.*}} -> !torch.vtensor<[12,64],f32>
// RANK: %[[ZERO:.*]] = "torch.constant.int"() <{value = 0 : i64}>
// RANK: "torch.aten.slice.Tensor"(%{{[^,]*}}, %[[ZERO]], {{.*}} -> !torch.vtensor<[8,64],f32>
// RANK: "torch.aten.select.int"({{.*}} -> !torch.vtensor<[64],f32>
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,8,16,16],f32>, !torch.vtensor<[8],f32>) -> !torch.vtensor<[2,8,1,1],f32>, sym_name = "pools"}> ({
  ^bb0(%arg5: !torch.vtensor<[2,8,16,16],f32>, %arg6: !torch.vtensor<[8],f32>):
    %16 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %17 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %18 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %19 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %20 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %21 = "torch.constant.bool"() <{value = true}> : () -> !torch.bool
    %22 = "torch.constant.none"() : () -> !torch.none
    %23 = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
    %24 = "torch.prim.ListConstruct"(%17, %17) : (!torch.int, !torch.int) -> !torch.list<int>
    %25 = "torch.prim.ListConstruct"(%18, %18) : (!torch.int, !torch.int) -> !torch.list<int>
    %26 = "torch.prim.ListConstruct"(%16, %16) : (!torch.int, !torch.int) -> !torch.list<int>
    %27 = "torch.prim.ListConstruct"() : () -> !torch.list<int>
    %28 = "torch.aten.batch_norm"(%arg5, %arg6, %arg6, %arg6, %arg6, %20, %23, %23, %21) : (!torch.vtensor<[2,8,16,16],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.bool, !torch.float, !torch.float, !torch.bool) -> !torch.vtensor<[2,8,16,16],f32>
    %29 = "torch.aten.max_pool2d"(%28, %25, %27, %26, %24, %20) : (!torch.vtensor<[2,8,16,16],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool) -> !torch.vtensor<[2,8,8,8],f32>
    %30 = "torch.aten.group_norm"(%29, %19, %arg6, %arg6, %23, %20) : (!torch.vtensor<[2,8,8,8],f32>, !torch.int, !torch.vtensor<[8],f32>, !torch.vtensor<[8],f32>, !torch.float, !torch.bool) -> !torch.vtensor<[2,8,8,8],f32>
    %31 = "torch.aten.avg_pool2d"(%30, %25, %25, %26, %20, %21, %22) : (!torch.vtensor<[2,8,8,8],f32>, !torch.list<int>, !torch.list<int>, !torch.list<int>, !torch.bool, !torch.bool, !torch.none) -> !torch.vtensor<[2,8,4,4],f32>
    %32 = "torch.aten.adaptive_avg_pool2d"(%31, %24) : (!torch.vtensor<[2,8,4,4],f32>, !torch.list<int>) -> !torch.vtensor<[2,8,1,1],f32>
    "func.return"(%32) : (!torch.vtensor<[2,8,1,1],f32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (!torch.vtensor<[4,12,64],f32>, !torch.vtensor<[5],si64>, !torch.vtensor<[100,64],f32>, !torch.vtensor<[64],f32>, !torch.vtensor<[4,12,64],f32>) -> (!torch.vtensor<[4,8,32],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[5,64],f32>, !torch.vtensor<[4,5,64],f32>), sym_name = "parts"}> ({
  ^bb0(%arg0: !torch.vtensor<[4,12,64],f32>, %arg1: !torch.vtensor<[5],si64>, %arg2: !torch.vtensor<[100,64],f32>, %arg3: !torch.vtensor<[64],f32>, %arg4: !torch.vtensor<[4,12,64],f32>):
    %0 = "torch.constant.int"() <{value = 0 : i64}> : () -> !torch.int
    %1 = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %2 = "torch.constant.int"() <{value = 2 : i64}> : () -> !torch.int
    %3 = "torch.constant.int"() <{value = 4 : i64}> : () -> !torch.int
    %4 = "torch.constant.int"() <{value = 9223372036854775807 : i64}> : () -> !torch.int
    %5 = "torch.constant.int"() <{value = 64 : i64}> : () -> !torch.int
    %6 = "torch.constant.int"() <{value = -1 : i64}> : () -> !torch.int
    %7 = "torch.constant.bool"() <{value = false}> : () -> !torch.bool
    %8 = "torch.constant.float"() <{value = 1.000000e-05 : f64}> : () -> !torch.float
    %9 = "torch.prim.ListConstruct"(%5) : (!torch.int) -> !torch.list<int>
    %10 = "torch.aten.layer_norm"(%arg0, %9, %arg3, %arg3, %8, %7) : (!torch.vtensor<[4,12,64],f32>, !torch.list<int>, !torch.vtensor<[64],f32>, !torch.vtensor<[64],f32>, !torch.float, !torch.bool) -> !torch.vtensor<[4,12,64],f32>
    %11 = "torch.aten.slice.Tensor"(%10, %1, %3, %4, %1) : (!torch.vtensor<[4,12,64],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4,8,64],f32>
    %12 = "torch.aten.slice.Tensor"(%11, %2, %0, %5, %2) : (!torch.vtensor<[4,8,64],f32>, !torch.int, !torch.int, !torch.int, !torch.int) -> !torch.vtensor<[4,8,32],f32>
    %13 = "torch.aten.select.int"(%10, %1, %2) : (!torch.vtensor<[4,12,64],f32>, !torch.int, !torch.int) -> !torch.vtensor<[4,64],f32>
    %14 = "torch.aten.embedding"(%arg2, %arg1, %6, %7, %7) : (!torch.vtensor<[100,64],f32>, !torch.vtensor<[5],si64>, !torch.int, !torch.bool, !torch.bool) -> !torch.vtensor<[5,64],f32>
    %15 = "torch.aten.index_select"(%arg4, %1, %arg1) : (!torch.vtensor<[4,12,64],f32>, !torch.int, !torch.vtensor<[5],si64>) -> !torch.vtensor<[4,5,64],f32>
    "func.return"(%12, %13, %14, %15) : (!torch.vtensor<[4,8,32],f32>, !torch.vtensor<[4,64],f32>, !torch.vtensor<[5,64],f32>, !torch.vtensor<[4,5,64],f32>) -> ()
  }) : () -> ()
}) : () -> ()
