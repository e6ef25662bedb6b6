// No verifier of Triton's is at hand: users whose types are tied take no other;
// a cast of elements takes another that it casts from.  Seven sites: casts for
// the address, for both operands of the first sum, of the second, whose user
// takes its second operand as it is; and the cast's result goes.
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --sites %s | count 7
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 0 %s | FileCheck %s --check-prefix=ADDRESS
// RUN: culprit-worker-mlir --form opaque --apply bridge-type --only 4 %s | FileCheck %s

"builtin.module"() ({
  "tt.func"() <{function_type = (!tt.ptr<f32>, tensor<128xi32>, tensor<128xf16>) -> (), sym_name = "tied"}> ({
  ^bb0(%p: !tt.ptr<f32>, %i: tensor<128xi32>, %h: tensor<128xf16>):
    // ADDRESS: "builtin.unrealized_conversion_cast"(%{{.*}}) : (tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    %0 = "tt.splat"(%p) : (!tt.ptr<f32>) -> tensor<128x!tt.ptr<f32>>
    %1 = "tt.addptr"(%0, %i) : (tensor<128x!tt.ptr<f32>>, tensor<128xi32>) -> tensor<128x!tt.ptr<f32>>
    %2 = "test.mix"(%i, %h) : (tensor<128xi32>, tensor<128xf16>) -> tensor<128xf32>
    "tt.store"(%1, %2) : (tensor<128x!tt.ptr<f32>>, tensor<128xf32>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
  // CHECK: sym_name = "free"
  "tt.func"() <{function_type = (tensor<128xi32>, tensor<128xf16>) -> (), sym_name = "free"}> ({
  // CHECK: ^bb0(%[[I:.*]]: tensor<128xi32>, %[[H:.*]]: tensor<128xf16>
  ^bb0(%i: tensor<128xi32>, %h: tensor<128xf16>):
    %0 = "test.mix"(%i, %h) : (tensor<128xi32>, tensor<128xf16>) -> tensor<128xf32>
    // CHECK-NEXT: "arith.extf"(%[[H]]) {{.*}}: (tensor<128xf16>) -> tensor<128xf64>
    %1 = "arith.extf"(%0) <{fastmath = #arith.fastmath<none>}> : (tensor<128xf32>) -> tensor<128xf64>
    "test.use"(%1) : (tensor<128xf64>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
