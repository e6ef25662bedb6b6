// A wrong bound of a loop shows in what the loop leaves in memory; printed by
// itself it needs neither.
// TOOL: --like 'tag.*(scf.for.*vector.print|vector.print %[a-z0-9_]* : index)'
func.func @main() {
  %n = arith.constant {tag} 7 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant 3.0 : f32
  %m = memref.alloc() : memref<8xf32>
  scf.for %i = %c0 to %n step %c1 {
    memref.store %x, %m[%i] : memref<8xf32>
  }
  %0 = memref.load %m[%c1] : memref<8xf32>
  vector.print %0 : f32
  return
}
