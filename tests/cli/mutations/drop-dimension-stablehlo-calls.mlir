// What StableHLO calls and normalizes loses dimensions: those of a batch, and
// of an order in which dimensions lie the entry; matrices and features stay.
// A barrier gives each what it took.
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try drop-dimension %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// How exact is said in f32, what the state of a generator is stays.
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s --check-prefix=ELEMENT

// CHECK: "stablehlo.batch_norm_inference"({{.*}}) <{epsilon = 1.000000e-03 : f32, feature_index = 0 : i64}> : (tensor<16xf32>, tensor<16xf32>, {{.*}}) -> tensor<16xf32>
// CHECK: "stablehlo.custom_call"({{.*}}) <{{{.*}}operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<> : tensor<0xindex>]}> : (tensor<16xf32>) -> tensor<f32>
// CHECK: "stablehlo.optimization_barrier"({{.*}}) : (tensor<16xf32>, tensor<f32>) -> (tensor<16xf32>, tensor<f32>)
// CHECK: "stablehlo.cholesky"({{.*}}) {{.*}} : (tensor<16x16xf32>) -> tensor<16x16xf32>

// ELEMENT: "stablehlo.batch_norm_inference"({{.*}}) <{epsilon = 1.000000e-03 : f32, {{.*}} -> tensor<4x8x16xf16>
// ELEMENT: "stablehlo.rng_bit_generator"({{.*}} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8x16xf32>, tensor<16xf32>, tensor<4x16x16xf32>, tensor<2xui64>) -> (tensor<4x8x16xf32>, tensor<4x8xf32>, tensor<4x16x16xf32>, tensor<4xui32>), sym_name = "main"}> ({
  ^bb0(%x: tensor<4x8x16xf32>, %g: tensor<16xf32>, %w: tensor<4x16x16xf32>, %k: tensor<2xui64>):
    %a = "stablehlo.batch_norm_inference"(%x, %g, %g, %g, %g) <{epsilon = 1.0e-3 : f32, feature_index = 2 : i64}> : (tensor<4x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x8x16xf32>
    %b = "stablehlo.custom_call"(%a) <{api_version = 2 : i32, call_target_name = "sum", operand_layouts = [dense<[2, 1, 0]> : tensor<3xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]}> : (tensor<4x8x16xf32>) -> tensor<4x8xf32>
    %c:2 = "stablehlo.optimization_barrier"(%a, %b) : (tensor<4x8x16xf32>, tensor<4x8xf32>) -> (tensor<4x8x16xf32>, tensor<4x8xf32>)
    %d = "stablehlo.cholesky"(%w) <{lower = true}> : (tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %s, %r = "stablehlo.rng_bit_generator"(%k) <{rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>}> : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)
    "func.return"(%c#0, %c#1, %d, %r) : (tensor<4x8x16xf32>, tensor<4x8xf32>, tensor<4x16x16xf32>, tensor<4xui32>) -> ()
  }) : () -> ()
}) : () -> ()
