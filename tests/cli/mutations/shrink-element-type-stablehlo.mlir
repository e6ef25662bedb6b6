// Elements of StableHLO that count or say where are never of one bit; parts of
// complex numbers, casts of bits and lengths keep their width.
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s
// RUN: culprit-worker-mlir --form opaque --try shrink-element-type %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=SIZE
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// CHECK: "stablehlo.gather"({{.*}}) {{.*}} : (tensor<8x4xf32>, tensor<3x1xi8>) -> tensor<3x4xf32>
// CHECK: "stablehlo.iota"() {{.*}} -> tensor<5xi8>
// CHECK: "stablehlo.popcnt"({{.*}}) : (tensor<6xi8>) -> tensor<6xi8>
// CHECK: "stablehlo.or"({{.*}}) : (tensor<7xi1>, tensor<7xi1>) -> tensor<7xi1>
// CHECK: "stablehlo.complex"({{.*}}) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xcomplex<f32>>
// CHECK: "stablehlo.bitcast_convert"({{.*}}) : (tensor<10xf32>) -> tensor<10xi32>
// CHECK: "stablehlo.get_dimension_size"({{.*}}) -> tensor<i32>

// SIZE: "stablehlo.fft"({{.*}}) {{.*}} : (tensor<1x16xf32>) -> tensor<1x9xcomplex<f32>>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<8x4xf64>, tensor<3x1xi32>, tensor<6xi32>, tensor<7xi32>, tensor<9xf32>, tensor<10xf32>, tensor<12x16xf32>, tensor<?xf32>) -> (), sym_name = "main"}> ({
  ^bb0(%a: tensor<8x4xf64>, %at: tensor<3x1xi32>, %n: tensor<6xi32>, %truth: tensor<7xi32>, %part: tensor<9xf32>, %bits: tensor<10xf32>, %wave: tensor<12x16xf32>, %open: tensor<?xf32>):
    %0 = "stablehlo.gather"(%a, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf64>, tensor<3x1xi32>) -> tensor<3x4xf64>
    %1 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<5xi32>
    %2 = "stablehlo.popcnt"(%n) : (tensor<6xi32>) -> tensor<6xi32>
    %3 = "stablehlo.or"(%truth, %truth) : (tensor<7xi32>, tensor<7xi32>) -> tensor<7xi32>
    %4 = "stablehlo.complex"(%part, %part) : (tensor<9xf32>, tensor<9xf32>) -> tensor<9xcomplex<f32>>
    %5 = "stablehlo.bitcast_convert"(%bits) : (tensor<10xf32>) -> tensor<10xi32>
    %6 = "stablehlo.fft"(%wave) <{fft_length = array<i64: 16>, fft_type = #stablehlo<fft_type RFFT>}> : (tensor<12x16xf32>) -> tensor<12x9xcomplex<f32>>
    %7 = "stablehlo.get_dimension_size"(%open) <{dimension = 0 : i64}> : (tensor<?xf32>) -> tensor<i32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
