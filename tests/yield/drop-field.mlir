// TOOL: --like 'insertvalue .*\[[0-9], 1\].*test.size'
llvm.func @f(%memref: !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>, %stride: i64) {
  %0 = llvm.insertvalue %stride, %memref[4, 1] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
  %1 = llvm.extractvalue %0[3, 0] : !llvm.struct<(ptr, ptr, i64, array<2 x i64>, array<2 x i64>)>
  "test.size"(%1) : (i64) -> ()
  llvm.return
}
