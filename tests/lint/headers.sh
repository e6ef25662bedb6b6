#!/bin/bash
# Every header compiles alone, and has a guard named after its place.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly cc=${CC:-cc}
readonly llvm=${CULPRIT_LLVM_PREFIX:-/usr/lib/llvm-22}

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
finish "$count headers"
