#!/bin/bash
# globals.sh [ROOT [BUILD_DIR]]: no object file has writable data: no mutable
# globals or statics, no constructors.  Read from the objects, not the text.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly build=${2:-build}

# "OBJECT SYMBOL" for every object in a writable section; .data.rel.ro* is only
# written by the loader.
writable() {
  tr '\n' '\0' | xargs -0 -r objdump -th | awk '
    / +file format / { file = $0; sub(/: +file format .*/, "", file) }
    / O (\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && !/\.data\.rel\.ro/ {
      print file, $NF }
    $2 ~ /^\.(init_array|ctors)/ { print file, "(a constructor)" }'
}

map=$(objects "$build" | grep -v '[^ ]* tests/' || :)
count=$(grep -c . <<<"$map" || :)
while read -r source symbol; do
  grep -q "^$source " "$here/exempt" ||
    found "$source:1: writable data: $symbol"
done < <(cut -d' ' -f1 <<<"$map" | writable |
  awk 'NR == FNR { source[$1] = $2; next }
    { $1 = source[$1]; print }' <(echo "$map") - | sort -u)
[ "$count" -gt 0 ] || found "globals.sh: no objects below $build"
finish "$count objects"
