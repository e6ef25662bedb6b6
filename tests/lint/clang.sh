#!/bin/bash
# clang.sh [ROOT [BUILD_DIR]]: clang, too, compiles every source of the build,
# without a warning.  It only checks; gcc has built.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly database=${2:-build}/compile_commands.json
readonly clang=${CULPRIT_CLANG:-clang-22}

# "FILE<tab>COMMAND" of each source of the tree: the same command by clang, with
# nothing written.
commands() {
  python3 - "$database" "$root" "$clang" <<'PY'
import json, os, shlex, sys
database, root, clang = sys.argv[1:]
seen = set()
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
        if skip or word in ("-MD", "-c", "-Werror", "--coverage"):
            skip = False
        elif word in ("-o", "-MT", "-MF"):
            skip = True
        elif not word.startswith(("-fprofile", "-fno-ipa")):
            args.append(word)
    print(file, shlex.join([clang, "-fsyntax-only", "-Werror"] + args), sep="\t")
PY
}

listed=$(commands)
found_lines < <(cut -f2 <<<"$listed" | tr '\n' '\0' |
  xargs -0 -r -P "$(nproc)" -I{} sh -c '{} 2>&1 || :' |
  grep -E '(error|warning): ' | sort -u)
finish "$(grep -c . <<<"$listed") sources"
