#!/bin/bash
# Every shell script is clean by shellcheck.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

if ! command -v shellcheck >/dev/null; then
  echo "shell.sh: shellcheck is not installed"
  exit 1
fi
mapfile -t scripts < <(find . -type f -not -path './.git/*' \
  -not -path './build*' -exec awk 'FNR == 1 && /^#!\/bin\/(ba)?sh/ {
    print FILENAME } FNR > 1 { nextfile }' {} + | sort)
for script in "${scripts[@]}"; do
  found_lines < <(shellcheck -f gcc -x "$script" 2>&1)
done
finish "${#scripts[@]} scripts"
