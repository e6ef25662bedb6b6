#!/usr/bin/python3 -IS
"""iree-compile and iree-run-module, by the name it is called by: what they
print, for functions of tensor<4xf32> whose operations are arith's.

Each operation is a dispatch; with --iree-opt-level=O3, two neighbours of which
the second alone reads the first are one.  --fake-wrong=OP: that operation is
off by one, from phase flow on.  --fake-cut: the runtime fails in its third
dispatch, --fake-cut=N: in its N-th; --fake-die: by a signal.  --fake-status:
the compiler fails.  --fake-square: traces and files hold 2x2 elements.
--fake-other: a module that returns what a dispatch read and wrote returns
other values.  --fake-once: the runtime fails where it prints a value twice.
--fake-shift: the
first operation is no part of a pair.  --fake-early=A:B: operation A becomes B
before phase flow.  --fake-keep: no executable is replaced, and nothing is said.
--fake-drift=X: each operation's result is X times itself more, as by rounding.
--fake-generic: each dispatch is a linalg.generic; --fake-generic=N: which
prints that it has N results, and has two; --fake-generic=+: which adds to its
output, as a reduction.  --fake-dynamic: the sizes are dynamic at phase flow.
--fake-refuse: executables of others are refused.  --fake-loop=N: the operations
are N turns of a loop, of which the compiler traces none, and with more than
four traces in there it fails.  --fake-value V: V may be a word of its own; the compiler fails without it."""
import json, os, re, struct, sys

T = "tensor<4xf32>"
D = "!iree_tensor_ext.dispatch.tensor"
PART = "offsets = [0], sizes = [4], strides = [1]"
OP = re.compile(r"(%[\w]+) = ([\w.]+) (%\w+)(?:, (%\w+))?[^:]*:")


def bare(line):
    return re.sub(r" loc\(.*", "", line.strip())


def unfold(text):
    """The same without linalg.generic: operations on tensors."""

    text = re.sub(r"(%\w+)#(\d)", r"\1_\2", text)

    def flat(m):
        out, value, reads = [], m[1], re.findall(r"%\w+", m[3])
        names = dict(zip(re.findall(r"(%\w+): f32", m[4]), reads))
        for line in map(bare, m[5].splitlines()):
            line = re.sub(r"arith.addf (%\w+), %out\b", r"arith.copy \1", line)
            line = re.sub(r"%\w+", lambda x: names.setdefault(x[0], value + "_" + x[0][1:]), line)
            if line.startswith("linalg.yield"):
                for k, x in enumerate(re.findall(r"%\w+", line)):
                    out.append(f"        {value}{f'_{k}' if m[2] else ''} = arith.copy {x} : {T}")
                continue
            out.append("        " + line.replace(": f32", ": " + T))
        return "\n".join(out)

    return re.sub(r"(?ms)^ *(%\w+)(:\d+)? = linalg.generic [^\n]*? ins\((.*?) :[^\n]*\{\n *\^bb0\(([^\n]*)\):\n(.*?)\n        \} -> [^\n]*", flat, text)


def source(text):
    """Arguments, operations (result, name, operands, line), results."""
    arguments, ops, results = [], [], []
    for number, line in enumerate(unfold(text).splitlines(), 1):
        line = bare(line)
        if line.startswith("func.func"):
            arguments = re.findall(r"(%\w+):", line)
        elif line.startswith("return"):
            results = re.findall(r"%\w+", line)
        elif m := OP.match(line):
            ops.append((m[1], m[2], [x for x in m.groups()[2:] if x], number))
    return arguments, ops, results


def groups(ops, results, fuse, shift):
    out = []
    for op in ops:
        last = out[-1][-1] if out else None
        readers = last and [o for o in ops if last[0] in o[2]]
        if fuse and last and len(out) > shift and len(out[-1]) == 1 and readers == [op] and last[0] not in results:
            out[-1].append(op)
        else:
            out.append([op])
    return out


def op_of_trace(name, kind, values):
    return f'    flow.tensor.trace "{name} {kind}" = [{", ".join(f"{x} : {T}" for x in values)}]'


