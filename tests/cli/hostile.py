#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Inputs made to do harm, and slips that must not pass in silence: files that are their own output,
names that would write elsewhere or act on a terminal, broken catalogues, closed streams, and work
without bound.

usage: hostile.py --program PATH --source DIR
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT = 300  # seconds a run: a sanitizer build is slow
GOOD = {"kind": "pipeline-schedule", "stages": 4, "microbatches": 8,
        "simulation": {"schedule": "1f1b"}}
RING = {"kind": "collective", "function": "ring_allreduce", "n": 4, "message_bytes": 1e9,
        "bandwidth_bytes_per_s": 1e11, "latency_s": 5e-6}


class Checks:
    def __init__(self, program, folder):
        self.program = program
        self.folder = pathlib.Path(folder)
        self.passed = self.failed = 0

    def check(self, label, good, detail=""):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAIL {label}: {str(detail)[:400]}")

    def write(self, name, scenario):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(scenario if isinstance(scenario, str) else json.dumps(scenario))
        return path.name

    def run(self, *args, stdin=b"", env=None, **more):
        return subprocess.run([self.program, *map(str, args)], cwd=self.folder, input=stdin,
                              capture_output=True, timeout=TIMEOUT,
                              env={**os.environ, **(env or {})}, **more)

    def refused(self, label, args, exit_code, *says, **more):
        done = self.run(*args, **more)
        said = done.stderr.decode(errors="replace")
        self.check(f"{label}: exit", done.returncode == exit_code,
                   f"exit {done.returncode}: {said}")
        self.check(f"{label}: no result", not done.stdout, done.stdout)
        self.check(f"{label}: says why", all(word in said for word in says), said)
        return done


def check_command_line(c):
    c.write("g.json", GOOD)
    c.refused("unknown verb", ["predcit", "g.json"], 2, "predcit", "did you mean predict?")
    c.refused("unknown option", ["predict", "g.json", "--jsno"], 2, "--jsno",
              "did you mean --json?")
    c.refused("option before the verb", ["--vebrose", "predict", "g.json"], 2, "--verbose")
    c.refused("an empty file name", ["predict", ""], 2, "empty")
    c.refused("an empty trace name", ["simulate", "g.json", "--trace", ""], 2, "--trace")
    c.refused("an empty folder name", ["validate", "g.json", "--traces", ""], 2, "--traces")
    c.refused("--set without a file", ["validate", "--set", "stages=4"], 2, "--set")
    for flags in (["--json", "--markdown"], ["--json", "--summary"], ["--markdown", "--summary"]):
        c.refused(" ".join(flags), ["validate", "g.json", *flags], 2, "excludes")
    for limit in ("nan", "inf", "1e300", "1e6", "0", "-1", "2147483648", "99999999999999999999"):
        c.refused(f"--max-tasks {limit}", ["simulate", "g.json", "--max-tasks", limit], 2,
                  "--max-tasks", "2147483647")
    c.check("--max-tasks at its most",
            c.run("simulate", "g.json", "--max-tasks", "2147483647").returncode == 0)
    c.refused("the last file is missing", ["predict", "g.json", "missing.json"], 5, "missing.json")
    c.write("[a.json,b.json]", GOOD)
    c.check("a name like a list", c.run("predict", "[a.json,b.json]").returncode == 2)  # as TOML
    c.write("[a,b]", 'kind = "pipeline-schedule"\nstages = 4\nmicrobatches = 8\n')
    c.check("a name like a list is a name", c.run("predict", "[a,b]").returncode == 0)


