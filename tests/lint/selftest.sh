#!/bin/bash
# Every lint can fail: a violation is planted in a copy of the tree, one at a
# time, and the script has to name it.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

copy=$(mktemp -d)
whole=$(mktemp -d) # the small tree, made once
trap 'rm -rf "$copy" "$whole"' EXIT
planted=0

fresh_tree() {
  rm -rf "${copy:?}"/*
  cp -a "$whole/." "$copy"
}

# A small tree in the shape of the house that every lint finds clean.
make_tree() {
  mkdir -p "$copy"/{base,bisect/search,cache,cli,probe,runners,tests/cli/mutations} \
    "$copy"/reducer/{subject,mutations} "$copy"/tests/{lint,fuzz/x} "$copy/build"
  cp .clang-format "$copy"
  cp tests/lint/* "$copy/tests/lint"
  printf '%s\n' '/* A value. */' '#ifndef CUL_BASE_VALUE_H' \
    '#define CUL_BASE_VALUE_H' '' 'int cul_value(void);' '' '#endif' \
    >"$copy/base/value.h"
  printf '%s\n' '/* A value. */' '#include "value.h"' '' \
    'int cul_value(void) { return 3; }' >"$copy/base/value.c"
  printf '%s\n' '/* The mutations. */' 'MLIR(erase)' \
    >"$copy/reducer/mutations/list.h"
  printf '%s\n' '/* Erase. */' 'struct cul_mutation {' '  int flags;' '};' '' \
    'const struct cul_mutation cul_mutation_erase = {' '    1,' '};' \
    >"$copy/reducer/mutations/erase.c"
  printf '%s\n' 'circles 0' 'in-circles 0' 'one-caller 1' \
    >"$copy/tests/lint/limits"
  : >"$copy/tests/cli/mutations/erase.mlir"
  : >"$copy/tests/fuzz/x/seed"
  printf '%s\n' '/* Bytes. */' >"$copy/tests/fuzz/fuzz_x.c"
  echo 'base/value.c x' >"$copy/tests/fuzz/readers"
  : >"$copy/README.md"
  printf '%s\n' '/* The entry. */' '#include "../base/value.h"' '' \
    'int main(void) { return cul_value(); }' >"$copy/cli/main.c"
  compile base/value.c
  compile cli/main.c
  printf '[{"directory": "%s", "file": "base/value.c", "command": "%s"}]\n' \
    "$copy" 'cc -Wall -c base/value.c -o value.o' \
    >"$copy/build/compile_commands.json"
  cp -a "$copy/." "$whole"
}

compile() {
  local dir=$copy/build/CMakeFiles/x.dir
  mkdir -p "$dir/${1%/*}"
  cc -c -o "$dir/$1.o" "$copy/$1"
}

# clean LINT: the lint passes on the fresh tree.
clean() {
  local output
  fresh_tree
  output=$("$copy/tests/lint/$1" "$copy" "$copy/build" 2>&1) ||
    found "selftest.sh: $1 fails on a clean tree: $output"
}

# caught LINT WHAT: the lint fails on the tree as it is now and says WHAT.
caught() {
  local output
  planted=$((planted + 1))
  if output=$("$copy/tests/lint/$1" "$copy" "$copy/build" 2>&1); then
    found "selftest.sh: $1 does not see: $2"
  elif ! grep -q -- "$2" <<<"$output"; then
    found "selftest.sh: $1 fails without saying '$2': $output"
  fi
}

# plant FILE LINE...: append lines to a file of a fresh tree.
plant() {
  local file=$1
  shift
  fresh_tree
  printf '%s\n' "$@" >>"$copy/$file"
}

make_tree
lints=(layers.sh tables.sh headers.sh style.sh globals.sh calls.sh words.sh shell.sh foreign.sh
  readers.sh clang.sh operations.sh packages.sh interrupted.sh)
for lint in "${lints[@]}"; do clean "$lint"; done

plant reducer/subject/x.c '#include "../../base/value.h"'
"$copy/tests/lint/layers.sh" "$copy" >/dev/null ||
  found "selftest.sh: layers.sh does not find a folder two levels up"
