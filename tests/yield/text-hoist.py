# TOOL: --has 'x = y' --unlike ':[ ]*.[^ ]' --unlike '^[^.]*[(][^)]*$'
def f(y):
    for i in range(10):
        x = y
    return x
