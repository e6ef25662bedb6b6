// TOOL: --like '(test.if.*test.a.*test.b)|(\{[[:space:]]*"test.b"\(\) : \(\) -> \(\)[[:space:]]*\}[[:space:]]*$)'
"test.if"() ({
  "test.a"() : () -> ()
  "test.b"() : () -> ()
  "test.end"() : () -> ()
}) : () -> ()
