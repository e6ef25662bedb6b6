func.func @one(%a: vector<1xf32>, %b: vector<1x1xf32>, %i: index) -> vector<1x1xf32> {
  %0 = vector.insert %a, %b [%i] : vector<1xf32> into vector<1x1xf32>
  %1 = arith.addf %0, %b : vector<1x1xf32>
  return %1 : vector<1x1xf32>
}
func.func @two(%a: f32, %b: f32) -> f32 {
  %0 = arith.mulf %a, %b : f32
  %1 = arith.addf %0, %b : f32
  return %1 : f32
}
