// Functions that call each other, and none may be a declaration: no run of
// them stands alone.
// TOOL: --defined --has x.planted --unlike private --like 'return %'
// RUNS: 1.2
func.func @f0(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f1(%0) : (f32) -> f32
  %2 = call @f7(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f1(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f2(%0) : (f32) -> f32
  %2 = call @f18(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f2(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f3(%0) : (f32) -> f32
  %2 = call @f17(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f3(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f4(%0) : (f32) -> f32
  %2 = call @f4(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f4(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f5(%0) : (f32) -> f32
  %2 = call @f11(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f5(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f6(%0) : (f32) -> f32
  %2 = call @f19(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f6(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f7(%0) : (f32) -> f32
  %2 = call @f15(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f7(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f8(%0) : (f32) -> f32
  %2 = call @f20(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f8(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f9(%0) : (f32) -> f32
  %2 = call @f18(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f9(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f10(%0) : (f32) -> f32
  %2 = call @f2(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f10(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f11(%0) : (f32) -> f32
  %2 = call @f19(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f11(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f12(%0) : (f32) -> f32
  %2 = call @f0(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f12(%a: f32) -> f32 attributes {x.planted} {
  %0 = math.exp %a : f32
  %1 = call @f13(%0) : (f32) -> f32
  %2 = call @f15(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f13(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f14(%0) : (f32) -> f32
  %2 = call @f8(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f14(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f15(%0) : (f32) -> f32
  %2 = call @f17(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f15(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f16(%0) : (f32) -> f32
  %2 = call @f7(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f16(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f17(%0) : (f32) -> f32
  %2 = call @f6(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f17(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f18(%0) : (f32) -> f32
  %2 = call @f22(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f18(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f19(%0) : (f32) -> f32
  %2 = call @f15(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f19(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f20(%0) : (f32) -> f32
  %2 = call @f17(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f20(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f21(%0) : (f32) -> f32
  %2 = call @f17(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f21(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f22(%0) : (f32) -> f32
  %2 = call @f15(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f22(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f23(%0) : (f32) -> f32
  %2 = call @f12(%1) : (f32) -> f32
  return %2 : f32
}
func.func @f23(%a: f32) -> f32 {
  %0 = math.exp %a : f32
  %1 = call @f0(%0) : (f32) -> f32
  %2 = call @f20(%1) : (f32) -> f32
  return %2 : f32
}
