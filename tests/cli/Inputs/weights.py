"""weights.py PREFIX FORM FUNCTIONS BYTES WEIGHT...: reduce a module of 16
weights of so many bytes, spread over so many functions, half of them written as dense<"0x...">, half as
dense_resource, by a script that wants these weights as they are.  The first
candidate that is accepted must be free of all others, after few runs."""
import json
import os
import random
import subprocess
import sys

prefix, form, functions, size, *wanted = sys.argv[1:]
N, functions, BYTES, wanted = 16, int(functions), int(size), [int(k) for k in wanted]
model, script, report, out = (prefix + end for end in (".mlir", ".sh", ".json", ".out"))
for name in (report, out):
    if os.path.exists(name):
        os.remove(name)
rng = random.Random(len(wanted))
# Each begins with its number; the same bytes in both notations.
values = [(bytes([0xA0 + k, 0x5E, 0xED]) + rng.randbytes(BYTES - 3)).hex().upper() for k in range(N)]


def is_resource(k):
    return k // functions % 2 == 1 if functions < N else k % 2 == 1


kind = f"tensor<{BYTES}xi8>"
with open(model, "w") as file:
    file.write("module {\n")
    for f in range(functions):
        file.write(f"  func.func @f{f}(%x: i8, %i: index) -> i8 {{\n    %v = arith.addi %x, %x : i8\n")
        last = "%v"
        for k in range(f, N, functions):
            value = f"dense_resource<w{k}>" if is_resource(k) else f'dense<"0x{values[k]}">'
            file.write(f"    %w{k} = arith.constant {value} : {kind}\n")
            file.write(f"    %s{k} = tensor.extract %w{k}[%i] : {kind}\n")
            file.write(f"    %v{k} = arith.xori {last}, %s{k} : i8\n")
            last = f"%v{k}"
        file.write(f"    return {last} : i8\n  }}\n")
    file.write("}\n{-#\n  dialect_resources: {\n    builtin: {\n")
    file.write(",\n".join(f'      w{k}: "0x01000000{values[k]}"' for k in range(N) if is_resource(k)))
    file.write("\n    }\n  }\n#-}\n")
if form == "opaque":
    generic = subprocess.run(["mlir-opt-22", "--mlir-print-op-generic", model], check=True, capture_output=True).stdout
    with open(model, "wb") as file:
        file.write(generic)
tests = []
for k in wanted:
    with open(f"{prefix}.{k}", "w") as file:
        file.write(f'"0x{"01000000" if is_resource(k) else ""}{values[k][:8192]}\n')
    tests.append(f'grep -qFf "{prefix}.{k}" "$1"')
with open(script, "w") as file:
    file.write("#!/bin/sh\n" + " && ".join(tests + ['grep -q "addi" "$1"']) + "\n")
os.chmod(script, 0o755)

command = ["culprit", "reduce", model, "-o", out, "--form", form, "--json", report, "--script", script, "--no-cache", "-j", "1"]
subprocess.run(command + ["-j", "1", "--max-runs", "40"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with open(report) as file:
    r = json.load(file)
first = r["steps"][0]
assert first["mutation"] == "splat-weights", r["steps"]
assert first["bytes"] < 2 * BYTES * len(wanted) + 12000, r["steps"]
assert all(s["mutation"] != "splat-weights" for s in r["steps"][1:]), r["steps"]
classify = r["runs"]["classify"]
assert first["executed"] <= classify + 1 + 5 * len(wanted), (first, r["runs"])
with open(out) as file:
    text = file.read()
assert [k for k in range(N) if values[k] in text] == sorted(wanted)
