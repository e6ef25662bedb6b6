// A counter, or an argument of the function: no constant.
// OPTIONS: --form opaque
// TOOL: --like 'func.func.*test.a.*test.use"\(%arg.*test.too'
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
  "test.a"() : () -> ()
  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (8)>}> ({
  ^bb0(%arg0: index):
    "test.use"(%arg0) : (index) -> ()
    "test.too"(%arg0) : (index) -> ()
    "affine.yield"() : () -> ()
  }) : () -> ()
  "func.return"() : () -> ()
}) : () -> ()
