#!/usr/bin/env python3
"""Check the pages together.

    whole.py ROOT

README.md has at most 150 lines; each link leads to a file and a heading that
are there; each page below docs/ is linked from README.md; tests/docs/elsewhere
names pages that are there, and so few commands as MOST says.  Each contract
that docs/coming-from.md tells to type is run there.
"""

import os
import re
import sys

import page

LINES = 150
MOST = 40  # commands that no test runs
COMING = 'docs/coming-from.md'

LINK = re.compile(r'\[[^][]*\]\(([^)\s]+)\)')


def pages_of(root):
    names = ['README.md', 'SECURITY.md']
    for place, _, files in os.walk(os.path.join(root, 'docs')):
        names += [os.path.relpath(os.path.join(place, name), root)
                  for name in files if name.endswith('.md')]
    return sorted(name for name in names
                  if os.path.exists(os.path.join(root, name)))


def read(root, name):
    with open(os.path.join(root, name), encoding='utf-8') as file:
        return file.read().splitlines()


def prose_of(lines):
    """The lines outside of fenced blocks, with their numbers."""
    inside = set()
    for block in page.blocks_of(lines):
        inside.update(range(block.line - 1, block.line + len(block.text) + 1))
    return [(number + 1, line) for number, line in enumerate(lines)
            if number not in inside]


def anchors_of(lines):
    """The anchors of a page's headings, as GitHub makes them."""
    anchors = set()
    for _, line in prose_of(lines):
        if line.startswith('#'):
            title = line.lstrip('#').strip().lower()
            title = re.sub(r'[^\w\- ]', '', title)
            anchors.add(title.replace(' ', '-'))
    return anchors


def check_links(root, name, pages):
    """Findings, and the pages that this one links."""
    findings, linked = [], set()
    for number, line in prose_of(pages[name]):
        for target in LINK.findall(re.sub(r'`[^`]*`', '', line)):
            if re.match(r'[a-z]+:', target):
                continue
            path, _, anchor = target.partition('#')
            path = os.path.normpath(
                os.path.join(os.path.dirname(name), path)) if path else name
            linked.add(path)
            if not os.path.exists(os.path.join(root, path)):
                findings.append('%s:%d: no such file: %s' %
                                (name, number, target))
            elif anchor and anchor not in anchors_of(
                    pages.get(path) or read(root, path)):
                findings.append('%s:%d: no such heading: %s' %
                                (name, number, target))
    return findings, linked


def check_contracts(pages):
    """Findings on contracts that are told and not run."""
    if COMING not in pages:
        return []
    contract = re.compile(r'--contract (\S+?)[`\s]')
    run = {name for block in page.blocks_of(pages[COMING])
           if block.kind == 'console'
           for name in contract.findall('\n'.join(block.text))}
    return ['%s:%d: nothing runs --contract %s' % (COMING, number, name)
            for number, line in prose_of(pages[COMING])
            for name in contract.findall(line + ' ') if name not in run]


def check(root):
    pages = {name: read(root, name) for name in pages_of(root)}
    findings = []
    if len(pages['README.md']) > LINES:
        findings.append('README.md:%d: more than %d lines' %
                        (len(pages['README.md']), LINES))
    for name in pages:
        wrong, linked = check_links(root, name, pages)
        findings += wrong
        if name == 'README.md':
            findings += ['%s:1: README.md does not link it' % other
                         for other in pages
                         if other != name and other not in linked]
    findings += check_contracts(pages)
    known = page.elsewhere_of(root)
    findings += ['tests/docs/elsewhere: there is no page %s' % name
                 for name in sorted({name for name, _ in known})
                 if name not in pages]
    if len(known) > MOST:
        findings.append('tests/docs/elsewhere: more than %d commands' % MOST)
    return findings, len(pages), len(known)


def main(arguments):
    if len(arguments) != 1:
        print(__doc__)
        return 2
    findings, pages, known = check(os.path.abspath(arguments[0]))
    for finding in findings:
        print(finding)
    print('%d pages, %d commands that no test runs, %d findings' %
          (pages, known, len(findings)))
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
