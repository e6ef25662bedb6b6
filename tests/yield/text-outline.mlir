// TOOL: --defined --like '%([a-z0-9_]+) = "x.frob".*%\1'
// TOOL: --needs gpu.func 'gpu.module @' --like 'func[^{]*[{].*frob.*return.*}'
// OPTIONS: --form mlir-text
gpu.module @m {
  gpu.func @k(%a: i32, %b: i32) kernel {
    %0 = "x.mul"(%a, %b) : (i32, i32) -> i32
    %1 = "x.frob"(%0, %b) : (i32, i32) -> i32
    %2 = "x.add"(%1, %1) : (i32, i32) -> i32
    "x.print"(%2) : (i32) -> ()
    gpu.return
  }
}
