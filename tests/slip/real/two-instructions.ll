; The same for the selector of generic instructions, which names the function
; too.
; command: llc-22 -mtriple=aarch64 -global-isel -global-isel-abort=1 -o /dev/null
; keeps: call \w+ @llvm.amdgcn.rsq
; lacks: call \w+ @llvm.amdgcn.rcp
declare float @llvm.amdgcn.rsq.f32(float)
declare float @llvm.amdgcn.rcp.f32(float)
define float @both(float %x, float %y) {
  %a = call float @llvm.amdgcn.rcp.f32(float %x)
  %b = fmul float %a, %y
  %c = call float @llvm.amdgcn.rsq.f32(float %b)
  %d = fadd float %c, %a
  ret float %d
}
