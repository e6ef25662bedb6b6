// TOOL: --defined --like 'func.func @g.*x.b %.*func.call @g'
// TOOL: --like '@g[(]%[a-z0-9_]+: i[0-9]+[)].*x.b %.*@g[(]%[a-z0-9_]+[)] : [(]i[0-9]+[)]|@g[(]%[a-z0-9_]+: i[0-9]+, %[a-z0-9_]+: i[0-9]+[)].*x.b %.*@g[(]%[a-z0-9_]+, %[a-z0-9_]+[)] : [(]i[0-9]+, i[0-9]+[)]|@g[(]%[a-z0-9_]+: i[0-9]+, %[a-z0-9_]+: i[0-9]+, %[a-z0-9_]+: i[0-9]+[)].*x.b %.*@g[(]%[a-z0-9_]+, %[a-z0-9_]+, %[a-z0-9_]+[)] : [(]i[0-9]+, i[0-9]+, i[0-9]+[)]'
// OPTIONS: --form mlir-text
func.func @g(%a: i32, %b: i64, %c: i16) {
  x.b %b
  return
}
func.func @f(%a: i32, %b: i64, %c: i16) {
  func.call @g(%a, %b, %c) : (i32, i64, i16) -> ()
  return
}
