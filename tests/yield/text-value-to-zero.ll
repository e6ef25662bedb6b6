; OPTIONS: --form text
; TOOL: --defined --like 'udiv i32 [a-z0-9%]+, 7' --unlike poison
define void @f(ptr %p) {
  %b = load i32, ptr %p
  %c = udiv i32 %b, 7
  ret void
}
