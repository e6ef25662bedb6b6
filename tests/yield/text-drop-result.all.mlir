// TOOL: --has x.frob --like 'func @[a-z]+[(][^)]*[)] (-> .*return %|[{].*return *.})'
// OPTIONS: --form text
func.func @f(%a: i32) -> i32 {
  x.frob
  return %a : i32
}
