// TOOL: --like '"test.call".*passes = ".*cse'
"test.call"() {passes = "canonicalize, inline | cse;\tsymbol-dce"} : () -> ()
