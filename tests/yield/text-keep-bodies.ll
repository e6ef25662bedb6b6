; OPTIONS: --form text
; TOOL: --defined --has "ret i32 77"
; TOOL: --needs "@f0(i32 %b" "i32 @f0(i32 %a"
; TOOL: --needs "@f1(i32 %b" "i32 @f1(i32 %a"
; TOOL: --needs "@f2(i32 %b" "i32 @f2(i32 %a"
; TOOL: --needs "@f3(i32 %b" "i32 @f3(i32 %a"
; TOOL: --needs "@f4(i32 %b" "i32 @f4(i32 %a"
; TOOL: --needs "@f5(i32 %b" "i32 @f5(i32 %a"
; TOOL: --needs "@f6(i32 %b" "i32 @f6(i32 %a"
; TOOL: --needs "@f7(i32 %b" "i32 @f7(i32 %a"
; TOOL: --needs "@f8(i32 %b" "i32 @f8(i32 %a"
; TOOL: --needs "@f9(i32 %b" "i32 @f9(i32 %a"
; TOOL: --needs "@f10(i32 %b" "i32 @f10(i32 %a"
; TOOL: --needs "@f11(i32 %b" "i32 @f11(i32 %a"
; RUNS: 1.1
define i32 @f0(i32 %a, ptr %p) {
  %b = add i32 %a, 0
  %c = call i32 @f3(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 0
}

define i32 @f1(i32 %a, ptr %p) {
  %b = add i32 %a, 1
  %c = call i32 @f4(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 1
}

define i32 @f2(i32 %a, ptr %p) {
  %b = add i32 %a, 2
  %c = call i32 @f5(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 2
}

define i32 @f3(i32 %a, ptr %p) {
  %b = add i32 %a, 3
  %c = call i32 @f6(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 3
}

define i32 @f4(i32 %a, ptr %p) {
  %b = add i32 %a, 4
  %c = call i32 @f7(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 4
}

define i32 @f5(i32 %a, ptr %p) {
  %b = add i32 %a, 5
  %c = call i32 @f8(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 5
}

define i32 @f6(i32 %a, ptr %p) {
  %b = add i32 %a, 6
  %c = call i32 @f9(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 6
}

define i32 @f7(i32 %a, ptr %p) {
  %b = add i32 %a, 7
  %c = call i32 @f10(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 77
}

define i32 @f8(i32 %a, ptr %p) {
  %b = add i32 %a, 8
  %c = call i32 @f11(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 8
}

define i32 @f9(i32 %a, ptr %p) {
  %b = add i32 %a, 9
  %c = call i32 @f0(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 9
}

define i32 @f10(i32 %a, ptr %p) {
  %b = add i32 %a, 10
  %c = call i32 @f1(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 10
}

define i32 @f11(i32 %a, ptr %p) {
  %b = add i32 %a, 11
  %c = call i32 @f2(i32 %b, ptr %p)
  store i32 %c, ptr %p
  ret i32 11
}

