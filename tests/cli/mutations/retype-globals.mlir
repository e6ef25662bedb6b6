// A global has one type with what loads and stores it, and so has its first
// value; one that is named otherwise keeps it.
// RUN: split-file %s %t
// RUN: culprit-worker-mlir --apply shrink-dimension %t/native.mlir | FileCheck %s --check-prefix=SHRINK
// RUN: culprit-worker-mlir --apply drop-dimension %t/native.mlir | FileCheck %s --check-prefix=DROP
// RUN: culprit-worker-mlir --apply shrink-element-type --only 1 %t/native.mlir | FileCheck %s --check-prefix=ELEMENT
// RUN: culprit-worker-mlir --try shrink-dimension %t/native.mlir | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --try shrink-element-type %t/native.mlir | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 0 %t/util.mlir | FileCheck %s --check-prefix=UTIL
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %t/util.mlir | FileCheck %s --check-prefix=BOTH
// RUN: culprit-worker-mlir --form opaque --try all %t/util.mlir | FileCheck %s --check-prefix=ALL
// TRY: "sites": {{[1-9].*}} "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// ALL-NOT: "died": {{[1-9]}}

//--- native.mlir
// SHRINK: memref.global "private" constant @table : memref<1x1xf32> = dense<1.000000e+00>
// SHRINK: memref.global @space : memref<1xi32>
// SHRINK: ml_program.global private mutable @sum(dense<0.000000e+00> : tensor<1xf32>) : tensor<1xf32>
// SHRINK: memref.get_global @table : memref<1x1xf32>
// SHRINK: memref.get_global @space : memref<1xi32>
// SHRINK: ml_program.global_load @sum : tensor<1xf32>
// SHRINK: ml_program.global_store @sum = %{{.*}} : tensor<1xf32>

// DROP: @table : memref<f32> = dense<1.000000e+00>
// DROP: @sum(dense<0.000000e+00> : tensor<f32>) : tensor<f32>

// ELEMENT: memref.global "private" constant @table : memref<2x3xf16> = dense<{{.*}}>
// ELEMENT: memref.get_global @table : memref<2x3xf16>
memref.global "private" constant @table : memref<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
memref.global @space : memref<16xi32> = uninitialized
ml_program.global private mutable @sum(dense<0.0> : tensor<8xf32>) : tensor<8xf32>
func.func @f(%a: tensor<8xf32>) -> (memref<2x3xf32>, memref<16xi32>) {
  %t = memref.get_global @table : memref<2x3xf32>
  %s = memref.get_global @space : memref<16xi32>
  %b = ml_program.global_load @sum : tensor<8xf32>
  %c = arith.addf %a, %b : tensor<8xf32>
  ml_program.global_store @sum = %c : tensor<8xf32>
  return %t, %s : memref<2x3xf32>, memref<16xi32>
}

//--- util.mlir
// UTIL: "util.global"() <{initial_value = dense<0.000000e+00> : tensor<1x16xf32>, {{.*}}sym_name = "state", {{.*}}type = tensor<1x16xf32>}>
// UTIL: type = tensor<8x16xf32>
// UTIL: "util.global.load"() <{global = @state}> : () -> tensor<1x16xf32>
// UTIL: "util.global.store"({{.*}}) <{global = @state}> : (tensor<1x16xf32>) -> ()
// BOTH: initial_value = dense<0.000000e+00> : tensor<f32>, {{.*}}type = tensor<f32>
// BOTH: type = tensor<8x16xf32>
// BOTH: "util.global.load"() <{global = @state}> : () -> tensor<f32>
"builtin.module"() ({
  "util.global"() <{initial_value = dense<0.0> : tensor<8x16xf32>, is_mutable, sym_name = "state", sym_visibility = "private", type = tensor<8x16xf32>}> : () -> ()
  "util.global"() <{initial_value = dense<0.0> : tensor<8x16xf32>, is_mutable, sym_name = "other", sym_visibility = "private", type = tensor<8x16xf32>}> : () -> ()
  "util.func"() <{function_type = (tensor<8x16xf32>) -> tensor<8x16xf32>, sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%a: tensor<8x16xf32>):
    %s = "util.global.load"() <{global = @state}> : () -> tensor<8x16xf32>
    %b = "arith.addf"(%a, %s) <{fastmath = #arith.fastmath<none>}> : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    "util.global.store"(%b) <{global = @state}> : (tensor<8x16xf32>) -> ()
    %p = "util.global.address"() <{global = @other}> : () -> !util.ptr<tensor<8x16xf32>>
    %q = "util.global.load.indirect"(%p) : (!util.ptr<tensor<8x16xf32>>) -> tensor<8x16xf32>
    "util.return"(%b) : (tensor<8x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
