"""other_print.py CULPRIT FOLDER: one failure, printed in many ways; and others
that must not be taken for it."""

import json
import os
import subprocess
import sys


def stack(*names, tool="/b/toy-opt"):
    lines = [" #0 0x000055d0a0011111 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (%s+0x11111)" % tool]
    lines += [" #%d 0x000055d0a0042%03x %s(toy::Op*) (%s+0x42%03x)" % (n + 1, n, name, tool, n) for n, name in enumerate(names)]
    return "\n".join(lines) + "\n"


SAID = "toy-opt: /b/lib/Pad.cpp:%d: void toy::lowerPad(toy::Op*): Assertion `rank < kMost && \"rank is small\"' failed.\n"
PAD = ("toy::lowerPad", "toy::PadPattern::rewrite", "toy::lowerAll", "toy::runStage")
FULL = SAID % 120 + stack(*PAD, "main")
CAST = "toy-opt: /b/Cast.h:57: decltype(auto) toy::cast(From*) [with To = toy::%s; From = toy::Op]: Assertion `isa<To>(v)' failed.\n"
DOMINATES = "Instruction does not dominate all uses!\n  %a = add i32 %b, 1\nin function walk\nLLVM ERROR: Broken function found, compilation aborted!\n"

# name: text; what begins alike is one bucket
LOGS = {
    "pad": FULL,
    "pad-bare": SAID % 120,
    "pad-macos": "Assertion failed: (rank < kMost && \"rank is small\"), function lowerPad, file Pad.cpp, line 120.\n",
    "pad-msvc": "Assertion failed: rank < kMost && \"rank is small\", file C:\\src\\lib\\Pad.cpp, line 120\n",
    "pad-cut": FULL[: FULL.index("toy::runStage") + 9],
    "pad-cut-in-name": (SAID % 120 + stack(*PAD)).rsplit("(toy::Op*)", 1)[0][:-4],
    "pad-spoilt": FULL.replace("0x000055d0a0042003 toy::runStage", "0x000055[3/9] Building CXX object lib/x.o"),
    # another build: the line has moved, so that it may be another check
    "moved": SAID % 131,
    # casts to other types are other bugs; who prints no type is one of both
    "block": CAST % "Block" + stack("toy::foldBlock", "toy::foldAll"),
    "region": CAST % "Region" + stack("toy::foldRegion", "toy::foldAll"),
    "region-bare": CAST % "Region",
    "cast": "Assertion failed: isa<To>(v), file C:\\src\\Cast.h, line 57\n",
    # a message of a library that prints the function, and of one that does not
    "plain": "toy-opt: /b/Use.cpp:9: void toy::use(): Assertion `n_uses > 0' failed.\n",
    "plain-msvc": "Assertion failed: n_uses > 0, file D:\\b\\Use.cpp, line 9\n",
    # a rule of the language, which any pass may break
    "dominates": DOMINATES + stack("toy::sinkLoop", "toy::sinkAll"),
    "verifier": DOMINATES,
}
WIDE = SAID % 120 + stack(*PAD)
# a frame that fills the width is whole where the next one follows it
EXACT = WIDE.replace("(/b/toy-opt+0x42000)", "(/b/%s/toy-opt+0x42000)" % ("x" * (80 - len(" #1 0x000055d0a0042000 toy::lowerPad(toy::Op*) (/b//toy-opt+0x42000)"))))


def wrapped(text, width):
    return "".join(line[i : i + width] + "\n" for line in text.splitlines() for i in range(0, max(1, len(line)), width))


assert max(len(line) for line in EXACT.splitlines() if "#1" in line) == 80
LOGS["pad-wrapped"] = wrapped(EXACT, 80)
LOGS["pad-wrapped-once"] = wrapped(SAID % 120, 80)
LOGS["pad-wrapped-signs"] = wrapped("über größte Öffnungen läuft es, wie jedes Jahr, nicht so, wie es soll, sagt man uns\n" + WIDE, 80)

program, folder = sys.argv[1:]
os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
for name, text in LOGS.items():
    with open(os.path.join(folder, "logs", name + ".log"), "w", encoding="utf-8") as file:
        file.write(text)
report = os.path.join(folder, "report")
subprocess.run([program, "triage", "-q", "-o", report, os.path.join(folder, "logs")], check=True)
with open(os.path.join(report, "buckets.jsonl"), encoding="utf-8") as lines:
    members = {os.path.basename(m["log"])[:-4]: m for m in map(json.loads, lines)}

buckets = {}
for name in LOGS:
    buckets.setdefault(name.split("-")[0], set()).add(members[name]["bucket"])
wrong = {kind: sorted(found) for kind, found in buckets.items() if len(found) != 1}
assert not wrong, (wrong, {name: members[name]["bucket"] + " " + members[name]["why"] for name in LOGS})
assert len(set.union(*buckets.values())) == len(buckets), buckets
for name, other in (("moved", "pad"), ("cast", "block"), ("cast", "region"), ("verifier", "dominates")):
    assert members[other]["bucket"] in members[name].get("perhaps", []), (name, other, members[name])