def flow(text, file, fuse, shift, located, traced, target, generic):
    arguments, ops, results = source(text)
    loc = (lambda n: f' loc("{file}":{n}:8)') if located else (lambda n: "")
    head, body = [], []
    for i, a in enumerate(arguments):
        body.append(f'    {a} = hal.tensor.import %view{i} "input{i}" : !hal.buffer_view -> {T}')
    for d, group in enumerate(groups(ops, results, fuse, shift)):
        made = [op[0] for op in group]
        reads = list(dict.fromkeys(x for op in group for x in op[2] if x not in made))
        export = f"main_dispatch_{d}_" + "_".join(op[1].split(".")[1] for op in group)
        args = [f"%arg{k}: {D}<readonly:{T}>{loc(1)}" for k in range(len(reads))]
        args.append(f"%arg{len(reads)}: {D}<writeonly:{T}>{loc(1)}")
        head += [f"  flow.executable private @main_dispatch_{d} {{", f"    flow.executable.export public @{export}", "    builtin.module {"]
        head.append(f"      func.func @{export}({', '.join(args)}) {{")
        for k, x in enumerate(reads):
            head.append(f"        {x} = iree_tensor_ext.dispatch.tensor.load %arg{k}, {PART} : {D}<readonly:{T}> -> {T}{loc(1)}")
        names, stored = {x: f"%in{k}" for k, x in enumerate(reads)}, made[-1]
        sums, wide = generic == "+", generic not in (None, "", "+") and generic
        if generic is not None:
            outs = ["%out", "%out_0"][: 1 + bool(wide)]
            many, stored = (f"{made[-1]}:{wide}", made[-1] + "#1") if wide else (made[-1], made[-1])
            maps = ", ".join(["affine_map<(d0) -> (d0)>"] * (len(reads) + len(outs)))
            head.append(f"        %empty = tensor.empty() : {T}{loc(1)}")
            head.append(f'        {many} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["{"reduction" if sums else "parallel"}"]}} ins({", ".join(reads)} : {", ".join([T] * len(reads))}) outs({", ".join(["%empty"] * len(outs))} : {", ".join([T] * len(outs))}) {{')
            head.append(f"        ^bb0({', '.join(x + ': f32' + loc(1) for x in [*names.values(), *outs])}):")
            for value, name, operands, line in group:
                names[value] = value + "s"
                head.append(f"          {names[value]} = {name} {', '.join(names[x] for x in operands)} : f32{loc(line)}")
            if sums:
                last = names[made[-1]]
                names[made[-1]] = "%sum"
                head.append(f"          %sum = arith.addf {last}, %out : f32{loc(group[-1][3])}")
            yielded = [names[x] for x in [made[0], made[-1]][-len(outs) :]]
            types = f"({T}, {T})" if wide else T
            head += [f"          linalg.yield {', '.join(yielded)} : {', '.join(['f32'] * len(outs))}{loc(1)}", f"        }} -> {types}{loc(group[-1][3])}"]
        for value, name, operands, line in group if generic is None else []:
            head.append(f"        {value} = {name} {', '.join(operands)} : {T}{loc(line)}")
        head.append(f"        iree_tensor_ext.dispatch.tensor.store {stored}, %arg{len(reads)}, {PART} : {T} -> {D}<writeonly:{T}>")
        head += ["        return", "      }", "    }", "  }"]
        name = f"main_dispatch_{d}::{export}"
        if traced:
            body.append(op_of_trace(name, "inputs", reads))
        body.append(f"    {made[-1]} = flow.dispatch @main_dispatch_{d}::@{export}({', '.join(reads)}) : ({', '.join([T] * len(reads))}) -> {T}{loc(group[-1][3])}")
        if traced:
            body.append(op_of_trace(name, "outputs", made[-1:]))
    views = [f"%out{i}" for i in range(len(results))]
    for i, r in enumerate(results):
        body.append(f'    {views[i]} = hal.tensor.export {r} "output{i}" : {T} -> !hal.buffer_view')
    many = ", ".join(["!hal.buffer_view"] * len(results))
    entry = ", ".join(f"%view{i}: !hal.buffer_view" for i in range(len(arguments)))
    body.append(f"    util.return {', '.join(views)} : {many}")
    device = f'  util.global private @__device_0 = #hal.device.target<"local", [#hal.executable.target<"{target}", "format-{target}", {{cpu = "{target}"}}>]> : !hal.device'
    return "\n".join(["module {", device, *head, f"  util.func public @main({entry}) -> ({many}) {{", *body, "  }", "}", ""])


