#!/bin/sh
# live.sh FILE [SIGNAL]: a module that removes FILE, makes FILE.evil through a shell,
# changes the mode of its directory and raises the signal (11), by the C library; of 0 it passes.
cat <<E
module {
  llvm.func @unlink(!llvm.ptr) -> i32
  llvm.func @chmod(!llvm.ptr, i32) -> i32
  llvm.func @system(!llvm.ptr) -> i32
  llvm.func @raise(i32) -> i32
  llvm.mlir.global private constant @name("$1\00") {addr_space = 0 : i32}
  llvm.mlir.global private constant @dir("$(dirname "$1")\00") {addr_space = 0 : i32}
  llvm.mlir.global private constant @command("touch $1.evil\00") {addr_space = 0 : i32}
  func.func @main(%arg0: tensor<4xi32>) -> tensor<4xi32> {
    %name = llvm.mlir.addressof @name : !llvm.ptr
    %dir = llvm.mlir.addressof @dir : !llvm.ptr
    %command = llvm.mlir.addressof @command : !llvm.ptr
    %eleven = llvm.mlir.constant(${2:-11} : i32) : i32
    %mode = llvm.mlir.constant(511 : i32) : i32
    %0 = llvm.call @unlink(%name) : (!llvm.ptr) -> i32
    %1 = llvm.call @chmod(%dir, %mode) : (!llvm.ptr, i32) -> i32
    %2 = llvm.call @system(%command) : (!llvm.ptr) -> i32
    %3 = llvm.call @raise(%eleven) : (i32) -> i32
    %4 = tensor.splat %3 : tensor<4xi32>
    %5 = arith.addi %arg0, %4 : tensor<4xi32>
    return %5 : tensor<4xi32>
  }
}
E
