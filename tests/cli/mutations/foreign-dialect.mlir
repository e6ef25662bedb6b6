// Functions, calls and loops of a dialect that nobody here knows.
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 0 %s | FileCheck %s --check-prefix=ARG
// RUN: culprit-worker-mlir --form opaque --apply change-signature --only 2 %s | FileCheck %s --check-prefix=RESULT
// RUN: culprit-worker-mlir --form opaque --apply return-slice --only 1 %s | FileCheck %s --check-prefix=RETURN
// RUN: culprit-worker-mlir --form opaque --apply drop-used-symbols --only 0 %s | FileCheck %s --check-prefix=USED
// RUN: culprit-worker-mlir --form opaque --apply drop-body --only 0 %s | FileCheck %s --check-prefix=BODY
// RUN: culprit-worker-mlir --form opaque --apply inline-call --only 0 %s | FileCheck %s --check-prefix=INLINE
// RUN: culprit-worker-mlir --form opaque --apply drop-region-result --only 0 %s | FileCheck %s --check-prefix=LOOP
// RUN: culprit-worker-mlir --form opaque --apply inline-region --only 0 %s | FileCheck %s --check-prefix=FLAT
// RUN: culprit-worker-mlir --form opaque --apply rename-symbols %s | FileCheck %s --check-prefix=NAMES

// ARG: "my.func"() <{function_type = (!my.t, i32) -> (i32, !my.t), my.extra = 1 : i32, sym_name = "callee"
// ARG-NEXT: ^bb0(%[[A:.*]]: !my.t, %[[B:.*]]: i32):
// ARG: "my.call"(%{{.*}}, %{{.*}}) <{callee = @callee}> : (!my.t, i32) -> (i32, !my.t)

// RESULT: function_type = (i32, !my.t, i32) -> !my.t
// RESULT: "my.return"(%{{.*}}) : (!my.t) -> ()
// RESULT: "my.call"(%{{.*}}) <{callee = @callee}> : (i32, !my.t, i32) -> !my.t

// RETURN: function_type = (i32, !my.t, i32) -> !my.u
// RETURN: %[[R:.*]] = "my.op"
// RETURN-NEXT: "my.return"(%[[R]]) : (!my.u) -> ()
// RETURN: "my.call"(%{{.*}}) <{callee = @callee}> : (i32, !my.t, i32) -> !my.u
// RETURN-NEXT: "my.for"(%arg0, %arg1)

// USED-NOT: sym_name = "callee"
// USED: sym_name = "caller"
// USED-NOT: my.call

// BODY: "my.func"() <{{.*}}sym_name = "callee"}> ({
// BODY-NEXT: }) {sym_visibility = "private"} : () -> ()

// INLINE-NOT: "callee"
// INLINE: ^bb0(%[[A:.*]]: i32, %[[T:.*]]: !my.t):
// INLINE-NEXT: %[[U:.*]] = "my.op"(%[[A]])
// INLINE-NEXT: %[[I:.*]] = "my.other"(%[[U]])
// INLINE-NEXT: "my.for"(%[[I]], %[[T]])

// LOOP: "my.for"(%{{.*}}) <{operandSegmentSizes = array<i32: 1, 0>}> ({
// LOOP-NEXT: ^bb0(%{{.*}}: i32):
// LOOP: "my.yield"() : () -> ()

// FLAT-NOT: my.for
// FLAT: "my.step"
// FLAT-NEXT: "my.return"

// NAMES: sym_name = "f"
// NAMES: sym_name = "f1"
// NAMES: callee = @f}>
"builtin.module"() ({
  "my.func"() <{function_type = (i32, !my.t, i32) -> (i32, !my.t), my.extra = 1 : i32, sym_name = "callee"}> ({
  ^bb0(%a: i32, %t: !my.t, %b: i32):
    %0 = "my.op"(%b) : (i32) -> !my.u
    %1 = "my.other"(%0) <{p = #my.attr<1>}> : (!my.u) -> i32
    "my.return"(%1, %t) : (i32, !my.t) -> ()
  }) : () -> ()
  "my.func"() <{function_type = (i32, !my.t) -> !my.t, sym_name = "caller"}> ({
  ^bb0(%a: i32, %t: !my.t):
    %0:2 = "my.call"(%a, %t, %a) <{callee = @callee}> : (i32, !my.t, i32) -> (i32, !my.t)
    %1 = "my.for"(%0#0, %0#1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%i: i32, %x: !my.t):
      %2 = "my.step"(%x, %i) : (!my.t, i32) -> !my.t
      "my.yield"(%2) : (!my.t) -> ()
    }) : (i32, !my.t) -> !my.t
    "my.return"(%1) : (!my.t) -> ()
  }) : () -> ()
}) : () -> ()
