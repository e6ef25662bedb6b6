# TEST: python3 -IS -c 'import sys
# TEST: seen = []
# TEST: names = {"load": lambda at: [at], "store": seen.append}
# TEST: exec(open(sys.argv[1]).read(), names)
# TEST: sys.exit(not seen or type(seen[0]) is not list or seen[0] == [])' "$1" 2> /dev/null
import sys
value = load(0)
store(value)
