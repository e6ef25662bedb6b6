// TOOL: --has scf.parallel
func.func @f(%n: index, %m: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%c0, %c1) to (%n, %n) step (%c1, %c1) {
    %0 = memref.load %m[%i, %j] : memref<4x4xf32>
    scf.reduce
  }
  return
}
