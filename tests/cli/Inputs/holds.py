"""holds.py FILE EXPRESSION...: what is true of a JSON file; its keys are names."""
import json
import sys
from types import SimpleNamespace

with open(sys.argv[1]) as file:
    report = json.load(file, object_hook=lambda d: SimpleNamespace(**d))
for expression in sys.argv[2:]:
    assert eval(expression, {}, vars(report)), f"{expression}\n{report}"
