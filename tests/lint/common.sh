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

# source_of OBJECT BUILD_DIR: the path of the source that an object below
# BUILD/CMakeFiles/TARGET.dir/ was made of, relative to the root or to
# BUILD_DIR; fails where it is gone, as what an earlier commit built stays.
source_of() {
  local source=${1#*.dir/}
  source=${source#"$2"/}
  source=${source%.o}
  [ -e "$source" ] || [ -e "$2/$source" ] || return 1
  printf '%s\n' "$source"
}
