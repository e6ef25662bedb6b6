"""run_ci.py EXAMPLES FOLDER: the shell steps of the GitHub Action and of the
GitLab job of EXAMPLES, run as these services run them: in order, by bash -e,
with the variables that the files name."""

import os
import re
import subprocess
import sys

examples, folder = sys.argv[1:]
NAME = re.compile(r"^( *)(- )?([\w-]+):(?: (.*))?$")


def entries(path):
    """(indent, key, value) of each line; a block "|" has its lines in value."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        found = NAME.match(line)
        at += 1
        if not found:
            item = re.match(r"^( *)- (.*)$", line)
            if item:
                yield len(item[1]), "-", item[2]
            continue
        indent = len(found[1]) + len(found[2] or "")
        value = (found[4] or "").strip("'")
        if value == "|":
            block = []
            while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > indent):
                block.append(lines[at][indent + 2 :])
                at += 1
            value = "\n".join(block)
        yield indent, found[3], value, bool(found[2])


def github(path):
    """The inputs with their defaults; the steps as dicts of run, id and env."""
    inputs, steps, part, name = {}, [], None, None
    for indent, key, value, *new in entries(path):
        if indent == 0:
            part = key
        elif part == "inputs" and indent == 2:
            name = key
        elif part == "inputs" and key == "default":
            inputs[name] = value
        elif part == "runs" and indent >= 6:
            if new and new[0]:
                steps.append({"env": {}})
            if indent == 6 and value:
                steps[-1][key] = value
            elif key.isupper():
                steps[-1]["env"][key] = value
    return inputs, steps


def bash(script, env, where):
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], check=False, cwd=where, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


def run_github(where, logs):
    inputs, steps = github(os.path.join(examples, "github-action.yml"))
    inputs["logs"] = logs
    inputs["owners"] = "OWNERS" if os.path.exists(os.path.join(where, "OWNERS")) else inputs["owners"]
    outputs, status, n = {}, 0, 0
    summary = os.path.join(where, "summary.md")
    for step in steps:
        if "run" not in step:
            continue
        file = os.path.join(where, "output-%d" % n)
        env = {"GITHUB_OUTPUT": file, "GITHUB_STEP_SUMMARY": summary}
        for key, value in step["env"].items():
            env[key] = re.sub(r"\$\{\{ (?:inputs\.([\w-]+)|steps\.(\w+)\.outputs\.(\w+)) \}\}", lambda m: inputs[m[1]] if m[1] else outputs[m[2], m[3]], value)
            assert "${{" not in env[key], env[key]
        status = bash(step["run"], env, where)
        n += 1
        if os.path.exists(file):
            with open(file, encoding="utf-8") as lines:
                for line in lines:
                    key, value = line.rstrip("\n").split("=", 1)
                    outputs[step.get("id"), key] = value
        if status:
            break
    assert n == 2, n
    with open(summary, encoding="utf-8") as file:
        return status, file.read(), inputs["report"]


def run_gitlab(where, logs):
    variables, script, part = {}, [], None
    for indent, key, value, *_ in entries(os.path.join(examples, "gitlab-ci.yml")):
        if indent == 2 and key != "-":
            part = key
        elif part == "variables":
            variables[key] = value
        elif part == "script" and key == "-":
            script.append(value)
    assert script
    variables["LOGS"] = logs
    return bash("\n".join(script), variables, where)


def log(where, name, text):
    os.makedirs(os.path.join(where, "logs"), exist_ok=True)
    with open(os.path.join(where, "logs", name), "w", encoding="utf-8") as file:
        file.write(text)


for service in ("github", "gitlab"):
    where = os.path.join(folder, service)
    log(where, "a.log", "toy-opt: /b/Fold.cpp:9: void toy::fold(): Assertion `n != 0' failed.\n")
    if service == "github":
        status, text, report = run_github(where, "logs")
        assert status == 8, status
        assert "Fold.cpp" in text and "# 1 failure in 1 log: 1 new bug" in text, text
        assert os.path.exists(os.path.join(where, report, "index.html"))
        status, text, _ = run_github(where, "logs")  # the database is kept
        assert status == 0, status
        log(where, "b.log", "toy-opt: /b/Pad.cpp:9: void toy::pad(): Assertion `n == 1' failed.\n")
        with open(os.path.join(where, "OWNERS"), "w", encoding="utf-8") as file:
            file.write("*.cpp @pads\n")
        status, text, _ = run_github(where, "logs")
        assert status == 8 and "Owner: @pads" in text, text
        assert run_github(where, "no-such-folder")[0] == 2
    else:
        assert run_gitlab(where, "logs") == 8
        assert os.path.exists(os.path.join(where, "triage-report", "junit.xml"))
        assert run_gitlab(where, "logs") == 0
        log(where, "b.log", "toy-opt: /b/Pad.cpp:9: void toy::pad(): Assertion `n == 1' failed.\n")
        assert run_gitlab(where, "logs") == 8
    # both keep the database and the report where the steps leave them
    with open(os.path.join(examples, "github-action.yml" if service == "github" else "gitlab-ci.yml"), encoding="utf-8") as file:
        text = file.read()
    assert text.count("triage.db") >= 2 and os.path.exists(os.path.join(where, "triage.db"))
