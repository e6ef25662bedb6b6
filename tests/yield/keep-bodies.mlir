// Eighteen functions are named by the failure, and call each other in a circle: none
// goes, and all but the planted one may be declarations.
// TOOL: --has math.atan2 --has "@f0(" --has "@f1(" --has "@f2(" --has "@f3(" --has "@f4(" --has "@f5(" --has "@f6(" --has "@f7(" --has "@f8(" --has "@f9(" --has "@f10(" --has "@f11(" --has "@f12(" --has "@f13(" --has "@f14(" --has "@f15(" --has "@f16(" --has "@f17("
// RUNS: 1.2
module {
  func.func @planted(%a: f32) -> f32 {
    %0 = math.atan2 %a, %a : f32
    return %0 : f32
  }
  func.func @f0(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f1(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f1(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f2(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f2(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f3(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f3(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f4(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f4(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f5(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f5(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f6(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f6(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f7(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f7(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f8(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f8(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f9(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f9(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f10(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f10(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f11(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f11(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f12(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f12(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f13(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f13(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f14(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f14(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f15(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f15(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f16(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f16(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f17(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func @f17(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f0(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
}
