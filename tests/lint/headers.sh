#!/bin/bash
# Every header compiles alone, and has a guard named after its place.  A struct
# has 25 members at most; those that have more stand in `limits`.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly cc=${CC:-cc}
readonly llvm=${CULPRIT_LLVM_PREFIX:-/usr/lib/llvm-22}
readonly max_members=25

mapfile -t headers < <(files '\.h' "${house[@]}" |
  grep -vE '(^|/)list\.h$') # a table, included many times
for header in "${headers[@]}"; do
  errors=$("$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror \
    -Wno-unused-function -fsyntax-only -isystem "$llvm/include" -x c \
    "$header" -Wno-pragma-once-outside-header 2>&1) ||
    found "$header:1: does not compile alone: $(grep -m1 error <<<"$errors")"
done
# CUL_<DIR>_<FILE>_H
[ ${#headers[@]} -eq 0 ] || found_lines < <(awk '
  FNR == NR { headers[++n] = $0; next }
  $1 == "#ifndef" && NF == 2 { guarded[FILENAME, $0] = 1 }
  END {
    for (i = 1; i <= n; i++) {
      guard = headers[i]
      sub(/\.h$/, "", guard)
      gsub(/[\/.]/, "_", guard)
      guard = "CUL_" toupper(guard) "_H"
      if (!((headers[i], "#ifndef " guard) in guarded))
        print headers[i] ":1: guard is not " guard
    }
  }' <(printf '%s\n' "${headers[@]}") "${headers[@]}")

large=$(files '\.h' "${house[@]}" | xargs -r awk -v max="$max_members" \
  -f "$here/members.awk")
while read -r place name members; do
  [ -n "$name" ] || continue
  limit "$name" "$members" "$place" "members in $name"
done <<<"$large"
# What is small today needs no line.
while read -r name _; do
  grep -q " $name " <<<"$large" ||
    found "tests/lint/limits:1: no struct $name of a header is that large"
done < <(grep '^cul_' "$here/limits" || :)
finish "${#headers[@]} headers"
