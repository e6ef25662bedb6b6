// TOOL: --has test.a
"test.a"() {x = 1 : i32} : () -> ()
