"""weave_module.py N: a module of about N operations of weave.py's dialect, one
of them the weave.snap that its compiler dies of."""
import sys

n = int(sys.argv[1])
print('"builtin.module"() ({')
print('  "func.func"() <{function_type = (!weave.yarn) -> !weave.yarn, sym_name = "f"}> ({')
print("  ^bb0(%v0: !weave.yarn):")
OPS = [
    '"weave.warp"(%v{a}) <{{count = {c} : i32, twist = 3 : i32}}>',
    '"weave.weft"(%v{a}, %v{b}) <{{color = 5 : i32, hi = 9 : i32, lo = {c} : i32}}>',
    '"weave.frail"(%v{a}) <{{brace = {c} : i32, color = 4 : i32}}>',
]
TYPES = ["(!weave.yarn)", "(!weave.yarn, !weave.yarn)", "(!weave.yarn)"]
for i in range(1, n + 1):
    kind = i % 3
    op = OPS[kind].format(a=i - 1, b=i * 7 // 11, c=i + 2)
    types = TYPES[kind]
    if i == n // 2:
        op = f'"weave.snap"(%v{i - 1}) <{{at = 4 : i32, axis = 2 : i32, k = 7 : i32, step = 5 : i32, tension = 6 : i32, type = 3 : i32, value = 8 : i32, values = 9 : i32}}>'
        types = "(!weave.yarn)"
    print(f"    %v{i} = {op} : {types} -> !weave.yarn")
print(f'    "func.return"(%v{n}) : (!weave.yarn) -> ()')
print("  }) : () -> ()")
print("}) : () -> ()")
