; ModuleID
@s = global [3 x i8] c" #0"

define void @f() #1 {
  %1 = call i32 @llvm.ctpop.i32(i32 0) #2
  ret void
}

; Function Attrs: nounwind
declare i32 @llvm.ctpop.i32(i32) #0

attributes #0 = { nounwind }
attributes #1 = { "a"="#0" }
attributes #2 = { cold }