def check_outputs(c):
    """No input is replaced; every trace has a name of its own, in the folder."""
    text = json.dumps(GOOD)
    c.write("self.json", text)
    os.symlink("self.json", c.folder / "link.json")
    os.link(c.folder / "self.json", c.folder / "hard.json")
    for trace in ("self.json", "./self.json", "link.json", "hard.json"):
        c.refused(f"--trace {trace}", ["simulate", "self.json", "--trace", trace], 2, trace,
                  "input")
    with open(c.folder / "self.json", "rb") as file:
        done = subprocess.run([c.program, "simulate", "-", "--trace", "self.json"], stdin=file,
                              cwd=c.folder, capture_output=True, timeout=TIMEOUT)
        c.check("--trace of standard input", done.returncode == 2, done)
    c.check("the scenario is whole", (c.folder / "self.json").read_text() == text)
    names = ["same", "same", "same-2", "../../up", "a/b", "n" * 5000, "", "\x1b[31m|\nx"]
    files = [c.write(f"{i}.json", {**GOOD, "name": name}) for i, name in enumerate(names)]
    done = c.run("validate", *files, "--traces", "out")
    written = sorted(path.name for path in (c.folder / "out").iterdir())
    c.check("a trace a scenario", done.returncode == 0 and len(written) == len(names), written)
    c.check("all in the folder", not (c.folder.parent / "up.trace.json.gz").exists())
    heads = [line for line in done.stdout.decode().splitlines() if line == "same"]
    c.check("a heading a file", len(heads) == 2, done.stdout.decode()[:300])
    (c.folder / "full").mkdir()
    (c.folder / "full" / "same-2.trace.json.gz").mkdir()
    big = c.write("big.json", {**GOOD, "stages": 64, "microbatches": 8192})
    start = time.monotonic()
    c.refused("a bad trace path", ["validate", big, files[0], files[1], "--traces", "full"], 5,
              "same-2")
    c.check("before the first run", time.monotonic() - start < 5, time.monotonic() - start)
    c.refused("a folder for no files", ["validate", files[0], "--traces", "/proc"], 5, "/proc")


def check_terminal(c):
    """Nothing of a file acts on the terminal, or breaks a table."""
    name = "x\x1b[31m|\ny\u202e"
    c.write("t.json", {**GOOD, "name": name})
    for args in (["predict"], ["simulate"], ["validate"], ["validate", "--markdown"]):
        out = c.run(args[0], "t.json", *args[1:]).stdout.decode()
        c.check(f"{args}: escaped", "\x1b" not in out and "\u202e" not in out
                and "\\x1b[31m" in out, out[:200])
    rows = c.run("validate", "t.json", "--markdown").stdout.decode().splitlines()
    c.check("one row a line", all(row.replace("\\|", "").count("|") == 8 for row in rows), rows)
    c.refused("a key with an escape", ["predict", "t.json", "--set", "\x1b[2Jk=1"], 2, "\\x1b")
    shown = json.loads(c.run("predict", "t.json", "--json").stdout)
    c.check("JSON keeps the name", shown["scenario"]["name"] == name, shown)


def check_catalogue(c):
    """Broken catalogues are named and harm nothing else."""
    c.write("cat/models/Bad.toml", "name = \n")
    c.write("cat/models/Empty.toml", "")
    c.write("cat/models/Half.toml", 'kind = "Workload"\n')
    c.write("cat/models/Wrong.toml", 'kind = "Workload"\nparameters = -1\n')
    env = {"LOCKSTEP_CATALOG_PATH": "cat"}
    for flags in ([], ["--json"]):
        done = c.run("list", "models", *flags, env=env)
        c.check(f"list goes on {flags}", done.returncode == 2 and b"Language.GPT2" in done.stdout
                and b"Wrong" in done.stdout, done.returncode)
        c.check(f"list names the bad file {flags}", b"cat/models/Bad.toml:1:" in done.stderr,
                done.stderr)
    c.write("w.json", {
        "kind": "data-parallel-scale-out", "workload": "Language.GPT2", "step_time_s": 1.8,
        "training_time_s": 9e4, "per_device_batch": 16, "devices_per_node": 8, "nodes": 1,
        "intra_bandwidth_bytes_per_s": 4.5e11})
    for entry in ("Bad", "Empty", "Half", "Wrong"):
        c.refused(f"entry {entry}", ["predict", "w.json", "--set", f"workload={entry}"], 2,
                  f"cat/models/{entry}.toml:", env=env)
    os.symlink("loop", c.folder / "loop")
    (c.folder / "inner").mkdir()
    os.symlink("models", c.folder / "inner" / "models")
    for folder in ("loop", "inner", "n" * 300):
        c.refused(f"catalogue {folder[:10]}", ["list", "models"], 5, folder,
                  env={"LOCKSTEP_CATALOG_PATH": folder})
    c.refused("no catalogue", ["list", "models"], 2, "none",
              env={"LOCKSTEP_CATALOG_PATH": "none"})


