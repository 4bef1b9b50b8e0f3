#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Harder input: fleets, layouts, precisions, huge files, and a simulation that dies.
usage: harder_input.py --program PATH --source DIR"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

STEP = {"kind": "distributed-step", "workload": "Language.GPT3", "fleet": "Training_1K",
        "batch_size": 1024, "tp_size": 8, "pp_size": 8, "microbatch_count": 64}
LAYOUT = {"kind": "parallel-layout", "workload": "Language.GPT3", "dp_size": 128, "tp_size": 8,
          "batch_tokens": 2e6, "flops_per_param_token": 6, "accelerator": "Cloud.H100",
          "local_efficiency": 0.5, "link_bandwidth": "50 GB/s", "overlap_fraction": 0.75}
REPLICA = {"workload": "Language.GPT3", "fleet": "Training_1K", "bytes_per_param": 16}
REFERENCE = {"kind": "reference-training-step", "replica": REPLICA, "fleet": "Training_10K",
             "batch_tokens": 3.2e6, "batch_divisor": 16, "sequences_per_microbatch": 1,
             "precision": "fp16", "local_efficiency": 0.5, "overlap_comm": True}


class Checks:
    def __init__(self, program):
        self.program = program
        self.passed = self.failed = 0

    def check(self, name, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {name}: {str(detail)[:400]}")

    def run(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, timeout=120)

    def scenario(self, scenario, verb="predict"):
        with open("scenario.json", "w", encoding="utf-8") as out:
            json.dump(scenario, out)
        return self.run(verb, "scenario.json", "--json")

    def refused(self, name, scenario, code, *words):
        for verb in ("predict", "simulate", "validate"):
            done = self.scenario(scenario, verb)
            self.check(f"{name}, {verb}: exit {code}", done.returncode == code, done)
            self.check(f"{name}, {verb}: nothing printed", done.stdout == "", done.stdout)
            told = [json.loads(line)["error"] for line in done.stderr.splitlines()]
            text = " ".join(e["where"] + " " + e["message"] + " " + e["hint"] for e in told)
            for word in words:
                self.check(f"{name}, {verb}: says {word}", word in text, text)


def refusals(checks):
    checks.refused("fleet not divisible", {**STEP, "tp_size": 3}, 2, "24", "1024", "16", "/tp_size")
    checks.refused("replica larger than the fleet", {**STEP, "tp_size": 2048}, 2, "16384", "1024")
    checks.refused("layout without devices", {**LAYOUT, "dp_size": 0}, 2, "dp_size", "at least 1")
    missing = dict(LAYOUT)
    del missing["dp_size"]
    checks.refused("layout without dp_size", missing, 2, "dp_size is missing")
    checks.refused("unknown precision", {**STEP, "precision": "fp17"}, 2, "fp17", "fp16", "int4")
    checks.refused("accelerator without the precision", {**LAYOUT, "precision": "fp4"}, 2, "fp4",
                   "NVIDIA H100", "fp8", "fp16_dense")
    checks.refused("no whole replica", {**REFERENCE, "fleet": {"ref": "Training_1K", "nodes": 4}}, 2,
                   "no whole replica")
    checks.refused("unknown fleet", {**STEP, "fleet": "Training_1k_"}, 2, "did you mean Training_1K")


def warnings(checks):
    dense = checks.scenario({**STEP, "tp_size": 4, "ep_size": 2})
    told = json.loads(dense.stdout)["warnings"]
    checks.check("expert parallel on a dense model is priced with a warning",
                 dense.returncode == 0 and any("without experts" in text for text in told), told)
    idle = checks.scenario(REFERENCE)
    told = json.loads(idle.stdout)["warnings"]
    checks.check("partial replicas idle with a warning",
                 any("16 of 10000 accelerators stay idle" in text for text in told), told)
    prediction = json.loads(idle.stdout)["prediction"]
    checks.check("156 whole replicas", prediction["data_parallel"] == 156, prediction)
    checks.check("the solver gets dp x replica devices",
                 prediction["result"]["parallelism"]["dp"] == 156, prediction["result"])


def huge_file(checks):
    with open("huge.toml", "wb") as out:
        out.write(b"# comment\n" * (10 * 1024 * 1024))  # 100 MB
    done = checks.run("predict", "huge.toml")
    checks.check("100 MB file: exit 2", done.returncode == 2, done)
    checks.check("100 MB file: the limit is named", "16 MiB" in done.stderr, done.stderr)
    os.unlink("huge.toml")


def children_of(pid):
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as stat:
                if int(stat.read().rsplit(")", 1)[1].split()[1]) == pid:
                    found.append(int(entry))
        except OSError:
            continue  # it has ended meanwhile
    return found


def dying_child(checks):
    """Kills the simulation's own process: its parent must say so, and write nothing."""
    big = {"kind": "pipeline-schedule", "stages": 128, "microbatches": 16000,
           "simulation": {"schedule": "1f1b"}}
    with open("big.json", "w", encoding="utf-8") as out:
        json.dump(big, out)
    with open("trace.json", "w", encoding="utf-8") as old:
        old.write("old")
    run = subprocess.Popen([checks.program, "simulate", "big.json", "--trace", "trace.json"],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    killed = False
    deadline = time.monotonic() + 60
    while run.poll() is None and not killed and time.monotonic() < deadline:
        for child in children_of(run.pid):
            os.kill(child, signal.SIGSEGV)
            killed = True
        time.sleep(0.002)
    out, err = run.communicate(timeout=60)
    if not killed:
        print("SKIP dying child: the run ended before its child was seen")
        return
    checks.check("dying child: exit 4", run.returncode == 4, (run.returncode, err))
    checks.check("dying child: the signal is named", "signal 11" in err, err)
    checks.check("dying child: nothing printed", out == "", out)
    with open("trace.json", encoding="utf-8") as old:
        checks.check("dying child: the older file is intact", old.read() == "old")
    left = [name for name in os.listdir(".") if name.startswith(".") or "tmp" in name]
    checks.check("dying child: nothing left behind", not left, left)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    args = parser.parse_args()
    checks = Checks(os.path.abspath(args.program))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for part in (refusals, warnings, huge_file, dying_child):
            part(checks)
        os.chdir("/")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
