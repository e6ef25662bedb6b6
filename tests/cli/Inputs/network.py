#!/usr/bin/env python3
"""Print a network in MLIR, one of many ways to write the same thing.

  network.py KIND [LAYERS [ENCODING]]

ENCODING: of all tensors, or the memory space of all memrefs.
Sizes are primes or their products, so that a size says what it stands for:
batch 2, sequence 11, heads 3, head size 5, model width 15, hidden 23."""

import re
import sys

B, S, H, D, F = 2, 11, 3, 5, 23
M = H * D


def t(*sizes, elem="f32", kind="tensor"):
    return f"{kind}<{''.join(f'{s}x' for s in sizes)}{elem}>"


class Body:
    """Operations of a function; every method returns the name of a value."""

    def __init__(self):
        self.lines, self.n = [], 0

    def op(self, text):
        self.n += 1
        self.lines.append(f"    %v{self.n} = {text}")
        return f"%v{self.n}"

    def do(self, text):
        self.lines.append(f"    {text}")

    def empty(self, *sizes):
        return self.op(f"tensor.empty() : {t(*sizes)}")

    def filled(self, value, *sizes):
        e = self.empty(*sizes)
        return self.op(f"linalg.fill ins({value} : f32) outs({e} : {t(*sizes)}) -> {t(*sizes)}")

    def weight(self, seed, *sizes):
        """A literal that is no splat, where it is small."""
        rows, cols = sizes[-2], sizes[-1]
        if rows * cols > 400 or len(sizes) > 2:
            return self.op(f"arith.constant dense<{seed}.5> : {t(*sizes)}")
        lines = ", ".join(
            "[" + ", ".join(f"{(i * 7 + k * 3 + seed) % 10}.25" for k in range(cols)) + "]" for i in range(rows)
        )
        return self.op(f"arith.constant dense<[{lines}]> : {t(*sizes)}")

    def matmul(self, a, ta, b, tb, out, zero):
        z = self.filled(zero, *out)
        name = "linalg.matmul" if len(out) == 2 else "linalg.batch_matmul"
        return self.op(f"{name} ins({a}, {b} : {ta}, {tb}) outs({z} : {t(*out)}) -> {t(*out)}")

    def generic(self, maps, loops, ins, out, out_type, body):
        """maps: right sides; ins: (value, type) pairs; body: lines, the last
        yields %y."""
        names = [f"d{i}" for i in range(len(loops))]
        full = ", ".join(f"affine_map<({', '.join(names)}) -> ({m})>" for m in maps)
        kinds = ", ".join(f'"{"parallel" if c == "p" else "reduction"}"' for c in loops)
        args = ", ".join(f"%a{i}: f32" for i in range(len(ins) + 1))
        values = ", ".join(v for v, _ in ins)
        types = ", ".join(ty for _, ty in ins)
        lines = "".join(f"      {line}\n" for line in body)
        return self.op(
            f"linalg.generic {{indexing_maps = [{full}], iterator_types = [{kinds}]}}\n"
            f"        ins({values} : {types}) outs({out} : {out_type}) {{\n"
            f"    ^bb0({args}):\n{lines}      linalg.yield %y : f32\n    }} -> {out_type}"
        )


def projection(b, x, seed, wide, zero):
    """BxSxM times MxWIDE, flattened around a matmul."""
    flat = b.op(f"tensor.collapse_shape {x} [[0, 1], [2]] : {t(B, S, M)} into {t(B * S, M)}")
    w = b.weight(seed, M, wide)
    y = b.matmul(flat, t(B * S, M), w, t(M, wide), (B * S, wide), zero)
    return b.op(
        f"tensor.expand_shape {y} [[0, 1], [2]] output_shape [{B}, {S}, {wide}] : "
        f"{t(B * S, wide)} into {t(B, S, wide)}"
    )


