"""recipe.py half|wrong DIR: compare the reports of recipe.test by their runs."""
import json
import os
import sys

what, folder = sys.argv[1:]


def report(name):
    with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
        return json.load(file)


def trial(report):
    """All but what judges the input and the result as such."""
    return report["runs"]["search"] + report["runs"]["minimal"]


def steps(report):
    return [(step["mutation"], step["ops"], step["bytes"]) for step in report["steps"]]


alone = report("alone")
assert alone["recipe"] is None, alone["recipe"]
if what == "half":
    for before, after in (("alone", "with"), ("shared-alone", "shared-with")):
        before, after = report(before), report(after)
        assert after["recipe"]["how"] == "followed", after["recipe"]
        # That the result is minimal has to be shown either way.
        assert 0 < 2 * after["runs"]["search"] <= before["runs"]["search"], (before["runs"], after["runs"])
        assert trial(after) < trial(before), (before["runs"], after["runs"])
    before, after = report("shared-alone"), report("shared-with")
    assert 2 * after["runs"]["executed"] <= before["runs"]["executed"], after["runs"]
else:
    wrong = report("wrong")
    lost = wrong["recipe"]["runs"]
    assert wrong["recipe"]["how"] == "given up" and 0 < lost <= 4, wrong["recipe"]
    assert trial(wrong) <= trial(alone) + lost, (alone["runs"], wrong["runs"])
    assert steps(wrong) == steps(alone), steps(wrong)
