// Where a run takes long, the words of model.mlir in fewer operations.
func.func @f(%x: f32) -> f32 {
  %0 = math.exp %x : f32
  %1 = math.tanh %0 : f32
  %2 = arith.addf %1, %x : f32
  return %2 : f32
}
