// TOOL: --has scf.if
func.func @f(%c: i1, %m: memref<f32>, %x: f32) {
  scf.if %c {
    memref.store %x, %m[] : memref<f32>
  } else {
    memref.store %x, %m[] : memref<f32>
  }
  return
}
