// TOOL: --like 'func.*test.a.*return'
llvm.func @f() {
  "test.a"() : () -> ()
  llvm.return
}
