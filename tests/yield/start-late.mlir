// What calls it does so with two arguments; the first six go at once.
// FIRST: 1.4
// TOOL: --like 'call @[a-z]+\(%.*call @.*\(%[a-z0-9]+: f32, %[a-z0-9]+: i32\) -> f32 (\{[^=]*= |.*sitofp.*sitofp.*sitofp.*truncf.*truncf.*truncf.*)"test.three"\(%[a-z0-9]+, %[a-z0-9]+, %[a-z0-9]+\).*math.sqrt.*math.log.*math.tan.*math.erf.*math.exp'
func.func @g(%x: f32, %i: i32) -> f32 {
  %0 = call @f(%x, %i) : (f32, i32) -> f32
  %1 = math.absf %0 : f32
  %2 = call @f(%1, %i) : (f32, i32) -> f32
  return %2 : f32
}
func.func @f(%x: f32, %i: i32) -> f32 {
  %a = arith.sitofp %i : i32 to f64
  %b = arith.sitofp %i : i32 to f64
  %c = arith.sitofp %i : i32 to f64
  %0 = arith.truncf %a : f64 to f32
  %1 = arith.truncf %b : f64 to f32
  %2 = arith.truncf %c : f64 to f32
  %3 = "test.three"(%0, %1, %2) : (f32, f32, f32) -> f32
  %4 = math.sqrt %3 : f32
  %5 = math.log %4 : f32
  %6 = math.tan %5 : f32
  %7 = math.erf %6 : f32
  %8 = math.exp %7 : f32
  return %8 : f32
}
