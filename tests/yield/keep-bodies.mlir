// Behind the function that calls the planted one, eighteen call each other: no
// run of them goes without the next, but all may be declarations.
// TOOL: --has "call @planted" --has math.atan2
// RUNS: 1.2
module {
  func.func private @planted(%a: f32) -> f32 {
    %0 = math.atan2 %a, %a : f32
    return %0 : f32
  }
  func.func @caller(%a: f32) -> f32 {
    %0 = call @planted(%a) : (f32) -> f32
    %1 = call @f0(%0) : (f32) -> f32
    return %1 : f32
  }
  func.func private @f0(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f1(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f1(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f2(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f2(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f3(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f3(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f4(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f4(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f5(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f5(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f6(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f6(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f7(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f7(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f8(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f8(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f9(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f9(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f10(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f10(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f11(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f11(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f12(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f12(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f13(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f13(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @f14(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f14(%a: f32) -> f32 {
    %0 = math.tanh %a : f32
    %1 = call @f15(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f15(%a: f32) -> f32 {
    %0 = math.absf %a : f32
    %1 = call @f16(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f16(%a: f32) -> f32 {
    %0 = math.exp %a : f32
    %1 = call @f17(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @f17(%a: f32) -> f32 {
    %0 = math.sqrt %a : f32
    %1 = call @last(%0) : (f32) -> f32
    %2 = arith.addf %1, %0 : f32
    return %2 : f32
  }
  func.func private @last(%a: f32) -> f32 {
    return %a : f32
  }
}