def dynamic(text):
    """The same with tensors whose size is %n, which each dispatch gets, too."""
    sized = "tensor<?xf32>{%n}"
    lines = []
    for line in text.split("\n"):
        if " hal.tensor.import %view0 " in line:
            lines.append("    %n = hal.buffer_view.dim<%view0 : !hal.buffer_view>[0] : index")
        if re.search(r" = (hal.tensor.(im|ex)port|flow.dispatch) ", line):
            line = line.replace(T, sized)
            line = re.sub(r"(flow.dispatch \S+?)\((.*?)\) : \((.*?)\) ->", r"\1[%n](\2, %n) : (\3, index) ->", line)
        lines.append(line)
    return "\n".join(lines)


def looped(text, turns):
    """The same inside a loop, which hands the last value to the next turn."""
    lines, last = [], re.findall(r"hal.tensor.export (%\w+)", text)[-1]
    for line in text.split("\n"):
        if m := re.match(r"    (%\w+) = hal.tensor.import ", line):
            head = f"    %turns = scf.for %turn = %c0 to %c{turns} step %c1 iter_args({m[1]} = {m[1]}_0) -> ({T}) {{"
            lines += [line.replace(m[1], m[1] + "_0", 1), head]
        elif re.match(r"    \S+ = hal.tensor.export ", line):
            lines += [f"      scf.yield {last} : {T}", "    }", line.replace(last, "%turns")]
        elif re.match(r"    %\w+ = flow.dispatch ", line):
            lines.append("  " + line)
        elif "flow.tensor.trace" not in line:
            lines.append(line)
    return "\n".join(lines)


def unrolled(lines):
    """The lines of a function, those of its loop once for each turn."""
    at = next((i for i, x in enumerate(lines) if " = scf.for " in x), None)
    if at is None:
        return lines
    end = next(i for i, x in enumerate(lines) if x.startswith("scf.yield"))
    value, turns, arg, first = re.match(r"(%\w+) = scf.for .* to %c(\d+) step .*iter_args\((%\w+) = (%\w+)\)", lines[at]).groups()
    copy, out = (lambda to, x: f"{to} = util.optimization_barrier {x} : {T}"), [*lines[:at]]
    for _ in range(int(turns)):
        out += ["turn", copy(arg, first), *lines[at + 1 : end]]
        first = lines[end].split()[1]
    return [*out, copy(value, first), *lines[end + 2 :]]


def executables(text):
    return re.findall(r"(?ms)^  flow\.executable private @(\w+) \{.*?^  \}\n", text)


def targets(text):
    return re.findall(r'#hal.executable.target<("[\w-]+", "[\w-]+")', text.split(" = #hal.device.target<", 1)[1].split("\n")[0])


def variants(text, wrong):
    """At phase executable-targets: each executable in a variant for each target."""
    named = {re.sub(r"\W+", "_", t.split(", ")[1][1:-1]): t for t in targets(text)}
    out = []
    for name in executables(text):
        out.append(f"  hal.executable private @{name} {{")
        for variant, target in named.items():
            out += [f"    hal.executable.variant public @{variant} target(<{target}, {{}}>) {{", f"      // {wrong}", "    }"]
        out += ["  }", "      stream.cmd.dispatch {" + ", ".join(f"@{name}::@{v}::@e" for v in named) + "} {"]
    return "\n".join(["module {", *out, "// flow", text])


def chosen(text):
    """The wrong operation of each executable, from that phase, and the rest."""
    head, rest = text.split("// flow\n")
    own, name = {}, None
    for line in head.splitlines():
        if m := re.match(r"  hal.executable private @(\w+)", line):
            name, names = m[1], []
        elif m := re.match(r"    hal.executable.variant public @(\w+)", line):
            names.append(m[1])
        elif m := re.match(r"      // (.*)", line):
            own[name] = m[1]
        elif line.startswith("      stream") and line != f"      stream.cmd.dispatch {{@{name}::@{names[0]}::@e}} {{":
            sys.exit(f"error: {name} has the variants {names}: {line}")
    return own, rest