def check_bounds(c):
    """Small files that ask for much: refused at once, with the limit and the file."""
    def quick(label, args, *says):
        start = time.monotonic()
        done = c.refused(label, args, 2, *says)
        c.check(f"{label}: at once", time.monotonic() - start < 20, time.monotonic() - start)
        return done

    for n in (5000, 1_000_000):
        c.write("shared.json", {**RING, "n": n, "simulation": {"concurrent": 2}})
        quick(f"{n} shared flows", ["simulate", "shared.json"], "shared.json", "4096")
        quick(f"{n} shared flows judged", ["validate", "shared.json"], "shared.json", "4096")
    c.write("tree.json", {**RING, "function": "tree_allreduce", "n": 1_000_000})
    quick("a tree of a million", ["simulate", "tree.json"], "tree.json", "65536")
    many = {f"k{i}": 1 for i in range(4000)}
    c.write("many.json", {**RING, **many})
    done = quick("4000 unknown keys", ["predict", "many.json"], "... and 3900 more")
    c.check("a hundred problems at most", len(done.stderr.splitlines()) == 101)
    c.write("wide.json", {**RING, "x": [many] * 300})
    quick("300 wide objects", ["predict", "wide.json"], "unknown key x")
    for name, text in (("dotted", "a." * 200_000 + "a = 1\n"),
                       ("header", "[" + "a." * 200_000 + "a]\n")):
        c.write(f"{name}.toml", text)
        quick(name, ["predict", f"{name}.toml"], f"{name}.toml:1:", "64 levels")
    quick("--set", ["predict", "many.json", "--set", "a." * 60_000 + "a=1"], "64 parts")


def check_overflow(c):
    """Inputs each in its range that overflow together: refused, with the file, never a blank."""
    c.write("o.json", {**RING, "latency_s": 1e308})
    c.write("p.json", {**GOOD, "simulation": {"forward_s": 1.7e308, "backward_s": 1.7e308}})
    for file in ("o.json", "p.json"):
        for verb in ("predict", "simulate", "validate"):
            done = c.run(verb, file)
            c.check(f"overflow {file} [{verb}]", done.returncode in (2, 4)
                    and done.stderr.startswith(f"lockstep: {file}: ".encode()) and not done.stdout,
                    (done.returncode, done.stderr))


def check_streams(c):
    """Closed and full streams, and signals: the right exit code whatever can be said."""
    c.write("s.json", GOOD)
    for streams, args, code in (("2>&-", "predict nope.toml", 5), (">&- 2>&-", "predict s.json", 5),
                                ("2>/dev/full", "predict nope.toml", 5), (">&-", "--version", 5),
                                (">/dev/full", "predict --help", 5), ("2>&-", "predcit", 2),
                                ("2>/dev/full", "-v simulate s.json", 0)):
        done = subprocess.run(["sh", "-c", f"'{c.program}' {args} {streams}"], cwd=c.folder,
                              capture_output=True, timeout=TIMEOUT)
        c.check(f"{args} {streams}", done.returncode == code, done)
    log = c.run("-v", "simulate", "s.json").stderr.decode().splitlines()
    c.check("the log has the simulated time", log and log[0].startswith("[0 s] ")
            and log[-1].startswith("[22 s] "), log)
    done = subprocess.run(["sh", "-c", f"'{c.program}' simulate s.json"], cwd=c.folder,
                          capture_output=True, timeout=TIMEOUT,
                          preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    c.check("under nohup", done.returncode == 0, done)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        print(f"skipped: {options.program} is not a program")
        return 77
    failed = 0
    for part in (check_command_line, check_outputs, check_terminal, check_catalogue, check_bounds,
                 check_overflow, check_streams):
        with tempfile.TemporaryDirectory() as folder:
            inner = pathlib.Path(folder) / "in" / "side"
            inner.mkdir(parents=True)
            checks = Checks(os.path.abspath(options.program), inner)
            try:
                part(checks)
            except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                checks.check(part.__name__, False, f"stopped: {error!r}")
        print(f"{part.__name__.removeprefix('check_').replace('_', ' ')}: "
              f"{checks.passed} passed, {checks.failed} failed")
        failed += checks.failed
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
