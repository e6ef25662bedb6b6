// A tool whose input shows functions of its own dialect only need not know
// the dialect func: no candidate is spent on it.
// RUN: culprit-worker-mlir --form opaque --apply outline-to-func --sites %s | count 0
// RUN: culprit-worker-mlir --form opaque --apply plain-function --sites %s | count 0
// RUN: sed 's/tt\.func/gpu.func/' %s > %t.gpu
// RUN: culprit-worker-mlir --form opaque --apply outline-to-func --sites %t.gpu | count 2
// RUN: culprit-worker-mlir --form opaque --apply plain-function --sites %t.gpu | count 1
"builtin.module"() ({
  "tt.func"() <{function_type = (f32) -> (), sym_name = "kernel"}> ({
  ^bb0(%a: f32):
    %0 = "arith.addf"(%a, %a) : (f32, f32) -> f32
    "tt.print"(%0) : (f32) -> ()
    "tt.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
