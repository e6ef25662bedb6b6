#!/bin/bash
# calls.sh [ROOT [BUILD_DIR]]: every global function of the house is called
# from another object (else it is static, or dead), and not by tests alone.
# Read from the objects; the exceptions are in `exempt`.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly build=${2:-build}

# "FUNCTION SOURCE" of every global function in the house's objects.
defined() {
  local object source
  while IFS= read -r object; do
    source=$(source_of "$object" "$build") || continue
    for folder in "${house[@]}"; do
      [[ $source == "$folder"/* ]] || continue
      nm --defined-only "$object" |
        awk -v source="$source" '$2 == "T" { print $3, source }'
    done
  done < <(objects) | sort -u
}

# Not those of sources that are gone: what these called is called no more.
objects() {
  local object
  while IFS= read -r object; do
    [[ $object != "$build"/CMakeFiles/* ]] ||
      source_of "$object" "$build" >/dev/null || continue
    printf '%s\n' "$object"
  done < <(find "$build" -name '*.c.o' -not -path '*/sanitize/*' \
    -not -path '*/fuzzing/*' | sort)
}

# What some object wants of another one.  $1: an extended regular expression of
# the paths that do not count.
wanted() {
  objects | { grep -Ev "$1" || true; } | xargs -r nm -u |
    awk 'NF == 2 { print $2 }' | sort -u
}

is_exempt() {
  grep -q "^$1 " "$here/exempt"
}

all=$(defined)
count=$(wc -l <<<"$all")
while read -r name source; do
  [ -z "$name" ] || [ "$name" = main ] || is_exempt "$name" || is_exempt "$source" ||
    found "$source:1: only this file calls $name: make it static"
done < <(join -v1 <(echo "$all") <(wanted '^$'))
while read -r name source; do
  # Its own file may call it, too: then the product does.
  [ -z "$name" ] || is_exempt "$name" || is_exempt "$source" ||
    [ "$(grep -cw "$name" "$source")" -gt 1 ] ||
    found "$source:1: only tests call $name"
done < <(join -v1 <(echo "$all") <(wanted "^$build/(tests|unit|fuzz|git)/") |
  join - <(wanted '^$'))
finish "$count functions"