def heads(b, x, keys):
    s = b.op(
        f"tensor.expand_shape {x} [[0], [1], [2, 3]] output_shape [{B}, {S}, {H}, {D}] : "
        f"{t(B, S, M)} into {t(B, S, H, D)}"
    )
    to, order = ((B, H, D, S), "[0, 2, 3, 1]") if keys else ((B, H, S, D), "[0, 2, 1, 3]")
    e = b.empty(*to)
    y = b.op(f"linalg.transpose ins({s} : {t(B, S, H, D)}) outs({e} : {t(*to)}) permutation = {order}")
    return b.op(
        f"tensor.collapse_shape {y} [[0, 1], [2], [3]] : {t(*to)} into {t(B * H, *to[2:])}"
    )


def softmax(b, x, zero, low):
    sc, top = (B * H, S, S), (B * H, S)
    m = b.generic(
        ["d0, d1, d2", "d0, d1"], "ppr", [(x, t(*sc))], b.filled(low, *top), t(*top),
        ["%y = arith.maximumf %a0, %a1 : f32"],
    )
    e = b.generic(
        ["d0, d1, d2", "d0, d1", "d0, d1, d2"], "ppp", [(x, t(*sc)), (m, t(*top))], b.empty(*sc), t(*sc),
        ["%s = arith.subf %a0, %a1 : f32", "%y = math.exp %s : f32"],
    )
    s = b.generic(
        ["d0, d1, d2", "d0, d1"], "ppr", [(e, t(*sc))], b.filled(zero, *top), t(*top),
        ["%y = arith.addf %a0, %a1 : f32"],
    )
    return b.generic(
        ["d0, d1, d2", "d0, d1", "d0, d1, d2"], "ppp", [(e, t(*sc)), (s, t(*top))], b.empty(*sc), t(*sc),
        ["%y = arith.divf %a0, %a1 : f32"],
    )


def layer(b, x, seed):
    """Attention and a feed-forward step, both with a shortcut."""
    zero = b.op("arith.constant 0.0 : f32")
    low = b.op("arith.constant -1.0e30 : f32")
    q, k, v = (heads(b, projection(b, x, seed + i, M, zero), i == 1) for i in range(3))
    scores = b.matmul(q, t(B * H, S, D), k, t(B * H, D, S), (B * H, S, S), zero)
    probs = softmax(b, scores, zero, low)
    mix = b.matmul(probs, t(B * H, S, S), v, t(B * H, S, D), (B * H, S, D), zero)
    apart = b.op(
        f"tensor.expand_shape {mix} [[0, 1], [2], [3]] output_shape [{B}, {H}, {S}, {D}] : "
        f"{t(B * H, S, D)} into {t(B, H, S, D)}"
    )
    e = b.empty(B, S, H, D)
    back = b.op(
        f"linalg.transpose ins({apart} : {t(B, H, S, D)}) outs({e} : {t(B, S, H, D)}) permutation = [0, 2, 1, 3]"
    )
    flat = b.op(f"tensor.collapse_shape {back} [[0], [1], [2, 3]] : {t(B, S, H, D)} into {t(B, S, M)}")
    mid = b.op(f"arith.addf {x}, {flat} : {t(B, S, M)}")
    up = projection(b, mid, seed + 3, F, zero)
    act = b.op(f"math.tanh {up} : {t(B, S, F)}")
    w = b.weight(seed + 4, B, F, M)
    down = b.matmul(act, t(B, S, F), w, t(B, F, M), (B, S, M), zero)
    return b.op(f"arith.addf {mid}, {down} : {t(B, S, M)}")


def function(name, args, result, b, value, private=False):
    head = ", ".join(f"{n}: {ty}" for n, ty in args)
    out = f"  func.func {'private ' if private else ''}@{name}({head}) -> {result} {{\n"
    return out + "\n".join(b.lines) + f"\n    return {value} : {result}\n  }}\n"


X = t(B, S, M)


def straight(n):
    b, x = Body(), "%x"
    for i in range(n):
        x = layer(b, x, i)
    return function("forward", [("%x", X)], X, b, x)


def calls(n):
    out, main, x = "", Body(), "%x"
    for i in range(n):
        b = Body()
        out += function(f"layer_{i}", [("%x", X)], X, b, layer(b, "%x", i), True)
        x = main.op(f"func.call @layer_{i}({x}) : ({X}) -> {X}")
    return out + function("forward", [("%x", X)], X, main, x)


