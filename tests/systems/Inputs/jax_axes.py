"""Gives every value of the axes in FILE to XLA once.

    culprit --print axes:xla | python jax_axes.py FILE

FILE is a StableHLO module.  Prints what is refused, and how many values there
are; the exit status is 1 if one is refused.  An axis whose values all make the
same code is refused, too.

With CODE=1 in the environment it compiles FILE and prints a digest of the
objects in the executable.
"""

import hashlib, os, re, struct, subprocess, sys

from axes import values


def code(path):
    os.environ["JAX_PLATFORMS"] = "cpu"
    from jax.extend import backend
    from jaxlib import xla_client

    client = backend.get_backend("cpu")
    devices = xla_client.DeviceList(tuple(client.devices()[:1]))
    with open(path, encoding="utf-8") as file:
        made = client.compile_and_load(file.read(), devices, xla_client.CompileOptions())
    data, objects = made.serialize(), []
    for match in re.finditer(b"\x7fELF\x02", data):
        at = match.start()
        sections, = struct.unpack_from("<Q", data, at + 0x28)
        size, n = struct.unpack_from("<HH", data, at + 0x3A)
        objects.append(data[at:at + sections + size * n])
    print(hashlib.sha1(b"".join(sorted(objects))).hexdigest())


def run(name, text):
    environment = {**os.environ, "XLA_FLAGS": text, "CODE": "1"}
    done = subprocess.run([sys.executable, *sys.argv], capture_output=True, text=True,
                          errors="replace", env=environment)
    if done.returncode:
        print(f"{name}, {text}: exit status {done.returncode}: {done.stderr[-400:]}")
    return done.stdout if done.returncode == 0 else None


if "CODE" in os.environ:
    sys.exit(code(sys.argv[1]))
n = refused = 0
made = {}
for name, _, text in values(sys.stdin.read()):
    n += 1
    digest = run(name, text)
    refused += digest is None
    made.setdefault(name, set()).add(digest)
for name in made:
    if len(made[name]) == 1:
        refused += 1
        print(f"{name}: every value makes the same")
print(f"{n} values, {refused} refused")
sys.exit(refused > 0)
