// A bitonic sort in shared memory.
!shared = memref<64xf32, #gpu.address_space<workgroup>>
func.func @main(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c64 = arith.constant 64 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%nx = %c64, %ny = %c1, %nz = %c1)
      workgroup(%s : !shared) {
    %v = memref.load %in[%tx] : memref<64xf32>
    memref.store %v, %s[%tx] : !shared
    gpu.barrier
    scf.for %i = %c1 to %c7 step %c1 {
      %k = arith.shli %c1, %i : index
      scf.for %j = %c0 to %i step %c1 {
        %up = arith.addi %j, %c1 : index
        %d = arith.shrui %k, %up : index
        %mate = arith.xori %tx, %d : index
        %does = arith.cmpi ugt, %mate, %tx : index
        scf.if %does {
          %a = memref.load %s[%tx] : !shared
          %b = memref.load %s[%mate] : !shared
          %bit = arith.andi %tx, %k : index
          %rises = arith.cmpi eq, %bit, %c0 : index
          %least = arith.minimumf %a, %b : f32
          %most = arith.maximumf %a, %b : f32
          %x = arith.select %rises, %least, %most : f32
          %y = arith.select %rises, %most, %least : f32
          memref.store %x, %s[%tx] : !shared
          memref.store %y, %s[%mate] : !shared
        }
        gpu.barrier
      }
    }
    %r = memref.load %s[%tx] : !shared
    memref.store %r, %out[%tx] : memref<64xf32>
    gpu.terminator
  }
  return
}
