module attributes {transform.x} {
  func.func private @g(tensor<4xf32>) -> f32
  func.func @f(%a: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>, %n: index) -> (f32, index) {
    %c = arith.constant 1.5e-3 : f32
    %r:2 = scf.for %i = %n to %n step %n iter_args(%x = %c, %y = %n) -> (f32, index) {
      %v = memref.load %a[%i, %i] : memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>
      scf.yield %v, %y : f32, index
    }
    scf.parallel (%i, %j) = (%n, %n) to (%n, %n) step (%n, %n) {
      scf.reduce
    }
    return %r#0, %r#1 : f32, index
  }
}
