; TOOL: --has "addrspace(3) global"
@buffer = internal addrspace(3) global [4096 x i32] undef

define void @f(i32 %at, i32 %value) {
  %place = getelementptr [4096 x i32], ptr addrspace(3) @buffer, i32 0, i32 %at
  store i32 %value, ptr addrspace(3) %place, align 4
  ret void
}
