#!/bin/bash
# A signal that comes while a file is opened (a pipe, a network) ends the call
# with EINTR: outside of base/, which has its own loops, open and openat stand
# in TEMP_FAILURE_RETRY.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

mapfile -t sources < <(files '\.c' "${house[@]}" | grep -v '^base/')
# The macro may end the line above.
found_lines < <([ ${#sources[@]} -eq 0 ] || awk '
  FNR == 1 { above = "" }
  {
    line = $0
    sub(/^ *(\/?\*|").*/, "", line)
    gsub(/TEMP_FAILURE_RETRY\( *open(at)?\(/, "", line)
    if (above ~ /TEMP_FAILURE_RETRY\($/)
      sub(/^ *open(at)?\(/, "", line)
    if (line ~ /(^|[^A-Za-z0-9_.>])open(at)?\(/ && line !~ /"[^"]*open(at)?\([^"]*"/)
      print FILENAME ":" FNR ": open without TEMP_FAILURE_RETRY: EINTR is no answer"
    above = $0
  }' "${sources[@]}")
finish "${#sources[@]} files"
