// Two reasons of one pattern before the same last line: what the chip has no
// instruction for, with a negation and without.
// command: mlir-opt-22 --convert-amdgpu-to-rocdl=chipset=gfx908
// keeps: negateA
// lacks: amdgpu\.mfma (?!.*negateA)
func.func @scale(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %x, %y : tensor<8xf32>
  %1 = arith.addf %0, %x : tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @negated(%a: f64, %b: f64, %c: f64) -> f64 {
  %0 = arith.addf %a, %b : f64
  %1 = amdgpu.mfma 4x4x4 %0 * %b + %c { abid = 0 : i32, cbsz = 0 : i32, blocks = 4 : i32, negateA } blgp = none : f64, f64, f64
  %2 = arith.mulf %1, %c : f64
  return %2 : f64
}
func.func @plain(%a: f64, %c: f64) -> f64 {
  %0 = amdgpu.mfma 4x4x4 %a * %a + %c { abid = 0 : i32, cbsz = 0 : i32, blocks = 4 : i32 } blgp = none : f64, f64, f64
  return %0 : f64
}
