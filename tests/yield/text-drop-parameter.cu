// RUNS: 1.2
// TEST: cc -x c -std=c2x -Werror -fsyntax-only "$1" 2>/dev/null && grep -Eq 'return planted[(]' "$1"
int planted(int kept, const char *name) { return kept; }
int f(int n) { return planted(n, "name"); }
