#!/bin/bash
# packages.sh [ROOT]: `./bootstrap build` installs every package whose headers
# the product includes, or that such a header includes.  Machines that build
# culprit every day have them from elsewhere; a fresh one has not.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly cc=${CC:-cc}
readonly llvm=${CULPRIT_LLVM_PREFIX:-/usr/lib/llvm-22}

[ -e bootstrap ] || { finish "no bootstrap" && exit; }
command -v dpkg-query >/dev/null || { finish "no Debian" && exit; }

# The packages of the argument list and all that they depend on.
closure() {
  dpkg-query -W -f '${Package}\t${Depends}, ${Pre-Depends}\n' |
    awk -F '\t' -v wanted="$*" '
      { needs[$1] = $2 }
      END {
        n = split(wanted, queue, " ")
        for (i = 1; i <= n; i++) {
          name = queue[i]
          if (name in seen)
            continue
          seen[name] = 1
          print name
          count = split(needs[name], parts, /[,|] */)
          for (k = 1; k <= count; k++) {
            sub(/[ (:].*/, "", parts[k])
            if (parts[k] != "")
              queue[++n] = parts[k]
          }
        }
      }'
}

mapfile -t build < <(sed -n '/^readonly BUILD_PACKAGES=(/,/^)/p' bootstrap |
  sed '1d;$d' | tr -s ' ' '\n' | sed '/^$/d')
mapfile -t sources < <(files '\.[ch]' "${house[@]}")
mapfile -t includes < <(grep -hoE '^# *include <[^>]+>' "${sources[@]}" |
  sort -u)
if ! headers=$(printf '%s\n' "${includes[@]}" |
  "$cc" -std=c11 -D_GNU_SOURCE -DPCRE2_CODE_UNIT_WIDTH=8 -isystem \
    "$llvm/include" -M -x c - 2>&1); then
  found "bootstrap:1: a header is missing: $(grep -m1 error <<<"$headers")"
  headers=
fi

allowed=$(closure "${build[@]}")
while read -r package; do
  grep -qxF "$package" <<<"$allowed" ||
    found "bootstrap:1: BUILD_PACKAGES lacks $package"
done < <(grep -oE '/[^ ]+\.h' <<<"$headers" | xargs -r realpath | sort -u |
  xargs -r dpkg-query -S 2>/dev/null | sed 's/[:,].*//' | sort -u)
finish "${#includes[@]} system headers"
