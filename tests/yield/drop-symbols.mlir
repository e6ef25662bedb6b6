// Two functions that call each other go together, or neither; what stands
// between them stays, and so do its calls.
// TOOL: --like 'module \{[^@{]*call @[^{]*func @[^{]*\{[^{]*call @[^{]*private @[^{]*func @[^{]*\{[^{]*call @[^{]*private @[^{]*call @[^{]*$|module \{[^@{]*call @[^@{]*private @[^@{]*private @[^@{]*call @[^@{]*$'
module {
  func.call @a() : () -> ()
  func.func @even() {
    call @odd() : () -> ()
    return
  }
  func.func private @a()
  func.func @odd() {
    call @even() : () -> ()
    return
  }
  func.func private @b()
  func.call @b() : () -> ()
}
