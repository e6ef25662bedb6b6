// TEST: grep -Eq 'planted[(][^,()]+ [^,()]+, [^,()]+ [^,()]+[)]' "$1" && cc -x c -std=c11 -Werror -fsyntax-only "$1" 2>/dev/null
enum shade { PALE, DEEP };
int planted(enum shade first, enum shade second);
