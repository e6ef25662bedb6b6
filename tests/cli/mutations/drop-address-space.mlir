// Address spaces of LLVM pointers go, from all that is tied by them; a cast
// between spaces that are none goes, too.
// RUN: culprit-worker-mlir --apply drop-address-space %s > %t.out
// RUN: FileCheck %s < %t.out
// RUN: mlir-opt %t.out > /dev/null
// RUN: culprit-worker-mlir --try drop-address-space %s | FileCheck %s --check-prefix=TRY
// TRY: "sites": {{[1-9].*}} "invalid": 0,
// RUN: mlir-opt --mlir-print-op-generic %s -o %t.mlir
// RUN: culprit-worker-mlir --form opaque --apply drop-address-space %t.mlir | mlir-opt | FileCheck %s
// RUN: culprit-worker-mlir --apply drop-address-space --only 0 %s | FileCheck %s --check-prefix=FIRST

// CHECK-LABEL: llvm.func @caller(%arg0: !llvm.ptr, %arg1: !llvm.ptr)
// CHECK-NEXT: llvm.call @callee(%arg0) : (!llvm.ptr) -> ()
// FIRST-LABEL: llvm.func @caller(%arg0: !llvm.ptr, %arg1: !llvm.ptr<5>)
// FIRST-NEXT: llvm.call @callee(%arg0) : (!llvm.ptr) -> ()
llvm.func @caller(%p: !llvm.ptr<3>, %other: !llvm.ptr<5>) {
  llvm.call @callee(%p) : (!llvm.ptr<3>) -> ()
  llvm.return
}
// CHECK: llvm.func @callee(!llvm.ptr)
// FIRST: llvm.func @callee(!llvm.ptr)
llvm.func @callee(!llvm.ptr<3>)

// CHECK-LABEL: llvm.func @cast(%arg0: !llvm.ptr) -> i32
// CHECK-NEXT: llvm.load %arg0 : !llvm.ptr -> i32
llvm.func @cast(%p: !llvm.ptr<1>) -> i32 {
  %0 = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr
  %1 = llvm.load %0 : !llvm.ptr -> i32
  llvm.return %1 : i32
}

// The pointer to a global is of the global's space.
// CHECK: llvm.mlir.global internal @shared() {addr_space = 7 : i32}
llvm.mlir.global internal @shared() {addr_space = 7 : i32} : i32
// CHECK-LABEL: llvm.func @global() -> i32
// CHECK-NEXT: llvm.mlir.addressof @shared : !llvm.ptr<7>
llvm.func @global() -> i32 {
  %0 = llvm.mlir.addressof @shared : !llvm.ptr<7>
  %1 = llvm.load %0 : !llvm.ptr<7> -> i32
  llvm.return %1 : i32
}
