# TEST: python3 -IS -c 'import sys
# TEST: seen = []
# TEST: names = {"store": lambda at, value: seen.append((at, value))}
# TEST: exec(open(sys.argv[1]).read(), names)
# TEST: sys.exit(not seen or seen[0][0] == seen[0][1])' "$1" 2> /dev/null
def put(at, value):
    if at:
        store(at, value)
put(1, 2)
