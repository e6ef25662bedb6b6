// OPTIONS: --reduce-command
// TOOL: --has func.func --like 'builtin.module.*canonicalize'
module {
  func.func @f() {
    return
  }
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(cse,canonicalize),symbol-dce,inline)",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
