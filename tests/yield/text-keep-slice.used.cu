// TOOL: --has planted(int
// TOOL: --has "f4(a"
// TOOL: --needs "f0(a" "int f0(int"
// TOOL: --needs "f1(a" "int f1(int"
// TOOL: --needs "f2(a" "int f2(int"
// TOOL: --needs "f3(a" "int f3(int"
// TOOL: --needs "f4(a" "int f4(int"
// TOOL: --needs "f5(a" "int f5(int"
// TOOL: --needs "f6(a" "int f6(int"
// TOOL: --needs "f7(a" "int f7(int"
// TOOL: --needs "f8(a" "int f8(int"
// TOOL: --needs "f9(a" "int f9(int"
// TOOL: --needs "f10(a" "int f10(int"
// TOOL: --needs "f11(a" "int f11(int"
// TOOL: --needs "f12(a" "int f12(int"
// TOOL: --needs "f13(a" "int f13(int"
// TOOL: --needs "f14(a" "int f14(int"
// TOOL: --needs "f15(a" "int f15(int"
// RUNS: 1.2
#include <stdio.h>
int f0(int a, int b) {
  int c = a * 0 - b;
  return c / (a + b);
}
int f1(int a, int b) {
  int c = a * 1 - b;
  return c / (f0(a, b) + a);
}
int f2(int a, int b) {
  int c = a * 2 - b;
  return c / (f1(a, b) + a);
}
int f3(int a, int b) {
  int c = a * 3 - b;
  return c / (f2(a, b) + a);
}
int f4(int a, int b) {
  int c = a * 4 - b;
  return c / (a + b);
}
int f5(int a, int b) {
  int c = a * 5 - b;
  return c / (f4(a, b) + a);
}
int f6(int a, int b) {
  int c = a * 6 - b;
  return c / (f5(a, b) + a);
}
int f7(int a, int b) {
  int c = a * 7 - b;
  return c / (f6(a, b) + a);
}
int f8(int a, int b) {
  int c = a * 8 - b;
  return c / (a + b);
}
int planted(int a) {
  return a * (f4(a, a) + 2);
}
int f9(int a, int b) {
  int c = a * 9 - b;
  return c / (f8(a, b) + a);
}
int f10(int a, int b) {
  int c = a * 10 - b;
  return c / (f9(a, b) + a);
}
int f11(int a, int b) {
  int c = a * 11 - b;
  return c / (f10(a, b) + a);
}
int f12(int a, int b) {
  int c = a * 12 - b;
  return c / (a + b);
}
int f13(int a, int b) {
  int c = a * 13 - b;
  return c / (f12(a, b) + a);
}
int f14(int a, int b) {
  int c = a * 14 - b;
  return c / (f13(a, b) + a);
}
int f15(int a, int b) {
  int c = a * 15 - b;
  return c / (f14(a, b) + a);
}
