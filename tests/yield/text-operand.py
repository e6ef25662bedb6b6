# TEST: python3 -IS -c 'import sys
# TEST: seen = []
# TEST: names = {"load": lambda at: at + 5, "store": seen.append,
# TEST:          "pick": lambda a, b: a + b}
# TEST: exec(open(sys.argv[1]).read(), names)
# TEST: sys.exit(not seen or type(seen[0]) is not int or seen[0] < 5)' "$1" 2> /dev/null
import sys
store(pick(0, load(0)))
