// Which results stand in operands' memory follows from the call: nothing to
// simplify.
// RUN: culprit-worker-mlir --form opaque --apply simplify-attributes --sites %s | count 1
"builtin.module"() ({
  "util.func"() <{function_type = (i32) -> i32, sym_name = "f", tied_operands = [0 : index]}> ({
  ^bb0(%a: i32):
    %r = "util.call"(%a) <{callee = @f, tied_operands = [0 : index]}> {list = [1 : index]} : (i32) -> i32
    "util.return"(%r) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
