// Types of other dialects in the opaque form: sizes and elements are read from
// their text, whoever owns it.
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension --only 0 %s | FileCheck %s --check-prefix=TORCH
// RUN: culprit-worker-mlir --form opaque --apply shrink-dimension %s | FileCheck %s --check-prefix=ALL
// RUN: culprit-worker-mlir --form opaque --apply drop-dimension %s | FileCheck %s --check-prefix=RANK
// RUN: culprit-worker-mlir --form opaque --apply shrink-element-type %s | FileCheck %s --check-prefix=ELEMENT
// RUN: culprit-worker-mlir --form opaque --apply static-dimension --only 0 %s | FileCheck %s --check-prefix=STATIC
// RUN: culprit-worker-mlir --form opaque --try shrink-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try drop-dimension --most 1000 %s | FileCheck %s --check-prefix=TRY
// RUN: culprit-worker-mlir --form opaque --try shrink-element-type --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0

// One edit: the value, what is added to it, the literal, the signature.
// TORCH: function_type = (!torch.vtensor<[1,3],f32>, {{.*}}) -> !torch.vtensor<[1,3],f32>
// TORCH: value = dense<1.000000e+00> : tensor<1x3xf32>{{.*}} -> !torch.vtensor<[1,3],f32>
// TORCH: "torch.aten.add.Tensor"{{.*}} : (!torch.vtensor<[1,3],f32>, !torch.vtensor<[1,3],f32>, !torch.int) -> !torch.vtensor<[1,3],f32>
// TORCH: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>

// What is loaded is all of it, still.
// ALL: ^bb0({{.*}}!cul.type<vector<1x!llvm.ptr>>
// ALL: "flow.dispatch.tensor.load"{{.*}}static_sizes = array<i64: 1, 1>{{.*}} : (!flow.dispatch.tensor<readonly:tensor<1x1xf32>>) -> tensor<1x1xf32>
// ALL: !ttg.memdesc<1x1xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>

// A memory descriptor's order is made for its rank; what has none can go.
// RANK: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>
// RANK: !flow.dispatch.tensor<writeonly:tensor<i32>>
// RANK: "flow.dispatch.tensor.store"{{.*}}static_offsets = array<i64>, static_sizes = array<i64>, static_strides = array<i64>{{.*}} : (tensor<i32>, !flow.dispatch.tensor<writeonly:tensor<i32>>) -> ()

// What is stored, and what the address points to.
// ELEMENT: "tt.splat"({{.*}}) : (!tt.ptr<f16>) -> tensor<4x8x!tt.ptr<f16>>
// ELEMENT: "tt.store"({{.*}}) : (tensor<4x8x!tt.ptr<f16>>, tensor<4x8xf16>) -> ()

// STATIC: !torch.vtensor<[1],si64>
"builtin.module"() ({
  "func.func"() <{function_type = (!torch.vtensor<[2,3],f32>, !flow.dispatch.tensor<readonly:tensor<4x8xf32>>, !flow.dispatch.tensor<writeonly:tensor<5x6xi32>>, !tt.ptr<f32>, !cul.type<vector<4x!llvm.ptr>>, !torch.vtensor<[?],si64>) -> !torch.vtensor<[2,3],f32>, sym_name = "f"}> ({
  ^bb0(%x: !torch.vtensor<[2,3],f32>, %d: !flow.dispatch.tensor<readonly:tensor<4x8xf32>>, %w: !flow.dispatch.tensor<writeonly:tensor<5x6xi32>>, %p: !tt.ptr<f32>, %v: !cul.type<vector<4x!llvm.ptr>>, %n: !torch.vtensor<[?],si64>):
    %l = "torch.vtensor.literal"() <{value = dense<1.0> : tensor<2x3xf32>}> : () -> !torch.vtensor<[2,3],f32>
    %i = "torch.constant.int"() <{value = 1 : i64}> : () -> !torch.int
    %a = "torch.aten.add.Tensor"(%x, %l, %i) : (!torch.vtensor<[2,3],f32>, !torch.vtensor<[2,3],f32>, !torch.int) -> !torch.vtensor<[2,3],f32>
    %t = "flow.dispatch.tensor.load"(%d) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>}> : (!flow.dispatch.tensor<readonly:tensor<4x8xf32>>) -> tensor<4x8xf32>
    %s = "ttg.local_alloc"(%t) : (tensor<4x8xf32>) -> !ttg.memdesc<4x8xf32, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>, #ttg.shared_memory>
    %q = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<4x8x!tt.ptr<f32>>
    "tt.store"(%q, %t) : (tensor<4x8x!tt.ptr<f32>>, tensor<4x8xf32>) -> ()
    %c = "arith.constant"() <{value = dense<7> : tensor<5x6xi32>}> : () -> tensor<5x6xi32>
    "flow.dispatch.tensor.store"(%c, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 5, 6>, static_strides = array<i64: 1, 1>}> : (tensor<5x6xi32>, !flow.dispatch.tensor<writeonly:tensor<5x6xi32>>) -> ()
    "func.return"(%a) : (!torch.vtensor<[2,3],f32>) -> ()
  }) : () -> ()
}) : () -> ()
