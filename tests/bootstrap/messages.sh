#!/bin/bash
# What ./bootstrap says where it cannot go on: no root and no sudo, another
# distribution, no network, security updates off.  The programs it calls are
# replaced by small ones, so nothing is installed.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

# stub NAME LINE...: a program on the PATH of the next runs.
stub() {
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}

# A world where every package is missing, root runs it, and apt works.
fresh_world() {
  rm -rf "${dir:?}"/*
  mkdir -p "$dir/bin"
  local tool
  for tool in bash sh sed grep mkdir dirname nproc env tr tail head cat tee; do
    ln -s "$(command -v "$tool")" "$dir/bin/$tool"
  done
  printf 'ID=debian\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian 12"\n' \
    >"$dir/os-release"
  stub dpkg-query 'exit 1'
  stub id 'echo 0'
  stub apt-cache 'echo "  Candidate: 1.0"'
  stub apt-get "echo \"\$*\" >>$dir/calls"
  : >"$dir/calls"
}

# says STATUS PATTERN...: ./bootstrap $command (build) ends with STATUS, its
# output holds each.
says() {
  local status=0 output pattern wanted=$1
  output=$(env -i PATH="$dir/bin" BUILD_DIR="$dir/build" \
    OS_RELEASE="$dir/os-release" "$root/bootstrap" "${command:-build}" 2>&1 </dev/null) ||
    status=$?
  [ "$status" -eq "$wanted" ] || complain "status $status, not $wanted: $output"
  for pattern in "${@:2}"; do
    grep -q -- "$pattern" <<<"$output" || complain "no '$pattern' in: $output"
  done
}

complain() {
  printf 'messages.sh: %s\n' "$*"
  failures=$((failures + 1))
}

fresh_world # neither root nor sudo
stub id 'echo 1000'
says 6 'neither root nor is there sudo' 'administrator run: apt-get install gcc'

fresh_world # sudo asks for a password, and nobody is there to type it
stub id 'echo 1000'
stub sudo 'exit 1'
says 6 'sudo asks for a password' 'administrator run: apt-get install gcc'

fresh_world # another distribution
printf 'ID=fedora\nPRETTY_NAME="Fedora 40"\n' >"$dir/os-release"
says 6 'this is Fedora 40' 'needed: gcc' 'ninja -C build'

fresh_world # no network: the lists cannot be read
stub apt-cache 'echo "  Candidate: (none)"'
# shellcheck disable=SC2016 # expanded by the stub
stub apt-get '[[ $* != *update* ]] || { echo "E: no answer"; exit 100; }'
says 6 'apt-get update failed: E: no answer' 'Is the network up'

fresh_world # security updates off: MLIR 22 is unknown
stub apt-cache "[ \$2 = libmlir-22-dev ] || echo '  Candidate: 1.0'"
says 6 'apt knows no package: libmlir-22-dev' 'bookworm-security main'

fresh_world # the mirror answers, but not with the package
# shellcheck disable=SC2016 # expanded by the stub
stub apt-get '[[ $* != *install* ]] || { echo "E: 404 Not Found"; exit 100; }'
says 6 'apt-get install failed: E: 404' 'room on disk'

fresh_world # nothing is missing: apt is not called, and nothing is said of it
stub dpkg-query 'printf installed'
stub cmake "exit 1"
says 6 'cmake failed'
[ ! -s "$dir/calls" ] || complain "apt was called: $(cat "$dir/calls")"

fresh_world # no network: the wheels do not come
stub dpkg-query 'printf installed'
stub python3 "mkdir -p \$3/bin; cp $dir/bin/pip \$3/bin"
stub pip 'echo "ERROR: no answer"; exit 1'
ln -s "$(command -v cp)" "$dir/bin/cp"
command=systems says 6 'pip install failed: ERROR: no answer' 'network up'

[ "$failures" -eq 0 ] && echo "messages.sh: clean"
exit $((failures > 0))
