// TEST: grep -zq 'scf.for.*x.frob.*x.use' "$1" && mlir-opt-22 --allow-unregistered-dialect --mlir-print-op-generic "$1" | tr '\n' ' ' | grep -Eq '%([0-9a-z]+)(:[0-9]+)? = "scf.for".*"x.frob".*"x.use".%\1'
// OPTIONS: --form mlir-text
func.func @f(%n: index, %a: i32, %b: f32) {
  %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %b, %y = %a) -> (f32, i32) {
    %s = "x.frob"(%y) : (i32) -> i32
    scf.yield %x, %s : f32, i32
  }
  "x.use"(%r#1) : (i32) -> ()
  return
}
