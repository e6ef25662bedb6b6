# shellcheck shell=bash
# What the lint scripts share.  Each script is `NAME.sh [ROOT]`, checks the
# tree at ROOT (default: this repository), prints one `file:line: what` per
# finding and exits 1 where there was one.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "${1:-$here/../..}" && pwd)
cd "$root"

# Folders of the product; tests and bench stand beside.
# shellcheck disable=SC2034 # used by the scripts
readonly house=(base cache pipeline runners oracles probe systems issue reducer bisect
  triage cli)

# Files below the given folders that end in one of the endings (regex).
files() {
  local pattern=$1 folder present=()
  shift
  for folder in "$@"; do
    [ -d "$folder" ] && present+=("$folder")
  done
  [ ${#present[@]} -eq 0 ] && return 0
  find -H "${present[@]}" -regextype posix-extended -type f -regex ".*($pattern)" |
    sort
}

findings=0
found() {
  printf '%s\n' "$*"
  findings=$((findings + 1))
}

# found, for every line of standard input.
found_lines() {
  local line
  while IFS= read -r line; do
    found "$line"
  done
}

# End a script: say what was checked, or fail.  Who has looked at nothing has
# found nothing out.
finish() {
  [[ $1 == 0\ * ]] && found "$(basename "$0" .sh): looked at nothing: $1"
  if [ "$findings" -gt 0 ]; then
    printf '%s: %d findings\n' "$(basename "$0")" "$findings"
    exit 1
  fi
  printf '%s: clean (%s)\n' "$(basename "$0")" "$1"
}

# limit WORD NUMBER WHERE WHAT: the number that is counted today is at most the
# one that stands behind WORD in `limits`, which is there to fall.
limit() {
  local most
  most=$(awk -v word="$1" '$1 == word { print $2 }' "$here/limits")
  most=${most:-0}
  if [ "$2" -gt "$most" ]; then
    found "$3: $2 $4, $most at most (tests/lint/limits)"
  elif [ "$2" -lt "$most" ]; then
    printf '%s: %s: %s today: write that into tests/lint/limits\n' \
      "$(basename "$0")" "$1" "$2"
  fi
}

# objects DIR: "OBJECT SOURCE" of each object of a build, the source's path
# relative to the root.  Not of builds that stand below it, and not of sources
# that are gone: what an earlier commit built stays.
objects() {
  local dir=$1 nested=(-path "$1/fresh" -prune -o) cache object source
  while IFS= read -r cache; do
    nested+=(-path "${cache%/*}" -prune -o)
  done < <(find "$dir" -mindepth 2 -maxdepth 2 -name CMakeCache.txt)
  while IFS= read -r object; do
    source=${object#"$dir"/}
    source=${source%%CMakeFiles/*}${source#*.dir/}
    source=${source#"$dir"/}
    source=${source//__\//../}
    source=${source%.o}
    if [ -e "$source" ] || [ -e "$dir/$source" ]; then
      printf '%s %s\n' "$object" "$source"
    fi
  done < <(find "$dir" "${nested[@]}" -name '*.c.o' -print | sort)
}
