// TOOL: --like 'x.a.*x.b.*x.c.*x.d.*x.e.*x.f.*x.g.*x.h'
// OPTIONS: --form mlir-text
// RUNS: 1.1
x.func @k(%a: i32) {
  %0 = x.zero %a : i32
  x.a %a : i32
  %1 = x.sum %a, %0 : i32
  x.b %a : i32
  %2 = x.sum %a, %1 : i32
  x.c %a : i32
  %3 = x.sum %a, %2 : i32
  x.d %a : i32
  %4 = x.sum %a, %3 : i32
  x.e %a : i32
  %5 = x.sum %a, %4 : i32
  x.f %a : i32
  %6 = x.sum %a, %5 : i32
  x.g %a : i32
  %7 = x.sum %a, %6 : i32
  x.h %a : i32
  %8 = x.sum %a, %7 : i32
  x.return
}
