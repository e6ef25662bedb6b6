// IREE's flow tensors and linalg_ext: operands say where, one for each dimension;
// what goes along a dimension keeps that; tiles keep their sizes, and positions
// their 32 bits.
// RUN: culprit-worker-mlir --form opaque --try drop-dimension --most 1000 %s | FileCheck %s --check-prefixes=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=SHRUNK
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s --check-prefix=SHRUNK
// RUN: culprit-worker-mlir --form opaque --apply drop-attributes %s | FileCheck %s --check-prefix=SAID
// RUN: culprit-worker-mlir --form opaque --apply shrink-constants %s | FileCheck %s --check-prefix=SAID
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %s | count 0
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// tests/systems/retype-iree.test asks iree-opt.

// CHECK: "iree_linalg_ext.sort"({{.*}} <{dimension = 0 : i64
// CHECK: }) : (tensor<8xf32>) -> tensor<8xf32>
// CHECK: "iree_linalg_ext.topk"({{.*}} <{dimension = 0 : i64
// CHECK: }) : (tensor<32xf32>, tensor<32xi32>, tensor<4xf32>, tensor<4xi32>)
// CHECK: "iree_linalg_ext.scan"({{.*}} <{dimension = 0 : i64
// CHECK: }) : (tensor<8xf32>, tensor<8xf32>, tensor<f32>)
// CHECK: "flow.tensor.slice"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>}> : (tensor<f32>) -> tensor<f32>
// CHECK: "flow.tensor.update"({{[^,]*}}, {{[^,]*}}) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>}> : (tensor<f32>, tensor<f32>)
// CHECK: "flow.tensor.load"({{[^,]*}}) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<f32>) -> f32
// CHECK: "flow.tensor.store"({{[^,]*}}, {{[^,]*}}) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>}> : (f32, tensor<f32>)

// SHRUNK: "iree_linalg_ext.topk"
// SHRUNK: }) : ({{.*}}xi32>, {{.*}}xi32>) -> ({{.*}}xi32>)
// SHRUNK: "iree_linalg_ext.winograd.input_transform"({{.*}} : (tensor<1x10x10x16x[[T:f[0-9]+]]>, tensor<8x8x1x2x2x16x[[T]]>)

