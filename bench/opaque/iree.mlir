module {
  util.global private mutable @state = dense<0.0> : tensor<4x8xf32>
  util.global private @count : i32 = 3 : i32
  util.func public @main(%x: !hal.buffer_view, %n: index) -> !hal.buffer_view {
    %t = hal.tensor.import %x "x" : !hal.buffer_view -> tensor<4x8xf32>
    %four = arith.constant 4 : index
    %old = util.global.load @state : tensor<4x8xf32>
    %r = flow.dispatch.workgroups[%four](%t, %old, %n) : (tensor<4x8xf32>, tensor<4x8xf32>, index) -> tensor<4x8xf32> =
        (%a: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x8xf32>>, %b: !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x8xf32>>, %k: index, %o: !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x8xf32>>) {
      %zero = arith.constant 0.0 : f32
      %p = iree_tensor_ext.dispatch.tensor.load %a, offsets = [0, 0], sizes = [4, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x8xf32>> -> tensor<4x8xf32>
      %q = iree_tensor_ext.dispatch.tensor.load %b, offsets = [0, 0], sizes = [4, 8], strides = [1, 1] : !iree_tensor_ext.dispatch.tensor<readonly:tensor<4x8xf32>> -> tensor<4x8xf32>
      %e = tensor.empty() : tensor<4x8xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
      %g = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%f : tensor<4x8xf32>) {
      ^bb0(%u: f32, %v: f32, %w: f32):
        %uv = arith.mulf %u, %v : f32
        %uw = arith.addf %uv, %w : f32
        linalg.yield %uw : f32
      } -> tensor<4x8xf32>
      iree_tensor_ext.dispatch.tensor.store %g, %o, offsets = [0, 0], sizes = [4, 8], strides = [1, 1] : tensor<4x8xf32> -> !iree_tensor_ext.dispatch.tensor<writeonly:tensor<4x8xf32>>
      flow.return
    }
    %d:2 = flow.dispatch.region[%n] -> (tensor<4x8xf32>, tensor<8x4xf32>) {
      %e = tensor.empty() : tensor<8x4xf32>
      %m = linalg.transpose ins(%r : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
      %s = arith.addf %r, %old : tensor<4x8xf32>
      flow.return %s, %m : tensor<4x8xf32>, tensor<8x4xf32>
    } count(%i: index) -> (index, index, index) {
      flow.return %i, %i, %i : index, index, index
    }
    util.global.store %d#0, @state : tensor<4x8xf32>
    %c = util.call @product(%d#0, %d#1) : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
    %l = util.call @loop(%c, %n) : (tensor<4x4xf32>, index) -> tensor<4x4xf32>
    %v = hal.tensor.export %l "y" : tensor<4x4xf32> -> !hal.buffer_view
    util.return %v : !hal.buffer_view
  }
  util.func private @product(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>) -> tensor<4x4xf32> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
    %k = util.optimization_barrier %m : tensor<4x4xf32>
    util.return %k : tensor<4x4xf32>
  }
  util.func private @loop(%a: tensor<4x4xf32>, %n: index) -> tensor<4x4xf32> {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %half = arith.constant dense<0.5> : tensor<4x4xf32>
    %r:2 = scf.for %i = %zero to %n step %one iter_args(%b = %a, %k = %zero) -> (tensor<4x4xf32>, index) {
      %odd = arith.cmpi ult, %i, %k : index
      %c = scf.if %odd -> (tensor<4x4xf32>) {
        %m = arith.mulf %b, %half : tensor<4x4xf32>
        scf.yield %m : tensor<4x4xf32>
      } else {
        %s = tensor.extract_slice %b[0, 0] [2, 4] [1, 1] : tensor<4x4xf32> to tensor<2x4xf32>
        %t = tensor.insert_slice %s into %b[2, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x4xf32>
        scf.yield %t : tensor<4x4xf32>
      }
      %j = arith.addi %k, %i : index
      scf.yield %c, %j : tensor<4x4xf32>, index
    }
    %w:2 = scf.while (%i = %r#1, %b = %r#0) : (index, tensor<4x4xf32>) -> (index, tensor<4x4xf32>) {
      %more = arith.cmpi ugt, %i, %zero : index
      scf.condition(%more) %i, %b : index, tensor<4x4xf32>
    } do {
    ^bb0(%i: index, %b: tensor<4x4xf32>):
      %j = arith.subi %i, %one : index
      %u = tensor.expand_shape %b [[0], [1, 2]] output_shape [4, 2, 2] : tensor<4x4xf32> into tensor<4x2x2xf32>
      %v = tensor.collapse_shape %u [[0], [1, 2]] : tensor<4x2x2xf32> into tensor<4x4xf32>
      scf.yield %j, %v : index, tensor<4x4xf32>
    }
    util.return %w#1 : tensor<4x4xf32>
  }
  util.func private @blocks(%p: i1, %n: i32, %a: tensor<4xf32>) -> tensor<4xf32> {
    cf.cond_br %p, ^bb1(%a, %n : tensor<4xf32>, i32), ^bb2(%a : tensor<4xf32>)
  ^bb1(%b: tensor<4xf32>, %m: i32):
    %g = util.global.load @count : i32
    %s = math.sqrt %b : tensor<4xf32>
    cf.switch %m : i32, [
      default: ^bb2(%s : tensor<4xf32>),
      1: ^bb1(%s, %g : tensor<4xf32>, i32)
    ]
  ^bb2(%c: tensor<4xf32>):
    util.return %c : tensor<4xf32>
  }
  func.func @other(%m: memref<8x8xf32>, %n: index) -> f32 {
    %zero = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to %n iter_args(%s = %zero) -> f32 {
      %v = affine.load %m[%i, 0] : memref<8x8xf32>
      %t = arith.addf %s, %v : f32
      affine.yield %t : f32
    }
    %q = vector.transfer_read %m[%n, %n], %zero : memref<8x8xf32>, vector<4xf32>
    %k = vector.reduction <add>, %q : vector<4xf32> into f32
    %o = arith.addf %r, %k : f32
    return %o : f32
  }
  stream.executable private @device {
    stream.executable.export public @kernel workgroups(%n: index) -> (index, index, index) {
      stream.return %n, %n, %n : index, index, index
    }
    builtin.module {
      func.func @kernel(%b: !stream.binding, %k: i32) {
        %zero = arith.constant 0 : index
        %s = stream.binding.subspan %b[%zero] : !stream.binding -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>
        %v = iree_tensor_ext.dispatch.tensor.load %s, offsets = [0], sizes = [4], strides = [1] : !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>> -> tensor<4xf32>
        %w = arith.negf %v : tensor<4xf32>
        iree_tensor_ext.dispatch.tensor.store %w, %s, offsets = [0], sizes = [4], strides = [1] : tensor<4xf32> -> !iree_tensor_ext.dispatch.tensor<readwrite:tensor<4xf32>>
        return
      }
    }
  }
}
