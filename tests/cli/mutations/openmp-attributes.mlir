// What an operation of OpenMP must say, says as often as it has operands, or says
// because of what is inside it, stays or goes with that: also in a form whose
// operations nobody knows.  A reduction keeps its regions and their type.
// RUN: mlir-opt-22 --mlir-print-op-generic --mlir-print-local-scope %s -o %t.mlir
// RUN: rm -rf %t.d && mkdir %t.d
// RUN: for m in simplify-attributes shrink-constants erase empty-region drop-regions drop-operand shrink-element-type; do culprit-worker-mlir --form opaque --try $m --keep %t.d %t.mlir && for f in $(ls %t.d | grep mlir); do cat %t.d/$f && echo '// -----'; done | mlir-opt-22 --split-input-file -o %t.out || exit 1; done
// RUN: culprit-worker-mlir --form opaque --verifier 'mlir-opt-22 --mlir-print-op-generic --split-input-file @@ 2>/dev/null' --apply drop-attributes --sites %t.mlir | count 50
// RUN: culprit-worker-mlir --form opaque --apply drop-operand --sites %t.mlir | count 3

omp.private {type = private} @own : i32
omp.declare_reduction @add : f32 init {
^bb0(%x: f32):
  %0 = llvm.mlir.constant(0.0 : f32) : f32
  omp.yield(%0 : f32)
} combiner {
^bb0(%a: f32, %b: f32):
  %1 = llvm.fadd %a, %b : f32
  omp.yield(%1 : f32)
}
omp.critical.declare @mutex hint(contended)
llvm.func @g(%a: !llvm.ptr)
llvm.func @w(%l: i32, %u: i32, %s: i32, %p: !llvm.ptr, %q: !llvm.ptr, %c: i1, %n: i32) {
  omp.parallel if(%c) num_threads(%n : i32) proc_bind(close) private(@own %q -> %qq : !llvm.ptr) {
    omp.wsloop nowait schedule(dynamic = %n : i32, nonmonotonic) ordered(1) reduction(@add %p -> %r : !llvm.ptr) {
      omp.loop_nest (%i, %j) : i32 = (%l, %l) to (%u, %u) inclusive step (%s, %s) {
        %0 = llvm.load %r : !llvm.ptr -> f32
        llvm.store %0, %r {alignment = 4 : i64} : f32, !llvm.ptr
        omp.yield
      }
    }
    omp.terminator
  }
  omp.teams num_teams(%n : i32 to %n : i32) {
    omp.parallel {
      omp.distribute dist_schedule_static {
        omp.wsloop {
          omp.loop_nest (%i) : i32 = (%l) to (%u) step (%s) {
            llvm.store %i, %q : i32, !llvm.ptr
            omp.yield
          }
        } {omp.composite}
      } {omp.composite}
      omp.terminator
    } {omp.composite}
    omp.terminator
  }
  omp.sections nowait {
    omp.section {
      llvm.call @g(%p) : (!llvm.ptr) -> ()
      omp.terminator
    }
    omp.section {
      llvm.call @g(%q) : (!llvm.ptr) -> ()
      omp.terminator
    }
    omp.terminator
  }
  omp.single nowait {
    omp.critical(@mutex) {
      omp.task if(%c) untied mergeable depend(taskdependin -> %p : !llvm.ptr, taskdependout -> %q : !llvm.ptr) {
        llvm.call @g(%p) : (!llvm.ptr) -> ()
        omp.terminator
      }
      omp.terminator
    }
    omp.terminator
  }
  omp.simd simdlen(4) order(concurrent) {
    omp.loop_nest (%i) : i32 = (%l) to (%u) step (%s) {
      llvm.store %i, %q : i32, !llvm.ptr
      omp.yield
    }
  }
  omp.atomic.update hint(speculative) memory_order(seq_cst) %q : !llvm.ptr {
  ^bb0(%x: i32):
    %y = llvm.add %x, %l : i32
    omp.yield(%y : i32)
  }
  %v = llvm.mlir.constant(1 : i64) : i64
  omp.atomic.write %q = %l memory_order(release) : !llvm.ptr, i32
  omp.atomic.read %q = %p memory_order(acquire) : !llvm.ptr, !llvm.ptr, i32
  %m = omp.map.info var_ptr(%q : !llvm.ptr, i32) map_clauses(tofrom) capture(ByRef) -> !llvm.ptr {name = "x"}
  omp.barrier
  omp.taskwait
  omp.flush
  llvm.return
}
