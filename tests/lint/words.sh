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

# One expression of them all: the tree is read once.
all=$(IFS='|' && printf '%s' "${patterns[*]}")
found_lines < <(find . -type f -not -path './.git/*' -not -path './build*' \
  -not -path '*/__pycache__/*' -print0 | sort -z |
  xargs -0 -r grep -HInE "$all" | sed 's|^\./||' | cut -c1-120)
finish "the tree"