plant base/value.c '#include "../cache/cache.h"'
caught layers.sh 'base includes'
fresh_tree
mkdir -p "$copy/docs"
printf '%s\n' '## Folders' 'cli/' '## base/' >"$copy/docs/development.md"
caught layers.sh 'does not show base/'
fresh_tree
for folder in base cache cli probe runners reducer; do rm -rf "${copy:?}/$folder"; done
caught layers.sh 'looked at nothing'
caught interrupted.sh 'looked at nothing'
fresh_tree
echo '#include "../cache/cache.h"' >>"$copy/base/value.c"
mv "$copy/base" "$copy/elsewhere" && ln -s elsewhere "$copy/base"
caught layers.sh 'base includes'
rm -r "$copy/elsewhere"
plant probe/x.c 'int f(void) {' '  return' '      open("x", 0);' '}'
caught interrupted.sh 'probe/x.c:3: open without'
plant probe/x.c 'int f(int fd) { return fd = openat(fd, "x", 0); }'
caught interrupted.sh 'probe/x.c:1: open without'
plant reducer/subject/x.c '#include "../mutations/list.h"'
caught layers.sh 'reducer/subject includes'
plant bisect/search/x.c '#include "../commits/commits.h"'
caught layers.sh 'bisect/search includes'
plant cli/x.c '#include <sqlite3.h>'
caught layers.sh '<sqlite3.h> is for'
plant runners/x.c '#include <mlir-c/IR.h>'
caught layers.sh '<mlir-c/> is for'
plant base/x.c '#include "../tests/x.h"'
caught layers.sh 'in no folder of the house'

plant base/value.c 'static int unused(void) { return 3; }'
caught clang.sh 'base/value.c:5:.*unused'
plant base/value.c 'int cul_missing(void) { return missing(); }'
caught clang.sh 'undeclared function'
# The second source of one call.
plant cli/main.c 'static int unused(void) { return 3; }'
entry=$(sed 's/^\[\(.*\)\]$/\1/' "$copy/build/compile_commands.json")
echo "[$entry, ${entry//base\/value/cli\/main}]" >"$copy/build/compile_commands.json"
caught clang.sh 'cli/main.c:5:.*unused'
fresh_tree
echo '[]' >"$copy/build/compile_commands.json"
caught clang.sh 'looked at nothing'

plant reducer/mutations/list.h 'MLIR(fold)'
caught tables.sh 'fold is listed, but no file'
caught tables.sh 'fold has no test'
plant reducer/mutations/x.c 'const struct cul_mutation cul_mutation_x = {'
caught tables.sh 'cul_mutation_x is defined, but not listed'
plant reducer/mutations/x.c 'CUL_MLIR(x, .list = x);'
caught tables.sh 'cul_mutation_x is defined, but not listed'
plant reducer/mutations/table.c "#define MLIR(...) \\" '  ROW(cul_other, frame, __VA_ARGS__)'
caught tables.sh 'cul_mutation_erase has to be a const struct cul_other'
plant reducer/mutations/table.c '#define OTHER(...) ROW(cul_other, frame, __VA_ARGS__)'
sed -i 's/^MLIR(erase)/OTHER(erase)/' "$copy/reducer/mutations/list.h"
echo 'CUL_MLIR(erase, .list = x);' >"$copy/reducer/mutations/erase.c"
caught tables.sh 'has to be a const struct cul_other: CUL_OTHER(erase, ...)'
plant reducer/mutations/list.h 'MLIR(erase)'
caught tables.sh 'erase stands there twice'
plant cli/list.h 'COMMAND(check)'
caught tables.sh 'README.md:1: does not name check'
plant probe/list.h 'CONTRACT(odd_one)'
caught tables.sh 'odd_one is listed, but no file'
caught tables.sh 'docs/scripts.md:1: does not name odd-one'
fresh_tree
mkdir "$copy/oracles"
echo 'CUL_ORACLE(gone)' >"$copy/oracles/list.h"
caught tables.sh 'docs/preserved.md:1: does not name gone'
plant reducer/subject/x.c 'mlirValueSetType(v, t);'
caught tables.sh 'mlirValueSetType is for'

plant reducer/mutations/x.c "$(seq -f '"toy.op%.0f",' 600)"
caught operations.sh '600 names of operations'

plant cache/x.h '/* x */' '#ifndef CUL_CACHE_X_H' '#define CUL_CACHE_X_H' \
  'size_t x(void);' '#endif'
caught headers.sh 'does not compile alone'
plant cache/x.h '/* x */' '#ifndef X_H' '#define X_H' '#endif'
caught headers.sh 'guard is not CUL_CACHE_X_H'
members=$(seq 9 | sed 's|.*|  int a&, *b&[2]; /* a, b; */|')
plant cache/x.h '/* x */' '#ifndef CUL_CACHE_X_H' '#define CUL_CACHE_X_H' \
  'struct cul_x {' "$members" '  struct {' "${members//[ab]/c&}" '  };' \
  '  void (*f)(int, int);' '};' '#endif'
caught headers.sh 'cache/x.h:4: 37 members in cul_x, 0 at most'
fresh_tree
echo 'cul_x 30' >>"$copy/tests/lint/limits"
caught headers.sh 'no struct cul_x of a header is that large'

