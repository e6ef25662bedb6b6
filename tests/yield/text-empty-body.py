# TOOL: --like "def f0[(][a-z]?[)]:.*def f1[(][a-z]?[)]:.*def f2[(][a-z]?[)]:.*def f3[(][a-z]?[)]:.*def f4[(][a-z]?[)]:.*def f5[(][a-z]?[)]:.*def f6[(][a-z]?[)]:.*def f7[(][a-z]?[)]:"
# TOOL: --unlike ":[ ]*.[a-z]" --unlike ":[^a-z]*$"
# TOOL: --needs "return b0" "b0 = a" --needs "b0 = a" "return b0"
# TOOL: --needs "return b1" "b1 = a" --needs "b1 = a" "return b1"
# TOOL: --needs "return b2" "b2 = a" --needs "b2 = a" "return b2"
# TOOL: --needs "return b3" "b3 = a" --needs "b3 = a" "return b3"
# TOOL: --needs "return b4" "b4 = a" --needs "b4 = a" "return b4"
# TOOL: --needs "return b5" "b5 = a" --needs "b5 = a" "return b5"
# TOOL: --needs "return b6" "b6 = a" --needs "b6 = a" "return b6"
# TOOL: --needs "return b7" "b7 = a" --needs "b7 = a" "return b7"
# RUNS: 1.1
def f0(a):
    b0 = a + 0
    if a:
        g(b0)
    return b0
def f1(a):
    b1 = a + 1
    if a:
        g(b1)
    return b1
def f2(a):
    b2 = a + 2
    if a:
        g(b2)
    return b2
def f3(a):
    b3 = a + 3
    if a:
        g(b3)
    return b3
def f4(a):
    b4 = a + 4
    if a:
        g(b4)
    return b4
def f5(a):
    b5 = a + 5
    if a:
        g(b5)
    return b5
def f6(a):
    b6 = a + 6
    if a:
        g(b6)
    return b6
def f7(a):
    b7 = a + 7
    if a:
        g(b7)
    return b7
