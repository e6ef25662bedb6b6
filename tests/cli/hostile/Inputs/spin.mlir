func.func @main(%m: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %true = arith.constant true
  scf.parallel (%i) = (%c0) to (%c64) step (%c1) {
    %v = memref.load %m[%i] : memref<64xf32>
    %r = scf.while (%x = %v) : (f32) -> f32 {
      scf.condition(%true) %x : f32
    } do {
    ^bb0(%y: f32):
      %z = arith.addf %y, %y : f32
      scf.yield %z : f32
    }
    memref.store %r, %m[%i] : memref<64xf32>
    scf.reduce
  }
  return
}
