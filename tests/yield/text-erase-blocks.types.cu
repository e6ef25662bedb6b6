// TEST: cc -x c -std=c11 -Werror -fsyntax-only "$1" 2>/dev/null && grep -Eq 'planted[(][^,()]+ [^,()]+, [^,()]+ [^,()]+[)]' "$1"
enum shade { PALE, DEEP };
int planted(enum shade first, enum shade second);
