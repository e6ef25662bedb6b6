#!/bin/bash
# operations.sh [ROOT]: what operations require is asked (reducer/opmodel), not
# listed.  The distinct names of operations and dialects that the sources of
# subjects and mutations spell out get fewer, never more: who takes some away
# lowers the number here.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly most=156

# "DIALECT.OPERATION", or "DIALECT.": no names of files.
names() {
  files '\.[ch]' reducer/subject reducer/mutations reducer/opmodel |
    { xargs -r grep -hoE '"[a-z][a-z0-9_]*\.[A-Za-z0-9_.]*"' || true; } |
    { grep -vE '\.(h|c|so|mlir|json|txt|py|sh|db)"$' || true; } | sort -u
}

count=$(names | wc -l)
[ "$count" -le "$most" ] ||
  found "reducer: $count names of operations in the sources, $most at most;" \
    "ask the verifier instead (reducer/opmodel/opmodel.h)"
finish "at most $most: $count names"
