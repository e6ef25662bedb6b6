#!/usr/bin/env python3
"""Show that page.py and whole.py can fail: wrong pages are planted."""

import os
import sys
import tempfile

import page
import whole

GOOD = '''# A page
Its [own heading](#a-page).
```sh hello.sh
#!/bin/sh
echo "hello $1"
exit 3
```
```console
$ ./hello.sh \\
    you
hello you
$ echo $?
3
$ seq 9
1
...
9
$ echo took 1.25 s
took 7.5 s
$ echo varies by 961 us
varies by 2.08 ms
$ true
$ x=kept
$ echo $x
kept
```
'''

# What is wrong with a page: what is put in place of what, and the finding.
WRONG = [
    ('another line', 'hello you\n', 'hello me\n', '| hello me'),
    ('a line more', '9\n$', '9\n10\n$', '| 10'),
    ('a line less', '1\n...\n9\n', '1\n9\n', '| 8'),
    ('output of a silent command', '$ true\n', '$ true\nyes\n', '| yes'),
    ('nothing where something is printed', 'hello you\n', '', 'hello'),
    ('another status', '\n3\n', '\n4\n', '| 4'),
    ('a status that nobody told', '$ echo $?\n3\n', '', 'status 3'),
    ('another number', '$ echo $x\nkept', '$ echo 41\n42', '| 42'),
    ('another unit', '7.5 s', '7.5 MiB', '7.5 MiB'),
    ('the shell ends', '$ true', '$ exit 0', 'the shell ended before'),
    ('a block without an end', 'kept\n```', 'kept', 'is not closed'),
    ('output before a command', '$ ./hello', './hello', 'before a command'),
    ('a command in no block that is run', '```console\n$ ./hello',
     '```text\n$ ./hello', 'a command that nothing runs'),
    ('a command without a reason', '```sh hello.sh', '```sh',
     'has no reason for'),
]


def plant(root, name, text):
    path = os.path.join(root, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)


def judge(root, text):
    plant(root, 'docs/x.md', text)
    return '\n'.join(page.check(root, root, 'docs/x.md')[0])


def check_page(root):
    findings = []
    plant(root, 'tests/docs/elsewhere', '')
    said = judge(root, GOOD)
    if said:
        findings.append('a good page fails: ' + said)
    for what, old, new, expected in WRONG:
        assert old in GOOD, what
        said = judge(root, GOOD.replace(old, new, 1))
        if expected not in said:
            findings.append('%s is not seen: %s' % (what, said))
    plant(root, 'tests/docs/elsewhere', 'docs/x.md\t./gone\tit needs a card\n')
    if 'has no command ./gone' not in judge(root, GOOD):
        findings.append('a reason without a command is not seen')
    return findings


def check_rewriting(root):
    plant(root, 'tests/docs/elsewhere', '')
    plant(root, 'docs/x.md', GOOD.replace('hello you\n', 'hello me\n'))
    page.check(root, root, 'docs/x.md', rewrite=True)
    with open(os.path.join(root, 'docs/x.md'), encoding='utf-8') as file:
        return [] if file.read() == GOOD else ['--write writes another page']


def check_whole(root):
    findings = []
    plant(root, 'tests/docs/elsewhere', '')
    plant(root, 'docs/x.md', GOOD)
    plant(root, 'docs/y.md', '# Y\n')
    good = '[x](docs/x.md#a-page) [y](docs/y.md)\n'
    for what, readme, expected in (
            ('', good, None),
            ('a long README', good + '\n' * 150, 'more than 150 lines'),
            ('a missing file', good + '[z](docs/z.md)\n', 'no such file'),
            ('a missing heading', good + '[z](docs/x.md#z)\n',
             'no such heading'),
            ('a page without a link', '[x](docs/x.md)\n', 'docs/y.md:1:')):
        plant(root, 'README.md', readme)
        said = '\n'.join(whole.check(root)[0])
        if expected not in said if expected else said:
            findings.append('%s: %s' % (what or 'good pages fail', said))
    told = '| `a` | `--contract %s` |\n```console\n$ culprit --contract one x\n```\n'
    for name, expected in (('one', ''), ('two', 'runs --contract two')):
        plant(root, 'README.md', good + '[c](docs/coming-from.md)\n')
        plant(root, 'docs/coming-from.md', told % name)
        said = '\n'.join(whole.check(root)[0])
        if (expected not in said) if expected else said:
            findings.append('--contract %s: %s' % (name, said))
    os.remove(os.path.join(root, 'docs/coming-from.md'))
    plant(root, 'README.md', good)
    plant(root, 'tests/docs/elsewhere', ''.join(
        'docs/z.md\t%d\tx\n' % n for n in range(whole.MOST + 1)))
    said = '\n'.join(whole.check(root)[0])
    for expected in ('no page docs/z.md', 'more than %d' % whole.MOST):
        if expected not in said:
            findings.append('not seen: ' + expected)
    return findings


def main():
    with tempfile.TemporaryDirectory() as root:
        findings = check_page(root) + check_rewriting(root) + check_whole(root)
    for finding in findings:
        print(finding)
    print('%d planted, %d findings' % (len(WRONG) + 9, len(findings)))
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
