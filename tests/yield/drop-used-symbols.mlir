// Both, or none.
// TOOL: --has test.keep --like '(call @.*call @.*func.func private.*func.func private)|^[^@]*$'
"test.keep"() : () -> ()
func.call @a() : () -> ()
func.call @b() : () -> ()
func.func private @a()
func.func private @b()
