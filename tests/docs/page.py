#!/usr/bin/env python3
"""Run the commands of a page and compare what they print.

    page.py [--write] ROOT BUILD PAGE

ROOT is the repository, BUILD its build, PAGE a Markdown file relative to ROOT.
A page is run from top to bottom, by one shell, in a fresh directory.  What its
fenced blocks are, their first line says:

    ```console      a line "$ COMMAND" is run (a "\\" at its end goes on), the
                    lines below it are what it prints, on both outputs
    ```LANG FILE    FILE is written before the next command
    ```sh           commands that cannot be run here; each stands in
                    tests/docs/elsewhere, with the reason
    ```anything     an illustration; it holds no command

In expected output "..." stands for any text of the line, alone on a line for
any number of lines.  VARIES below says what differs by machine and run without
being marked.  A command ends with status 0 unless "$ echo $?" follows it.
In the directory stand links to the build and to the folders of ROOT.

--write puts the real output where another one was expected.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 600  # for a page; a busy machine takes its time

# What differs by machine and run: (expression, what stands for it).
VARIES = [(re.compile(expression, re.M), by) for expression, by in (
    # Steps of a reduction: when, and after how many runs, is chance.
    (r'^ +[\d.]+ s +\d+ (operations?|tokens?|lines?) +\d+ bytes +\d+ runs  '
     r'\S+\n', ''),
    # Which neighbour that passes is met first.
    (r'^passes:    when .*', 'passes:'),
    (r'\d+ executed, \d+ cached, \d+ candidates', 'RUNS'),
    (r'\(\d+ runs, [\d.]+ s\)', '(RUNS)'),
    # A slow run, or a lost one, is had again.
    (r'\b\d+ runs\b', 'N runs'),
    (r'^runs:      \d+, and \d+ known', 'runs: N, and N known'),
    # A time may cross a unit: 961 us in one run, 2.08 ms in the next.
    (r'(\b\d+(\.\d+)?|\.\.\.) (s|ms|us|ns)\b', 'TIME'),
    (r'(\b\d+(\.\d+)?|\.\.\.) (KiB|MiB|GiB)\b', 'SIZE'),
    (r'\b[0-9a-f]{12,64}\b', 'HASH'),
    (r'\b[0-9a-f]{7,10}\b(?= )(?<=[a-f].{6})', 'HASH'),
    (r'0x[0-9a-f]{6,}', '0xADDRESS'),
    (r'\boffset ends in [0-9a-f]+', 'offset ends in N'),
    (r'\bclosed over \d+ files', 'closed over N files'),
    (r'\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d)?)?', 'DATE'),
    (r'(libMLIR\.so\.\d+)\.[\d.]+', '\\1'),
    (r'[ \t]+$', ''),
)]

FENCE = re.compile(r'^(`{3,})(.*)$')
COMMAND = re.compile(r'^(\$ |(\./)?(culprit|bootstrap) \S)')


class Block:
    def __init__(self, line, info):
        self.line = line  # of its first line of text, from 0
        words = info.split()
        self.kind = words[0] if words else ''
        self.file = words[1] if len(words) > 1 else None
        self.text = []


def blocks_of(lines):
    """The fenced blocks of a page."""
    blocks, fence = [], None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if fence is None and match:
            fence = match.group(1)
            blocks.append(Block(number + 1, match.group(2)))
        elif fence is not None and line == fence:
            fence = None
        elif fence is not None:
            blocks[-1].text.append(line)
    if fence is not None:
        raise SystemExit('%d: the block is not closed' % blocks[-1].line)
    return blocks


class Command:
    def __init__(self, line, text):
        self.line = line
        self.text = text
        self.first = line + 1  # of the expected output
        self.expected = []


def commands_of(block):
    """The commands of a console block, with the output expected of each."""
    commands = []
    more = False
    for number, line in enumerate(block.text, block.line):
        if more:
            commands[-1].text += '\n' + line
            commands[-1].first = number + 1
        elif line.startswith('$ '):
            commands.append(Command(number, line[2:]))
        elif commands:
            commands[-1].expected.append(line)
        else:
            raise SystemExit('%d: output before a command' % (number + 1))
        more = line.endswith('\\') and not commands[-1].expected
    return commands


def same_for_all(text):
    for expression, by in VARIES:
        text = expression.sub(by, text)
    return text


def agrees(expected, seen):
    """Whether the output SEEN is what the page expects."""
    pattern = ''
    for line in same_for_all('\n'.join(expected) + '\n').splitlines():
        if line == '...':
            pattern += r'(?:.*\n)*?'
        else:
            pattern += '[^\n]*'.join(
                re.escape(part) for part in line.split('...')) + r'\n'
    seen = same_for_all(seen if not seen or seen.endswith('\n')
                        else seen + '\n')
    return re.fullmatch(pattern if expected else '', seen) is not None


def script_of(blocks):
    """The commands of a page, and the shell script that runs them."""
    commands, script = [], []
    for block in blocks:
        if block.kind != 'console' and block.file:
            directory = os.path.dirname(block.file)
            if directory:
                script.append("mkdir -p '%s'" % directory)
            script.append("cat >'%s' <<'END OF FILE'" % block.file)
            script += block.text + ['END OF FILE']
            if block.text and block.text[0].startswith('#!'):
                script.append("chmod +x '%s'" % block.file)
        for command in commands_of(block) if block.kind == 'console' else ():
            commands.append(command)
            script.append("(exit ${status-0})")
            script.append(command.text)
            script.append("status=$?; printf '\\001%d\\001' $status")
    return commands, '\n'.join(script) + '\n'


def run(script, root, build):
    """What the script prints, in a fresh directory."""
    top = tempfile.mkdtemp(prefix='docs.')
    try:
        place = os.path.join(top, 'culprit')
        os.mkdir(place)
        for name in sorted(os.listdir(root)):
            source = os.path.join(root, name)
            if os.path.isdir(source) and not name.startswith(('.', 'build')):
                os.symlink(source, os.path.join(place, name))
        os.symlink(build, os.path.join(place, 'build'))
        environment = {
            'PATH': build + ':/usr/local/bin:/usr/bin:/bin', 'HOME': top,
            'XDG_CACHE_HOME': os.path.join(top, 'cache'), 'LC_ALL': 'C.UTF-8',
            'TERM': 'dumb', 'USER': 'user', 'GIT_CONFIG_NOSYSTEM': '1',
            'GIT_AUTHOR_NAME': 'A', 'GIT_AUTHOR_EMAIL': 'a@example.org',
            'GIT_COMMITTER_NAME': 'A', 'GIT_COMMITTER_EMAIL': 'a@example.org'}
        done = subprocess.run(
            ['bash', '-c', script], cwd=place, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
        text = done.stdout.decode('utf-8', 'replace').replace(top, '/you')
        return text.replace(build, '/you/culprit/build')
    finally:
        shutil.rmtree(top, ignore_errors=True)


def elsewhere_of(root):
    """What cannot be run here: {(page, command): reason}."""
    known = {}
    path = os.path.join(root, 'tests/docs/elsewhere')
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.strip() and not line.startswith('#'):
                page, command, reason = line.rstrip('\n').split('\t')
                known[page, command] = reason
    return known


def check_elsewhere(page, blocks, known):
    """Findings: commands that nothing runs, without a reason."""
    findings, met = [], set()
    for block in blocks:
        if block.kind == 'console' or block.file:
            continue
        for number, line in enumerate(block.text, block.line + 1):
            if block.kind != 'sh':
                if COMMAND.match(line):
                    findings.append('%s:%d: a command that nothing runs: %s' %
                                    (page, number, line))
                continue
            command = line.split('  #')[0].strip()
            if command and not command.startswith('#'):
                met.add(command)
                if (page, command) not in known:
                    findings.append('%s:%d: tests/docs/elsewhere has no reason'
                                    ' for: %s' % (page, number, command))
    for of, command in known:
        if of == page and command not in met:
            findings.append('tests/docs/elsewhere: %s has no command %s' %
                            (page, command))
    return findings


def judge(page, commands, output):
    """Findings, and what each command printed."""
    findings, printed = [], []
    parts = output.split('\001')
    for number, command in enumerate(commands):
        if 2 * number + 1 >= len(parts):
            findings.append('%s:%d: the shell ended before: %s' %
                            (page, command.line + 1, command.text))
            break
        seen, status = parts[2 * number], parts[2 * number + 1]
        printed.append(seen)
        told = number + 1 < len(commands) and \
            commands[number + 1].text == 'echo $?'
        if status != '0' and not told and command.text != 'echo $?':
            findings.append('%s:%d: status %s: %s' %
                            (page, command.line + 1, status, command.text))
        if not agrees(command.expected, seen):
            findings.append('%s:%d: $ %s\nexpected:\n%s\nprinted:\n%s' % (
                page, command.line + 1, command.text,
                ''.join('| %s\n' % line for line in command.expected),
                ''.join('| %s\n' % line for line in seen.splitlines())))
    return findings, printed


def write(path, lines, commands, printed):
    """Put the real output where another one was expected."""
    for command, seen in reversed(list(zip(commands, printed))):
        if not agrees(command.expected, seen):
            end = command.first + len(command.expected)
            lines[command.first:end] = seen.splitlines()
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(lines) + '\n')


def check(root, build, page, rewrite=False):
    """All findings of a page."""
    path = os.path.join(root, page)
    with open(path, encoding='utf-8') as file:
        lines = file.read().splitlines()
    try:
        blocks = blocks_of(lines)
        commands, script = script_of(blocks)
    except SystemExit as error:
        return ['%s:%s' % (page, error)], 0
    findings = check_elsewhere(page, blocks, elsewhere_of(root))
    try:
        output = run(script, root, build) if commands else ''
    except subprocess.TimeoutExpired:
        return findings + ['%s:1: not done in %d s' % (page, SECONDS)], 0
    wrong, printed = judge(page, commands, output)
    if rewrite and wrong:
        write(path, lines, commands, printed)
    return findings + wrong, len(commands)


def main(arguments):
    rewrite = '--write' in arguments
    words = [word for word in arguments if word != '--write']
    if len(words) != 3:
        print(__doc__)
        return 2
    root, build, page = os.path.abspath(words[0]), os.path.abspath(words[1]), \
        words[2]
    findings, count = check(root, build, page, rewrite)
    for finding in findings:
        print(finding)
    print('%s: %d commands, %d findings' % (page, count, len(findings)))
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