def compile(argv):
    if "--help-hidden" in argv:
        return print("  -o <filename>    - Output\n  --fake-value=<string> - a value\n  --fake-cut - none")
    argv = list(argv)
    if "--fake-value" in argv:
        at = argv.index("--fake-value")
        argv[at : at + 2] = ["=".join(argv[at : at + 2])]
    flags = dict((w.lstrip("-") + "=").split("=", 1) for w in argv if w.startswith("-") and w != "-o")
    flags = {k: v.rstrip("=") for k, v in flags.items()}
    out = argv[argv.index("-o") + 1]
    names = [w for i, w in enumerate(argv) if not w.startswith("-") and argv[i - 1] != "-o"]
    text = open(names[0]).read()
    traced = "iree-flow-trace-dispatch-tensors" in flags
    if flags.get("fake-value", "V") != "V" or len(names) > 1:
        sys.exit("error: fake-value")
    if "fake-status" in flags and "iree-flow-trace-dispatch-tensors" in flags:
        sys.exit(f"{names[0]}:2:8: error: failed to legalize operation 'arith.addf'")
    own = {}
    if flags.get("compile-from") == "executable-targets":
        own, text = chosen(text)
    elif flags.get("compile-from") != "flow":
        text = flow(text, names[0], flags.get("iree-opt-level") == "O3", "fake-shift" in flags, "mlir-print-debuginfo" in flags, traced, flags.get("iree-hal-target-backends", "llvm-cpu"), flags.get("fake-generic"))
        text = dynamic(text) if "fake-dynamic" in flags else text
        text = looped(text, flags["fake-loop"]) if "fake-loop" in flags else text
        early = flags.get("fake-early", ":").split(":")
        text = text.replace(f" arith.{early[0]} ", f" arith.{early[1]} ")
        traced = False
    if "iree-hal-dump-executable-sources-to" in flags:
        for name in executables(text):
            block = re.search(rf"(?ms)^  flow\.executable private @{name} .*?^  }}\n", text)[0]
            open(f"{flags['iree-hal-dump-executable-sources-to']}/module_{name}.mlir", "w").write(block)
    to = flags.get("compile-to")
    if to == "executable-targets":
        text = variants(text, flags.get("fake-wrong")) if len(targets(text)) > 1 else f"// {flags.get('fake-wrong')}\n" + text
    for word in argv:
        if not word.startswith("--iree-hal-substitute-executable-object=") or "fake-keep" in flags:
            continue
        _, name, path = word.split("=", 2)
        other = open(path).read()
        if flags.get("iree-hal-link-executables") != "false":
            sys.exit(f"error: export '{name}' not found in library")
        if "fake-refuse" in flags or not path.endswith(".mlir"):
            sys.exit(f"{path}:10:9: error: custom op 'hal.executable.export' cannot be parsed")
        block = lambda x: re.search(rf"(?ms)^  flow\.executable private @{name} .*?^  }}\n", x)
        if not block(text):
            print(f"WARNING: iree-hal-substitute-executables could not perform the requested substitution as the executable `{name}` was not found in the module", file=sys.stderr)
            continue
        print(f"NOTE: hal.executable `{name}` substituted with MLIR source at `{path}`", file=sys.stderr)
        text = text.replace(block(text)[0], block(other)[0])
        own[name] = other.split("\n")[0][3:]
    if to is None and text.count("\n      flow.tensor.trace") > 4:
        sys.exit(f"{names[0]}:1:1: error: failed to solve for timepoint coverage")
    if to is None:
        text = json.dumps({"own": own, "flow": text, "trace": traced, "once": "fake-once" in flags, "wrong": flags.get("fake-wrong"), "cut": int(flags.get("fake-cut") or 3) if "fake-cut" in flags else 0, "die": "fake-die" in flags, "square": "fake-square" in flags, "other": "fake-other" in flags, "drift": float(flags.get("fake-drift") or 0)})
    (sys.stdout if out == "-" else open(out, "w")).write(text)


def compute(name, a, wrong, drift):
    f = {"addf": lambda x, y: x + y, "subf": lambda x, y: x - y, "mulf": lambda x, y: x * y, "maximumf": max, "negf": lambda x: -x, "extract_slice": lambda x: x, "copy": lambda x: x}
    off = 1.0 if wrong == name.split(".")[1] else 0.0
    return [(f[name.split(".")[1]](*xs) + off) * (1 + drift) for xs in zip(*a)]


def dispatch(text, export, inputs, wrong, drift):
    values, result = {}, None
    body = unfold(text.split(f"func.func @{export}(")[1].split("\n      }")[0])
    for line in map(bare, body.splitlines()):
        if m := re.match(r"(%\w+) = iree_tensor_ext.dispatch.tensor.load %arg(\d+)", line):
            values[m[1]] = inputs[int(m[2])]
        elif m := re.match(r"iree_tensor_ext.dispatch.tensor.store (%\w+)", line):
            result = values[m[1]]
        elif m := OP.match(line):
            values[m[1]] = compute(m[2], [values[x] for x in m.groups()[2:] if x], wrong, drift)
    return result


def shown(values):
    return "4xf32=" + " ".join(f"{x:g}" for x in values)


