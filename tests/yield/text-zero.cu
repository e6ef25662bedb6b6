// TEST: cc -x c -std=c11 -Werror -fsyntax-only "$1" 2>/dev/null && grep -Eq 'return planted[(].+[)]' "$1"
int planted(unsigned long size);
int f(void) { return planted(sizeof(int)); }