def loop(n):
    """Weights of all layers in one tensor; a cache that is filled row by row;
    the counters' bounds are sizes."""
    b = Body()
    zero = b.op("arith.constant 0.0 : f32")
    c0, c1 = b.op("arith.constant 0 : index"), b.op("arith.constant 1 : index")
    layers, rows = b.op(f"arith.constant {n} : index"), b.op(f"arith.constant {S} : index")
    w = b.op(f"arith.constant dense<0.5> : {t(n, M, M)}")
    x2, wt, cache = t(S, M), t(n, M, M), t(n, S, M)
    init = b.filled(zero, n, S, M)
    b.do(f"%r:2 = scf.for %i = {c0} to {layers} step {c1} iter_args(%h = %x, %c = {init}) -> ({x2}, {cache}) {{")
    wi = b.op(f"tensor.extract_slice {w}[%i, 0, 0] [1, {M}, {M}] [1, 1, 1] : {wt} to {t(M, M)}")
    y = b.matmul("%h", x2, wi, t(M, M), (S, M), zero)
    left = b.op(f"tensor.extract_slice {y}[0, 0] [{S}, {D}] [1, 1] : {x2} to {t(S, D)}")
    right = b.op(f"tensor.extract_slice {y}[0, {D}] [{S}, {M - D}] [1, 1] : {x2} to {t(S, M - D)}")
    turned = b.op(f"tensor.concat dim(1) {right}, {left} : ({t(S, M - D)}, {t(S, D)}) -> {x2}")
    kept = b.op(
        f"tensor.insert_slice {turned} into %c[%i, 0, 0] [1, {S}, {M}] [1, 1, 1] : {x2} into {cache}"
    )
    b.do(f"%row = scf.for %j = {c0} to {rows} step {c1} iter_args(%g = {turned}) -> ({x2}) {{")
    cell = b.op(f"tensor.extract {turned}[%j, {c0}] : {x2}")
    put = b.op(f"tensor.insert {cell} into %g[%j, {c1}] : {x2}")
    b.do(f"scf.yield {put} : {x2}")
    b.do("}")
    b.do(f"scf.yield %row, {kept} : {x2}, {cache}")
    b.do("}")
    return function("forward", [("%x", x2)], cache, b, "%r#1")


def memref(n):
    """The same on buffers: views with strides, loops with constant bounds,
    transfers of vectors."""
    k = {"kind": "memref"}
    big, view = t(B, S, M, **k), f"memref<{S}x{D}xf32, strided<[{M}, 1], offset: ?>>"
    last = f"memref<{S}x{D}xf32, strided<[{M}, 1], offset: {S * M + D}>>"
    b = Body()
    zero = b.op("arith.constant 0.0 : f32")
    c0, c1, cs = (b.op(f"arith.constant {i} : index") for i in (0, 1, S))
    for i in range(n):
        tmp = b.op(f"memref.alloc() : {big}")
        b.do(f"memref.copy %m, {tmp} : {big} to {big}")
        s = b.op(f"memref.subview {tmp}[1, 0, {D}] [1, {S}, {D}] [1, 1, 1] : {big} to {last}")
        dyn = b.op(f"memref.subview {tmp}[%n, 0, 0] [1, {S}, {D}] [1, 1, 1] : {big} to {view}")
        b.do(f"linalg.matmul ins({s}, %w : {last}, {t(D, D, **k)}) outs({dyn} : {view})")
        flat = b.op(f"memref.collapse_shape {tmp} [[0, 1], [2]] : {big} into {t(B * S, M, **k)}")
        parts = b.op(
            f"memref.expand_shape {flat} [[0], [1, 2]] output_shape [{B * S}, {H}, {D}] : "
            f"{t(B * S, M, **k)} into {t(B * S, H, D, **k)}"
        )
        v = b.op(
            f"vector.transfer_read {parts}[{c0}, {c0}, {c0}], {zero} {{in_bounds = [true, true]}} : "
            f"{t(B * S, H, D, **k)}, {t(H, D, kind='vector')}"
        )
        add = b.op(f"arith.addf {v}, {v} : {t(H, D, kind='vector')}")
        b.do(
            f"vector.transfer_write {add}, {parts}[{c1}, {c0}, {c0}] {{in_bounds = [true, true]}} : "
            f"{t(H, D, kind='vector')}, {t(B * S, H, D, **k)}"
        )
        b.do(f"affine.for %i{i} = 0 to {S} {{")
        b.do(f"  affine.for %j{i} = 0 to {M - 1} {{")
        b.do(f"    %l{i} = affine.load {tmp}[0, %i{i}, %j{i} + 1] : {big}")
        b.do(f"    affine.store %l{i}, %m[1, %i{i}, %j{i}] : {big}")
        b.do("  }")
        b.do("}")
        b.do(f"scf.for %s{i} = {c0} to {cs} step {c1} {{")
        b.do(f"  %e{i} = memref.load {tmp}[{c0}, %s{i}, {c0}] : {big}")
        b.do(f"  memref.store %e{i}, %m[{c0}, %s{i}, {c1}] : {big}")
        b.do("}")
    end = b.op(f"memref.load %m[{c0}, {c0}, {c0}] : {big}")
    args = [("%m", big), ("%w", t(D, D, **k)), ("%n", "index")]
    return function("forward", args, "f32", b, end)


