// Of layers that follow each other some go; what used their values takes those
// of a layer before, else what the first one took.
// RUN: culprit-worker-mlir --apply drop-repeated-layers --sites %s | count 7
// RUN: culprit-worker-mlir --apply drop-repeated-layers --only 0-1,3,4,6 %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --apply drop-repeated-layers %s | FileCheck %s --check-prefix=NONE
// RUN: culprit-worker-mlir --try drop-repeated-layers --most 1000 %s | FileCheck %s --check-prefix=TRY
// TRY: "unapplied": 0, "invalid": 0, "unparsable": 0, "died": 0
// The generic form of a tool that is not known.
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.generic
// RUN: culprit-worker-mlir --form opaque --apply drop-repeated-layers --only 0-1,3,4,6 %t.generic | mlir-opt | FileCheck %s

// Four layers of a straight line, attributes differ; the third is left.
// CHECK-LABEL: func.func @straight(%arg0: tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[W:.*]] = arith.constant dense<3.0{{.*}}>
// CHECK-NEXT: %[[A:.*]] = arith.mulf %arg0, %[[W]]
// CHECK-NEXT: %[[B:.*]] = math.exp %[[A]]
// CHECK-NEXT: %[[C:.*]] = arith.addf %[[B]], %arg0
// CHECK-NEXT: %[[S:.*]] = arith.subf %[[C]], %arg0
// CHECK-NEXT: return %[[S]]
// NONE-LABEL: func.func @straight(%arg0: tensor<4xf32>) -> tensor<4xf32>
// NONE-NEXT: %[[S:.*]] = arith.subf %arg0, %arg0
// NONE-NEXT: return %[[S]]
func.func @straight(%x: tensor<4xf32>) -> tensor<4xf32> {
  %w0 = arith.constant dense<1.0> : tensor<4xf32>
  %a0 = arith.mulf %x, %w0 : tensor<4xf32>
  %b0 = math.exp %a0 : tensor<4xf32>
  %c0 = arith.addf %b0, %x : tensor<4xf32>
  %w1 = arith.constant dense<2.0> : tensor<4xf32>
  %a1 = arith.mulf %c0, %w1 : tensor<4xf32>
  %b1 = math.exp %a1 : tensor<4xf32>
  %c1 = arith.addf %b1, %c0 : tensor<4xf32>
  %w2 = arith.constant dense<3.0> : tensor<4xf32>
  %a2 = arith.mulf %c1, %w2 : tensor<4xf32>
  %b2 = math.exp %a2 : tensor<4xf32>
  %c2 = arith.addf %b2, %c1 : tensor<4xf32>
  %w3 = arith.constant dense<4.0> : tensor<4xf32>
  %a3 = arith.mulf %c2, %w3 : tensor<4xf32>
  %b3 = math.exp %a3 : tensor<4xf32>
  %c3 = arith.addf %b3, %c2 : tensor<4xf32>
  // It follows the first, too.
  %s = arith.subf %c3, %c0 : tensor<4xf32>
  return %s : tensor<4xf32>
}

// A call per layer: the functions go with them.
// CHECK-NOT: @layer_0
// CHECK: func.func private @layer_1
// CHECK-NOT: @layer_2
// CHECK-LABEL: func.func @calls(%arg0: vector<2xf32>) -> vector<2xf32>
// CHECK-NEXT: %[[R:.*]] = call @layer_1(%arg0)
// CHECK-NEXT: return %[[R]]
// NONE-NOT: @layer_
// NONE-LABEL: func.func @calls(%arg0: vector<2xf32>)
// NONE-NEXT: return %arg0
func.func private @layer_0(%x: vector<2xf32>) -> vector<2xf32> {
  %a = math.exp %x : vector<2xf32>
  %b = math.sin %a : vector<2xf32>
  return %b : vector<2xf32>
}
func.func private @layer_1(%x: vector<2xf32>) -> vector<2xf32> {
  %a = math.exp %x : vector<2xf32>
  %b = math.cos %a : vector<2xf32>
  return %b : vector<2xf32>
}
func.func private @layer_2(%x: vector<2xf32>) -> vector<2xf32> {
  %a = math.exp %x : vector<2xf32>
  %b = math.sin %a : vector<2xf32>
  return %b : vector<2xf32>
}
func.func @calls(%x: vector<2xf32>) -> vector<2xf32> {
  %a = func.call @layer_0(%x) : (vector<2xf32>) -> vector<2xf32>
  %b = func.call @layer_1(%a) : (vector<2xf32>) -> vector<2xf32>
  %c = func.call @layer_2(%b) : (vector<2xf32>) -> vector<2xf32>
  return %c : vector<2xf32>
}
