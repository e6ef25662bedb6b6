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

# says STATUS PATTERN...: ./bootstrap $command (build) $check ends with STATUS,
# its output holds each.
says() {
  local status=0 output pattern wanted=$1
  output=$(env -i PATH="$dir/bin" BUILD_DIR="$dir/build" \
    PREFIX="${prefix:-}" OS_RELEASE="$dir/os-release" CUDA_TOOLKIT="$dir/toolkit" \
    "$root/bootstrap" "${command:-build}" ${check:+"$check"} 2>&1 </dev/null) ||
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

fresh_world # the same, and what to do without
stub id 'echo 1000'
# shellcheck disable=SC2016 # said as it stands
says 6 'PREFIX=$HOME/culprit-packages'

# unpacking PACKAGE...: what apt says it would install; what it downloads is
# "unpacked" as a file of pkg-config's and a link to a library.
unpacking() {
  local tool
  for tool in find rm basename readlink ln uname; do
    ln -sf "$(command -v "$tool")" "$dir/bin/$tool"
  done
  stub id 'echo 1000'
  # shellcheck disable=SC2016 # expanded by the stub
  stub apt-get "echo \"\$*\" >>$dir/calls" 'case $* in *-s*)' \
    "printf 'Inst %s (1.0)\\n' $* ;;" \
    '*download*) echo >package.deb ;; esac'
  # shellcheck disable=SC2016 # expanded by the stub
  stub dpkg 'mkdir -p $3/usr/lib/pkgconfig' \
    'printf "prefix=/usr\nlibdir=\"/usr/lib\"\n" >$3/usr/lib/pkgconfig/x.pc'
  stub cmake 'echo "$@"; exit 1'
  stub cp 'exit 1'
}

fresh_world # without root: packages are unpacked below PREFIX, once
unpacking libxxhash-dev libzip-dev
# shellcheck disable=SC2016 # expanded by the stub
stub dpkg-query '[ "$4" = libzip-dev ] || printf installed'
prefix=$dir/own says 6 'unpacking 2 packages' 'cmake failed' \
  "-rpath,$dir/own/usr/lib/"
[ "$(<"$dir/own/usr/lib/pkgconfig/x.pc")" = "prefix=$dir/own/usr
libdir=\"$dir/own/usr/lib\"" ] ||
  complain "not relocated: $(cat "$dir/own/usr/lib/pkgconfig/x.pc")"
[ "$(grep -c download "$dir/calls")" -eq 1 ] || complain "$(cat "$dir/calls")"
prefix=$dir/own says 6 "-rpath,$dir/own/usr/lib/"
[ "$(grep -c download "$dir/calls")" -eq 1 ] || complain "downloaded again"
[ "$(grep -c ' install' "$dir/calls")" -eq "$(grep -c -- '-s' "$dir/calls")" ] ||
  complain "apt was to install: $(cat "$dir/calls")"

fresh_world # a compiler cannot be unpacked
unpacking gcc-12 gcc
prefix=$dir/own says 6 'gcc-12 is missing, which cannot stand below' \
  'administrator run: apt-get install gcc libc6-dev'

fresh_world # sudo asks for a password, and nobody is there to type it
stub id 'echo 1000'
stub sudo 'exit 1'
says 6 'sudo asks for a password' 'administrator run: apt-get install gcc'

fresh_world # another distribution
printf 'ID=fedora\nPRETTY_NAME="Fedora 40"\n' >"$dir/os-release"
says 6 'this is Fedora 40' 'needed: gcc' 'ninja -C build'

fresh_world # Debian 13: its own names, and nothing of 12's security updates
stub id 'echo 1000'
printf 'ID=debian\nVERSION_CODENAME=trixie\nPRETTY_NAME="Debian 13"\n' \
  >"$dir/os-release"
says 6 'administrator run: apt-get install gcc libc6-dev libstdc++-14-dev'
stub id 'echo 0'
stub apt-cache "[ \$2 = libmlir-22-dev ] || echo '  Candidate: 1.0'"
says 6 'apt knows no package: libmlir-22-dev' 'a mirror of this Debian'

fresh_world # a package is made, and its name said
for tool in rm cat; do ln -sf "$(command -v $tool)" "$dir/bin/$tool"; done
stub dpkg-query 'printf installed'
stub cmake 'exit 0'
stub ninja 'exit 0'
stub cpack 'echo "CPack: - package: /a b/culprit_1-1~deb12_amd64.deb generated."'
command=package says 0 '^bootstrap: apt install /a b/culprit_1-1~deb12_amd64.deb'
stub cpack 'echo "CPack Error: no"; exit 1'
command=package says 6 'cpack failed: CPack Error: no'

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

# What installs wheels without a network: it writes them.
wheels() {
  local place
  for place in bin nvvm/libdevice include; do
    printf 'mkdir -p %s\n' "$dir/build/cuda/nvidia/cu99/$place"
  done
  for place in bin/ptxas nvvm/libdevice/libdevice.10.bc include/cuda.h; do
    printf 'echo >%s\n' "$dir/build/cuda/nvidia/cu99/$place"
  done
}

fresh_world # NVIDIA's wheels come, where no toolkit is; once
stub dpkg-query 'printf installed'
stub cmake "exit 1"
stub python3 "mkdir -p \$3/bin; cp $dir/bin/pip \$3/bin"
stub pip "echo pip >>$dir/calls" "$(wheels)"
for tool in cp chmod ln; do ln -s "$(command -v $tool)" "$dir/bin/$tool"; done
command=gpu says 6 'nvidia-cuda-nvcc' 'cmake failed'
[ -x "$dir/build/cuda-toolkit/bin/ptxas" ] ||
  complain "no ptxas: $(ls -l "$dir/build")"
command=gpu says 6 'cmake failed'
[ "$(wc -l <"$dir/calls")" -eq 1 ] || complain "pip was called again"

fresh_world # a toolkit is there
stub dpkg-query 'printf installed'
stub cmake "exit 1"
stub python3 "echo python >>$dir/calls"
mkdir -p "$dir/toolkit/bin" "$dir/toolkit/nvvm/libdevice" "$dir/toolkit/include"
stub ../toolkit/bin/ptxas
touch "$dir/toolkit/nvvm/libdevice/libdevice.10.bc" "$dir/toolkit/include/cuda.h"
command=gpu says 6 'cmake failed'
[ ! -s "$dir/calls" ] || complain "wheels were asked for: $(cat "$dir/calls")"

fresh_world # no network: tests go on without them
stub dpkg-query 'printf installed'
stub cmake "exit 1"
stub python3 "mkdir -p \$3/bin; cp $dir/bin/pip \$3/bin"
stub pip 'echo "ERROR: no answer"; exit 1'
ln -s "$(command -v cp)" "$dir/bin/cp"
command=gpu says 6 'they did not come (ERROR: no answer)' 'cmake failed'

fresh_world # the analysers are called, and told what is wanted
stub dpkg-query 'printf installed'
stub cmake 'exit 0'
stub ninja 'exit 0'
command=analyse check=nothing says 2 'no check is called "nothing"'

# testing LINE...: a world where all is installed and built; the lines are
# lit's, which runs three times: the tests that wait, the others, the sanitized.
testing() {
  local tool
  fresh_world
  for tool in find xargs sort awk paste cat seq sleep rm touch; do
    ln -sf "$(command -v "$tool")" "$dir/bin/$tool"
  done
  mkdir -p "$dir/toolkit/bin" "$dir/toolkit/nvvm/libdevice" "$dir/toolkit/include"
  stub ../toolkit/bin/ptxas
  touch "$dir/toolkit/nvvm/libdevice/libdevice.10.bc" "$dir/toolkit/include/cuda.h"
  stub dpkg-query 'printf installed'
  stub cmake 'exit 0'
  stub ninja 'exit 0'
  stub ctest 'echo "1/3 unit/x"; sleep 0.3; echo "100% tests passed, 0 tests failed out of 3"'
  stub lit-22 "$@"
}

# Of tests that run beside each other, what one part prints stands together.
testing "echo first; sleep 0.1; echo 'Passed: 2'"
command='test' says 0 '^12 passed, 0 failed'
[ "$(grep -cx first "$dir"/build/{waits,commands,sanitized}.log)" = "$(printf \
  "$dir/build/%s.log:1\n" waits commands sanitized)" ] || complain "lit's logs"

testing "case \$* in *tests/cli) echo 'Failed: 1'; exit 1 ;; esac" "echo 'Passed: 2'"
command='test' says 6 'lit ran no test' 'commands.log'

testing "case \$* in *tests/cli) echo 'Failed: 1'; sleep 0.2; echo 'Passed: 4'; exit 1 ;; esac" \
  "echo 'Passed: 2'"
command='test' says 1 '^14 passed, 1 failed'

# A test that passes only the second time is named, with what it printed; more
# than two of them are a failure.
testing "case \$* in *tests/cli) mkdir -p $dir/build/unstable
  echo 'the trace' >$dir/build/unstable/cli-a.test ;; esac; echo 'Passed: 2'"
command='test' says 0 'cli-a.test failed, then passed' '^the trace$' \
  '^12 passed, 0 failed; passed only at the second attempt: cli-a.test$'
stub ctest "printf '%s\n' '    Start 1: fault/b' '1/1 Test #1: fault/b ......***Failed    0.02 sec' \
  'lost it' '    Start 1: fault/b' '    Test #1: fault/b ......   Passed    0.01 sec' \
  '1/1 Test #2: unit/c .....***Failed 0.1 sec' 'never' '100% tests passed, 0 tests failed out of 3'"
command='test' says 0 '^lost it$' 'second attempt: cli-a.test fault-b$'
[ ! -e "$dir/build/unstable/unit-c" ] || complain "a failed test is called unstable"
stub lit-22 "mkdir -p $dir/build/unstable; touch $dir/build/unstable/{d,e}; echo 'Passed: 2'"
command='test' says 1 'second attempt: d e fault-b$'

testing "echo 'Passed: 2'; case \$* in *tests/cli) exit 3 ;; esac"
command='test' says 6 'the tests ended with status 3' 'commands.log'

testing "echo 'Passed: 2'"
stub ctest 'case $* in *sanitize*) exit 8 ;; esac' \
  'echo "100% tests passed, 0 tests failed out of 3"'
command='test' says 6 'ctest ran no test' 'sanitized-units.log'

# What ends it ends all parts: an interrupt of a terminal, which its own group
# gets, and a signal that it alone gets.
parts_end() { # SIGNAL [-]
  local pid status=0
  testing "trap 'echo ended >>$dir/calls; exit 2' TERM" \
    "echo begun >>$dir/calls" 'sleep 60 & wait'
  stub ctest "trap 'echo ended >>$dir/calls; exit 2' TERM" \
    "echo begun >>$dir/calls" 'sleep 60 & wait'
  set -m
  env -i PATH="$dir/bin" BUILD_DIR="$dir/build" CUDA_TOOLKIT="$dir/toolkit" \
    OS_RELEASE="$dir/os-release" "$root/bootstrap" test >/dev/null 2>&1 </dev/null &
  pid=$!
  set +m
  for _ in {1..600}; do
    [ "$(grep -c begun "$dir/calls")" -lt 2 ] || break
    sleep 0.1
  done
  kill "-$1" -- "${2:-}$pid"
  wait "$pid" || status=$?
  [ "$status" -gt 128 ] || complain "SIG$1: status $status"
  for _ in {1..600}; do
    [ "$(grep -c ended "$dir/calls")" -lt 2 ] || return 0
    sleep 0.1
  done
  complain "SIG$1 ends not all parts: $(cat "$dir/calls")"
}
parts_end INT -
parts_end TERM

[ "$failures" -eq 0 ] && echo "messages.sh: clean"
exit $((failures > 0))
