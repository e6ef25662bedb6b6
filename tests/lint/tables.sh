#!/bin/bash
# Tables and files agree: every row of a list.h names a descriptor that one
# file of the folder defines, every descriptor has its line, every mutation
# has a lit test, and README and docs name what a user can choose.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# The names in FOLDER/list.h: the first argument of each row; of a table with
# several kinds of rows those of KIND.
listed() {
  sed -nE "s/^${4:-[A-Z_]+}\\(([a-z0-9_]+)[,)].*/\\1/p" "$1/list.h" | sort
}

# The names X of descriptors `const struct TYPE PREFIX_X = {` in FOLDER, or in
# FROM; of mutations also of CUL_KIND(X, members).
defined() {
  files '\.c' "${5:-$1}" | xargs -r sed -nE \
    -e "s/^const struct $2 $3([a-z0-9_]+) = \{.*/\1/p" \
    -e "s/^CUL_${4:-[A-Z]+}\\(([a-z0-9_]+),.*/\1/p" | sort
}

# agree FOLDER TYPE PREFIX [KIND [FROM]]
agree() {
  local folder=$1 name
  [ -e "$folder/list.h" ] || return 0
  while IFS= read -r name; do
    found "$folder/list.h:1: $name is listed, but no file here defines $3$name"
  done < <(comm -23 <(listed "$@" | uniq) <(defined "$@" | uniq))
  while IFS= read -r name; do
    found "$folder/list.h:1: $3$name is defined, but not listed"
  done < <(comm -13 <(listed "$@" | uniq) <(defined "$@" | uniq))
  while IFS= read -r name; do
    found "$folder/list.h:1: $name stands there twice"
  done < <(listed "$@" | uniq -d)
  entries=$((entries + $(listed "$@" | wc -l)))
}

# The name a user types: "foo_bar" is foo-bar.
check_mutation_tests() {
  local name
  while IFS= read -r name; do
    compgen -G "tests/cli/mutations/${name//_/-}*" >/dev/null ||
      found "reducer/mutations/list.h:1: $name has no test" \
        "tests/cli/mutations/${name//_/-}.*"
  done < <(listed reducer/mutations)
}

# The rows KIND of mutations and the struct of their descriptors: EACH cul_each.
# A row of another kind compiles and links, and reads another struct.
frames() {
  sed -e ':a' -e '/\\$/N; s/\\\n//; ta' reducer/mutations/table.c |
    sed -nE 's/^#define ([A-Z]+)\(\.\.\.\) +ROW\(([a-z_]+),.*/\1 \2/p'
}

check_frames() {
  local kind type name
  while read -r kind type; do
    while IFS= read -r name; do
      found "reducer/mutations/list.h:1: $name is a row of $kind, so that" \
        "cul_mutation_$name has to be a const struct $type: CUL_$kind($name, ...)"
    done < <(comm -23 <(listed reducer/mutations '' '' "$kind") \
      <(defined reducer/mutations "$type" cul_mutation_ "$kind"))
  done < <(frames)
}

# named FOLDER PAGE: a table of the page has every name of the folder's table in
# the first cell of a line: | [`NAME`](...) |, | `NAME ...` |, or beside others.
named() {
  local name
  while IFS= read -r name; do
    grep -qE -- "^\\| [^|]*\`${name//_/[- ]}(\`| )[^|]*\\|" "$2" 2>/dev/null ||
      found "$2:1: does not name ${name//_/-} (of $1/list.h)"
  done < <(listed "$1")
}

entries=0
# Functions of the C API that edit a module are called by edits.c alone: else a
# kept text would be taken for right that is not.
check_edits() {
  local -r things='Operation|Block|Region|Value|Module|SymbolTable|PassManager'
  local -r edits='Set|Replace|Remove|Erase|Detach|Append|Insert|Move|Take'
  found_lines < <(files '\.c' reducer | grep -v '/subject/ir/edits\.c$' |
    xargs -r grep -onE \
      "\\bmlir(($things)[A-Za-z]*($edits|AddArgument|Destroy|RunOnOp)|Rewriter|ApplyPatterns)[A-Za-z]*\\(" |
    grep -vE ':mlir(OperationState|PassManagerDestroy)' |
    sed -E 's/:(mlir[A-Za-z]*)\($/: \1 is for reducer\/subject\/ir\/edits.c/')
}

agree reducer/mutations 'cul_[a-z_]+' cul_mutation_
agree reducer/engines cul_engine cul_engine_
agree reducer/worker cul_subject_kind cul_subject_kind_ '' reducer/subject
agree reducer/search cul_search_rule cul_search_rule_
agree oracles cul_oracle cul_oracle_
agree runners cul_runner cul_runner_
agree probe cul_contract cul_contract_
agree systems cul_log_reader cul_log_reader_ READER
agree systems cul_trace_reader cul_trace_ TRACE
agree base/profile cul_profile_format cul_profile_
agree triage cul_triage_report cul_triage_report_
agree cli cul_cli_command cul_cli_
[ ! -e reducer/mutations/list.h ] || check_mutation_tests
[ ! -e reducer/mutations/table.c ] || check_frames
[ ! -e cli/list.h ] || named cli README.md
[ ! -e oracles/list.h ] || named oracles docs/preserved.md
[ ! -e probe/list.h ] || named probe docs/scripts.md
check_edits
finish "$entries entries"
