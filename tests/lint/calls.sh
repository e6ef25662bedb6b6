#!/bin/bash
# calls.sh [ROOT [BUILD_DIR]]: every global function of the house is called
# from another object (else it is static, or dead), and not by tests alone; the
# exceptions are in `exempt`.  Circles of files that call each other, and
# functions that one other file alone calls, do not grow: `limits`.  All this is
# read from the objects; calls.sh ROOT BUILD_DIR circles (or one) prints them.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly build=${2:-build}
house_names=$(IFS='|' && printf '%s' "${house[*]}")
readonly house_names

# "SOURCE NAME KIND", as calls.awk reads it.
symbols() {
  local map
  map=$(objects "$build")
  cut -d' ' -f1 <<<"$map" | tr '\n' '\0' | xargs -0 -r nm -A -P 2>/dev/null |
    awk 'NR == FNR { source[$1 ":"] = $2; next }
      $3 == "T" || $3 == "U" { print source[$1], $2, $3 }' <(echo "$map") -
}

table=$(symbols)
# calls WHAT
calls() {
  awk -v what="$1" -v foreign="^(tests|bench|examples)/" -f "$here/calls.awk" \
    <<<"$table" | sort
}

if [ $# -ge 3 ]; then
  calls "$3"
  exit
fi

is_exempt() {
  grep -q "^$1 " "$here/exempt"
}

while read -r source name; do
  is_exempt "$name" || is_exempt "$source" ||
    found "$source:1: only this file calls $name: make it static"
done < <(calls alone)
while read -r source name; do
  # Its own file may call it, too: then the product does.
  is_exempt "$name" || is_exempt "$source" ||
    [ "$(grep -cw "$name" "$source")" -gt 1 ] ||
    found "$source:1: only tests call $name"
done < <(calls tests)

circles=$(calls circles)
limit circles "$(grep -c . <<<"$circles" || :)" calls.sh 'circles of files'
limit in-circles "$(awk '{ n += $1 } END { print n + 0 }' <<<"$circles")" \
  calls.sh 'files call each other in circles'
# Others than cul_ stand before a function of libc.
limit one-caller "$(calls one | grep -c ' cul_')" calls.sh \
  'functions are called by one other file alone'
finish "$(awk -v house="^($house_names)/" '$1 ~ house && $3 == "T"' \
  <<<"$table" | sort -u | wc -l) functions"
