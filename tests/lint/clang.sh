#!/bin/bash
# clang.sh [ROOT [BUILD_DIR]]: clang, too, compiles every source of the build,
# without a warning.  It only checks; gcc has built.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly database=${2:-build}/compile_commands.json
readonly clang=${CULPRIT_CLANG:-clang-22}

# "N<tab>COMMAND": N sources of the tree, of the same options, by clang, with
# nothing written.  Most of a call's time is its start, so one compiles many: what
# the driver calls for the first is called for all.
commands() {
  python3 - "$database" "$root" "$clang" <<'PY'
import json, os, shlex, subprocess, sys
database, root, clang = sys.argv[1:]
MOST = 20
seen, groups = set(), {}
for entry in json.load(open(database)):
    file = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
    words = shlex.split(entry["command"])
    if file.startswith("..") or not file.endswith(".c") or file in seen:
        continue
    seen.add(file)
    # Some targets have flags of gcc alone, or of its coverage.
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    args, skip = [], False
    for word in words[first:]:
        if skip or word in ("-MD", "-c", "-Werror", "--coverage", entry["file"]):
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        elif not word.startswith(("-fprofile", "-fno-ipa")):
            args.append(word)
    groups.setdefault((entry["directory"], *args), []).append(entry["file"])
for (directory, *args), files in groups.items():
    driver = [clang, "-fsyntax-only", "-Werror", *args, files[0]]
    said = subprocess.run([driver[0], "-###", *driver[1:]], cwd=directory, capture_output=True, text=True, check=True)
    words = shlex.split(said.stderr.splitlines()[-1])
    assert words[1] == "-cc1" and words[-1] == files[0], said.stderr
    for at in range(0, len(files), MOST):
        some = files[at:at + MOST]
        print(len(some), f"(cd {shlex.quote(directory)} && {shlex.join(words[:-1] + some)})", sep="\t")
PY
}

listed=$(commands)
found_lines < <(cut -f2 <<<"$listed" | tr '\n' '\0' |
  xargs -0 -r -P "$(nproc)" -I{} sh -c '{} 2>&1 || :' |
  grep -E '(error|warning): ' | sort -u)
finish "$(awk '{ n += $1 } END { print n + 0 }' <<<"$listed") sources"
