#!/bin/bash
# Words that have no place in the tree: paths of somebody's machine, talk of
# how the text came about, work left open.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# One pattern a line (extended regular expressions); some are written with a
# one-letter class so that this file does not match itself.
patterns=(
  '/[w]ork/(main|shared)'
  '/tmp/[w]/'
  '/home/[a-z][a-z]'
  '/[r]oot/'
  '\<([C]laude|[G]PT|[A]nthropic|[O]penAI|[C]opilot)\>'
  '\<[A]I[- ](generated|written|assisted)'
  '\<([L]LM|language [m]odel)\>'
  '\<([T]ODO|[F]IXME|[X]XX|[H]ACK)\>'
  '\<[a]s requested\>'
  '\<[p]laceholder implementation\>'
)

while IFS= read -r file; do
  for pattern in "${patterns[@]}"; do
    found_lines < <(grep -HInE "$pattern" "$file" | cut -c1-120)
  done
done < <(find . -type f -not -path './.git/*' -not -path './build*' \
  -not -path '*/__pycache__/*' | sed 's|^\./||' | sort)
finish "the tree"
