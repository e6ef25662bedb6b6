"""hostile_words.py DIR: every command on tools, names, logs and commits whose
words are meant for a terminal, a shell or a browser.  What comes out is shown
and not obeyed: no control character but line ends and tabs, no C1, nothing that
reorders or hides text, on a terminal as in each text file that is left; JSON
stays JSON; the scripts that are left run nothing but the tool.

Each shell word would make the file PWNED in the working directory.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.dom.minidom

import on_terminal

HOSTILE = (
    b"boom\x1b]0;title\x07\x1b]52;c;QQ==\x07\x1b[2J\x1b[1;31mred \x9b31m \xc2\x9b31m"
    b" \xe2\x80\xaeover\xe2\x80\xac \xe2\x81\xa6iso\xe2\x81\xa9 zero\xe2\x80\x8bwidth\xef\xbb\xbf"
    b" \r\x08\x7f\x01 bad\xff\xc3( \xed\xa0\x80 <script>alert(1)</script>"
    b" ![i](http://e.example/) [l](javascript:x) | bar `tick` ```` fence"
    b" $(touch PWNED) `touch PWNED` ;touch PWNED; '\"'\"; touch PWNED; #"
)
# A file's name has no "/" and no NUL.
NAME = b"-n\x1b[31m\xc2\x9b\xe2\x80\xae\x07 $(touch PWNED)`touch PWNED`\n'\"<b>|x.;touch PWNED;"

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
found = []
os.environ["NO_COLOR"] = "1"  # no attributes of culprit's own


def examine(what, text):
    try:
        bad = HIDDEN.search(text.decode())
    except UnicodeDecodeError as error:
        found.append(f"{what}: {error}")
        return
    if bad:
        around = text.decode()[max(0, bad.start() - 40) : bad.end() + 20]
        found.append(f"{what}: {bad.group()!r} in {around!r}")


def run(*words, good=(0,)):
    """On a terminal; what culprit itself draws is taken away."""
    said, status = on_terminal.run(words)
    said = said.replace(b"\r\n", b"\n")
    said = re.sub(rb"\r\x1b\[K", b"<drawn>", said)
    said = re.sub(rb"(<drawn>[^\r\n\x1b]*)\r", rb"\1", said)
    what = " ".join(os.fsdecode(w) for w in words[:3])[:60]
    examine(f"terminal of {what!r}", said)
    if status not in good:
        found.append(f"{what!r}: status {status}: {said[-600:]!r}")
    if os.path.exists("PWNED"):
        found.append(f"{what!r} ran a word")
        os.unlink("PWNED")
    return said


def parse(kind, text):
    if kind in ("json", "sarif"):
        json.loads(text)
    if kind == "jsonl":
        [json.loads(line) for line in text.splitlines()]
    if kind in ("xml", "svg"):
        xml.dom.minidom.parseString(text)


def examine_files(folder):
    """The texts that culprit wrote; cases and inputs are what they are."""
    n = 0
    for here, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(here, name)
            text = open(path, "rb").read()
            kind = name.rsplit(".", 1)[-1]
            if kind not in ("md", "json", "jsonl", "sh", "html", "xml", "csv", "sarif", "log", "svg"):
                continue
            n += 1
            examine(path, text.replace(b"\r\n", b"\n") if kind == "csv" else text)
            try:
                parse(kind, text)
            except Exception as error:  # whatever the parser says
                found.append(f"{path}: {error}")
            if kind in ("md", "html"):
                outside = re.sub(rb"(?ms)^(`{3,})[^\n]*\n.*?^\1\n", b"", text)
                outside = re.sub(rb"(`+)(?!`).+?(?<!`)\1(?!`)", b"", outside)
                for markup in (b"<script>alert", b"<b>|", b"![i](") if kind == "md" else (b"<script>alert", b"<b>|"):
                    if markup in outside:
                        found.append(f"{path}: {markup!r} is markup")
            if kind == "sh":
                for shell in ("dash", "bash"):
                    if shutil.which(shell):
                        subprocess.run([shell, "-n", path], check=True)
    if n == 0:
        found.append(f"{folder}: no text is there")


def write(path, text, mode=0o644):
    with open(path, "wb") as file:
        file.write(text)
    os.chmod(path, mode)


def prepare():
    write("message", b"error: " + HOSTILE + b"\n")
    write(
        "tool",
        b'#!/bin/sh\nfor last; do :; done\ngrep -q four "$last" || exit 0\n'
        b'echo "$last" >&2\ncat "%s/message" >&2\nexit 3\n' % os.fsencode(os.getcwd()),
        0o755,
    )
    write(NAME, b"one\ntwo\nthree\nfour\nfive\n")


def use_models():
    tool = os.path.join(os.getcwd(), "tool")
    name = b"./" + NAME
    extra = HOSTILE.replace(b"\0", b"")
    run("culprit", "check", name, "--", tool, extra, "@@")
    run("culprit", "reduce", name, "-o", "out", "--bundle", "bundle", "--", tool, extra, "@@")
    examine_files("bundle")
    repro("bundle/repro.sh")
    run("culprit", "replay", "bundle")
    run("culprit", "env", "bundle")
    run("culprit", "reduce", b"./no" + NAME, "--", tool, "@@", good=(2,))
    run("culprit", "reduce", name, "-o", "out", "--oracle", b"./" + NAME, "--", tool, "@@", good=(2,))
    run("culprit", "matrix", "--axis", b"a=" + b"x\x1b[2J<b>|y,z", "--bundle", "grid", "--markdown", "grid.md",
        name, "--", tool, "@{a}", "@@")
    examine_files("grid")
    examine("grid.md", open("grid.md", "rb").read())
    run("culprit", "bisect", "flags", name, "--bundle", "flags", "--", tool, b"--f=" + extra, "--g", "@@")
    examine_files("flags")
    repro("flags/repro.sh")


def repro(script):
    """It shows the failure, whatever the words are.  What the tool itself
    prints then is the tool's."""
    for shell in ("dash", "bash"):
        if shutil.which(shell):
            done = subprocess.run([shell, script], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
            if done.returncode != 0:
                found.append(f"{shell} {script}: status {done.returncode}")
    if os.path.exists("PWNED"):
        found.append(f"{script} ran a word")
        os.unlink("PWNED")


def git(*words):
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    subprocess.run(["git", "-C", "repo", *words], check=True, stdout=subprocess.DEVNULL, env={**os.environ, **quiet})


def use_commits():
    os.mkdir("repo")
    git("init", "-q")
    git("config", "user.email", "a@b")
    git("config", "user.name", "x")
    for i in range(5):
        write("repo/number", b"%d\n" % i)
        write(b"repo/" + NAME, b"%d\n" % i)
        git("add", "-A")
        git("commit", "-q", "--author", b"A\x1b[2J\xe2\x80\xae<script>alert(1)</script> <a@b>",
            "-m", b"c%d " % i + HOSTILE.replace(b"\r", b""))
        git("tag", f"c{i}")
    build = "cat ../message ../../message 2>/dev/null; true"
    run("culprit", "bisect", "commits", "--repo", "repo", "--good", "c0", "--bad", "c4", "--no-cache", "--work",
        "work", "--bundle", "commits", "--build", build, "--", "sh", "-c",
        f'if [ "$(cat number)" -gt 2 ]; then cat {os.getcwd()}/message >&2; exit 1; fi')
    examine_files("commits")


def use_logs():
    os.mkdir("logs")
    write(b"logs/a" + NAME[2:] + b".log", b"error: " + HOSTILE + b"\nAssertion `" + HOSTILE + b"' failed.\n")
    write(b"logs/b.log", b"LLVM ERROR: " + HOSTILE + b"\n```\n</pre>~~~\n")
    run("culprit", "triage", "logs", "-o", "sorted")
    examine_files("sorted")
    run("culprit", "triage", "explain", "logs/b.log")
    write(b"x.mlir", b"module {}\n")
    write(b"crash.log", b"LLVM ERROR: " + HOSTILE + b"\nProgram arguments: opt " +
          HOSTILE.replace(b"\r", b"") + b" x.mlir\n")
    run("culprit", "extract", "crash.log", "-o", "extracted", good=(0, 2, 3))
    if os.path.isdir("extracted"):
        examine_files("extracted")


def use_tensors():
    for side in ("got", "want"):
        os.mkdir(side)
        head = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
        head += b" " * (63 - (10 + len(head)) % 64) + b"\n"
        data = b"\0\0\x80\x3f" + (b"\0\0\0\0" if side == "got" else b"\0\0\x80\x3f")
        write(side.encode() + b"/" + NAME + b".npy",
              b"\x93NUMPY\x01\0" + len(head).to_bytes(2, "little") + head + data)
    run("culprit", "compare", "got", "want", "--json", "compared.json", good=(7,))
    examine("compared.json", open("compared.json", "rb").read())
    json.load(open("compared.json"))


def main():
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os.mkdir(sys.argv[1])
    os.chdir(sys.argv[1])
    prepare()
    use_models()
    use_commits()
    use_logs()
    use_tensors()
    print("\n".join(found) or "all is shown")
    sys.exit(bool(found))


main()
