"""owners.py CULPRIT FOLDER: who owns a bug, and what a maintainer calls it."""

import csv
import json
import os
import subprocess
import sys

STACK = """Stack dump:
0.	Program arguments: /b/bin/toy-opt --pad a.mlir
1.	Running pass "pad-tiles" on function "walk_1"
 #0 0x000055d0a0042001 toy::tiles::Tiler::operand(int) (/b/bin/toy-opt+0x42001)
 #1 0x000055d0a0043002 toy::PadTilesPass::run(toy::Op*) (/b/bin/toy-opt+0x43002)
 #2 0x000055d0a0044003 main (/b/bin/toy-opt+0x44003)
"""
LOGS = {
    "pad": "toy-opt: /ci/w/toy/lib/Tiles/Pad.cpp:120: int toy::tiles::Tiler::operand(int): Assertion `rank < 4 && \"rank is small\"' failed.\n" + STACK,
    "fold": "/ci/w/toy/lib/Fold/Fold.cpp:9: void toy::Folder::fold(): Assertion `n != 0' failed.\n",
    "header": "/ci/w/toy/include/toy/Vec.h:9: T &toy::Vec<T>::front(): Assertion `!empty()' failed.\n",
    "crash": "Segmentation fault (core dumped)\n #0 0x000055d0a0052001 toy::walk(toy::Op*)::{lambda(int)#1}::operator()(int) const (/b/toy-run+0x52001)\n",
    "op": "a.mlir:3:8: error: 'gadget.pad' op expected 2 results but got 1\n",
    "py": "=================================== FAILURES ===================================\n__________________________________ test_sum ___________________________________\ntests/front/test_sum.py:4: in test_sum\n    total()\nE   KeyError: 'n'\n=========================== short test summary info ============================\nFAILED tests/front/test_sum.py::test_sum - KeyError: 'n'\n",
}
OWNERS = """# who owns what
*                    @everybody
*.cpp                @cpp   # the rest
/lib/Fold/           @fold @fold-2
docs/*               @docs
/toy/lib/**/Pad.cpp  @pad
/lib/Fold/Other.cpp  @other
test:test_s*         @front
component:gad*       @gadgets
[Section]
/include/
"""
WANT = {
    "pad": ("@pad", "[PadTiles] Assertion `rank < 4 && \"rank is small\"' in Tiler::operand"),
    "fold": ("@fold @fold-2", "[Fold] Assertion `n != 0' in Folder::fold"),
    "header": ("", "[Vec] Assertion `!empty()' in Vec::front"),
    "crash": ("@everybody", "[toy] Segmentation fault (SIGSEGV) in toy::walk"),
    "op": ("@gadgets", "[gadget] Verifier error: 'gadget.pad' op expected 2 results but got 1"),
    "py": ("@front", "[test_sum] Uncaught exception: KeyError: 'n' in test_sum"),
}

program, folder = sys.argv[1:]
os.makedirs(os.path.join(folder, "logs"), exist_ok=True)
for name, text in LOGS.items():
    with open(os.path.join(folder, "logs", name + ".log"), "w", encoding="utf-8") as file:
        file.write(text)
owners = os.path.join(folder, "CODEOWNERS")
with open(owners, "w", encoding="utf-8") as file:
    file.write(OWNERS)


def triage(inputs, *options):
    report = os.path.join(folder, "report")
    subprocess.run([program, "triage", "-q", "-o", report, *options, inputs], check=True)
    return report


report = triage(os.path.join(folder, "logs"), "--owners", owners)
with open(os.path.join(report, "buckets.jsonl"), encoding="utf-8") as lines:
    members = [json.loads(line) for line in lines]
have = {os.path.basename(m["log"])[:-4]: (m.get("owner", ""), m["issue_title"]) for m in members}
assert have == WANT, "\n".join("%s: have %r, want %r" % (k, have.get(k), WANT[k]) for k in WANT if have.get(k) != WANT[k])
with open(os.path.join(report, "buckets.csv"), encoding="utf-8", newline="") as file:
    rows = {row["bucket"]: row for row in csv.DictReader(file)}
for m in members:
    assert rows[m["bucket"]]["issue title"] == m["issue_title"]
    assert rows[m["bucket"]]["owner"].lstrip("'") == m.get("owner", "")
with open(os.path.join(report, "report.md"), encoding="utf-8") as file:
    text = file.read()
    assert "Owner: @fold @fold-2" in text and "Title of an issue: " in text, text
# from the list, which holds the lines that name the files; and without owners
again = triage(os.path.join(report, "buckets.jsonl"), "--owners", owners)
with open(os.path.join(again, "buckets.jsonl"), encoding="utf-8") as lines:
    assert {os.path.basename(m["log"])[:-4]: m.get("owner", "") for m in map(json.loads, lines)} == {k: v[0] for k, v in WANT.items()}
none = triage(os.path.join(folder, "logs"))
with open(os.path.join(none, "buckets.jsonl"), encoding="utf-8") as lines:
    assert not any("owner" in json.loads(line) for line in lines)
missing = subprocess.run([program, "triage", "--owners", os.path.join(folder, "no-such"), os.path.join(folder, "logs")], check=False, capture_output=True, text=True)
assert missing.returncode == 2 and "--owners" in missing.stderr, missing
