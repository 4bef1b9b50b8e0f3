#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README shows real output: each block after "<!-- output: COMMAND -->" is what COMMAND prints.
usage: readme.py --program PATH --source DIR [--update]"""
import argparse
import difflib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(<!-- output: (?P<command>.+?) -->\n)(?P<fence>```text\n)?(?P<body>.*?)(?P<end>```|<!-- end -->)",
                   re.S)


def run(command, program, source):
    """Runs `lockstep ...` in a copy of the examples, so that nothing is written into the tree."""
    words = shlex.split(command)
    if words[0] != "lockstep":
        raise SystemExit(f"not a lockstep command: {command}")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(source, "examples"), os.path.join(folder, "examples"))
        files = [w for word in words[1:] for w in expand(word, folder)]
        done = subprocess.run([program] + files, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def expand(word, folder):
    if "*" not in word:
        return [word]
    import glob
    return sorted(os.path.relpath(p, folder) for p in glob.glob(os.path.join(folder, word)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    passed = failed = 0
    for name in ("README.md", "analytic/README.md"):
        path = os.path.join(args.source, name)
        text = open(path, encoding="utf-8").read()

        def check(match):
            nonlocal passed, failed
            fresh = run(match["command"], os.path.abspath(args.program), args.source)
            if fresh == match["body"]:
                passed += 1
            else:
                failed += 1
                if not args.update:
                    sys.stdout.writelines(difflib.unified_diff(
                        match["body"].splitlines(True), fresh.splitlines(True), name, match["command"]))
            return match[1] + (match["fence"] or "") + fresh + match["end"]

        renewed = BLOCK.sub(check, text)
        if args.update and renewed != text:
            open(path, "w", encoding="utf-8").write(renewed)
    if passed + failed == 0:
        failed = 1
        print("no output block found")
    if args.update:
        print(f"{failed} blocks renewed")
        return 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
