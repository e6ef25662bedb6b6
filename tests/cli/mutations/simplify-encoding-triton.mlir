// Triton wants all parameters of its layouts but those of clusters.
// RUN: culprit-worker-mlir --form opaque --apply simplify-encoding --sites %s | count 1
// RUN: culprit-worker-mlir --form opaque --apply simplify-encoding %s | FileCheck %s

// CHECK: #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>>) -> ()
"builtin.module"() ({
  "tt.func"() <{function_type = () -> (), sym_name = "kernel"}> ({
    %0 = "test.make"() : () -> tensor<128xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>>
    "test.use"(%0) : (tensor<128xf32, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0], CGALayout = [[0]]}>>) -> ()
    %1 = "test.make"() : () -> tensor<128x64xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>}>>
    "test.use"(%1) : (tensor<128x64xf16, #ttg.slice<{dim = 1, parent = #ttg.blocked<{sizePerThread = [1, 1, 1], threadsPerWarp = [32, 1, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>}>>) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
