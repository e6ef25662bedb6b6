// Something names the function: no argument can come in.
// TOOL: --like 'test.refer.*@' --like 'test.use.*strided'
func.func @f(%n: index) {
  %m = memref.alloc() : memref<16xf32>
  %0 = memref.subview %m[%n] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
  "test.use"(%0) : (memref<4xf32, strided<[1], offset: ?>>) -> ()
  return
}
func.func @g() {
  "test.refer"() {to = @f} : () -> ()
  return
}
