#!/bin/bash
# The conventions that can be read off the text: format, sizes of functions,
# banned functions.  A file is as long as its noun is.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly max_function=60 max_parameters=6 max_nesting=3
readonly format=${CLANG_FORMAT:-clang-format-22}

# Why each: unbounded writes; no error; hidden state; a shell.
readonly banned='strcpy|strcat|sprintf|vsprintf|asprintf|vasprintf|gets|atoi|atol|atof|strtok|system|popen|tmpnam|mktemp|alloca|rand|srand'

mapfile -t sources < <(files '\.[ch]' "${house[@]}" tests examples)
# What ./bootstrap quick looks at: clang-format takes most of the time.
mapfile -t formatted < <(printf '%s\n' "${sources[@]}" |
  grep -xF "${CULPRIT_TOUCHED-$(printf '%s\n' "${sources[@]}")}" || :)
mapfile -t product < <(files '\.c' "${house[@]}" examples)

check_format() {
  if ! command -v "$format" >/dev/null; then
    found "style.sh: $format is not installed"
    return
  fi
  [ ${#formatted[@]} -gt 0 ] || return 0
  found_lines < <("$format" --dry-run --Werror "${formatted[@]}" 2>&1 |
    grep -E 'error: code should' | sed "s|^$root/||" | sort -u -t: -k1,1 |
    sed -E 's/:([0-9]+):[0-9]+: error: .*/:\1: not formatted (clang-format)/')
}

check_files() {
  local file
  for file in "${sources[@]}"; do
    [ -s "$file" ] || found "$file:1: the file is empty"
  done
  # The head says what the file is and where it stands; list.h is a table.
  found_lines < <(awk 'length($0) > 80 && !/https?:/ {
      print FILENAME ":" FNR ": longer than 80 columns" }
    FNR == 1 && !/^\/\*/ && FILENAME !~ /(^|\/)list\.h$/ {
      print FILENAME ":1: no comment at the head says what this is" }' \
    "${sources[@]}")
}

# Length, parameters and nesting of every function, by its braces: the code is
# in clang-format's shape, so a function's body ends at a '}' in column 0.
check_functions() {
  found_lines < <(awk -v max="$max_function" -v params="$max_parameters" \
    -v nest="$max_nesting" -f "$here/functions.awk" "${product[@]}")
}

check_banned() {
  found_lines < <(grep -HnE "(^|[^A-Za-z0-9_.>])($banned) ?\(" \
    "${product[@]}" |
    sed -E 's/"([^"\\]|\\.)*"//g' |
    grep -E "(^|[^A-Za-z0-9_.>])($banned) ?\(" |
    grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' |
    sed -E 's/^([^:]*:[0-9]+): *(.*)/\1: banned function: \2/')
}

check_format
check_files
check_functions
check_banned
finish "${#sources[@]} files"
