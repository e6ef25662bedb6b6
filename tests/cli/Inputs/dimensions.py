"""dimensions.py KIND LAYERS SITES SIZES...: the sites of shrink-dimension in a
network (network.py).  There are SITES of them; each is valid; and for each
entry of SIZES, as in 2+22+6, one of them takes all these sizes out of all
types, wherever they stand."""
import json
import os
import re
import subprocess
import sys
import tempfile

kind, layers, n_sites, *wanted = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
tool = "culprit-workshop-mlir"
shapes = re.compile(r"(?:tensor|vector|memref)<((?:\d+x)+)")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout


def sizes(text):
    return {int(size) for shape in shapes.findall(text) for size in shape.split("x")[:-1]}


with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
    file.write(output(sys.executable, f"{here}/network.py", kind, layers))
    file.flush()
    name = file.name
    listed = output(tool, "--apply", "shrink-dimension", "--sites", name).splitlines()
    assert len(listed) == int(n_sites), len(listed)
    tried = json.loads(output(tool, "--try", "shrink-dimension", "--most", "1000", name))
    assert tried["valid"] == tried["tried"] > len(listed), tried
    if wanted:
        before = sizes(output(tool, "--print", name))
        gone = []
        for i in range(len(listed)):
            gone.append(before - sizes(output(tool, "--apply", "shrink-dimension", "--only", str(i), name)))
        for entry in wanted:
            assert any({int(s) for s in entry.split("+")} <= g for g in gone), (entry, gone)
