"""check_reports.py REPORT N: the reports parse, and hold N failures each."""

import csv
import html.parser
import json
import re
import sys
import xml.etree.ElementTree

folder, n = sys.argv[1], int(sys.argv[2])


def text(name):
    with open(folder + "/" + name, encoding="utf-8", newline="") as file:
        return file.read()


class Balance(html.parser.HTMLParser):
    """Every element that is opened is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "input", "rect"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "rect":
            return
        assert self.open and self.open[-1] == tag, (tag, self.open, self.getpos())
        self.open.pop()


page = Balance()
page.feed(text("index.html"))
assert not page.open, page.open

root = xml.etree.ElementTree.fromstring(text("junit.xml"))
assert root.tag == "testsuites"
suite = root.find("testsuite")
assert suite.get("name")
assert int(suite.get("tests")) == len(suite.findall("testcase")) == n
assert int(suite.get("failures")) + int(suite.get("skipped", 0)) == n
for case in suite:
    assert case.get("name") and case.get("classname")
    assert case.find("failure").get("message") and case.find("failure").get("type")

sarif = json.loads(text("report.sarif"))
assert sarif["version"] == "2.1.0"
assert sarif["$schema"].endswith("sarif-2.1.0.json")
assert set(sarif) <= {"$schema", "version", "runs", "properties"}
assert sarif["runs"][0]["tool"]["driver"]["name"] == "culprit"
results = sarif["runs"][0]["results"]
rules = {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]}
assert len(results) == n
for result in results:
    assert result["ruleId"] in rules
    assert result["partialFingerprints"]["culpritBucket/v1"]
    place = result["locations"][0]["physicalLocation"]
    # RFC 3986, relative-ref or an absolute path
    assert re.fullmatch(r"(?:[\w.~!$&'()*+,;=@/-]|%[0-9A-F]{2})+", place["artifactLocation"]["uri"], re.A)
    assert place["region"]["startLine"] >= 1
    assert result["message"]["text"]
    assert result["level"] in ("none", "note", "warning", "error")
    assert result["baselineState"] in ("new", "unchanged", "updated", "absent")

rows = list(csv.DictReader(text("buckets.csv").splitlines(), strict=True))
assert all(None not in row and None not in row.values() for row in rows)
assert sum(int(row["failures"]) for row in rows) == n
lines = [json.loads(line) for line in text("buckets.jsonl").splitlines()]
assert len(lines) == n
assert {line["bucket"] for line in lines} == {row["bucket"] for row in rows}
