// TOOL: --like 'memref.global.*test.a'
memref.global "private" @t : memref<2xf32>
"test.a"() : () -> ()
