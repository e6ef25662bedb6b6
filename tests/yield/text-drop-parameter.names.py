# RUNS: 1.2
# TEST: python3 -IS -c 'import sys
# TEST: seen = []
# TEST: names = {"load": lambda at: [at], "store": seen.append}
# TEST: exec(open(sys.argv[1]).read(), names)
# TEST: sys.exit(not seen or seen[0] != [0] or "store" not in names["f"].__code__.co_names)' "$1" 2> /dev/null
import sys
def f(a, b):
    store(a)
f(load(0), 1)
