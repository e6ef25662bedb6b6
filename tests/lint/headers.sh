#!/bin/bash
# Every header compiles alone, and has a guard named after its place.  A struct
# has 25 members at most; those that have more stand in `limits`.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly cc=${CC:-cc}
readonly llvm=${CULPRIT_LLVM_PREFIX:-/usr/lib/llvm-22}
readonly max_members=25

# CUL_<DIR>_<FILE>_H
guard() {
  local name=${1%.h}
  name=${name//\//_}
  name=${name//./_}
  printf 'CUL_%s_H' "${name^^}"
}

count=0
while IFS= read -r header; do
  [ "${header##*/}" = list.h ] && continue # a table, included many times
  count=$((count + 1))
  if ! errors=$("$cc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror \
    -Wno-unused-function -fsyntax-only -isystem "$llvm/include" -x c \
    "$header" -Wno-pragma-once-outside-header 2>&1); then
    found "$header:1: does not compile alone: $(grep -m1 error <<<"$errors")"
  fi
  grep -q "^#ifndef $(guard "$header")\$" "$header" ||
    found "$header:1: guard is not $(guard "$header")"
done < <(files '\.h' "${house[@]}")

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
finish "$count headers"
