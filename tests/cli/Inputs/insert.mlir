func.func @update(%tile: vector<4x8xf32>, %row: vector<8xf32>, %at: index) -> vector<4x8xf32> {
  %c4 = arith.constant 4 : index
  %slot = arith.remui %at, %c4 : index
  %twice = arith.addf %row, %row : vector<8xf32>
  %new = vector.insert %twice, %tile[%slot] : vector<8xf32> into vector<4x8xf32>
  %sum = arith.addf %new, %tile : vector<4x8xf32>
  return %sum : vector<4x8xf32>
}
func.func @other(%a: vector<8xf32>) -> f32 {
  %0 = math.exp %a : vector<8xf32>
  %1 = vector.reduction <add>, %0 : vector<8xf32> into f32
  return %1 : f32
}