// SAID: "iree_linalg_ext.scatter"({{.*}}dimension_map
// SAID: "iree_linalg_ext.gather"({{.*}}dimension_map
// SAID: "iree_linalg_ext.topk"({{.*}}dimension = 1
// SAID: "iree_linalg_ext.scan"({{.*}}inclusive
// SAID: "iree_linalg_ext.winograd.input_transform"({{.*}}image_dimensions = array<i64: 1, 2>, kernel_size = 3 : i64, output_tile_size = 6
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>, sym_name = "sort"}> ({
  ^bb0(%arg31: tensor<2x8x16xf32>):
    %11 = "iree_linalg_ext.sort"(%arg31) <{dimension = 1 : i64, operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg32: f32, %arg33: f32):
      %12 = "arith.cmpf"(%arg32, %arg33) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      "iree_linalg_ext.yield"(%12) : (i1) -> ()
    }) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
    "func.return"(%11) : (tensor<2x8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x16xf32>, tensor<4x1xi32>, tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "scatter"}> ({
  ^bb0(%arg26: tensor<4x16xf32>, %arg27: tensor<4x1xi32>, %arg28: tensor<8x16xf32>):
    %9 = "iree_linalg_ext.scatter"(%arg26, %arg27, %arg28) <{dimension_map = array<i64: 0>, unique_indices = true}> ({
    ^bb0(%arg29: f32, %arg30: f32):
      %10 = "arith.addf"(%arg29, %arg30) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "iree_linalg_ext.yield"(%10) : (f32) -> ()
    }) : (tensor<4x16xf32>, tensor<4x1xi32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "func.return"(%9) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x16xf32>, tensor<4xi32>, tensor<4x16xf32>) -> tensor<4x16xf32>, sym_name = "gather"}> ({
  ^bb0(%arg23: tensor<8x16xf32>, %arg24: tensor<4xi32>, %arg25: tensor<4x16xf32>):
    %8 = "iree_linalg_ext.gather"(%arg23, %arg24, %arg25) <{dimension_map = array<i64: 0>}> : (tensor<8x16xf32>, tensor<4xi32>, tensor<4x16xf32>) -> tensor<4x16xf32>
    "func.return"(%8) : (tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x32xf32>, tensor<2x32xi32>, tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>), sym_name = "topk"}> ({
  ^bb0(%arg17: tensor<2x32xf32>, %arg18: tensor<2x32xi32>, %arg19: tensor<2x4xf32>, %arg20: tensor<2x4xi32>):
    %6:2 = "iree_linalg_ext.topk"(%arg17, %arg18, %arg19, %arg20) <{dimension = 1 : i64}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      %7 = "arith.cmpf"(%arg21, %arg22) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      "iree_linalg_ext.yield"(%7) : (i1) -> ()
    }) : (tensor<2x32xf32>, tensor<2x32xi32>, tensor<2x4xf32>, tensor<2x4xi32>) -> (tensor<2x4xf32>, tensor<2x4xi32>)
    "func.return"(%6#0, %6#1) : (tensor<2x4xf32>, tensor<2x4xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>), sym_name = "scan"}> ({
  ^bb0(%arg12: tensor<8x16xf32>, %arg13: tensor<8x16xf32>, %arg14: tensor<16xf32>):
    %4:2 = "iree_linalg_ext.scan"(%arg12, %arg13, %arg14) <{dimension = 0 : i64, inclusive = true}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      %5 = "arith.addf"(%arg15, %arg16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "iree_linalg_ext.yield"(%5) : (f32) -> ()
    }) : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>)
    "func.return"(%4#0, %4#1) : (tensor<8x16xf32>, tensor<16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x128x64xf32>, tensor<4x96x64xf32>, tensor<4x96x32xf32>, f32, tensor<4x128x32xf32>) -> tensor<4x128x32xf32>, sym_name = "att"}> ({
  ^bb0(%arg6: tensor<4x128x64xf32>, %arg7: tensor<4x96x64xf32>, %arg8: tensor<4x96x32xf32>, %arg9: f32, %arg10: tensor<4x128x32xf32>):
    %3 = "iree_linalg_ext.attention"(%arg6, %arg7, %arg8, %arg9, %arg10) <{indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d2)>, affine_map<(d0, d1, d2, d3, d4) -> ()>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>]}> ({
    ^bb0(%arg11: f32):
      "iree_linalg_ext.yield"(%arg11) : (f32) -> ()
    }) : (tensor<4x128x64xf32>, tensor<4x96x64xf32>, tensor<4x96x32xf32>, f32, tensor<4x128x32xf32>) -> tensor<4x128x32xf32>
    "func.return"(%3) : (tensor<4x128x32xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>), sym_name = "fft"}> ({
  ^bb0(%arg2: tensor<4x16xf32>, %arg3: tensor<4x16xf32>):
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2:2 = "iree_linalg_ext.fft"(%1, %arg2, %arg3) <{operandSegmentSizes = array<i32: 1, 0, 0, 1, 1>}> : (index, tensor<4x16xf32>, tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
    "func.return"(%2#0, %2#1) : (tensor<4x16xf32>, tensor<4x16xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<1x10x10x16xf32>, tensor<8x8x1x2x2x16xf32>) -> tensor<8x8x1x2x2x16xf32>, sym_name = "winograd"}> ({
  ^bb0(%arg0: tensor<1x10x10x16xf32>, %arg1: tensor<8x8x1x2x2x16xf32>):
    %0 = "iree_linalg_ext.winograd.input_transform"(%arg0, %arg1) <{image_dimensions = array<i64: 1, 2>, kernel_size = 3 : i64, output_tile_size = 6 : i64}> : (tensor<1x10x10x16xf32>, tensor<8x8x1x2x2x16xf32>) -> tensor<8x8x1x2x2x16xf32>
    "func.return"(%0) : (tensor<8x8x1x2x2x16xf32>) -> ()
  }) : () -> ()
  "util.global"() <{sym_name = "w", sym_visibility = "private", type = tensor<2x8x4xf32>}> : () -> ()
  "util.func"() <{function_type = (tensor<2x8x4xf32>, tensor<?x8x4xf32>, index) -> (tensor<1x4x4xf32>, tensor<?x8x4xf32>, f32, tensor<2x8x4xf32>), sym_name = "f", sym_visibility = "public", tied_operands = [-1 : index, -1 : index, -1 : index, -1 : index]}> ({
  ^bb0(%arg0: tensor<2x8x4xf32>, %arg1: tensor<?x8x4xf32>, %arg2: index):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 4 : index}> : () -> index
    %3 = "arith.constant"() <{value = 8 : index}> : () -> index
    %4 = "flow.tensor.slice"(%arg0, %0, %1, %0, %1, %2, %2) <{operandSegmentSizes = array<i32: 1, 0, 3, 3, 0>}> : (tensor<2x8x4xf32>, index, index, index, index, index, index) -> tensor<1x4x4xf32>
    %5 = "flow.tensor.slice"(%arg1, %arg2, %0, %0, %0, %arg2, %3, %2, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 3, 3, 1>}> : (tensor<?x8x4xf32>, index, index, index, index, index, index, index, index) -> tensor<?x8x4xf32>
    %6 = "flow.tensor.update"(%arg0, %0, %1, %0, %4) <{operandSegmentSizes = array<i32: 1, 0, 3, 1, 0>}> : (tensor<2x8x4xf32>, index, index, index, tensor<1x4x4xf32>) -> tensor<2x8x4xf32>
    %7 = "flow.tensor.update"(%5, %arg2, %0, %0, %0, %4) <{operandSegmentSizes = array<i32: 1, 1, 3, 1, 0>}> : (tensor<?x8x4xf32>, index, index, index, index, tensor<1x4x4xf32>) -> tensor<?x8x4xf32>
    %8 = "flow.tensor.load"(%6, %1, %2, %0) <{operandSegmentSizes = array<i32: 1, 0, 3>}> : (tensor<2x8x4xf32>, index, index, index) -> f32
    %9 = "flow.tensor.store"(%8, %6, %0, %0, %0) <{operandSegmentSizes = array<i32: 1, 1, 0, 3>}> : (f32, tensor<2x8x4xf32>, index, index, index) -> tensor<2x8x4xf32>
    %10 = "flow.tensor.empty"() : () -> tensor<2x8x4xf32>
    %11 = "flow.tensor.clone"(%9) : (tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %12 = "flow.tensor.splat"(%8) : (f32) -> tensor<2x8x4xf32>
    %13 = "flow.tensor.reshape"(%11) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
    %14 = "flow.tensor.reshape"(%13) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (tensor<16x4xf32>) -> tensor<2x8x4xf32>
    %15 = "util.global.load"() <{global = @w}> : () -> tensor<2x8x4xf32>
    %16 = "arith.addf"(%14, %15) <{fastmath = #arith.fastmath<none>}> : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %17 = "arith.addf"(%16, %12) <{fastmath = #arith.fastmath<none>}> : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    %18 = "arith.addf"(%17, %10) <{fastmath = #arith.fastmath<none>}> : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    "util.return"(%4, %7, %8, %18) : (tensor<1x4x4xf32>, tensor<?x8x4xf32>, f32, tensor<2x8x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
