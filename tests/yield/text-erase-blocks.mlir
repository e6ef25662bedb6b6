// TOOL: --has x.frob
// OPTIONS: --form mlir-text
module {
  x.func @f(%a: i32, %b: i1) {
    x.print %a : i32
    x.if %b {
      x.print %a : i32
      x.yield
    }
    x.frob %a : i32
    x.return
  }
}
