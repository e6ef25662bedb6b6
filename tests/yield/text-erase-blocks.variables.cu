// TEST: grep -Eq 'planted [+] [^;]+;' "$1" && cc -x c -std=c11 -Werror -fsyntax-only "$1" 2>/dev/null
struct span { int low; };
int f(int planted) {
  struct span span;
  return planted + span.low;
}
