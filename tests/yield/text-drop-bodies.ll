; OPTIONS: --form text
; TOOL: --defined --has 'ret i32 77' --has 'ret i32 78' --has 'call i32 @g'
; TOOL: --like '(declare i32 @g[(]|define i32 @g[(][^}]*ret i32)'
; TOOL: --unlike 'define[^{]*(define|declare|$)'
define i32 @f(i32 %a) {
  %b = call i32 @g(i32 %a)
  ret i32 77
}
define i32 @g(i32 %a) {
  %b = mul i32 %a, %a
  ret i32 %b
}
define i32 @h(i32 %a) {
  %b = call i32 @g(i32 %a)
  ret i32 78
}
