// What stands in pairs, each of which a verifier counts: none goes alone, and no run of
// statements is whole.
// TEST: %cli/Inputs/pairs.py nested "$1" 2>&1 | grep -q 'cannot lower'
// OPTIONS: --form mlir-text
func.func @f() {
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.end"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.fail"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.begin"() : () -> ()
  "t.end"() : () -> ()
  "t.begin"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.also"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  "t.end"() : () -> ()
  return
}
