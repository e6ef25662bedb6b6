"""listed-files.py DIR [--killed]: DIR/.culprit-files names every file of DIR, except bundles in it.

--killed: make it what a job leaves that was killed after it wrote its files.
"""
import json
import os
import sys

top = sys.argv[1]
path = os.path.join(top, ".culprit-files")
with open(path) as file:
    listed = json.load(file)
found = []
for folder, below, names in os.walk(top):
    if folder != top and ".culprit-files" in names:
        below.clear()
        continue
    found += [os.path.relpath(os.path.join(folder, name), top) for name in names]
found.remove(".culprit-files")
assert sorted(found) == [one["name"] for one in listed["files"]], (sorted(found), listed)
if "--killed" in sys.argv:
    with open(path, "w") as file:
        json.dump({**listed, "files": []}, file)
        for name in found:
            of = os.stat(os.path.join(top, name))
            file.write("\n" + json.dumps({"name": name, "inode": of.st_ino, "size": of.st_size,
                                          "time": of.st_mtime_ns}) + "\n")
        file.write('\n{"name": "cut')
