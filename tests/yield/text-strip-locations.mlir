// TOOL: --like 'x.a.*x.b.*x.c.*x.d.*x.e.*x.f.*x.g.*x.h'
// OPTIONS: --form mlir-text
#loc = loc("a.py":1:1)
#loc1 = loc("a.py":2:1)
x.func @k() {
  x.a loc(#loc1)
  x.b loc(unknown)
  x.c loc(#loc)
  x.d loc(#loc)
  x.e loc(unknown)
  x.f loc(#loc)
  x.g loc(#loc)
  x.h loc(#loc)
  x.return loc(#loc)
} loc(#loc1)
