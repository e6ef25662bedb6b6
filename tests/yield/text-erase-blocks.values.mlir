// TOOL: --defined --like 'func.func @[^{]*[{].*x.frob"[(]%[a-z0-9]+[)] : [(]i32.*return.*}'
// OPTIONS: --form text
func.func @f(%a: f32) {
  %0 = "x.neg"(%a) : (f32) -> i32
  "x.frob"(%0) : (i32) -> ()
  return
}
