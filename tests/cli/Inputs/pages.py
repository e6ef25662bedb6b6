#!/usr/bin/env python3
"""Man pages and completions, as the tools that read them see them:
pages.py SHARE"""
import os
import shutil
import subprocess
import sys
import tempfile

share = os.path.abspath(sys.argv[1])
wrong = []


def say(*words):
    return subprocess.run(["culprit", *words], capture_output=True, text=True, check=True).stdout


def complete(*words):
    """What bash offers where the cursor stands behind the last word."""
    quoted = " ".join("'" + word.replace("'", "'\\''") + "'" for word in words)
    script = (f". {share}/bash-completion/completions/culprit; COMP_WORDS=(culprit {quoted}); "
              f"COMP_CWORD={len(words)}; _culprit; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, cwd="/")
    if done.stderr:
        wrong.append(f"bash, {words}: {done.stderr}")
    return set(done.stdout.split())


def expect(words, *offered):
    got = complete(*words)
    if not set(offered) <= got:
        wrong.append(f"{words}: {sorted(got)} lack {sorted(set(offered) - got)}")
    return got


# Man pages: every one is there, as the program prints it, without a warning.
names = [n[4:] for n in say("--print", "list").split() if n.startswith("man:")]
for name in names:
    page = f"{share}/man/man1/culprit{'' if name == 'culprit' else '-' + name}.1"
    with open(page) as file:
        if file.read() != say("--print", "man:" + name):
            wrong.append(f"{page} is not what is printed")
    if shutil.which("groff"):
        done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", page], capture_output=True, text=True)
        if done.stderr or done.returncode or len(done.stdout.splitlines()) < 20:
            wrong.append(f"{page}: {done.stderr}")
    else:
        print("skipped: groff is not installed")
if shutil.which("man"):
    text = subprocess.run(["man", "-l", f"{share}/man/man1/culprit-reduce.1"], capture_output=True, text=True,
                          env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80"}).stdout
    for word in ("--reduce-command", "SYNOPSIS", "EXAMPLES"):
        if word not in text:
            wrong.append(f"culprit-reduce(1) lacks {word}")

# bash: commands, their own commands, options, words.
assert len(names) > 20
tops = {n for n in names if "-" not in n and n != "culprit"}
expect([""], *tops)
expect(["help", ""], *tops)
expect(["bisect", ""], "commits", "passes", "flags", "versions")
expect(["triage", "m"], "merge")
for name in names:
    if name == "culprit":
        continue
    words = name.split("-", 1)
    text = say("help", *words)
    options = {w.split()[-1] for line in text.splitlines() if line.startswith(("      --", "  -"))
               for w in [line.split(" --")[1].split()[0]]}
    expect([*words, "--"], *("--" + o for o in options))
    if complete(*words, "--zz"):
        wrong.append(f"{name}: something for --zz")
expect(["reduce", "--se"], "--seed", "--search", "--seeds")
if expect(["reduce", "--sandbox", ""], "auto", "strict", "off") != {"auto", "strict", "off"}:
    wrong.append("more than the words of --sandbox")
if expect(["reduce", "--form=na"], "--form=native", "--form=native-generic") & {"--form=text"}:
    wrong.append("--form=na: text")
expect(["reduce", "--form", "=", "na"], "native", "native-generic")
if complete("bisect", "commits", "--markdown", "no-such-") or complete("reduce", "--seed", ""):
    wrong.append("something for what is no word")

# The words of an option are those that the program takes, all of them.
taken = {"contract": "--script /bin/true", "form": "", "search": "", "start": "", "sandbox": "", "pass-env": "",
         "signal": "", "preset": "--mismatch --ref true", "values": "--mismatch --passes builtin.module()"}


folder = tempfile.TemporaryDirectory()
module = os.path.join(folder.name, "m.mlir")
with open(module, "w") as file:
    file.write("module {}\n")


def refused(option, word):
    done = subprocess.run(["culprit", "reduce", module, f"--{option}", word, *taken[option].split(),
                           "-o", module + ".out", "-q", *([] if option in ("contract", "values") else ["--", "true", "@@"])],
                          capture_output=True, text=True, timeout=60)
    return word in done.stderr and done.returncode == 2


for option in taken:
    words = complete("reduce", f"--{option}", "")
    if not words:
        wrong.append(f"--{option} offers no word")
    if not refused(option, "nonsense"):
        wrong.append(f"--{option} nonsense is taken")
    for word in words:
        if refused(option, word):
            wrong.append(f"--{option} {word} is refused")
known = subprocess.run(["culprit", "check", module, "--script", "/bin/true", "--contract", "nonsense"],
                       capture_output=True, text=True).stderr.split("one of ")[1]
if set(known.replace(",", " ").split()) != complete("reduce", "--contract", ""):
    wrong.append(f"--contract takes {known}")

for shell, file in (("zsh", "zsh/site-functions/_culprit"), ("fish", "fish/vendor_completions.d/culprit.fish")):
    if not os.path.getsize(f"{share}/{file}"):
        wrong.append(f"{file} is empty")
    if not shutil.which(shell):
        print(f"skipped: {shell} is not installed")
    elif subprocess.run([shell, "-n", f"{share}/{file}"]).returncode:
        wrong.append(f"{shell} -n {file}")
print("\n".join(wrong))
sys.exit(bool(wrong))
