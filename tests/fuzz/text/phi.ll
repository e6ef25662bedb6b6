; ModuleID = 'phi'
target triple = "x86_64"
@g = global <4 x i32> zeroinitializer
define i32 @"quoted name"(i32 %n, ptr %p) #0 {
entry:
  br label %loop
loop:                                             ; preds = %loop, %entry
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add nsw i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %exit, label %loop, !llvm.loop !0
exit:
  ret i32 %i
}
attributes #0 = { nounwind "key"="value" }
!0 = distinct !{!0}
