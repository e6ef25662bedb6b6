// What the types follow from is no data: ranges, axes, the numbers of warps and
// threads that layouts repeat.
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants --sites %s | count 1
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants %s | FileCheck %s

// CHECK: "tt.make_range"() <{end = 192 : i32, start = 64 : i32}>
// CHECK: "tt.expand_dims"({{.*}}) <{axis = 1 : i32}>
// CHECK: "arith.constant"() <{value = 0 : i32}>
// CHECK: "ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32
"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "kernel"}> ({
    %0 = "tt.make_range"() <{end = 192 : i32, start = 64 : i32}> : () -> tensor<128xi32>
    %1 = "tt.expand_dims"(%0) <{axis = 1 : i32}> : (tensor<128xi32>) -> tensor<128x1xi32>
    %2 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    "test.use"(%1, %2) : (tensor<128x1xi32>, i32) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32} : () -> ()
