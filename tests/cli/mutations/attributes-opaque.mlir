// What the tool says, where nothing here verifies it: what an operation of the llvm, vector or tosa
// dialect must have, and what its types follow from, stays as it is.
// RUN: mlir-opt-22 --mlir-print-op-generic %s -o %t.mlir
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: for m in drop-attributes simplify-attributes shrink-element-type; do culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --try $m --most 1000 --keep %t.d %t.mlir && for f in $(ls %t.d | grep mlir); do cat %t.d/$f && echo '// -----'; done | mlir-opt-22 --split-input-file -o %t.out || exit 1; done
// RUN: culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --apply drop-attributes --sites %t.mlir | grep -c . | FileCheck %s
// CHECK: {{^}}16{{$}}

llvm.mlir.global internal @g(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf64>) : !llvm.array<4 x f64>
llvm.mlir.global internal @z() : !llvm.struct<(i64, array<8 x f64>)> {
  %0 = llvm.mlir.zero : !llvm.struct<(i64, array<8 x f64>)>
  llvm.return %0 : !llvm.struct<(i64, array<8 x f64>)>
}
llvm.func @f(%p: !llvm.ptr, %i: i64) -> f64 {
  %c1 = llvm.mlir.constant(1 : i64) : i64
  %a = llvm.alloca %c1 x !llvm.array<16 x f64> : (i64) -> !llvm.ptr
  %s = llvm.alloca %c1 x !llvm.struct<(f64, i64, array<4 x f64>)> : (i64) -> !llvm.ptr
  %e = llvm.getelementptr %a[0, %i] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<16 x f64>
  %v = llvm.load %e : !llvm.ptr -> f64
  %u = llvm.mlir.undef : !llvm.struct<(f64, i64, array<4 x f64>)>
  %w = llvm.insertvalue %v, %u[0] : !llvm.struct<(f64, i64, array<4 x f64>)>
  %w2 = llvm.insertvalue %v, %w[2, 1] : !llvm.struct<(f64, i64, array<4 x f64>)>
  llvm.store %w2, %s : !llvm.struct<(f64, i64, array<4 x f64>)>, !llvm.ptr
  %x = llvm.extractvalue %w2[0] : !llvm.struct<(f64, i64, array<4 x f64>)>
  %r = llvm.mlir.addressof @g : !llvm.ptr
  %l = llvm.load %r : !llvm.ptr -> f64
  %y = llvm.fadd %x, %l : f64
  llvm.return %y : f64
}

func.func @v(%x: vector<2x4xf32>, %t: tensor<1x9x9x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> (f32, tensor<1x4x4x4xf32>) {
  %0 = vector.extract %x[1, 2] : f32 from vector<2x4xf32>
  %s = tosa.const_shape {values = dense<[1, 9, 9, 3]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %r = tosa.reshape %t, %s : (tensor<1x9x9x3xf32>, !tosa.shape<4>) -> tensor<1x9x9x3xf32>
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %c = tosa.conv2d %r, %w, %b, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x9x9x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x4x4xf32>
  return %0, %c : f32, tensor<1x4x4x4xf32>
}
