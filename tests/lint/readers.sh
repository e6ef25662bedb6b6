#!/bin/bash
# readers.sh [ROOT]: every source that reads bytes of others stands in
# tests/fuzz/readers, with the fuzz targets that feed it or why there is none;
# every target has seeds and stands there, too.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"

readonly table=tests/fuzz/readers
# Calls that read; where a file is mapped, its size is asked for.
readonly reads='fgets|getline|getdelim|fread|fscanf|sscanf|read|pread|readv|recv|recvmsg|readlink|readlinkat|cul_file_read[a-z_]*|cul_read_(rest|all)|cul_held_read|cul_bundle_read|cul_wire_(recv|await)|json_load[a-z_]*|sqlite3_column_[a-z]*|zip_fread|git_[a-z_]*(lookup|read|open|foreach)[a-z_]*'

[ -e "$table" ] || { finish "no targets" && exit; }
lines=$(grep -vnE '^#|^$' "$table" || :)

mapfile -t sources < <(files '\.c' "${house[@]}")
while IFS= read -r hit; do
  file=${hit%%:*}
  grep -qE "^[0-9]+:$file " <<<"$lines" ||
    found "$hit: reads, and $table does not say what fuzzes it"
done < <(grep -HnE "(^|[^A-Za-z0-9_>.])($reads) ?\(|mmap\(.*st_size" \
  "${sources[@]}" | grep -vE '^[^:]*:[0-9]+:[[:space:]]*(/?\*|//)' |
  sort -t : -k 1,1 -u | cut -d : -f 1,2)

while read -r at targets why; do
  file=${at#*:}
  [ -e "$file" ] || found "$table:${at%%:*}: there is no $file"
  if [ "$targets" = - ]; then
    [ -n "$why" ] || found "$table:${at%%:*}: why does nothing fuzz $file?"
    continue
  fi
  for target in ${targets//,/ }; do
    [ -e "tests/fuzz/fuzz_$target.c" ] ||
      found "$table:${at%%:*}: there is no target $target"
  done
done <<<"$lines"

for source in tests/fuzz/fuzz_*.c; do
  target=${source#tests/fuzz/fuzz_}
  target=${target%.c}
  [ -n "$(find "tests/fuzz/$target" -type f 2>/dev/null | head -n 1)" ] ||
    found "$source:1: no seed in tests/fuzz/$target"
  grep -qE "[ ,]$target(,|$)" <<<"$lines" ||
    found "$source:1: $table names no reader for it"
done
finish "$(wc -l <<<"$lines") readers"
