#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The contract of the program: its JSON documents, exit codes, output files and known answers.

usage: contract.py --program PATH --source DIR
"""

import argparse
import gzip
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

TIMEOUT = 600  # seconds a run: a sanitizer build is slow

EXAMPLES = ("1f1b-unequal-stages", "gpipe-four-stage-walkthrough",
            "gpt2-data-parallel-four-nodes-10gbe", "gpt2-data-parallel-one-node",
            "gpt2-gradient-accumulation-one-node")


def pipeline(schedule="1f1b", stages=4, microbatches=8, forward=1.0, backward=2.0, **simulation):
    """A pipeline as a JSON scenario; the known answers are for these defaults."""
    return {"kind": "pipeline-schedule", "name": "p", "stages": stages,
            "microbatches": microbatches,
            "simulation": {"schedule": schedule, "forward_s": forward, "backward_s": backward,
                           **simulation}}


def scale_out(**changed):
    return {"kind": "data-parallel-scale-out", "name": "d", "workload": "Language.GPT2",
            "precision": "fp16", "step_time_s": 1.8, "training_time_s": 90000,
            "per_device_batch": 16, "devices_per_node": 8, "nodes": 4,
            "intra_bandwidth_bytes_per_s": 450e9, "inter_bandwidth_bytes_per_s": 1.25e9,
            "accumulation_steps": 1, "node_hour_rate_usd_per_hour": 32.0, **changed}


def collective(**changed):
    return {"kind": "collective", "name": "c", "function": "ring_allreduce", "n": 4,
            "message_bytes": 1e9, "bandwidth_bytes_per_s": 1e11, "latency_s": 5e-6, **changed}


# ---- shapes of documents: a type, a tuple of alternatives, [shape of each], {key: shape}

number = (int, float)
text = str


class Maybe:
    """A key that may be absent."""

    def __init__(self, shape):
        self.shape = shape


def misfit(value, shape, path=""):
    """Where and how a value is not of a shape; empty when it is. Keys and their order are exact."""
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return f"{path} is no object"
        missing = [key for key, inner in shape.items()
                   if key not in value and not isinstance(inner, Maybe)]
        if missing:
            return f"{path} lacks {missing}"
        unknown = [key for key in value if key not in shape]
        if unknown:
            return f"{path} has {unknown}"
        for key, inner in value.items():
            of = shape[key].shape if isinstance(shape[key], Maybe) else shape[key]
            found = misfit(inner, of, f"{path}/{key}")
            if found:
                return found
        return ""
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{path} is no list"
        return next(filter(None, (misfit(item, shape[0], f"{path}/{i}")
                                  for i, item in enumerate(value))), "")
    if isinstance(value, bool) and shape is not bool:
        return f"{path} is a flag"
    return "" if isinstance(value, shape) else f"{path} is {value!r}"


PREDICTIONS = {
    "pipeline-schedule": {
        "slots": Maybe(int), "idle_slots": Maybe(int), "fill_slots": Maybe(int),
        "phase_slots": Maybe(int), "bubble": number, "makespan_s": number,
        "microbatches_for_bubble": Maybe([number])},
    "data-parallel-scale-out": {
        "n_devices": int, "gradient_bytes": number, "intra_bytes": number, "inter_bytes": number,
        "intra_time_s": number, "inter_time_s": number, "communication_time_s": number,
        "compute_time_s": number, "update_time_s": number, "communication_overhead": number,
        "compute_share": number, "communication_share": number, "speedup": number,
        "efficiency": number, "global_batch": number, "training_time_s": number,
        "cost_usd": Maybe(number)},
    "collective": {"time_s": number},
}
SIMULATION = {"makespan_s": number, "critical_path_s": number, "bubble": number, "tasks": int,
              "messages": int,
              "devices": [{"name": text, "busy_s": number, "idle_s": number,
                           "peak_live_microbatches": int}]}
ROW = {"scenario": text, "quantity": text, "formula": number, "critical_path": number,
       "simulation": number, "residual": number, "tolerance": number,
       "assumptions_broken": [text], "verdict": text,
       # beyond the documented keys: what each broken assumption costs; why a row is a mismatch
       "costs": [{"assumption": text, "how": text, "cost": number}], "reason": Maybe(text)}
VERDICTS = {"equal", "explained", "by construction", "mismatch"}


class Checks:
    def __init__(self, program, source, folder):
        self.program = program
        self.source = source
        self.folder = folder
        self.passed = 0
        self.failed = 0

    def check(self, label, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {label}: {str(detail)[:500]}")

    def near(self, label, value, expected, tolerance=1e-12):
        self.check(label, isinstance(value, number)
                   and math.isclose(value, expected, rel_tol=tolerance),
                   f"{value!r}, not {expected!r}")

    def run(self, *args, stdin=b"", **more):
        return subprocess.run([self.program, *map(str, args)], cwd=self.folder, input=stdin,
                              capture_output=True, timeout=TIMEOUT, **more)

    def output(self, *args, stdin=b""):
        """stdout of a run that must succeed."""
        done = self.run(*args, stdin=stdin)
        self.check(" ".join(map(str, args)), done.returncode == 0 and not done.stderr,
                   f"exit {done.returncode}: {done.stderr.decode(errors='replace')}")
        return done.stdout

    def document(self, *args, scenario=None):
        """The one JSON document of a run; `scenario` goes in by standard input."""
        stdin = json.dumps(scenario).encode() if scenario is not None else b""
        out = self.output(*args, *(["-"] if scenario is not None else []), "--json", stdin=stdin)
        good = out.endswith(b"\n") and out.count(b"\n") == 1
        self.check(f"{args}: one line", good, out[:100])
        return parse(out)

    def write(self, name, scenario):
        path = pathlib.Path(self.folder) / name
        path.write_text(json.dumps(scenario))
        return path

    def example(self, name):
        return os.path.join(self.source, "examples", name + ".toml")


def parse(out):
    def refuse(token):
        raise ValueError(f"{token} is not JSON")
    return json.loads(out, parse_constant=refuse) if out else {}


# ---- documents


def check_documents(checks):
    version = checks.output("--version").decode().split()[1]
    for name in EXAMPLES:
        for verb in ("predict", "simulate", "validate"):
            check_document(checks, verb, checks.document(verb, checks.example(name)), version,
                           name)
    for scenario in (pipeline(), pipeline("gpipe", 1, 1), scale_out(), scale_out(nodes=1),
                     collective(), collective(simulation={"fidelity": "steps"}),
                     collective(simulation={"fidelity": "formula"}),
                     pipeline() | {"targets": [0.5, 0.1]},
                     pipeline("interleaved-1f1b", virtual_stages=2)):
        for verb in ("predict", "simulate", "validate"):
            check_document(checks, verb, checks.document(verb, scenario=scenario), version,
                           scenario["name"])
    for topic in ("schedules", "collectives", "platforms", "models", "fleets", "formulas",
                  "writers", "assumptions"):
        document = checks.document("list", topic)
        rows = document.get(topic, [])
        checks.check(f"list {topic}", document.get("lockstep") == version and rows
                     and all(isinstance(value, str) for row in rows for value in row.values())
                     and all(row.get("name") for row in rows), document)
        checks.check(f"list {topic} has warnings", document.get("warnings") == [], list(document))


def check_document(checks, verb, document, version, label):
    kind = document.get("scenario", {}).get("kind")
    frame = {"lockstep": text, "warnings": [text]}
    if verb == "predict":
        shape = frame | {"scenario": dict, "prediction": PREDICTIONS.get(kind, {}),
                         "assumptions": [text]}
    elif verb == "simulate":
        shape = frame | {"scenario": dict, "simulation": SIMULATION}
    else:
        shape = frame | {"rows": [ROW]}
    found = misfit(document, shape)
    checks.check(f"{verb} {label}: keys", not found, found)
    checks.check(f"{verb} {label}: version", document.get("lockstep") == version, version)
    if verb == "validate":
        for row in document.get("rows", []):
            checks.check(f"{label}: verdict", row["verdict"] in VERDICTS, row)
            runs = [abs(row[way] - row["formula"]) for way in ("critical_path", "simulation")]
            residual = max(runs) / (abs(row["formula"]) or 1.0)
            checks.check(f"{label}: residual", math.isclose(row["residual"], residual,
                                                            rel_tol=1e-9, abs_tol=1e-15), row)
        checks.check(f"{label}: rows", document.get("rows"), "none")
    if verb == "simulate" and document:
        check_simulation(checks, label, document["simulation"])


def check_simulation(checks, label, simulation):
    makespan = simulation["makespan_s"]
    busy = sum(device["busy_s"] for device in simulation["devices"])
    offered = makespan * len(simulation["devices"])
    bubble = 1 - busy / offered if offered and busy else 0.0  # 0 where nothing computes
    checks.check(f"{label}: bubble", math.isclose(simulation["bubble"], bubble, abs_tol=1e-9),
                 simulation["bubble"])
    checks.check(f"{label}: idle", all(
        math.isclose(d["busy_s"] + d["idle_s"], makespan, rel_tol=1e-9, abs_tol=1e-12)
        for d in simulation["devices"]), "busy + idle is not the makespan")
    checks.check(f"{label}: path", simulation["critical_path_s"] <= makespan * (1 + 1e-9),
                 simulation)


def check_feedback(checks):
    """`scenario` is a scenario: it gives the same again, all figures to the byte."""
    inline = {"kind": "TransformerWorkload", "name": "mine", "parameters": 1e9, "layers": 24}
    scenarios = [
        pipeline(), pipeline(transfer_s=0.5, p2p="rendezvous"),
        pipeline(stage_scale={"0": 1.5}), pipeline(stage_scale=[1.5, 1, 1, 0.1]),
        pipeline(forward=[1.0, 2.0, 3.0, 0.7]), pipeline(transfer_s=[0.1, 0.2, 0.3]),
        pipeline("interleaved-1f1b", virtual_stages=2, group=5),
        pipeline(backward_weight_s=0.5), pipeline() | {"targets": [0.3, 1], "virtual_stages": 1},
        {"kind": "pipeline-schedule", "stages": 3, "microbatches": 5, "name": "bare"},
        {"kind": "pipeline-schedule", "stages": 2, "microbatches": 4, "name": "v",
         "virtual_stages": 3},
        {"kind": "pipeline-schedule", "stages": 2, "microbatches": 4, "name": "halves",
         "simulation": {"backward_input_s": 0.1, "backward_weight_s": 0.2}},
        scale_out(), scale_out(workload=inline), scale_out(step_time_s=1 / 3),
        scale_out(workload={"ref": "Language.GPT3", "layers": 12}),
        scale_out(workload={"kind": "Workload", "model_size_bytes": 3e9}),
        scale_out(node_hour_rate_usd_per_hour=0.1, simulation={"fidelity": "steps"}),
        scale_out(node_hour_rate_usd_per_hour=1 / 3),
        {"kind": "collective", "function": "ring_allreduce", "n": 3, "message": "7 MiB",
         "bandwidth": "3 Gbit/s", "name": "texts \u00e9\u4e16 \" \\ \n\t/"},
        collective(latency_s=1e-7, simulation={"concurrent": 3}),
    ]
    for index, scenario in enumerate(scenarios):
        label = f"feedback {index} {scenario['kind']}"
        for verb in ("predict", "simulate"):
            path = checks.write("first.json", scenario)
            first = checks.output(verb, path, "--json")
            again = checks.write("second.json", parse(first).get("scenario"))
            second = checks.output(verb, again, "--json")
            first, second = parse(first), parse(second)
            inputs = first.pop("scenario", 1), second.pop("scenario", 2)
            checks.check(f"{label} [{verb}]: inputs", inputs[0] == inputs[1], inputs)
            checks.check(f"{label} [{verb}]: figures", json.dumps(first) == json.dumps(second),
                         f"{first}\n{second}")


def check_several(checks):
    files = [checks.example(name) for name in EXAMPLES]
    together = checks.output("predict", *files, "--json")
    apart = b"".join(checks.output("predict", file, "--json") for file in files)
    checks.check("several files: one document a line", together == apart, together[:200])
    checks.check("several files: as many lines", together.count(b"\n") == len(files))
    rows = checks.document("validate", *files)["rows"]
    apart = [row for file in files for row in checks.document("validate", file)["rows"]]
    checks.check("several files: rows", rows == apart, len(rows))


def check_names(checks):
    """The scenario's name, else the file's stem."""
    scenario = {key: value for key, value in pipeline().items() if key != "name"}
    path = checks.write("a name.of mine.json", scenario)
    checks.check("stem is the name", parse(checks.output("predict", path, "--json"))["scenario"]
                 ["name"] == "a name.of mine")
    row = parse(checks.output("validate", path, "--json"))["rows"][0]
    checks.check("stem in rows", row["scenario"] == "a name.of mine", row)
    row = checks.document("validate", scenario=scenario | {"name": "given"})["rows"][0]
    checks.check("name in rows", row["scenario"] == "given", row)


def check_equivalents(checks):
    """Ways of saying the same thing give the same document."""
    def same(label, verb, a, b):
        first = checks.document(verb, scenario=a)
        second = checks.document(verb, scenario=b)
        checks.check(f"same: {label} [{verb}]", first == second and first,
                     f"{first}\n{second}")

    for verb in ("predict", "simulate"):
        same("null is absent", verb, scale_out() | {"description": None, "simulation": None},
             scale_out())
        same("null in [simulation]", verb, pipeline(), pipeline(transfer=None, stage_scale=None))
        same("null of the other form", verb, scale_out(), scale_out(step_time=None))
        same("null in a workload", verb,
             scale_out(workload={"kind": "Workload", "parameters": 1e9, "layers": None}),
             scale_out(workload={"kind": "Workload", "parameters": 1e9}))
        same("null node_hour_rate", verb, scale_out(node_hour_rate_usd_per_hour=None),
             {k: v for k, v in scale_out().items() if k != "node_hour_rate_usd_per_hour"})
        texts = {k: v for k, v in scale_out().items() if not k.endswith(("_s", "_hour"))}
        texts |= {"step_time": "1800 ms", "training_time": "25 h", "intra_bandwidth": "450 GB/s",
                  "inter_bandwidth": "10 Gbit/s", "node_hour_rate": "32 USD/h"}
        same("units for SI keys", verb, scale_out(), texts)
        same("whole floats for counts", verb, scale_out(), scale_out(nodes=4.0))
        same("a list of equal times", verb,
             {**pipeline(), "simulation": {**pipeline()["simulation"], "forward_s": 1}},
             pipeline())
    toml = pathlib.Path(checks.folder) / "p.toml"
    toml.write_text('kind = "pipeline-schedule"\nname = "p"\nstages = 4\nmicrobatches = 8\n'
                    '[simulation]\nschedule = "1f1b"\nforward = "1 s"\nbackward = "2000 ms"\n')
    checks.check("TOML and JSON", parse(checks.output("simulate", toml, "--json"))
                 == checks.document("simulate", scenario=pipeline()))
    path = checks.write("stdin.json", scale_out())
    checks.check("file and standard input",
                 checks.output("predict", path, "--json")
                 == checks.output("predict", "-", "--json", stdin=path.read_bytes()))


def check_settings(checks):
    """--set changes a key as if it stood in the file."""
    base = checks.write("base.json", scale_out())
    deep = checks.write("deep.json", pipeline())

    def same(label, file, settings, scenario):
        flags = [flag for setting in settings for flag in ("--set", setting)]
        got = parse(checks.output("predict", file, *flags, "--json"))
        wanted = parse(checks.output("predict", checks.write("wanted.json", scenario), "--json"))
        checks.check(f"--set {label}", got == wanted and got, f"{got}\n{wanted}")

    same("a count", base, ["nodes=8"], scale_out(nodes=8))
    same("twice, the last wins", base, ["nodes=8", "nodes=2"], scale_out(nodes=2))
    same("a quantity replaces the SI form", base, ["step_time=2 s"], scale_out(step_time_s=2.0))
    same("the SI form replaces a quantity", base, ["step_time=9 s", "step_time_s=2"],
         scale_out(step_time_s=2.0))
    same("a quoted quantity", base, ['step_time="2 s"'], scale_out(step_time_s=2.0))
    same("a name", base, ["workload=Language.GPT3"], scale_out(workload="Language.GPT3"))
    same("a table", base, ['workload={kind = "Workload", parameters = 1e9}'],
         scale_out(workload={"kind": "Workload", "parameters": 1e9}))
    same("an absent key", base, ["name=x = y"], scale_out(name="x = y"))
    same("a dotted key of a new table", base, ["simulation.fidelity=steps"],
         scale_out(simulation={"fidelity": "steps"}))
    same("a dotted key", deep, ["simulation.forward=3 s"], pipeline(forward=3.0))
    same("a dotted list", deep, ["simulation.stage_scale=[2, 1, 1, 1]"],
         pipeline(stage_scale=[2, 1, 1, 1]))
    same("a dotted key of depth 3", deep, ["simulation.stage_scale.0=2"],
         pipeline(stage_scale={"0": 2}))
    toml = pathlib.Path(checks.folder) / "set.toml"
    toml.write_text('kind = "pipeline-schedule"\nstages = 2\nmicrobatches = 2\n'
                    '[simulation]\nforward = "1 s"\n')
    got = parse(checks.output("predict", toml, "--set", "simulation.forward_s=4", "--json"))
    checks.check("--set in TOML replaces the text form",
                 got["scenario"]["simulation"]["forward_s"] == 4.0, got)


# ---- known answers


def check_answers(checks):
    def simulated(scenario):
        return checks.document("simulate", scenario=scenario).get("simulation", {})

    def live(simulation):
        return [device["peak_live_microbatches"] for device in simulation.get("devices", [])]

    plain = simulated(pipeline())
    checks.near("1f1b 4 x 8", plain.get("makespan_s"), 33)
    checks.near("1f1b 4 x 8, path", plain.get("critical_path_s"), 33)
    checks.near("1f1b 4 x 8, bubble", plain.get("bubble"), 3 / 11)
    checks.check("1f1b 4 x 8, counts", (plain.get("tasks"), plain.get("messages")) == (64, 48),
                 plain)
    checks.check("1f1b live", live(plain) == [4, 3, 2, 1], live(plain))
    checks.near("1f1b 4 x 8, formula",
                checks.document("predict", scenario=pipeline())["prediction"]["makespan_s"], 33)
    gpipe = simulated(pipeline("gpipe"))
    checks.near("gpipe 4 x 8", gpipe.get("makespan_s"), 33)
    checks.check("gpipe live", live(gpipe) == [8, 8, 8, 8], live(gpipe))
    checks.near("a slow stage", simulated(pipeline(stage_scale=[1.5, 1, 1, 1]))["makespan_s"],
                40.5)
    checks.near("a slow stage by a table",
                simulated(pipeline(stage_scale={"0": 1.5}))["makespan_s"], 40.5)
    checks.near("a slow stage, its formula", checks.document(
        "predict", scenario=pipeline(stage_scale=[1.5, 1, 1, 1]))["prediction"]["makespan_s"],
        37.125)
    checks.near("eager", simulated(pipeline(transfer_s=0.5))["makespan_s"], 41)
    checks.near("rendezvous",
                simulated(pipeline(transfer_s=0.5, p2p="rendezvous"))["makespan_s"], 42.5)
    checks.near("rendezvous of no time",
                simulated(pipeline(transfer_s=0.0, p2p="rendezvous"))["makespan_s"], 33)
    checks.near("1f1b 1 x 5", simulated(pipeline("1f1b", 1, 5))["makespan_s"], 15)
    checks.near("1f1b 4 x 1", simulated(pipeline("1f1b", 4, 1))["makespan_s"], 12)
    interleaved = simulated(pipeline("interleaved-1f1b", virtual_stages=2, group=4))
    checks.near("interleaved 4 x 8, V 2", interleaved.get("makespan_s"), 57)

    four = checks.document("predict", checks.example("gpt2-data-parallel-four-nodes-10gbe"))
    checks.near("GPT-2 on four nodes", four["prediction"]["update_time_s"], 6.461666666666667)
    run = checks.document("simulate", checks.example("gpt2-data-parallel-four-nodes-10gbe"))
    checks.near("GPT-2 on four nodes, simulated", run["simulation"]["makespan_s"],
                6.461666666666667, 1e-9)
    walk = checks.document("predict", checks.example("gpipe-four-stage-walkthrough"))
    checks.near("walkthrough bubble", walk["prediction"]["bubble"], 3 / 7)
    ring = collective(n=4, message_bytes=1e9, bandwidth_bytes_per_s=1e9, latency_s=0.01)
    checks.near("ring", checks.document("predict", scenario=ring)["prediction"]["time_s"], 1.56)
    for fidelity in ("formula", "flows", "steps"):
        checks.near(f"ring by {fidelity}",
                    simulated(ring | {"simulation": {"fidelity": fidelity}})["makespan_s"], 1.56,
                    1e-9)
    checks.near("a ring of one", simulated(ring | {"n": 1}).get("makespan_s") + 1, 1)
    two = simulated(ring | {"latency_s": 0, "simulation": {"concurrent": 2}})
    checks.near("two rings on one link", two["makespan_s"], 3.0, 1e-9)


def check_no_false_alarm(checks):
    """Valid scenarios in which every assumption holds are equal, however lopsided their figures."""
    tiny = {"kind": "TransformerWorkload", "parameters": 1e5}
    for name, scenario in (
            ("a small bubble", pipeline(stages=2, microbatches=10000, forward=0.1, backward=0.7)),
            ("a large bubble", pipeline(stages=1000, microbatches=1, forward=0.1, backward=0.7)),
            ("unlike times", pipeline(forward=1e-9, backward=1e9)),
            ("a short ring after a long step", scale_out(
                nodes=1, devices_per_node=2, accumulation_steps=64, step_time_s=10,
                workload=tiny)),
            ("a long ring after a short step", scale_out(step_time_s=1e-9)),
            ("a message of nothing", collective(message_bytes=0)),
            ("a message of less than a byte", collective(message_bytes=0.001)),
            ("a ring of many", collective(n=2000)), ("a ring of one", collective(n=1))):
        rows = rows_of(checks, scenario)
        checks.check(f"{name}: equal", rows and all(row["verdict"] == "equal" for row in rows),
                     [(row["quantity"], row["verdict"], row["residual"]) for row in rows])
    nothing = checks.run("validate", "-", "--json", stdin=json.dumps(
        pipeline(forward=0.0, backward=0.0)).encode())
    checks.check("stages of no time: equal or refused", nothing.returncode in (0, 2),
                 f"exit {nothing.returncode}: {nothing.stderr}")


def rows_of(checks, scenario):
    done = checks.run("validate", "-", "--json", stdin=json.dumps(scenario).encode())
    return parse(done.stdout).get("rows", [])


def check_extremes(checks):
    """Figures at the ends of the doubles: an answer or a refusal, never a crash or a blank."""
    for name, scenario in (
            ("long times", pipeline(forward=1e308, backward=1e308)),
            ("short times", pipeline(forward=5e-324, backward=5e-324)),
            ("both", pipeline(forward=1e300, backward=5e-324)),
            ("long latency", collective(latency_s=1e308)),
            ("long latency by formula", collective(latency_s=1e308,
                                                   simulation={"fidelity": "formula"})),
            ("slow link", collective(bandwidth_bytes_per_s=5e-324)),
            ("slow shared link", collective(bandwidth_bytes_per_s=5e-324,
                                            simulation={"concurrent": 2})),
            ("fast link", collective(bandwidth_bytes_per_s=1e308)),
            ("large message", collective(message_bytes=1e308, simulation={"concurrent": 2})),
            ("small message", collective(message_bytes=5e-324, simulation={"concurrent": 2})),
            ("slow node", scale_out(intra_bandwidth_bytes_per_s=5e-324)),
            ("slow NIC by formula", scale_out(inter_bandwidth_bytes_per_s=1e-308,
                                              simulation={"fidelity": "formula"})),
            ("long step", scale_out(step_time_s=1e308, accumulation_steps=8))):
        for verb in ("predict", "simulate", "validate"):
            done = checks.run(verb, "-", "--json", stdin=json.dumps(scenario).encode())
            checks.check(f"extreme {name} [{verb}]: exit", done.returncode in (0, 1, 2, 4),
                         f"exit {done.returncode} {done.stderr[:300]}")
            checks.check(f"extreme {name} [{verb}]: no blanks", b"null" not in done.stdout,
                         done.stdout)


def check_matrix(checks):
    done = checks.run("validate", "--json")
    document = parse(done.stdout)
    rows = document.get("rows", [])
    count = {verdict: sum(row["verdict"] == verdict for row in rows) for verdict in VERDICTS}
    checks.check("matrix: exit", done.returncode == 0 and not done.stderr,
                 f"{done.returncode} {done.stderr[:300]}")
    checks.check("matrix: keys", not misfit(document, {"lockstep": text, "warnings": [text],
                                                       "rows": [ROW]}), "")
    checks.check("matrix: at least 200 equal rows", count["equal"] >= 200, count)
    checks.check("matrix: no mismatch", count["mismatch"] == 0, count)
    checks.check("matrix: equal means within tolerance", all(
        row["residual"] <= row["tolerance"] <= 1e-9 for row in rows if row["verdict"] == "equal"))
    explained = {name for row in rows if row["verdict"] == "explained"
                 for name in row["assumptions_broken"]}
    wanted = {"equal_stages", "free_pipeline_transfers", "private_links"}
    checks.check("matrix: broken on purpose", wanted <= explained, explained)
    # Of a scenario that breaks an assumption another figure may be equal all the same.
    checks.check("matrix: equal steps break nothing", all(
        not row["assumptions_broken"] for row in rows
        if row["verdict"] == "equal" and row["quantity"] == "makespan_s"))
    print(f"matrix: {len(rows)} rows, " + ", ".join(f"{n} {v}" for v, n in sorted(count.items())))
    markdown = checks.output("validate", "--markdown").decode()
    checks.check("matrix as Markdown", markdown.startswith("| scenario | quantity |"), markdown)


# ---- texts


def check_texts(checks):
    version = checks.run("--version")
    lines = version.stdout.decode().splitlines()
    checks.check("--version", version.returncode == 0 and lines and lines[0].startswith("lockstep ")
                 and any("SimGrid" in line for line in lines) and len(lines) >= 3, lines)
    main = checks.run("--help")
    checks.check("--help", main.returncode == 0 and not main.stderr, main.returncode)
    for verb in ("predict", "simulate", "validate", "list"):
        checks.check(f"--help names {verb}", verb in main.stdout.decode())
        shown = checks.run(verb, "--help")
        words = shown.stdout.decode()
        checks.check(f"{verb} --help", shown.returncode == 0 and f"lockstep {verb} " in words
                     and "Example" in words, words)
        for line in words.splitlines():
            if line.startswith("Example: "):
                check_help_example(checks, verb, line)
    plain = checks.output("simulate", checks.example("1f1b-unequal-stages")).decode()
    checks.check("simulate as text", "40.5 s" in plain, plain)
    explained = checks.output("validate", checks.example("1f1b-unequal-stages")).decode()
    checks.check("validate as text says what it costs",
                 "equal_stages" in explained and "ms" in explained and "%" in explained, explained)


def check_help_example(checks, verb, line):
    """The example of --help works where it says."""
    args = line.removeprefix("Example: lockstep ").split()
    args = [os.path.join(checks.source, arg) if arg.startswith("examples/") else arg
            for arg in args]
    done = checks.run(*args)
    checks.check(f"the example of {verb} --help runs", done.returncode == 0,
                 done.stderr.decode(errors="replace"))


# ---- determinism and traces


def check_traces(checks):
    cases = [(f"example {name}", pathlib.Path(checks.example(name))) for name in EXAMPLES]
    for name, scenario in (
            ("rendezvous", pipeline(transfer_s=0.5, p2p="rendezvous")),
            ("eager", pipeline(transfer_s=0.3)), ("one device", pipeline("gpipe", 1, 1)),
            ("no forward time", pipeline(forward=0.0, backward=1.0)),
            ("thirds", pipeline(forward=1 / 3, backward=2 / 3)),
            ("nanoseconds", pipeline(forward=1.4e-9, backward=0.3e-9)),
            ("months", pipeline(forward=1e6 / 3, backward=2e6 / 3)),
            ("interleaved", pipeline("interleaved-1f1b", virtual_stages=2)),
            ("hostile name", pipeline() | {"name": 'x"\\\n\u0001</script>\u2028'}),
            ("steps", scale_out(simulation={"fidelity": "steps"})),
            ("ring", collective(n=5)), ("shared ring", collective(simulation={"concurrent": 3})),
            ("a ring of one", collective(n=1)), ("a ring of nothing", collective(message_bytes=0))):
        cases.append((name, checks.write(f"{name}.json", scenario)))
    for name, path in cases:
        bytes_of = []
        for ending in (".json", ".json.gz"):
            traces = []
            for turn in range(2):
                trace = pathlib.Path(checks.folder) / f"trace{turn}{ending}"
                out = checks.output("simulate", path, "--json", "--trace", trace)
                traces.append((out, trace.read_bytes() if trace.exists() else b""))
                trace.unlink(missing_ok=True)
            checks.check(f"trace {name}{ending}: the same bytes twice",
                         traces[0] == traces[1] and traces[0][1])
            bytes_of.append(traces[0])
        plain = bytes_of[0][1]
        checks.check(f"trace {name}: gzip holds the same",
                     gzip.decompress(bytes_of[1][1]) == plain)
        problems = trace_problems(plain, parse(bytes_of[0][0])["simulation"])
        checks.check(f"trace {name}: structure", not problems, problems[:5])
    folder = pathlib.Path(checks.folder) / "traces"
    names = [checks.example(name) for name in EXAMPLES]
    checks.output("validate", *names, "--traces", folder)
    written = sorted(folder.iterdir())
    checks.check("validate --traces: a file a scenario", len(written) == len(names), written)
    for path in written:
        problems = trace_problems(gzip.decompress(path.read_bytes()))
        checks.check(f"trace {path.name}: structure", not problems, problems[:5])
    for verb in ("predict", "simulate", "validate"):
        runs = {checks.output(verb, checks.example(EXAMPLES[2]), *flag) for flag in ([], [])}
        checks.check(f"{verb}: the same text twice", len(runs) == 1)


def trace_problems(data, simulation=None):
    """What a viewer would trip over. Compact: the parts of the trace format that we rely on."""
    try:
        trace = parse(data)
    except ValueError as error:
        return [f"not JSON: {error}"]
    problems = []
    slices, flows, ends = {}, {}, 0
    for event in trace.get("traceEvents", []):
        phase = event.get("ph")
        if type(event.get("pid")) is not int or type(event.get("tid", 0)) is not int:
            problems.append(f"pid or tid is no integer: {event}")
        if phase != "M" and not finite(event.get("ts")):
            problems.append(f"no time: {event}")
        elif phase == "X":
            duration = event.get("dur")
            if not finite(duration) or event["ts"] < 0 or duration < 0:
                problems.append(f"bad duration: {event}")
                continue
            slices.setdefault((event["pid"], event["tid"]), []).append(
                (event["ts"], event["ts"] + duration, event))
            whole = event["args"].get("dur_ns")
            if type(whole) is not int or abs(whole / 1000 - duration) > 0.0011:
                problems.append(f"dur_ns: {event}")
            ends = max(ends, round(event["ts"] * 1000) + whole)
        elif phase in "stf":
            flows.setdefault((event["cat"], event["name"], event["id"]), []).append(event)
        elif phase == "C" and not all(map(finite, event["args"].values())):
            problems.append(f"counter: {event}")
        elif phase not in "MXC":
            problems.append(f"unknown phase: {event}")
    problems += [p for track in slices.values() for p in overlaps(track)]
    problems += [p for flow in flows.values() for p in flow_problems(flow, slices)]
    if not isinstance(trace.get("otherData", {}), dict) or trace.get("displayTimeUnit") != "ns":
        problems.append("no displayTimeUnit")
    if simulation and slices and abs(ends - simulation["makespan_s"] * 1e9) > max(
            1.0, 1e-15 * ends):
        problems.append(f"ends at {ends} ns, not {simulation['makespan_s']} s")
    if simulation and {pid for pid, _ in slices} - set(range(1, len(simulation["devices"]) + 1)):
        problems.append("a process that is no device")
    return problems


def finite(value):
    return isinstance(value, number) and not isinstance(value, bool) and math.isfinite(value)


def overlaps(track):
    track = sorted(track, key=lambda slice_: slice_[:2])
    return [f"overlap: {a} and {b}" for a, b in zip(track, track[1:]) if b[0] < a[1]]


def flow_problems(flow, slices):
    phases = [event["ph"] for event in flow]
    if phases != ["s", "f"]:
        return [f"a flow is {phases}"]
    if flow[1].get("bp") != "e" or flow[0]["ts"] > flow[1]["ts"]:
        return [f"a flow goes back or binds nowhere: {flow}"]
    return [f"a flow end outside every slice: {event}" for event in flow
            if not any(start <= event["ts"] <= end
                       for start, end, _ in slices.get((event["pid"], event["tid"]), []))]


# ---- output files


def check_replaced(checks):
    """A trace replaces an older file whole; a failing run leaves it alone."""
    folder = fresh(checks, "replace")
    trace = folder / "t.json"
    trace.write_text("older")
    checks.output("simulate", checks.example(EXAMPLES[0]), "--trace", trace)
    checks.check("an older file is replaced", trace.read_bytes().startswith(b"{"))
    trace.write_text("older")
    done = checks.run("simulate", checks.example(EXAMPLES[0]), "--trace", trace, "--set",
                      "stages=0")
    checks.check("bad input leaves an older file", done.returncode == 2
                 and trace.read_text() == "older")
    checks.check("nothing else is left", [p.name for p in folder.iterdir()] == ["t.json"],
                 list(folder.iterdir()))


def check_full_disk(checks):
    if not os.path.exists("/dev/full"):
        print("note: no /dev/full, full disks not tried")
        return
    folder = fresh(checks, "full")
    for ending in (".json", ".json.gz"):
        link = folder / f"x{ending}"
        link.symlink_to("/dev/full")
        done = checks.run("simulate", checks.example(EXAMPLES[0]), "--trace", link)
        said = done.stderr.decode(errors="replace")
        checks.check(f"full disk {ending}", done.returncode == 5 and not done.stdout
                     and str(link) in said, f"{done.returncode} {said}")
        checks.check(f"full disk {ending}: the link stays", link.is_symlink())
    with open("/dev/full", "wb") as full:
        for args in (["predict", checks.example(EXAMPLES[0])], ["list", "schedules"],
                     ["validate", checks.example(EXAMPLES[0]), "--json"],
                     ["simulate", checks.example(EXAMPLES[0])], ["--version"], ["--help"]):
            done = subprocess.run([checks.program, *args], stdout=full, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT, cwd=checks.folder)
            checks.check(f"full stdout: {args[0]}", done.returncode == 5,
                         f"exit {done.returncode}")


def check_closed_streams(checks):
    """Closed standard streams: exit 5, and no result strays into another file."""
    folder = fresh(checks, "closed")
    trace = folder / "t.json"
    reference = folder / "reference.json"
    checks.output("simulate", checks.example(EXAMPLES[0]), "--trace", reference)

    def run(streams, *args):
        command = " ".join(f"'{word}'" for word in (checks.program, *map(str, args)))
        return subprocess.run(["sh", "-c", f"{command} {streams}"], capture_output=True,
                              timeout=TIMEOUT, cwd=checks.folder)

    for verb in ("predict", "simulate", "validate"):
        for flags in ([], ["--json"]):
            done = run(">&-", verb, checks.example(EXAMPLES[0]), *flags)
            checks.check(f"closed stdout: {verb} {flags}", done.returncode == 5,
                         f"exit {done.returncode}")
    for streams, wanted in ((">&-", 5), ("2>&-", 0), ("<&-", 0), (">&- 2>&-", 5),
                            ("<&- >&- 2>&-", 5)):
        trace.unlink(missing_ok=True)
        done = run(streams, "-v", "simulate", checks.example(EXAMPLES[0]), "--trace", trace)
        checks.check(f"closed {streams} with a trace: exit", done.returncode == wanted,
                     f"exit {done.returncode} {done.stderr[:200]}")
        checks.check(f"closed {streams} with a trace: whole or not there",
                     not trace.exists() or trace.read_bytes() == reference.read_bytes(),
                     "the trace is not as it should be")


def check_interrupt(checks):
    """kill -INT in mid-run, before and while the trace is written: 130, no file, no process."""
    folder = fresh(checks, "interrupt")
    large = checks.write(f"interrupt-{os.getpid()}.json", pipeline(stages=64, microbatches=16384))
    trace = folder / "t.json.gz"
    contended = checks.write(f"interrupt-contended-{os.getpid()}.json",
                             collective(n=1000, simulation={"concurrent": 2,
                                                            "fidelity": "steps"}))
    for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for phase, scenario in (("running", contended), ("starting", large), ("writing", large)):
            label = f"{signal_number.name} while {phase}"
            trace.write_text("older")
            run = subprocess.Popen([checks.program, "simulate", scenario, "--trace", trace],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            wait_for_temporary(run, folder, trace, 1 if phase == "writing" else 0)
            time.sleep(0.5 if phase == "running" else 0.05)
            run.send_signal(signal_number)
            wanted = [129] if signal_number == signal.SIGHUP else [130]
            checks.check(f"{label}: exit", run.wait(timeout=TIMEOUT) in wanted,
                         f"exit {run.returncode}")
            checks.check(f"{label}: no process left", stragglers(scenario.name) == [],
                         "its child goes on")
            out, _ = run.communicate(timeout=TIMEOUT)  # ends with the last process that has it
            checks.check(f"{label}: no result", not out, out[:200])
            checks.check(f"{label}: the older file stays", trace.read_text() == "older"
                         if trace.stat().st_size < 10 else False)
            checks.check(f"{label}: no file left", [p.name for p in folder.iterdir()]
                         == [trace.name], list(folder.iterdir()))
            for left in folder.glob(".lockstep-*"):
                left.unlink()


def wait_for_temporary(run, folder, trace, least_size):
    """Waits until the temporary file stands there (and holds something)."""
    while run.poll() is None:
        for path in folder.iterdir():
            try:
                if path != trace and path.stat().st_size >= least_size:
                    return
            except FileNotFoundError:
                pass
        time.sleep(0.002)


def stragglers(word):
    """The processes that still have this word in their command line after a second; ends them."""
    found = []
    for _ in range(10):
        found = [int(entry) for entry in os.listdir("/proc")
                 if entry.isdigit() and word in command_of(entry)]
        if not found:
            break
        time.sleep(0.1)
    for pid in found:
        os.kill(pid, signal.SIGKILL)
    return found


def command_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def fresh(checks, name):
    folder = pathlib.Path(checks.folder) / name
    folder.mkdir()
    return folder


def check_big_predictions(checks):
    """predict knows no limit and stays fast."""
    for name, scenario in (
            ("pipeline", pipeline(stages=10**9, microbatches=10**9, transfer_s=1.0)),
            ("chunks", pipeline("interleaved-1f1b", 10**9, 10**9, virtual_stages=10**6)),
            ("scale-out", scale_out(nodes=10**6, devices_per_node=10**6)),
            ("ring", collective(n=10**6, simulation={"fidelity": "steps"}))):
        start = time.monotonic()
        checks.document("predict", scenario=scenario)
        spent = time.monotonic() - start
        checks.check(f"big {name}: fast", spent < 5, f"{spent:.1f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        print(f"skipped: {options.program} is not a program")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(os.path.abspath(options.program), os.path.abspath(options.source), folder)
        for part in (check_documents, check_feedback, check_several, check_names,
                     check_equivalents, check_settings, check_answers, check_no_false_alarm,
                     check_extremes, check_matrix, check_texts, check_traces, check_replaced,
                     check_full_disk, check_closed_streams, check_interrupt,
                     check_big_predictions):
            before = checks.passed, checks.failed
            try:
                part(checks)
            except (KeyError, IndexError, TypeError, ValueError, OSError,
                    subprocess.TimeoutExpired) as error:
                checks.check(part.__name__, False, f"stopped: {error!r}")
            print(f"{part.__name__.removeprefix('check_').replace('_', ' ')}: "
                  f"{checks.passed - before[0]} passed, {checks.failed - before[1]} failed")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
