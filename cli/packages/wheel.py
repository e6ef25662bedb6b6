#!/usr/bin/env python3
"""cli/packages/wheel.py TREE VERSION TIME DIR [LEVEL]: pack what cli/packages/bundle
has made into a wheel in DIR, and print its name.

A wheel's files of the scheme "data" come into the environment as they stand,
so that libexec/ is found beside bin/.  No Python is in it.  One TREE and TIME
(seconds since 1970) make one file, bit by bit.  LEVEL: of zlib, 1 to 9 (6).
"""
import base64
import hashlib
import os
import pathlib
import platform
import sys
import time
import zipfile

GLIBC = tuple(platform.libc_ver()[1].split(".")[:2])


def entries(tree, data):
    """(name in the wheel, file) of all that is installed.

    Links are left out, which no wheel can hold: those to ROCm's parts.
    """
    yield f"{data}/scripts/culprit", tree / "bin/culprit"
    for path in tree.joinpath("libexec").rglob("*"):
        if path.is_file() and not path.is_symlink():
            yield f"{data}/data/{path.relative_to(tree).as_posix()}", path


def licences(tree, info):
    doc = tree / "share/doc/culprit"
    yield f"{info}/licenses/LICENSE", doc / "LICENSE"
    for path in doc.joinpath("libraries").iterdir():
        yield f"{info}/licenses/libraries/{path.name}", path


class Wheel:
    def __init__(self, path, when, level):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.level = level
        self.when = time.gmtime(max(when, 315532800))[:6]  # not before 1980
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, self.when)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = (0o100000 | mode) << 16
        self.zip.writestr(info, content, compresslevel=self.level)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest())
        self.record.append(
            f"{name},sha256={digest.rstrip(b'=').decode()},{len(content)}\n")

    def close(self, name):
        self.record.append(f"{name},,\n")
        info = zipfile.ZipInfo(name, self.when)
        info.external_attr = 0o100644 << 16
        self.zip.writestr(info, "".join(self.record))
        self.zip.close()


def main():
    if len(sys.argv) not in (5, 6):
        sys.exit(__doc__)
    tree, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    when, out = int(sys.argv[3]), pathlib.Path(sys.argv[4])
    stem, info = f"culprit-{version}", f"culprit-{version}.dist-info"
    tag = f"py3-none-manylinux_{'_'.join(GLIBC)}_{platform.machine()}"
    path = out / f"{stem}-{tag}.whl"
    partial = path.with_suffix(".partial")
    wheel = Wheel(partial, when, int(sys.argv[5]) if sys.argv[5:] else 6)
    for name, file in sorted([*entries(tree, f"{stem}.data"),
                              *licences(tree, info)]):
        mode = 0o755 if os.access(file, os.X_OK) else 0o644
        wheel.add(name, file.read_bytes(), mode)
    wheel.add(f"{info}/METADATA", (
        "Metadata-Version: 2.1\n"
        "Name: culprit\n"
        f"Version: {version}\n"
        "Summary: finds what is to blame for a failure of an ML compiler\n"
        "License: Apache-2.0 WITH LLVM-exception\n"
        "Requires-Python: >=3\n"
        "\n"
        "The program `culprit` with the libraries that it needs. It contains no\n"
        "Python module.\n").encode())
    wheel.add(f"{info}/WHEEL", (
        "Wheel-Version: 1.0\n"
        "Generator: culprit\n"
        "Root-Is-Purelib: false\n"
        f"Tag: {tag}\n").encode())
    wheel.close(f"{info}/RECORD")
    partial.rename(path)
    print(path)


main()
