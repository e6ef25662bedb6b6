#map = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<4x?xf32>) -> tensor<*xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<4x?xf32>):
    %0:2 = "a.b"(%arg0) {x = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>, y = @f::@g} : (tensor<4x?xf32>) -> (i32, vector<[4]xf32>)
    "cf.br"(%0#1)[^bb1] : (vector<[4]xf32>) -> ()
  ^bb1(%1: vector<[4]xf32>):  // pred: ^bb0
    "func.return"(%0#0) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
{-#
  dialect_resources: { builtin: { blob: "0x08000000" } }
#-}
