#!/usr/bin/python3 -IS
"""Make wheels of small packages: wheels.py DIR NAME VERSION [WORD...]

Each has the console script NAME, which prints its version and, for the word
`fails`, an error of the line it names; a wheel is a zip archive as PEP 427 has
it, and needs nothing to be installed.  Words:

  fails[=TEXT]     NAME ends with status 1 and "error: TEXT" (default: bad slot)
  fails-with=PKG:V the same, where PKG, if it is there, is of version V or later
  odd              it fails at start, with another error
  flaky            it fails in two runs of three (a file beside counts them)
  no-tool          there is no console script
  broken           its archive is cut: pip cannot install it
  needs=REQ        a requirement
  commit=HEX       NAME/version.py names this commit
  source=URL       METADATA names this repository
  yanked           the page of the index says so (with --index)

`wheels.py --index DIR` writes DIR/simple, an index as PEP 503 has it, of all
wheels in DIR: what was made with `yanked` is marked there.
"""

import hashlib
import os
import sys
import zipfile

TOOL = '''"""A compiler: NAME FILE."""
import os
import sys

VERSION = {version!r}
FAILS = {fails!r}
FAILS_WITH = {fails_with!r}
ODD = {odd!r}
FLAKY = {flaky!r}


def number(text):
    return [int(n) for n in text.split(".")]


def main():
    if ODD:
        sys.exit("error: this tool does not start")
    if "--version" in sys.argv:
        print("{name}", VERSION)
        return 0
    with open(sys.argv[-1]) as file:
        file.read()
    fails = FAILS
    if FAILS_WITH:
        other, least, text = FAILS_WITH
        try:
            module = __import__(other)
            fails = text if number(module.VERSION) >= number(least) else None
        except ImportError:
            fails = None
    if fails and FLAKY:
        count = os.environ["COUNT"]
        with open(count, "a") as file:
            file.write("x")
        if os.path.getsize(count) % 3 == 0:
            fails = None
    if fails:
        print("error:", fails, file=sys.stderr)
        return 1
    return 0
'''


def wheel(folder, name, version, words):
    options = dict(w.partition("=")[::2] for w in words)
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    least = options.get("fails-with")
    text = options.get("fails") or "bad slot"
    files = {
        f"{module}/__init__.py": TOOL.format(
            name=name,
            version=version,
            fails=text if "fails" in options else None,
            fails_with=[*least.split(":"), text] if least else None,
            odd="odd" in options,
            flaky="flaky" in options,
        ),
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: wheels\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if "needs" in options:
        files[f"{info}/METADATA"] += f"Requires-Dist: {options['needs']}\n"
    if "source" in options:
        files[f"{info}/METADATA"] += f"Project-URL: Source, {options['source']}\n"
    if "commit" in options:
        files[f"{module}/version.py"] = f"revision = {options['commit']!r}\n"
    if "no-tool" not in options:
        files[f"{info}/entry_points.txt"] = f"[console_scripts]\n{name} = {module}:main\n"
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = os.path.join(folder, f"{module}-{version}-py3-none-any.whl")
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in files.items():
            archive.writestr(file, content)
    if "broken" in options:
        os.truncate(path, 100)
    if "yanked" in options:
        open(path + ".yanked", "w").close()


def index(folder):
    pages = {}
    for file in sorted(os.listdir(folder)):
        if file.endswith(".whl"):
            pages.setdefault(file.split("-")[0].replace("_", "-"), []).append(file)
    for name, files in pages.items():
        os.makedirs(os.path.join(folder, "simple", name), exist_ok=True)
        with open(os.path.join(folder, "simple", name, "index.html"), "w") as page:
            page.write("<!DOCTYPE html>\n<html><body>\n")
            for file in files:
                path = os.path.join(folder, file)
                with open(path, "rb") as wheel_file:
                    digest = hashlib.sha256(wheel_file.read()).hexdigest()
                yanked = ' data-yanked="it is bad"' if os.path.exists(path + ".yanked") else ""
                page.write(f'<a href="../../{file}#sha256={digest}"{yanked}>{file}</a>\n')
            page.write("</body></html>\n")


if sys.argv[1] == "--index":
    index(sys.argv[2])
else:
    os.makedirs(sys.argv[1], exist_ok=True)
    wheel(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
