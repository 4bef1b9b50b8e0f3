#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every C++ file stands as clang-format-16 puts it.

usage: format.py --program PATH --source DIR [--fix]
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

FORMATTER = "clang-format-16"
SUFFIXES = (".cpp", ".hpp")
NOT_OURS = ("build", "out")  # folders that a walk leaves out


def tracked_files(source):
    """What git tracks; in a tree without git, every file outside build folders."""
    listed = subprocess.run(["git", "-C", str(source), "ls-files", "-z"], capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.decode().split("\0")
        return sorted(source / name for name in names
                      if name.endswith(SUFFIXES) and (source / name).is_file())
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(name for name in folders
                            if name not in NOT_OURS and not name.startswith("."))
        found += [pathlib.Path(folder) / name for name in names if name.endswith(SUFFIXES)]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="taken for symmetry with the other checks; not run")
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--fix", action="store_true", help="write the files as they should be")
    options = parser.parse_args()
    formatter = shutil.which(FORMATTER)
    if formatter is None:
        print(f"skipped: {FORMATTER} is not installed")
        return 77
    files = tracked_files(options.source)
    if not files:
        print("FAIL no C++ files found")
        print("0 passed, 1 failed")
        return 1
    if options.fix:
        subprocess.run([formatter, "-i", "--style=file", *map(str, files)], check=True)
    failed = 0
    for path in files:
        done = subprocess.run([formatter, "--dry-run", "-Werror", "--style=file", str(path)],
                              capture_output=True, text=True)
        if done.returncode != 0:
            failed += 1
            print(f"FAIL {path.relative_to(options.source)}: {done.stderr.splitlines()[:1]}")
    print(f"checked {len(files)} files with {FORMATTER}")
    print(f"{len(files) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
