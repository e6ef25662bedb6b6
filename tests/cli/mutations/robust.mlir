// Every mutation at every site, and at many subsets: no process dies, and what
// is called valid parses again.
// RUN: culprit-worker-mlir --try all --most 12 %s > %t.native
// RUN: grep -v pass-inline %t.native | FileCheck %s
// RUN: mlir-opt-22 --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-local-scope %s > %t.generic
// RUN: culprit-worker-mlir --form opaque --try all --most 12 %t.generic > %t.opaque
// RUN: FileCheck %s < %t.opaque

// The same again, at other addresses.  (pass-inline: the inliner of MLIR 22 dies
// on this module.)
// RUN: culprit-worker-mlir --try all --most 12 %s | diff - %t.native

// CHECK: "mutation": "outline-segment"
// CHECK-NOT: "unparsable": {{[1-9]}}
// CHECK-NOT: "died": {{[1-9]}}
#space = #gpu.address_space<workgroup>
#map = affine_map<(d0, d1) -> (d0, d1)>
module attributes {gpu.container_module, note.x = [@f, "s"]} {
  memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>
  gpu.module @kernels {
    gpu.func @k(%m: memref<64xf32>, %n: index)
        workgroup(%w: memref<64xf32, #space>) private(%p: memref<1xi32, 5>) kernel {
      %i = gpu.thread_id x
      %v = memref.load %m[%i] : memref<64xf32>
      memref.store %v, %w[%i] : memref<64xf32, #space>
      gpu.barrier
      %c = arith.cmpi slt, %i, %n : index
      scf.if %c {
        %x = memref.load %w[%n] : memref<64xf32, #space>
        memref.store %x, %m[%i] : memref<64xf32>
      }
      gpu.return
    }
  }
  llvm.mlir.global internal @g(3 : i32) : i32
  llvm.func @printf(!llvm.ptr, ...) -> i32
  llvm.func @l(%a: i32 {llvm.noundef}, %b: !llvm.ptr) -> (i32 {llvm.signext}) {
    %0 = llvm.mlir.addressof @g : !llvm.ptr
    %1 = llvm.load %0 : !llvm.ptr -> i32
    %2 = llvm.icmp "eq" %1, %a : i32
    llvm.cond_br %2, ^x(%a : i32), ^y
  ^x(%p: i32):
    %3 = llvm.call @printf(%b, %p) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i32) -> i32
    llvm.switch %3 : i32, ^y [1: ^x(%1 : i32), 2: ^y]
  ^y:
    %4 = llvm.add %1, %a overflow<nsw> : i32
    llvm.return %4 : i32
  }
  func.func private @external(tensor<?xf32>) -> (f32, index)
  func.func @f(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>, %n: index, %c: i1)
      -> (tensor<4x8xf32>, f32) attributes {note.y = {k = 1 : i8}} {
    %z = arith.constant 0.0 : f32
    %k = arith.constant dense<[[1], [2]]> : tensor<2x1xi64>
    %0 = linalg.generic {indexing_maps = [#map, #map, #map],
        iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<4x8xf32>, tensor<4x8xf32>) outs(%a : tensor<4x8xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %s = arith.mulf %x, %y fastmath<fast> : f32
      %t = arith.addf %s, %o : f32
      linalg.yield %t : f32
    } -> tensor<4x8xf32>
    %1 = tensor.empty() : tensor<8x8xf32>
    %2 = linalg.fill ins(%z : f32) outs(%1 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = tensor.extract_slice %2[0, 0] [%n, 8] [1, 1] : tensor<8x8xf32> to tensor<?x8xf32>
    %4 = tensor.collapse_shape %3 [[0, 1]] : tensor<?x8xf32> into tensor<?xf32>
    %5:2 = call @external(%4) : (tensor<?xf32>) -> (f32, index)
    %6:2 = scf.for %i = %n to %5#1 step %n iter_args(%u = %5#0, %w = %0)
        -> (f32, tensor<4x8xf32>) {
      %7 = scf.if %c -> f32 {
        %8 = tensor.extract %w[%i, %n] : tensor<4x8xf32>
        scf.yield %8 : f32
      } else {
        scf.yield %u : f32
      }
      %9 = "unknown.op"(%7) <{p = @external, q = "}>"}> ({
        "unknown.yield"(%i) : (index) -> ()
      }) {r} : (f32) -> f32
      scf.yield %9, %w : f32, tensor<4x8xf32>
    }
    return %6#1, %6#0 : tensor<4x8xf32>, f32
  }
  func.func @launch(%m: memref<64xf32>, %n: index) {
    %c8 = arith.constant 8 : index
    gpu.launch_func @kernels::@k blocks in (%c8, %c8, %c8) threads in (%c8, %c8, %c8)
        args(%m : memref<64xf32>, %n : index)
    affine.for %i = 0 to 8 {
      affine.for %j = affine_map<(d0) -> (d0)>(%i) to 16 step 2 {
        %v = affine.load %m[%i + %j * 2] : memref<64xf32>
        affine.store %v, %m[%j] : memref<64xf32>
      }
    }
    %g = memref.get_global @table : memref<4xf32>
    %s = memref.subview %m[%n] [4] [1] : memref<64xf32> to memref<4xf32, strided<[1], offset: ?>>
    memref.copy %g, %s : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
    scf.parallel (%i) = (%n) to (%c8) step (%c8) init (%n) -> index {
      scf.reduce(%i : index) {
      ^bb0(%x: index, %y: index):
        %r = arith.addi %x, %y : index
        scf.reduce.return %r : index
      }
    }
    %v0 = arith.constant 0.0 : f32
    %p = vector.transfer_read %m[%n], %v0 : memref<64xf32>, vector<[4]xf32>
    return
  }
}
