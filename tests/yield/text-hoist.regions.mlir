// TEST: grep -zq 'x.a.*x.b' "$1" && mlir-opt --allow-unregistered-dialect "$1" 2>/dev/null | grep -zq 'x.a.*x.b'
// OPTIONS: --form mlir-text
func.func @f(%b: i1) {
  "x.a"() : () -> ()
  scf.if %b {
    "x.b"() : () -> ()
    scf.yield
  }
  return
}
