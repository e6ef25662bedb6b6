; OPTIONS: --form text
; TEST: mlir-translate --import-llvm "$1" 2>/dev/null | grep -q 'llvm.udiv'
define i1 @f(i1 %p) {
  br i1 %p, label %a, label %b
a:
  %q = udiv i1 %p, %p
  br label %b
b:
  %d = phi i1 [ 1, %a ], [ 0, %0 ]
  ret i1 %d
}
