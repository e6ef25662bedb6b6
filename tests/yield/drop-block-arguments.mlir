// The compiler's own passes cannot help in this form.
// OPTIONS: --form opaque
// TOOL: --like '"cf.br"\([^)]*\)\[\^bb1\].*"cf.br"'
"func.func"() <{function_type = (f32) -> (), sym_name = "f"}> ({
^bb0(%x: f32):
  "cf.br"(%x)[^bb1] : (f32) -> ()
^bb1(%a: f32):
  "cf.br"(%a)[^bb1] : (f32) -> ()
}) : () -> ()
