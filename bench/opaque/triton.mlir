module {
  tt.func public @kernel(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %w: !tt.ptr<f16>, %y: !tt.ptr<f32>, %n: i32 {tt.divisibility = 16 : i32}, %m: i32) attributes {noinline = false} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %wide = arith.constant dense<0.000000e+00> : tensor<32x32xf32>
    %none = arith.constant dense<0.000000e+00> : tensor<32x32xf16>
    %size = arith.constant 32 : i32
    %step = arith.constant dense<32> : tensor<32x32xi32>
    %pid = tt.get_program_id x : i32
    %at = arith.muli %pid, %size : i32
    %range = tt.make_range {end = 32 : i32, start = 0 : i32} : tensor<32xi32>
    %base = tt.splat %at : i32 -> tensor<32xi32>
    %rows = arith.addi %base, %range : tensor<32xi32>
    %r = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
    %c = tt.expand_dims %range {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %s = tt.splat %n : i32 -> tensor<32x1xi32>
    %rs = arith.muli %r, %s : tensor<32x1xi32>
    %rb = tt.broadcast %rs : tensor<32x1xi32> -> tensor<32x32xi32>
    %cb = tt.broadcast %c : tensor<1x32xi32> -> tensor<32x32xi32>
    %off = arith.addi %rb, %cb : tensor<32x32xi32>
    %ps = tt.splat %w : !tt.ptr<f16> -> tensor<32x32x!tt.ptr<f16>>
    %p = tt.addptr %ps, %off : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
    %l:3 = scf.for %i = %zero to %n step %size iter_args(%acc = %wide, %q = %p, %k = %zero) -> (tensor<32x32xf32>, tensor<32x32x!tt.ptr<f16>>, i32) : i32 {
      %left = tt.splat %i : i32 -> tensor<32x32xi32>
      %mask = arith.cmpi slt, %left, %off : tensor<32x32xi32>
      %a = tt.load %q, %mask, %none : tensor<32x32x!tt.ptr<f16>>
      %t = tt.trans %a {order = array<i32: 1, 0>} : tensor<32x32xf16> -> tensor<32x32xf16>
      %d = tt.dot %a, %t, %acc, inputPrecision = tf32 : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
      %next = tt.addptr %q, %step : tensor<32x32x!tt.ptr<f16>>, tensor<32x32xi32>
      %k1 = arith.addi %k, %one : i32
      scf.yield %d, %next, %k1 : tensor<32x32xf32>, tensor<32x32x!tt.ptr<f16>>, i32
    } {tt.num_stages = 2 : i32}
    %big = arith.cmpi sgt, %l#2, %m : i32
    %chosen = scf.if %big -> (tensor<32x32xf32>) {
      %e = math.exp %l#0 : tensor<32x32xf32>
      scf.yield %e : tensor<32x32xf32>
    } else {
      %h = tt.call @half(%l#0, %m) : (tensor<32x32xf32>, i32) -> tensor<32x32xf32>
      scf.yield %h : tensor<32x32xf32>
    }
    %sum = "tt.reduce"(%chosen) <{axis = 1 : i32}> ({
    ^bb0(%u: f32, %v: f32):
      %uv = arith.addf %u, %v : f32
      tt.reduce.return %uv : f32
    }) : (tensor<32x32xf32>) -> tensor<32xf32>
    %best:2 = "tt.reduce"(%sum, %range) <{axis = 0 : i32}> ({
    ^bb0(%u: f32, %ui: i32, %v: f32, %vi: i32):
      %gt = arith.cmpf ogt, %u, %v : f32
      %f = arith.select %gt, %u, %v : f32
      %fi = arith.select %gt, %ui, %vi : i32
      tt.reduce.return %f, %fi : f32, i32
    }) : (tensor<32xf32>, tensor<32xi32>) -> (f32, i32)
    %scan = "tt.scan"(%sum) <{axis = 0 : i32, reverse = false}> ({
    ^bb0(%u: f32, %v: f32):
      %uv = arith.maxnumf %u, %v : f32
      tt.scan.return %uv : f32
    }) : (tensor<32xf32>) -> tensor<32xf32>
    %yp = tt.splat %y : !tt.ptr<f32> -> tensor<32x!tt.ptr<f32>>
    %yq = tt.addptr %yp, %rows : tensor<32x!tt.ptr<f32>>, tensor<32xi32>
    %bound = tt.splat %n : i32 -> tensor<32xi32>
    %ymask = arith.cmpi slt, %rows, %bound : tensor<32xi32>
    tt.store %yq, %scan, %ymask : tensor<32x!tt.ptr<f32>>
    %old = tt.atomic_rmw fadd, acq_rel, gpu, %yq, %sum, %ymask : (tensor<32x!tt.ptr<f32>>, tensor<32xf32>, tensor<32xi1>) -> tensor<32xf32>
    %o = tt.addptr %x, %best#1 : !tt.ptr<f32>, i32
    tt.store %o, %best#0 : !tt.ptr<f32>
    tt.return
  }
  tt.func private @half(%a: tensor<32x32xf32>, %m: i32) -> tensor<32x32xf32> attributes {noinline = true} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %half = arith.constant dense<5.000000e-01> : tensor<32x32xf32>
    %w:2 = scf.while (%i = %m, %b = %a) : (i32, tensor<32x32xf32>) -> (i32, tensor<32x32xf32>) {
      %more = arith.cmpi sgt, %i, %zero : i32
      scf.condition(%more) %i, %b : i32, tensor<32x32xf32>
    } do {
    ^bb0(%i: i32, %b: tensor<32x32xf32>):
      %j = arith.subi %i, %one : i32
      %c = arith.mulf %b, %half : tensor<32x32xf32>
      scf.yield %j, %c : i32, tensor<32x32xf32>
    }
    tt.return %w#1 : tensor<32x32xf32>
  }
  tt.func private @blocks(%p: i1, %n: i32, %a: tensor<32xf32>) -> tensor<32xf32> {
    cf.cond_br %p, ^bb1(%a, %n : tensor<32xf32>, i32), ^bb2(%a : tensor<32xf32>)
  ^bb1(%b: tensor<32xf32>, %m: i32):
    %s = math.sqrt %b : tensor<32xf32>
    %w = tt.splat %m : i32 -> tensor<32xi32>
    %f = arith.sitofp %w : tensor<32xi32> to tensor<32xf32>
    %t = arith.addf %s, %f : tensor<32xf32>
    cf.br ^bb2(%t : tensor<32xf32>)
  ^bb2(%c: tensor<32xf32>):
    tt.return %c : tensor<32xf32>
  }
}
