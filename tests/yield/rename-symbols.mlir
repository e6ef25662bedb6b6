// TOOL: --like 'call @.*func.func private @'
func.func @f() {
  call @long_name() : () -> ()
  return
}
func.func private @long_name()
