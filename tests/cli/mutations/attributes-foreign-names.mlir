// In the opaque form the rule of an operation says which numbers its types
// follow from; the same names mean nothing of an operation without a rule.
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes %s | FileCheck %s
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%a: tensor<4x8xf32>):
    // CHECK: "mydialect.boom"() {permutation = array<i64>}
    "mydialect.boom"() {permutation = array<i64: 5, 7>} : () -> ()
    // CHECK: "stablehlo.transpose"({{.*}}permutation = array<i64: 1, 0>
    %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 1, 0>}> : (tensor<4x8xf32>) -> tensor<8x4xf32>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
