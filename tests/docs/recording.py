#!/usr/bin/env python3
"""Check README's recording, and what makes it (bench/record).

    recording.py ROOT BUILD

The terminal understands what culprit prints, and what a line that is drawn anew
may print; a recording of this build ends as it must; the one in the repository
is a picture of such a run: no script in it, no address but its name space's,
small, and looped, and says where it plays faster than the command ran.
"""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

SVG = '{http://www.w3.org/2000/svg}'


def load(path):
    loader = importlib.machinery.SourceFileLoader('record', path)
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader('record', loader))
    loader.exec_module(module)
    return module


# What is written, and the lines that are to be seen then.
SCREENS = [
    ('one\r\ntwo', ['one', 'two']),
    ('running 1\r\033[Krunning 2\r\033[Kdone\r\n', ['done', '']),
    ('long line\rhi\033[K', ['hi']),
    ('x' * 80 + '\r\ny', ['x' * 80, 'y']),
    ('x' * 81, ['x' * 80, 'x']),
    ('a\r\nb\033[A\033[2Kc\r\nd', [' c', 'd']),
    ('a\033[1mb\033[0m\033[31mc\033[m', ['abc']),
    ('\033[?25la\tb\bc\033[?25h', ['a       c']),
    ('a\r\nb\r\nc\033[2A\r\033[J', ['', '', '']),
    ('gr\u00fc\u00dfe \033]0;title\007.', ['gr\u00fc\u00dfe .']),
    ('a\033[3Gb\033[Dc', ['a c']),
]


def check_terminal(record):
    findings = []
    for text, wanted in SCREENS:
        # In one piece, and byte by byte: sequences come in parts.
        for parts in ([text], list(text)):
            terminal = record.Terminal()
            for part in parts:
                terminal.write(part)
            seen = [''.join(c for c, _ in line).rstrip(' ')
                    for line in terminal.lines]
            if seen != wanted or terminal.unknown:
                findings.append(f'{text!r}: {seen}, {terminal.unknown}')
    terminal = record.Terminal()
    terminal.write('\033[5Z')
    if not terminal.unknown:
        findings.append('an unknown sequence is not told')
    return findings


def text_of(element):
    return ''.join(element.itertext())


def check_picture(record, path):
    """Findings on a picture of a whole run."""
    with open(path, encoding='utf-8') as file:
        source = file.read()
    root, findings = xml.fromstring(source), []
    texts = root.findall(f'.//{SVG}text')
    last = '\n'.join(text_of(t) for t in texts if t.get('class') != 'h')
    for what in ('preserved: the same failure: crash (SIGSEGV)', 'after: ',
                 'confirmed: ', 'vector.insert'):
        if what not in last:
            findings.append(f'{path}: not at the end: {what}')
    typed = last.replace('\n', '')  # a long one is on two lines
    for command in record.COMMANDS:
        if command not in typed:
            findings.append(f'{path}: the command is not this one: {command}')
    speeds = re.search(r'played ([\d., ]+) times as fast', source)
    for command, speed in zip(record.COMMANDS, speeds[1].split(', ')):
        name = ' '.join(command.split()[:2])
        if speed != '1.0' and f'{name} plays {speed} times' not in last:
            findings.append(f'{path}: {name} plays {speed} times as fast, '
                            'and no line says so')
    passing = [text_of(t) for t in texts if t.get('class') == 'h']
    if not any(re.search(r'\d', line) and not line.startswith(record.PROMPT)
               for line in passing):
        findings.append(f'{path}: no line of progress')
    if re.search(r'<script|\bon\w+=|href|url\((?!#)', source):
        findings.append(f'{path}: more than a picture is in it')
    if '/tmp' in source or os.sep + 'home' in source:
        findings.append(f'{path}: names a place of this machine')
    if len(source.encode()) > record.MOST:
        findings.append(f'{path}: {len(source.encode())} bytes')
    length = float(re.search(r'animation:([\d.]+)s step-end infinite',
                             source)[1])
    if not 8 <= length <= 20:
        findings.append(f'{path}: it plays {length} s')
    for which in ('prefers-color-scheme:dark', 'prefers-reduced-motion'):
        if which not in source:
            findings.append(f'{path}: no {which}')
    names = set(re.findall(r'animation-name:(k\d+)', source))
    if names - set(re.findall(r'@keyframes (k\d+)', source)):
        findings.append(f'{path}: animations without steps')
    return findings


def main():
    root, build = sys.argv[1:]
    script = os.path.join(root, 'bench/record')
    record = load(script)
    findings = check_terminal(record)
    findings += check_picture(record, os.path.join(root, 'docs/recording.svg'))
    with tempfile.TemporaryDirectory() as directory:
        made = os.path.join(directory, 'made.svg')
        done = subprocess.run([script, build, made], capture_output=True,
                              text=True)
        if done.returncode != 0 or 'not known' in done.stderr:
            findings.append(done.stderr)
        else:
            findings += check_picture(record, made)
    print('\n'.join(findings) or 'recording.py: clean')
    sys.exit(1 if findings else 0)


main()
