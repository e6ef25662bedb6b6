#!/bin/bash
# What others wrote goes out through base/visible: no file of culprit's own
# program prints to a stream by itself, but for literal texts.  Programs whose
# output culprit captures (engines, workers, what is preloaded) print as they
# like.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly prints='fprintf|printf|vprintf|vfprintf|dprintf|fwrite|puts|putchar|perror|psignal'

mapfile -t sources < <(files '\.c' "${house[@]}" |
  grep -vE '^(base/visible\.c|reducer/engines/|reducer/worker/|runners/preload/)')
found_lines < <(grep -HnE "(^|[^A-Za-z0-9_])($prints) ?\(" "${sources[@]}" |
  grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' |
  sed -E 's/^([^:]*:[0-9]+): *(.*)/\1: prints by itself (base\/visible.h: cul_say): \2/')
found_lines < <(grep -HnE '(^|[^A-Za-z0-9_])fputs ?\([^"]' "${sources[@]}" |
  sed -E 's/^([^:]*:[0-9]+): *(.*)/\1: no literal (base\/visible.h: cul_say_text): \2/')
finish "${#sources[@]} files"
