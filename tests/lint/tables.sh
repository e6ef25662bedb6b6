#!/bin/bash
# Tables and files agree: every line of a list.h names a descriptor that one
# file of the folder defines, every descriptor has its line, every mutation
# has a lit test, and README and docs name what a user can choose.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

# The names in FOLDER/list.h: the first argument of each line; of a table with
# several kinds of lines those of KIND.
listed() {
  sed -nE "s/^${4:-[A-Z_]+}\\(([a-z0-9_]+).*\\).*/\\1/p" "$1/list.h" | sort
}

# The names X of descriptors `const struct TYPE PREFIX_X = {` in FOLDER.
defined() {
  files '\.c' "$1" | xargs -r sed -nE \
    "s/^const struct $2 $3([a-z0-9_]+) = \{.*/\1/p" | sort
}

# agree FOLDER TYPE PREFIX [KIND]
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

# named FOLDER PAGE: the page has a line of a table for every name of the
# folder's table: | [`NAME`](...) | or | `NAME ...` |.
named() {
  local name
  while IFS= read -r name; do
    grep -qE -- "^\\| (\\[?\`)${name//_/[- ]}(\`| )" "$2" 2>/dev/null ||
      found "$2:1: does not name ${name//_/-} (of $1/list.h)"
  done < <(listed "$1")
}

entries=0
# Every function of the C API that edits a module and is called has a line in
# notes.c: else a kept text would be taken for right that is not.
check_notes() {
  local name
  local -r things='Operation|Block|Region|Value|Module|SymbolTable|PassManager'
  local -r edits='Set|Replace|Remove|Erase|Detach|Append|Insert|Move|Take'
  while IFS= read -r name; do
    grep -q "^WRAP([A-Za-z]*, $name," reducer/subject/print/notes.c ||
      found "reducer/subject/print/notes.c:1: has no line for $name"
  done < <(files '\.c' reducer | xargs -r grep -ohE \
    "\\bmlir(($things)[A-Za-z]*($edits|AddArgument|Destroy|RunOnOp)|Rewriter|ApplyPatterns)[A-Za-z]*\\(" |
    tr -d '(' | grep -vE '^mlir(OperationState|PassManagerDestroy)' | sort -u)
}

agree reducer/mutations cul_mutation cul_mutation_
agree reducer/engines cul_engine cul_engine_
agree reducer/subject cul_subject_kind cul_subject_kind_
agree reducer/search cul_rule cul_rule_
agree oracles cul_oracle cul_oracle_
agree runners cul_runner cul_runner_
agree probe cul_contract cul_contract_
agree systems cul_log_reader cul_log_reader_ READER
agree systems cul_trace_reader cul_trace_ TRACE
agree triage cul_triage_report cul_triage_report_
agree cli cul_cli_command cul_cli_
[ ! -e reducer/mutations/list.h ] || check_mutation_tests
[ ! -e cli/list.h ] || named cli README.md
[ ! -e oracles/list.h ] || named oracles docs/preserved.md
[ ! -e probe/list.h ] || named probe docs/scripts.md
[ ! -e reducer/subject/print/notes.c ] || check_notes
finish "$entries entries"
