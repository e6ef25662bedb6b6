module @step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%x: tensor<4x8xf32> {jax.arg_info = "x"}, %w: tensor<8x16xf32>, %v: tensor<16x8xf32>, %n: tensor<i32>) -> (tensor<4x8xf32> {jax.result_info = "y"}, tensor<4xi32>) {
    %h = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %bias = stablehlo.constant dense<0.5> : tensor<16xf32>
    %wide = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
    %shifted = stablehlo.add %h, %wide : tensor<4x16xf32>
    %g = call @activation(%shifted, %n) : (tensor<4x16xf32>, tensor<i32>) -> tensor<4x16xf32>
    %y = stablehlo.dot_general %g, %v, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
    %l:2 = call @loop(%y, %n) : (tensor<4x8xf32>, tensor<i32>) -> (tensor<4x8xf32>, tensor<i32>)
    %b:2 = call @best(%l#0) : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>)
    %s = stablehlo.broadcast_in_dim %b#0, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
    %d = stablehlo.subtract %l#0, %s : tensor<4x8xf32>
    %c = call @branches(%l#1, %d) : (tensor<i32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %c, %b#1 : tensor<4x8xf32>, tensor<4xi32>
  }
  func.func private @activation(%a: tensor<4x16xf32>, %n: tensor<i32>) -> tensor<4x16xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare GT, %n, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%p) ({
      %t = stablehlo.tanh %a : tensor<4x16xf32>
      stablehlo.return %t : tensor<4x16xf32>
    }, {
      %e = stablehlo.exponential %a : tensor<4x16xf32>
      %m = stablehlo.multiply %e, %a : tensor<4x16xf32>
      stablehlo.return %m : tensor<4x16xf32>
    }) : (tensor<i1>) -> tensor<4x16xf32>
    return %r : tensor<4x16xf32>
  }
  func.func private @loop(%a: tensor<4x8xf32>, %n: tensor<i32>) -> (tensor<4x8xf32>, tensor<i32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %r:3 = stablehlo.while(%i = %zero, %k = %a, %m = %n) : tensor<i32>, tensor<4x8xf32>, tensor<i32>
    cond {
      %p = stablehlo.compare LT, %i, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %rows = stablehlo.iota dim = 0 : tensor<4x8xi32>
      %f = stablehlo.convert %rows : (tensor<4x8xi32>) -> tensor<4x8xf32>
      %q = stablehlo.divide %k, %f : tensor<4x8xf32>
      %u = stablehlo.transpose %q, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
      %back = stablehlo.reshape %u : (tensor<8x4xf32>) -> tensor<4x8xf32>
      stablehlo.return %j, %back, %m : tensor<i32>, tensor<4x8xf32>, tensor<i32>
    }
    return %r#1, %r#0 : tensor<4x8xf32>, tensor<i32>
  }
  // The largest of each row and where it is.
  func.func private @best(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %none = stablehlo.constant dense<0> : tensor<i32>
    %places = stablehlo.iota dim = 1 : tensor<4x8xi32>
    %r:2 = stablehlo.reduce(%a init: %low), (%places init: %none) across dimensions = [1] : (tensor<4x8xf32>, tensor<4x8xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
     reducer(%p: tensor<f32>, %q: tensor<f32>) (%i: tensor<i32>, %j: tensor<i32>) {
      %c = stablehlo.compare GE, %p, %q, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %m = stablehlo.select %c, %p, %q : tensor<i1>, tensor<f32>
      %k = stablehlo.select %c, %i, %j : tensor<i1>, tensor<i32>
      stablehlo.return %m, %k : tensor<f32>, tensor<i32>
    }
    %sum = stablehlo.reduce(%a init: %low) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
    %t = stablehlo.add %r#0, %sum : tensor<4xf32>
    return %t, %r#1 : tensor<4xf32>, tensor<4xi32>
  }
  func.func private @branches(%i: tensor<i32>, %a: tensor<4x8xf32>) -> tensor<4x8xf32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %r = "stablehlo.case"(%i) ({
      %s = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %c = stablehlo.compare LT, %p, %q, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %s : tensor<4x8xf32>
    }, {
      %w = "stablehlo.reduce_window"(%a, %zero) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 1>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %m = stablehlo.maximum %p, %q : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
      stablehlo.return %w : tensor<4x8xf32>
    }, {
      %at = stablehlo.constant dense<[[0], [2]]> : tensor<2x1xi32>
      %new = stablehlo.slice %a [0:2, 0:8] : (tensor<4x8xf32>) -> tensor<2x8xf32>
      %u = "stablehlo.scatter"(%a, %at, %new) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %m = stablehlo.add %p, %q : tensor<f32>
        stablehlo.return %m : tensor<f32>
      }) : (tensor<4x8xf32>, tensor<2x1xi32>, tensor<2x8xf32>) -> tensor<4x8xf32>
      stablehlo.return %u : tensor<4x8xf32>
    }) : (tensor<i32>) -> tensor<4x8xf32>
    %o = "stablehlo.map"(%r, %a) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %m = stablehlo.multiply %p, %q : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    %c = stablehlo.concatenate %o, %a, dim = 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %f = stablehlo.pad %c, %zero, low = [0, 0], high = [0, 0], interior = [0, 0] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %z = stablehlo.slice %f [4:8, 0:8] : (tensor<8x8xf32>) -> tensor<4x8xf32>
    return %z : tensor<4x8xf32>
  }
  func.func private @blocks(%p: i1, %n: i32, %a: tensor<4xf32>, %t: tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32> {
    cf.cond_br %p, ^bb1(%a, %n : tensor<4xf32>, i32), ^bb2(%a : tensor<4xf32>)
  ^bb1(%b: tensor<4xf32>, %m: i32):
    %s = stablehlo.sqrt %b : tensor<4xf32>
    cf.switch %m : i32, [
      default: ^bb2(%s : tensor<4xf32>),
      1: ^bb1(%s, %m : tensor<4xf32>, i32)
    ]
  ^bb2(%c: tensor<4xf32>):
    %f = stablehlo.get_tuple_element %t[0] : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<4xf32>
    %o = stablehlo.optimization_barrier %f : tensor<4xf32>
    %k = stablehlo.custom_call @kept(%o, %c) {api_version = 2 : i32, called_computations = [@kernel]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %k : tensor<4xf32>
  }
  func.func private @kernel(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
    %m = stablehlo.minimum %a, %b : tensor<4xf32>
    return %m : tensor<4xf32>
  }
}