def cnn(n):
    """Convolutions with padding and strides, pooling, a dense end."""
    b, c, size, x = Body(), 3, 31, "%x"
    zero = b.op("arith.constant 0.0 : f32")
    for i in range(n):
        to, step = 5 + 2 * i, 2 if i % 2 else 1
        x = b.op(
            f"tensor.pad {x} low[0, 1, 1, 0] high[0, 1, 1, 0] {{\n    ^bb0(%p: index, %q: index, %r: index, "
            f"%s: index):\n      tensor.yield {zero} : f32\n    }} : {t(B, size, size, c)} to "
            f"{t(B, size + 2, size + 2, c)}"
        )
        w = b.weight(i, 3, 3, c, to)
        out = (size + 2 - 3) // step + 1
        z = b.filled(zero, B, out, out, to)
        x = b.op(
            f"linalg.conv_2d_nhwc_hwcf {{dilations = dense<1> : tensor<2xi64>, strides = dense<{step}> : "
            f"tensor<2xi64>}} ins({x}, {w} : {t(B, size + 2, size + 2, c)}, {t(3, 3, c, to)}) "
            f"outs({z} : {t(B, out, out, to)}) -> {t(B, out, out, to)}"
        )
        size, c = out, to
        bias = b.op(f"arith.constant dense<{i}.125> : {t(c)}")
        x = b.generic(
            ["d0, d1, d2, d3", "d3", "d0, d1, d2, d3"], "pppp", [(x, t(B, size, size, c)), (bias, t(c))],
            b.empty(B, size, size, c), t(B, size, size, c),
            ["%s = arith.addf %a0, %a1 : f32", f"%y = arith.maximumf %s, {zero} : f32"],
        )
    window = b.empty(2, 2)
    out = (size - 2) // 2 + 1
    z = b.filled(zero, B, out, out, c)
    x = b.op(
        "linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>} "
        f"ins({x}, {window} : {t(B, size, size, c)}, {t(2, 2)}) outs({z} : {t(B, out, out, c)}) -> {t(B, out, out, c)}"
    )
    flat = b.op(f"tensor.collapse_shape {x} [[0], [1, 2, 3]] : {t(B, out, out, c)} into {t(B, out * out * c)}")
    w = b.op(f"arith.constant dense<0.5> : {t(out * out * c, 10)}")
    y = b.matmul(flat, t(B, out * out * c), w, t(out * out * c, 10), (B, 10), zero)
    return function("forward", [("%x", t(B, 31, 31, 3))], t(B, 10), b, y)


def shape(b, *sizes):
    return b.op(
        f"tosa.const_shape {{values = dense<{list(sizes)}> : tensor<{len(sizes)}xindex>}} : "
        f"() -> !tosa.shape<{len(sizes)}>"
    )


