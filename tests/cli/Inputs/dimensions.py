"""dimensions.py MUTATION KIND LAYERS SITES SIZES...: the sites of MUTATION,
shrink-dimension or drop-dimension, in a network (network.py).  There are SITES
of them; each is valid; and for each entry of SIZES, as in 2+22+6, one of them
takes all these sizes out of all types, wherever they stand."""
import json
import os
import re
import subprocess
import sys
import tempfile

mutation, kind, layers, n_sites, *wanted = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
tool = "culprit-worker-mlir"
shapes = re.compile(r"(?:tensor|vector|memref)<((?:\d+x)+)")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout


def sizes(text):
    return {int(size) for shape in shapes.findall(text) for size in shape.split("x")[:-1]}


with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
    file.write(output(sys.executable, f"{here}/network.py", kind, layers))
    file.flush()
    name = file.name
    listed = output(tool, "--apply", mutation, "--sites", name).splitlines()
    assert len(listed) == int(n_sites), len(listed)
    tried = json.loads(output(tool, "--try", mutation, "--most", "1000", name))
    assert tried["valid"] == tried["tried"] > len(listed), tried
    before = sizes(output(tool, "--print", name)) if wanted else set()
    left = [{int(s) for s in entry.split("+")} for entry in wanted]
    for i in range(len(listed)):
        if left:
            gone = before - sizes(output(tool, "--apply", mutation, "--only", str(i), name))
            left = [entry for entry in left if not entry <= gone]
    assert not left, left
