; TOOL: --has "asm sideeffect"
define i32 @f(i32 %a, i64 %b) {
  %x = call i32 asm sideeffect "dmb", "=r,r,r,~{memory}"(i32 %a, i64 %b)
  ret i32 %x
}