plant cli/x.c 'n = read(fd, text, size);'
echo 'base/value.c x' >"$copy/tests/fuzz/readers"
caught readers.sh 'cli/x.c:1: reads'
plant tests/fuzz/readers 'base/value.c y' 'base/value.c -' 'base/gone.c x'
caught readers.sh 'there is no target y'
caught readers.sh 'why does nothing fuzz base/value.c'
caught readers.sh 'there is no base/gone.c'
plant tests/fuzz/fuzz_z.c '/* z */'
caught readers.sh 'fuzz_z.c:1: no seed'
caught readers.sh 'names no reader for it'

plant cli/x.c 'printf("%s\\n", title);'
caught foreign.sh 'prints by itself'
plant probe/x.c 'fputs(title, stderr);'
caught foreign.sh 'no literal'

plant base/value.c '#include <zlib.h>'
printf '%s\n' 'readonly BUILD_PACKAGES=(' '  gcc libc6-dev' ')' \
  >"$copy/bootstrap"
caught packages.sh 'BUILD_PACKAGES lacks zlib1g-dev'

plant base/value.c 'int   x;'
caught style.sh 'not formatted'
plant base/x.c 'int cul_x;'
caught style.sh 'no comment at the head'
plant base/x.c '/* x */' 'int cul_x(void) {' "$(yes '  cul_x();' |
  head -n 60)" '}'
caught style.sh 'cul_x has 62 lines, 60 at most'
plant base/x.c '/* x */' 'int cul_x(int a, int b, int c, int d, int e, int f,' \
  '          int g) {' '  return a;' '}'
caught style.sh 'cul_x takes 7 parameters, 6 at most'
plant base/x.c '/* x */' 'int cul_x(void) {' '  if (1) {' '    if (1) {' \
  '      if (1) {' '        if (1) {' '          return 1;' '        }' \
  '      }' '    }' '  }' '}'
caught style.sh 'cul_x nests 4 deep, 3 at most'
plant base/x.c '/* x */' 'void cul_x(char *s) {' '  strcpy(s, "x");' '}'
caught style.sh 'banned function: strcpy'

for state in 'int cul_x;' 'static int x = 3; int *cul_x(void) { return &x; }' \
  'const char *cul_x[] = {"a"};' \
  'int cul_x(void) { static int n; return n++; }'; do
  plant base/x.c '/* x */' "$state"
  compile base/x.c
  caught globals.sh 'writable data'
done
plant base/x.c '/* x */' '__attribute__((constructor)) void cul_x(void) {}'
compile base/x.c
caught globals.sh 'a constructor'
plant base/gone.c 'int cul_gone;' # built by another commit
compile base/gone.c
rm "$copy/base/gone.c"
"$copy/tests/lint/globals.sh" "$copy" "$copy/build" >/dev/null ||
  found "selftest.sh: globals.sh reads what a source that is gone left"

plant base/x.c '/* x */' 'int cul_x(void) { return 1; }'
compile base/x.c
caught calls.sh 'base/x.c:1: only this file calls cul_x'
mkdir -p "$copy/build/tests/CMakeFiles/x.dir"
printf '%s\n' 'int cul_x(void);' 'int main(void) { return cul_x(); }' \
  >"$copy/tests/x.c"
cc -c -o "$copy/build/tests/CMakeFiles/x.dir/x.c.o" \
  "$copy/tests/x.c"
caught calls.sh 'base/x.c:1: only tests call cul_x'
# base/x.c calls base/value.c, which calls it, and so does one other file alone.
plant base/value.c 'int cul_x(void);' 'int cul_y(void) { return cul_x(); }'
printf '%s\n' 'int cul_y(void);' 'int cul_x(void) { return cul_y(); }' \
  >"$copy/base/x.c"
compile base/value.c
compile base/x.c
caught calls.sh '1 circles of files, 0 at most'
caught calls.sh '2 files call each other in circles, 0 at most'
caught calls.sh '3 functions are called by one other file alone, 1 at most'
fresh_tree
echo 'circles 3' >"$copy/tests/lint/limits"
echo 'one-caller 3' >>"$copy/tests/lint/limits"
[[ $("$copy/tests/lint/calls.sh" "$copy" "$copy/build") == *'one-caller: 1 today'* ]] ||
  found "selftest.sh: calls.sh does not say that a number fell"

# The pieces are put together here so that this file is clean itself.
plant README.md "see /wo""rk/main/README.md"
caught words.sh 'README.md:1:'
plant README.md 'TO''DO: write this'
caught words.sh 'README.md:1:'

# shellcheck disable=SC2016 # the planted script has the dollar
plant tests/x.sh '#!/bin/sh' 'rm $1'
caught shell.sh 'tests/x.sh:2:'

finish "$planted planted violations"
