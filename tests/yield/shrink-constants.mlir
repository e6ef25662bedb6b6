// TOOL: --has 'x ='
"test.a"() {x = 17 : i32} : () -> ()
