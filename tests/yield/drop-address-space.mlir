// TOOL: --has llvm.load
llvm.func @f(%p: !llvm.ptr<3>) -> i32 {
  %0 = llvm.load %p : !llvm.ptr<3> -> i32
  llvm.return %0 : i32
}
