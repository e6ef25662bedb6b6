"""The models of bench/dispatches: StableHLO text, one operation a line.

Each returns the text, the lines of the planted operations, and what
iree-run-module is given as inputs."""
import random
import re
import struct
from typing import NamedTuple


class Value(NamedTuple):
    name: str
    shape: tuple
    kind: str = "f32"

    @property
    def type(self):
        return "tensor<" + "".join(f"{n}x" for n in self.shape) + self.kind + ">"


class Net:
    """A function under construction: lines of text."""

    def __init__(self, seed):
        self.random, self.n, self.inputs, self.arguments = random.Random(seed), 0, [], []
        self.lines, self.planted, self.indent = ["func.func @main() {"], [], "  "

    def argument(self, shape, numbers, kind="f32"):
        value = Value(f"%arg{len(self.arguments)}", shape, kind)
        self.arguments.append(value)
        self.inputs.append("x".join(map(str, shape + (kind,))) + "=" + " ".join(map(str, numbers)))
        return value

    def uniform(self, shape, low=-1.0, high=1.0):
        size = 1
        for n in shape:
            size *= n
        return [round(self.random.uniform(low, high), 3) for _ in range(size)]

    def line(self, text):
        self.lines.append(self.indent + text)

    def op(self, text, shape, kind="f32"):
        self.n += 1
        value = Value(f"%v{self.n}", tuple(shape), kind)
        self.line(f"{value.name} = {text}")
        return value

    def plant(self):
        """The next line is the operation that the compiler gets wrong."""
        self.planted.append(len(self.lines) + 1)

    def finish(self, *results):
        self.line(f"return {', '.join(r.name for r in results)} : {', '.join(r.type for r in results)}")
        arguments = ", ".join(f"{a.name}: {a.type}" for a in self.arguments)
        self.lines[0] = f"func.func @main({arguments}) -> ({', '.join(r.type for r in results)}) {{"
        return "\n".join(self.lines + ["}", ""]), self.planted, self.inputs

    # ---- constants ----

    def number(self, x, shape=(), kind="f32"):
        value = Value("", shape, kind)
        return self.op(f"stablehlo.constant dense<{x}> : {value.type}", shape, kind)

    def weights(self, shape, scale=None, numbers=None):
        if numbers is None:
            fan = 1
            for n in shape[:-1]:
                fan *= n
            scale = scale or fan ** -0.5
            numbers = self.uniform(shape, -scale, scale)
        data = struct.pack(f"<{len(numbers)}f", *numbers).hex().upper()
        return self.op(f'stablehlo.constant dense<"0x{data}"> : {Value("", shape).type}', shape)

    # ---- operations ----

    def unary(self, name, a):
        return self.op(f"stablehlo.{name} {a.name} : {a.type}", a.shape, a.kind)

    def binary(self, name, a, b):
        return self.op(f"stablehlo.{name} {a.name}, {b.name} : {a.type}", a.shape, a.kind)

    def change(self, name, a, shape, kind=None, how=""):
        to = Value("", tuple(shape), kind or a.kind)
        return self.op(f"stablehlo.{name} {a.name}{how} : ({a.type}) -> {to.type}", shape, to.kind)

    def reshape(self, a, *shape):
        return self.change("reshape", a, shape)

    def spread(self, a, shape, dims):
        return self.change("broadcast_in_dim", a, shape, how=f", dims = {list(dims)}")

    def turn(self, a, *dims):
        return self.change("transpose", a, [a.shape[d] for d in dims], how=f", dims = {list(dims)}")

    def scaled(self, name, a, x):
        """a with a number: its splat is an operation of its own."""
        return self.binary(name, a, self.number(x, a.shape, a.kind))

    def dot(self, a, b, batch=0):
        """Rows of a by columns of b, of each of the leading `batch` dimensions."""
        both = list(range(batch))
        shape = a.shape[:-1] + b.shape[batch + 1:]
        how = f"batching_dims = {both} x {both}, " if batch else ""
        return self.op(
            f"stablehlo.dot_general {a.name}, {b.name}, {how}contracting_dims = "
            f"[{len(a.shape) - 1}] x [{batch}] : ({a.type}, {b.type}) -> {Value('', shape).type}", shape)

    def reduce(self, name, a, dims, init):
        zero = self.number(init)
        shape = [n for i, n in enumerate(a.shape) if i not in dims]
        return self.op(
            f"stablehlo.reduce({a.name} init: {zero.name}) applies stablehlo.{name} across dimensions = "
            f"{list(dims)} : ({a.type}, tensor<f32>) -> {Value('', tuple(shape)).type}", shape)

    def compare(self, how, a, b):
        to = Value("", a.shape, "i1")
        return self.op(f"stablehlo.compare {how}, {a.name}, {b.name} : ({a.type}, {b.type}) -> {to.type}", a.shape, "i1")

    def select(self, p, a, b):
        return self.op(f"stablehlo.select {p.name}, {a.name}, {b.name} : {p.type}, {a.type}", a.shape, a.kind)

    def part(self, a, ranges):
        shape = [to - at for at, to in ranges]
        text = ", ".join(f"{at}:{to}" for at, to in ranges)
        return self.op(f"stablehlo.slice {a.name} [{text}] : ({a.type}) -> {Value('', tuple(shape), a.kind).type}", shape, a.kind)

    def join(self, parts, dim):
        shape = list(parts[0].shape)
        shape[dim] = sum(p.shape[dim] for p in parts)
        return self.op(
            f"stablehlo.concatenate {', '.join(p.name for p in parts)}, dim = {dim} : "
            f"({', '.join(p.type for p in parts)}) -> {Value('', tuple(shape)).type}", shape)

    # ---- layers ----

    def bias(self, a):
        n = a.shape[-1]
        return self.binary("add", a, self.spread(self.weights((n,), 0.1), a.shape, [len(a.shape) - 1]))

    def dense(self, a, n):
        return self.bias(self.dot(a, self.weights((a.shape[-1], n))))

    def gelu(self, a):
        cube = self.binary("multiply", self.binary("multiply", a, a), a)
        inner = self.binary("add", a, self.scaled("multiply", cube, 0.044715))
        tanh = self.unary("tanh", self.scaled("multiply", inner, 0.7978846))
        return self.binary("multiply", self.scaled("multiply", a, 0.5), self.scaled("add", tanh, 1.0))

    def silu(self, a):
        return self.binary("multiply", a, self.unary("logistic", a))

    def mean(self, a, dims, keep):
        size = 1
        for d in dims:
            size *= a.shape[d]
        mean = self.scaled("divide", self.reduce("add", a, dims, "0.0"), float(size))
        return self.spread(mean, a.shape, keep)

    def norm(self, a, dims, power=False):
        """By mean and variance over dims; power: squares by power."""
        keep = [d for d in range(len(a.shape)) if d not in dims]
        off = self.binary("subtract", a, self.mean(a, dims, keep))
        if power:
            exponents = self.weights((a.shape[-1],), numbers=[2.0, 4.0] * (a.shape[-1] // 2))
            exponents = self.spread(exponents, a.shape, [len(a.shape) - 1])
            self.plant()
            square = self.binary("power", off, exponents)
        else:
            square = self.binary("multiply", off, off)
        root = self.unary("rsqrt", self.scaled("add", self.mean(square, dims, keep), "1.0e-5"))
        out, last = self.binary("multiply", off, root), [len(a.shape) - 1]
        gain = self.spread(self.weights((a.shape[-1],), 1.0), a.shape, last)
        return self.bias(self.binary("multiply", out, gain))

    def softmax(self, a):
        last = len(a.shape) - 1
        keep = list(range(last))
        top = self.spread(self.reduce("maximum", a, [last], "0xFF800000"), a.shape, keep)
        e = self.unary("exponential", self.binary("subtract", a, top))
        return self.binary("divide", e, self.spread(self.reduce("add", e, [last], "0.0"), a.shape, keep))

    def attention(self, a, heads):
        rows, width = a.shape
        each = width // heads
        q, k, v = (self.turn(self.reshape(self.dense(a, width), rows, heads, each), 1, 0, 2) for _ in range(3))
        scores = self.scaled("multiply", self.dot(q, self.turn(k, 0, 2, 1), 1), each ** -0.5)
        out = self.dot(self.softmax(scores), v, 1)
        return self.dense(self.reshape(self.turn(out, 1, 0, 2), rows, width), width)

    def conv(self, a, n, size=3):
        pad = size // 2
        w = self.weights((size, size, a.shape[3], n))
        shape = a.shape[:3] + (n,)
        return self.bias(self.op(
            f"stablehlo.convolution({a.name}, {w.name}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
            f"window = {{stride = [1, 1], pad = [[{pad}, {pad}], [{pad}, {pad}]], rhs_dilate = [1, 1]}} "
            f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({a.type}, {w.type}) -> "
            f"{Value('', shape).type}", shape))

    def pool(self, a, name="maximum", init="0xFF800000"):
        start = self.number(init)
        shape = (a.shape[0], a.shape[1] // 2, a.shape[2] // 2, a.shape[3])
        self.n += 1
        value = Value(f"%v{self.n}", shape)
        window = "array<i64: 1, 2, 2, 1>"
        self.line(f'{value.name} = "stablehlo.reduce_window"({a.name}, {start.name}) '
                  f"<{{window_dimensions = {window}, window_strides = {window}}}> ({{")
        self.line("^bb0(%l: tensor<f32>, %r: tensor<f32>):")
        self.line(f"  %m = stablehlo.{name} %l, %r : tensor<f32>")
        self.line("  stablehlo.return %m : tensor<f32>")
        self.line(f"}}) : ({a.type}, tensor<f32>) -> {value.type}")
        return value

    def relu(self, a):
        return self.scaled("maximum", a, 0.0)


def operations(text):
    """The operations of a text: those with a result, and what ends a block."""
    return len(re.findall(r"(?m)^ *(?:%\w+(?::\d+)? = |return |stablehlo.return )", text))


# ---- the models ----


def encoder(layers=4, powers=(2,)):
    """Attention and a dense block a layer; in `powers`, a norm squares by
    power."""
    net = Net(1)
    x = net.argument((8, 16), net.uniform((8, 16)))
    for layer in range(layers):
        x = net.binary("add", x, net.attention(net.norm(x, [1]), 2))
        wide = net.gelu(net.dense(net.norm(x, [1], layer in powers), 32))
        x = net.binary("add", x, net.dense(wide, 16))
    return net.finish(net.softmax(net.dense(net.norm(x, [1]), 10)))


def convnet(blocks=12):
    """Residual blocks, pooled; the activations of one go through integers."""
    net = Net(2)
    x = net.argument((1, 16, 16, 3), net.uniform((1, 16, 16, 3)))
    x = net.relu(net.conv(x, 8))
    for block in range(blocks):
        y = net.relu(net.norm(net.conv(x, x.shape[3]), [0, 1, 2]))
        if block == 7:
            steps = net.scaled("multiply", y, 4.0)
            net.plant()
            whole = net.change("convert", steps, steps.shape, "i32")
            y = net.scaled("multiply", net.change("convert", whole, whole.shape, "f32"), 0.25)
        x = net.relu(net.binary("add", x, net.norm(net.conv(y, x.shape[3]), [0, 1, 2])))
        if block % 4 == 3:
            x = net.pool(x)
    flat = net.reshape(x, 1, x.shape[1] * x.shape[2] * x.shape[3])
    return net.finish(net.softmax(net.dense(flat, 10)))


def unet():
    """Down and up again with joints; features of the middle are sines of
    large whole numbers."""
    net = Net(3)
    x = net.argument((1, 16, 16, 4), net.uniform((1, 16, 16, 4)))
    time = net.argument((1, 8), [1, 2, 3, 4, 5, 6, 7, 8])
    embedded = net.silu(net.dense(net.scaled("multiply", time, 0.125), 16))

    def block(a, n, embedded):
        y = net.conv(net.silu(net.norm(a, [1, 2])), n)
        shift = net.spread(net.reshape(net.dense(embedded, n), n), y.shape, [3])
        y = net.conv(net.silu(net.norm(net.binary("add", y, shift), [1, 2, 3])), n)
        return net.binary("add", y, net.conv(a, n, 1))

    def look(a):
        rows = net.reshape(net.norm(a, [1, 2]), a.shape[1] * a.shape[2], a.shape[3])
        return net.binary("add", a, net.reshape(net.attention(rows, 2), *a.shape))

    first = block(net.conv(x, 8), 8, embedded)
    second = block(net.pool(first), 16, embedded)
    middle = look(block(net.pool(second), 16, embedded))
    level = net.unary("floor", net.scaled("multiply", net.reduce("maximum", middle, [1, 2], "0xFF800000"), 8.0))
    large = net.scaled("multiply", net.scaled("add", level, 64.0), 4194304.0)
    net.plant()
    wave = net.unary("sine", large)
    embedded = net.binary("add", embedded, net.dense(wave, 16))
    middle = look(block(middle, 16, embedded))

    def up(a):
        n, h, w, c = a.shape
        return net.reshape(net.spread(a, (n, h, 2, w, 2, c), [0, 1, 3, 5]), n, h * 2, w * 2, c)

    x = block(net.join([up(middle), second], 3), 16, embedded)
    x = block(net.join([up(x), first], 3), 8, embedded)
    return net.finish(net.unary("tanh", net.conv(net.silu(net.norm(x, [1, 2])), 4)))


def cell(net, x, h, w):
    """A gated recurrent cell: w holds its six matrices and three biases."""
    def gate(k, hidden):
        both = net.binary("add", net.dot(x, w[2 * k]), net.dot(hidden, w[2 * k + 1]))
        return net.binary("add", both, net.spread(w[6 + k], both.shape, [1]))
    update = net.unary("logistic", gate(0, h))
    reset = net.unary("logistic", gate(1, h))
    fresh = net.unary("tanh", gate(2, net.binary("multiply", reset, h)))
    keep = net.binary("multiply", net.binary("subtract", net.number(1.0, h.shape), update), h)
    return net.binary("add", keep, net.binary("multiply", update, fresh))


def cell_weights(net, n, m):
    return [net.weights((n if i % 2 == 0 else m, m)) for i in range(6)] + [net.weights((m,), 0.1) for _ in range(3)]


def recurrent(turns=7):
    """Two layers of gated cells, unrolled; once, a row is divided by its
    norm, which is 0, and clipped: what is no number becomes 0 there."""
    net = Net(4)
    x = net.argument((turns, 4, 8), net.uniform((turns, 4, 8)))
    layers = [cell_weights(net, 8, 16), cell_weights(net, 16, 16)]
    h = [net.number(0.0, (4, 16)), net.number(0.0, (4, 16))]
    mask = net.weights((4, 16), numbers=[float(i // 16 != 2) for i in range(64)])
    for turn in range(turns):
        row = net.reshape(net.part(x, [(turn, turn + 1), (0, 4), (0, 8)]), 4, 8)
        h[0] = cell(net, row, h[0], layers[0])
        if turn == turns * 6 // 10:
            seen = net.binary("multiply", h[0], mask)
            size = net.unary("sqrt", net.reduce("add", net.binary("multiply", seen, seen), [1], "0.0"))
            unit = net.binary("divide", seen, net.spread(size, seen.shape, [0]))
            low = net.number(-0.3, unit.shape)
            net.plant()
            clipped = net.binary("maximum", unit, low)
            known = net.compare("EQ", clipped, clipped)
            h[0] = net.select(known, clipped, net.number(0.0, unit.shape))
        h[1] = cell(net, h[0], h[1], layers[1])
    return net.finish(net.softmax(net.dense(h[1], 10)))


def scan(layers=8):
    """A stack of cells inside a loop; one hashes its state in 16 bits by an
    unsigned division."""
    net = Net(5)
    x = net.argument((5, 4, 8), net.uniform((5, 4, 8)))
    stacks = [cell_weights(net, 8 if i == 0 else 16, 16) for i in range(layers)]
    zero, one, five = (net.number(i, (), "i32") for i in (0, 1, 5))
    start = net.number(0.0, (layers, 4, 16))
    net.line(f"%loop:2 = stablehlo.while(%i = {zero.name}, %h = {start.name}) : tensor<i32>, {start.type}")
    net.line("cond {")
    net.line(f"  %p = stablehlo.compare LT, %i, {five.name} : (tensor<i32>, tensor<i32>) -> tensor<i1>")
    net.line("  stablehlo.return %p : tensor<i1>")
    net.line("} do {")
    row = net.reshape(net.op(
        f"stablehlo.dynamic_slice {x.name}, %i, {zero.name}, {zero.name}, sizes = [1, 4, 8] : "
        f"({x.type}, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x4x8xf32>", (1, 4, 8)), 4, 8)
    state, out = Value("%h", start.shape), []
    for layer, w in enumerate(stacks):
        old = net.reshape(net.part(state, [(layer, layer + 1), (0, 4), (0, 16)]), 4, 16)
        row = cell(net, row, old, w)
        if layer == layers * 6 // 10:
            # whole numbers: VMVX also rounds in place of truncating
            whole = net.unary("floor", net.scaled("multiply", row, 64.0))
            bits = net.change("convert", whole, row.shape, "i16")
            plain = net.change("bitcast_convert", bits, bits.shape, "ui16")
            seven = net.op("stablehlo.iota dim = 1 : tensor<4x16xui16>", (4, 16), "ui16")
            seven = net.binary("add", seven, net.number(7, (4, 16), "ui16"))
            net.plant()
            hashed = net.binary("divide", plain, seven)
            row = net.scaled("multiply", net.change("convert", hashed, row.shape, "f32"), 1.0 / 8192)
        out.append(net.reshape(row, 1, 4, 16))
    last = net.join(out, 0)
    following = net.op(f"stablehlo.add %i, {one.name} : tensor<i32>", (), "i32")
    net.line(f"stablehlo.return {following.name}, {last.name} : tensor<i32>, {last.type}")
    net.line("}")
    top = net.part(Value("%loop#1", start.shape), [(layers - 1, layers), (0, 4), (0, 16)])
    return net.finish(net.softmax(net.dense(net.reshape(top, 4, 16), 10)))
