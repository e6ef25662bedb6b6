// RUN: culprit-worker-mlir --apply drop-operand --sites %s | FileCheck %s --check-prefix=SITES
// RUN: culprit-worker-mlir --apply drop-operand --only 1 %s | mlir-opt | FileCheck %s
// RUN: mlir-translate --mlir-to-llvmir %s -o %t.ll
// RUN: culprit-worker-mlir --form llvm --apply drop-operand %t.ll | FileCheck %s --check-prefix=NONE

// Arguments that a variadic function does not name.
// SITES: {{^}}0 weight=1
// SITES-NEXT: {{^}}1 weight=1
// SITES-NOT: {{^}}2
// CHECK: llvm.call @show(%arg0, %arg1) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
// NONE: call i32 (ptr, ...) @show(ptr %0)
// NONE: call void @hide(ptr %0, i32 %1)
llvm.func @show(!llvm.ptr, ...) -> i32
llvm.func @hide(!llvm.ptr, i32)
llvm.func @f(%p: !llvm.ptr, %a: i32, %b: f64) -> i32 {
  %0 = llvm.call @show(%p, %a, %b) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32, f64) -> i32
  llvm.call @hide(%p, %a) : (!llvm.ptr, i32) -> ()
  llvm.return %0 : i32
}
