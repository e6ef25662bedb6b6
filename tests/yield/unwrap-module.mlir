// TOOL: --like 'memref.global.*memref.get_global'
module {
  module @m {
    memref.global "private" @g : memref<4xf32>
    func.func @f() -> memref<4xf32> {
      %0 = memref.get_global @g : memref<4xf32>
      return %0 : memref<4xf32>
    }
  }
}
