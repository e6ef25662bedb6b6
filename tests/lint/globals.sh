#!/bin/bash
# globals.sh [ROOT [BUILD_DIR]]: no object file has writable data: no mutable
# globals or statics, no constructors.  Read from the objects, not the text.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly build=${2:-build}

# "FILE SYMBOL" for every object in a writable section; .data.rel.ro* is only
# written by the loader.
writable() {
  objdump -t "$1" | awk '
    / O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/\.data\.rel\.ro/ { print $NF }'
  objdump -h "$1" | awk '$2 ~ /^\.(init_array|ctors)/ { print "(a constructor)" }'
}

count=0
while IFS= read -r object; do
  source=$(source_of "$object" "$build") || continue
  [[ $source == tests/* || $source == unit/* ]] && continue
  count=$((count + 1))
  while IFS= read -r symbol; do
    grep -q "^$source " "$here/exempt" ||
      found "$source:1: writable data: $symbol"
  done < <(writable "$object")
done < <(find "$build" -name '*.c.o' -not -path '*/tests/*' \
  -not -path '*/sanitize/*' -not -path '*/fuzzing/*' | sort)
[ "$count" -gt 0 ] || found "globals.sh: no objects below $build"
finish "$count objects"