def square(values):
    return "2x2xf32=[{:g} {:g}][{:g} {:g}]".format(*values)


def trace(name, kind, tensors, show):
    print(f"=== {name}{kind} ===", *map(show, tensors), "", sep="\n", file=sys.stderr)


def read(word):
    if not word.startswith("@"):
        values = [float(x) for x in word.split("=")[1].split()]
        return values * 4 if len(values) == 1 else values
    return list(struct.unpack("<4f", open(word[1:], "rb").read()[-16:]))


def write(path, values, shape):
    head = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + head.encode() + struct.pack("<4f", *values))


def run(argv):
    words = [w.split("=", 1) for w in argv]
    of = lambda flag: [w[1] for w in words if w[0] == flag]
    module = of("--module")[0]
    data = json.load(sys.stdin if module == "-" else open(module))
    inputs, values, views, n, results = [read(w) for w in of("--input")], {}, {}, 0, []
    printed, sizes = set(), {}
    for line in unrolled([bare(x) for x in data["flow"].split("  util.func ")[1].splitlines()]):
        if m := re.match(r'(%\w+) = hal.tensor.import %\w+ "input(\d+)"', line):
            values[m[1]] = inputs[len(values)]
        elif re.match(r"%n = (hal.buffer_view.dim<%view0 : .*>.0.|arith.constant 4) : index", line):
            sizes["%n"] = 4
        elif m := re.match(r"(%\w+) = flow.dispatch @(\w+)::@(\w+)(?:\[.*?\])?\((.*?)\)", line):
            read_ = [values[x] for x in m[4].split(", ") if x not in sizes]
            name = f"{m[2]}::{m[3]}"
            if data["trace"]:
                trace(name, " inputs", read_, square if data["square"] else shown)
            n += 1
            if (data["trace"] or "flow.tensor.trace" in data["flow"]) and n == data["cut"]:
                if data["die"]:
                    sys.stderr.flush()
                    os.kill(os.getpid(), 9)
                sys.exit("c/runtime/src/iree/hal/device.c:225: RESOURCE_EXHAUSTED; no memory is left")
            values[m[1]] = dispatch(data["flow"], m[3], read_, data["own"].get(m[2], data["wrong"]), data["drift"] * (m[2] not in data["own"]))
            if data["trace"]:
                trace(name, " outputs", [values[m[1]]], square if data["square"] else shown)
        elif m := re.match(r'flow.tensor.trace "(.*)" = \[(.*)\]', line):
            names = re.findall(r"%\w+", m[2])
            if data["once"] and printed.intersection(names):
                sys.exit(f"error: {names} are printed twice")
            printed.update(names)
            trace(m[1], "", [values[x] for x in names], square if data["square"] else shown)
        elif line == "turn":
            printed.clear()
        elif m := re.match(r'(%\w+) = arith.constant dense<"0x(\w+)">', line):
            values[m[1]] = list(struct.unpack("<4f", bytes.fromhex(m[2])))
        elif m := re.match(r"(%\w+) = flow.tensor.reshape (%\w+) : tensor<4xf32> -> tensor<.xf32>{%n}", line):
            values[m[1]] = values[m[2]]
        elif m := re.match(r"(%\w+) = util.optimization_barrier (%\w+) : tensor<.xf32>$", line):
            values[m[1]] = values[m[2]]
        elif m := re.match(r"(%\w+) = hal.tensor.export (%\w+)", line):
            views[m[1]] = values[m[2]]
        elif line.startswith("util.return"):
            results = [views[x] for x in re.findall(r"%\w+", line)]
    print("EXEC @main")
    if data["once"] and data["trace"]:
        sys.exit("error: values are printed twice")
    want = [read(w) for w in of("--expected_output")]
    for path, result in zip(of("--output"), results):
        other = data["other"] and "%culprit_out1" in data["flow"]
        write(path[1:], [x + 100 * other for x in result], (2, 2) if data["square"] else (4,))
    if want:
        bad = [i for i, w in enumerate(want) if w != results[i]]
        print(f"[FAILED] result[{bad[0]}]: element at index 0 does not match" if bad else "[SUCCESS] all function outputs matched their expected values.")
        sys.exit(1 if bad else 0)
    if not of("--output"):
        for i, result in enumerate(results):
            print(f"result[{i}]: hal.buffer_view\n{shown(result)}")


(compile if "compile" in os.path.basename(sys.argv[0]) else run)(sys.argv[1:])