def tosa(n):
    b, c, size, x = Body(), 3, 31, "%x"
    zp = b.op("\"tosa.const\"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>")
    for i in range(n):
        to, step = 5 + 2 * i, 2 if i % 2 else 1
        out = (size + 2 - 3) // step + 1
        over = (size + 2 - 3) % step
        w = b.op(f'"tosa.const"() {{values = dense<{i}.5> : {t(to, 3, 3, c)}}} : () -> {t(to, 3, 3, c)}')
        bias = b.op(f'"tosa.const"() {{values = dense<{i}.5> : {t(to)}}} : () -> {t(to)}')
        x = b.op(
            f"tosa.conv2d {x}, {w}, {bias}, {zp}, {zp} {{acc_type = f32, dilation = array<i64: 1, 1>, "
            f"pad = array<i64: 1, {1 - over}, 1, {1 - over}>, stride = array<i64: {step}, {step}>}} : "
            f"({t(B, size, size, c)}, {t(to, 3, 3, c)}, {t(to)}, tensor<1xf32>, tensor<1xf32>) -> {t(B, out, out, to)}"
        )
        size, c = out, to
        ty = t(B, size, size, c)
        x = b.op(f"tosa.clamp {x} {{min_val = 0.0 : f32, max_val = 6.0 : f32}} : ({ty}) -> {ty}")
    out = size - 1
    x = b.op(
        f"tosa.avg_pool2d {x}, {zp}, {zp} {{acc_type = f32, kernel = array<i64: 2, 2>, "
        f"pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}} : "
        f"({t(B, size, size, c)}, tensor<1xf32>, tensor<1xf32>) -> {t(B, out, out, c)}"
    )
    p = shape(b, 0, 0, 1, 2, 1, 2, 0, 0)
    pad = t(B, out + 3, out + 3, c)
    x = b.op(f"tosa.pad {x}, {p}, {zp} : ({t(B, out, out, c)}, !tosa.shape<8>, tensor<1xf32>) -> {pad}")
    start, sizes = shape(b, 0, 1, 1, 0), shape(b, B, out, out, c)
    x = b.op(f"tosa.slice {x}, {start}, {sizes} : ({pad}, !tosa.shape<4>, !tosa.shape<4>) -> {t(B, out, out, c)}")
    flat = out * out * c
    s = shape(b, 1, B, flat)
    x = b.op(f"tosa.reshape {x}, {s} : ({t(B, out, out, c)}, !tosa.shape<3>) -> {t(1, B, flat)}")
    w = b.op(f'"tosa.const"() {{values = dense<0.5> : {t(1, flat, 10)}}} : () -> {t(1, flat, 10)}')
    x = b.op(
        f"tosa.matmul {x}, {w}, {zp}, {zp} : ({t(1, B, flat)}, {t(1, flat, 10)}, tensor<1xf32>, tensor<1xf32>) "
        f"-> {t(1, B, 10)}"
    )
    x = b.op(f"tosa.transpose {x} {{perms = array<i32: 1, 0, 2>}} : ({t(1, B, 10)}) -> {t(B, 1, 10)}")
    m = shape(b, 1, 4, 1)
    x = b.op(f"tosa.tile {x}, {m} : ({t(B, 1, 10)}, !tosa.shape<3>) -> {t(B, 4, 10)}")
    x = b.op(f"tosa.reduce_sum {x} {{axis = 1 : i32}} : ({t(B, 4, 10)}) -> {t(B, 1, 10)}")
    return function("forward", [("%x", t(B, 31, 31, 3))], t(B, 1, 10), b, x)


KINDS = {f.__name__: f for f in (straight, calls, loop, memref, cnn, tosa)}


def main():
    kind, n = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    text = KINDS[kind](n)
    if len(sys.argv) > 3:
        text = re.sub(r"((?:tensor|memref)<[0-9x]*(?:f32)(?:, strided<[^>]*>)?)>", rf"\1, {sys.argv[3]}>", text)
    sys.stdout.write(f"module {{\n{text}}}\n")


if __name__ == "__main__":
    main()
