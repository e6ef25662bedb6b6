# TOOL: --like "def f0[(][a-z]?[)]:.    if a:.        x0 = 1.*def f1[(][a-z]?[)]:.    if a:.        x1 = 1.*def f2[(][a-z]?[)]:.    if a:.        x2 = 1.*def f3[(][a-z]?[)]:.    if a:.        x3 = 1"
# TOOL: --unlike 'else[^:]' --unlike 'else:[^a-z]*def' --unlike 'else:[^a-z]*$'
# RUNS: 1.2
def f0(a):
    if a:
        x0 = 1
    else:
        y0 = 1
def f1(a):
    if a:
        x1 = 1
    else:
        y1 = 1
def f2(a):
    if a:
        x2 = 1
    else:
        y2 = 1
def f3(a):
    if a:
        x3 = 1
    else:
        y3 = 1
