#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bad input: every mistake gives its exit code, its place and its cause, and writes nothing.

Each row of the table is one mistake. Rows that are a change of a good scenario run as TOML (place:
file:line:column) and as JSON (place: file and JSON pointer), between them through every verb.

usage: bad_input.py --program PATH --source DIR
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

TIMEOUT = 120  # seconds a run: a sanitizer build is slow
INPUT, UNSUPPORTED, IO = 2, 3, 5
RUNS = {  # verb -> what is added to its command line, so that a file would be written
    "predict": [],
    "simulate": ["--trace", "out.json"],
    "validate": ["--traces", "out"],
}
ALL = tuple(RUNS)

# Good scenarios: dotted key -> TOML literal, in the order of the file.
PIPELINE = {
    "kind": '"pipeline-schedule"',
    "stages": "4",
    "microbatches": "8",
    "targets": "[0.5, 0.1]",
    "simulation.schedule": '"1f1b"',
    "simulation.forward": '"1 s"',
    "simulation.backward": '"2 s"',
    "simulation.stage_scale": "[1.0, 1.0, 1.0, 1.0]",
    "simulation.transfer": '"0.5 s"',
    "simulation.p2p": '"eager"',
}
SCALE_OUT = {
    "kind": '"data-parallel-scale-out"',
    "workload": '"Language.GPT2"',
    "precision": '"fp16"',
    "step_time": '"1.8 s"',
    "training_time": '"25 h"',
    "per_device_batch": "16",
    "devices_per_node": "8",
    "nodes": "4",
    "intra_bandwidth": '"450 GB/s"',
    "inter_bandwidth": '"10 Gbit/s"',
    "accumulation_steps": "1",
    "node_hour_rate": '"32 USD/h"',
    "simulation.fidelity": '"flows"',
}
COLLECTIVE = {
    "kind": '"collective"',
    "function": '"ring_allreduce"',
    "n": "4",
    "message": '"1 GB"',
    "bandwidth": '"100 GB/s"',
    "latency": '"5 us"',
    "simulation.concurrent": "2",
}


@dataclasses.dataclass
class Change:
    """One mistake made in a good scenario."""

    name: str
    base: dict
    change: dict  # dotted key -> TOML literal, or None to leave the key out
    at: str  # the dotted key that the message must point at; "" is the top of the file
    says: tuple  # texts that the message must hold
    json: bool = True  # whether JSON can say it too (it has no nan)


@dataclasses.dataclass
class Raw:
    """One mistake that is not a change of a scenario: file contents, command line, place."""

    name: str
    args: list
    exit: int
    where: str  # regular expression for the whole place
    says: tuple
    files: dict = dataclasses.field(default_factory=dict)  # name -> bytes; None makes a folder
    stdin: bytes = b""
    not_says: tuple = ()
    json: bool = True  # whether --json may be added at the end


def change(name, base, key, literal, *says, at=None, **more):
    return Change(name, base, {key: literal}, key if at is None else at, says, **more)


def changes():
    p, s, c = PIPELINE, SCALE_OUT, COLLECTIVE
    sim = "simulation."
    yield from (
        # keys
        change("missing kind", p, "kind", None, "kind", "pipeline-schedule", at=""),
        change("missing stages", p, "stages", None, "stages", "missing", at=""),
        change("missing microbatches", p, "microbatches", None, "microbatches", "missing", at=""),
        change("missing workload", s, "workload", None, "workload", "missing", at=""),
        change("missing step_time", s, "step_time", None, "step_time", "missing", at=""),
        change("missing message", c, "message", None, "message", "missing", at=""),
        change("missing n", c, "n", None, "n is missing", at=""),
        Change("missing inter_bandwidth on several nodes", s, {"inter_bandwidth": None}, "nodes",
               ("inter_bandwidth", "missing")),
        change("unknown key", p, "microbatchs", "8", "microbatchs", "did you mean microbatches"),
        change("unknown key in [simulation]", p, sim + "forwrad", '"1 s"', "forwrad",
               "did you mean forward"),
        change("unknown key, unit form", s, "step_tiem_s", "1", "step_tiem_s", "step_time"),
        change("unknown key of another kind", c, "microbatches", "8", "unknown key microbatches"),
        change("unknown key far from all", c, "zzzzzzzzzzzz", "8", "zzzzzzzzzzzz", "known:"),
        Change("unknown key of an inline workload", s,
               {"workload": '{kind = "TransformerWorkload", parameters = 1e9, layres = 4}'},
               "workload.layres", ("layres", "did you mean layers")),
        change("unknown kind", p, "kind", '"pipeline-schedul"', "pipeline-schedul",
               "did you mean pipeline-schedule", "collective"),
        # types
        change("a text for a count", p, "stages", '"4"', "stages", "text", "whole number"),
        change("a flag for a count", p, "stages", "true", "stages", "whole number"),
        change("a list for a count", p, "stages", "[4]", "stages", "list"),
        change("a table for a count", p, "stages", "{a = 1}", "stages", "table"),
        change("a fraction for a count", p, "microbatches", "8.5", "8.5", "whole number"),
        change("a number for a text", p, "name", "4", "name", "text"),
        change("a number for kind", p, "kind", "4", "kind", "text"),
        change("a number for the schedule", p, sim + "schedule", "1", "schedule", "text"),
        change("a text for a list", p, "targets", '"0.5"', "targets", "list"),
        change("a text in a list", p, "targets", '[0.5, "0.1"]', "targets", "number"),
        change("a number for stage_scale", p, sim + "stage_scale", "2", "stage_scale", "list"),
        change("a number for a workload", s, "workload", "4", "workload", "table"),
        change("a list for a time", s, "step_time", '["1.8 s"]', "step_time", "list"),
        Change("a text for [simulation]", c, {sim + "concurrent": None, "simulation": '"flows"'},
               "simulation", ("simulation", "not a table")),
        # dimensions and units
        change("a size for a time", s, "step_time", '"2 GB"', "step_time", "a size", "a time"),
        change("a time for a rate", s, "intra_bandwidth", '"2 s"', "intra_bandwidth", "a time",
               "a rate"),
        change("a size for a rate", c, "bandwidth", '"100 GB"', "bandwidth", "a size", "a rate"),
        change("a rate for a size", c, "message", '"1 GB/s"', "message", "a rate", "a size"),
        change("a time for money", s, "node_hour_rate", '"32 h"', "node_hour_rate", "a time",
               "USD/h"),
        change("a size for a stage time", p, sim + "forward", '"1 MB"', "forward", "a size"),
        change("a unit that is none", s, "step_time", '"2 parsec"', "step_time", "parsec"),
        change("b for bit or byte", c, "bandwidth", '"10 Gb/s"', "bit", "byte"),
        change("no unit in the text", s, "step_time", '"1.8"', "step_time", "unit"),
        change("no number in the text", s, "step_time", '"s"', "step_time", "number"),
        change("an empty quantity", s, "step_time", '""', "step_time", "number"),
        change("a bare time", s, "step_time", "1.8", "step_time", "bare number", "step_time_s"),
        change("a bare rate", c, "bandwidth", "100", "bandwidth", "bare number", "GB/s"),
        change("a bare stage time", p, sim + "backward", "2", "backward", "bare number",
               "backward_s"),
        change("a bare time in a list", p, sim + "transfer", '["1 s", 1, "1 s"]', "transfer",
               "bare number"),
        Change("a text under a SI key", s, {"training_time": None, "training_time_s": '"9 s"'},
               "training_time_s", ("training_time_s", "number")),
        change("both forms of a time", s, "step_time_s", "1.8", "step_time and step_time_s",
               "one of them"),
        change("both forms of a rate", c, "bandwidth_bytes_per_s", "1e9", "bandwidth",
               "bandwidth_bytes_per_s"),
        change("both forms of a stage time", p, sim + "forward_s", "1.0", "forward", "forward_s"),
        # numbers that cannot be
        Change("NaN for a time", s, {"step_time": None, "step_time_s": "nan"}, "step_time_s",
               ("step_time_s", "not a number"), json=False),
        Change("infinite time", s, {"step_time": None, "step_time_s": "inf"}, "step_time_s",
               ("step_time_s", "infinite"), json=False),
        change("NaN for a count", p, "stages", "nan", "stages", "not a number", json=False),
        change("NaN in a list", p, "targets", "[nan]", "targets", "not a number", json=False),
        change("NaN in a text", s, "step_time", '"nan s"', "step_time", "not finite"),
        change("infinite count", p, "stages", "inf", "stages", "infinite", json=False),
        change("infinite target", p, "targets", "[inf]", "targets", "infinite", json=False),
        change("infinite factor", p, sim + "stage_scale", "[inf, 1, 1, 1]", "stage_scale",
               "infinite", json=False),
        change("infinite in a text", c, "message", '"inf B"', "message", "not finite"),
        change("beyond a double", c, "message", '"1e400 B"', "message", "out of range"),
        change("beyond a double by its unit", c, "message", '"1e300 PB"', "message",
               "out of range"),
        change("negative time", s, "step_time", '"-1 s"', "step_time", "-1 s", "above 0"),
        change("negative latency", c, "latency", '"-5 us"', "latency", "at least 0"),
        change("negative stage time", p, sim + "forward", '"-1 s"', "forward", "at least 0"),
        change("negative transfer", p, sim + "transfer", '["1 s", "-1 s", "1 s"]', "transfer",
               "at least 0"),
        change("negative target", p, "targets", "[-0.5]", "targets", "-0.5", "above 0"),
        change("negative factor", p, sim + "stage_scale", "[1, -1, 1, 1]", "stage_scale", "-1",
               "above 0"),
        change("negative count", s, "nodes", "-4", "nodes", "-4", "at least 1"),
        change("negative price", s, "node_hour_rate", '"-1 USD/h"', "node_hour_rate",
               "at least 0"),
        change("zero step", s, "step_time", '"0 s"', "step_time", "above 0"),
        change("zero rate", s, "intra_bandwidth", '"0 GB/s"', "intra_bandwidth", "above 0"),
        Change("zero bandwidth", c, {"bandwidth": None, "bandwidth_bytes_per_s": "0"},
               "bandwidth_bytes_per_s", ("bandwidth_bytes_per_s", "above 0")),
        change("zero target", p, "targets", "[0.0]", "targets", "above 0"),
        change("a target above 1", p, "targets", "[1.5]", "targets", "1.5", "at most 1"),
        change("zero factor", p, sim + "stage_scale", "[1, 0, 1, 1]", "stage_scale", "above 0"),
        change("stages 0", p, "stages", "0", "stages is 0", "at least 1"),
        change("microbatches 0", p, "microbatches", "0", "microbatches is 0", "at least 1"),
        change("virtual_stages 0", p, "virtual_stages", "0", "virtual_stages is 0", "at least 1"),
        change("n 0", c, "n", "0", "n is 0", "at least 1"),
        change("nodes 0", s, "nodes", "0", "nodes is 0", "at least 1"),
        change("concurrent 0", c, sim + "concurrent", "0", "concurrent is 0", "at least 1"),
        change("zero parameters", s, "workload", '{kind = "Workload", parameters = 0}',
               "parameters", "above 0", at="workload.parameters"),
        change("a count beyond the largest", p, "microbatches", "10_000_000_000", "microbatches",
               "at most 1000000000"),
        # lists
        change("stage_scale too short", p, sim + "stage_scale", "[1, 1, 1]", "stage_scale",
               "3 entries", "4"),
        change("stage_scale too long", p, sim + "stage_scale", "[1, 1, 1, 1, 1]", "stage_scale",
               "5 entries", "4"),
        change("stage_scale empty", p, sim + "stage_scale", "[]", "stage_scale", "4"),
        change("stage_scale names no stage", p, sim + "stage_scale", '{"4" = 2.0}', "stage_scale",
               '"4"', "0 to 3", at=sim + "stage_scale.4"),
        change("stage_scale key is no number", p, sim + "stage_scale", "{first = 2.0}",
               "stage_scale", "first", at=sim + "stage_scale.first"),
        change("transfer too short", p, sim + "transfer", '["1 s", "1 s"]', "transfer",
               "2 entries", "3"),
        change("transfer too long", p, sim + "transfer", '["1 s", "1 s", "1 s", "1 s"]',
               "transfer", "4 entries", "3"),
        change("forward too short", p, sim + "forward", '["1 s", "1 s"]', "forward", "2 entries",
               "4"),
        change("backward too long", p, sim + "backward", '["1 s", "1 s", "1 s", "1 s", "1 s"]',
               "backward", "5 entries", "4"),
        change("forward empty", p, sim + "forward", "[]", "forward", "empty"),
        # names
        change("unknown workload", s, "workload", '"Language.GPT33"', "Language.GPT33",
               "did you mean Language.GPT3"),
        change("unknown workload by ref", s, "workload", '{ref = "Language.GPT33", layers = 4}',
               "Language.GPT33", "did you mean Language.GPT3"),
        change("an incomplete workload", s, "workload", "{layers = 4}", "workload", "parameters",
               "ref"),
        change("unknown kind of workload", s, "workload",
               '{kind = "TransformerWorklaod", parameters = 1e9}', "TransformerWorklaod",
               "did you mean TransformerWorkload", at="workload.kind"),
        change("unknown schedule", p, sim + "schedule", '"1f1bb"', "1f1bb", "did you mean 1f1b",
               "gpipe", "interleaved-1f1b"),
        change("unknown schedule far from all", p, sim + "schedule", '"quite-another-thing"',
               "quite-another-thing", "known: gpipe"),
        change("unknown p2p", p, sim + "p2p", '"eagre"', "eagre", "did you mean eager",
               "rendezvous"),
        change("unknown fidelity", s, sim + "fidelity", '"flow"', "did you mean flows", "steps"),
        change("unknown function", c, "function", '"ring_allreduces"',
               "did you mean ring_allreduce"),
        change("unknown precision", s, "precision", '"fp17"', "fp17", "did you mean fp1"),
        # meaning
        Change("half a backward", p, {sim + "backward": None, sim + "backward_weight": '"1 s"'},
               sim + "backward_weight", ("backward", "backward_input")),
        Change("parts that exceed the backward", p, {sim + "backward_weight": '"3 s"'},
               sim + "backward_weight", ("backward",)),
        Change("unlike virtual_stages", p,
               {"virtual_stages": "2", sim + "virtual_stages": "3",
                sim + "schedule": '"interleaved-1f1b"', sim + "stage_scale": None},
               sim + "virtual_stages", ("virtual_stages", "3", "2")),
        Change("a group that waits for itself", p,
               {"virtual_stages": "2", sim + "group": "2", sim + "schedule": '"interleaved-1f1b"',
                sim + "stage_scale": None}, sim + "group", ("group", "4")),
    )


def raws():
    good = toml_of(PIPELINE).encode()
    toml_place = r"{}:\d+:\d+"

    def broken(name, file, content, *says, place=toml_place, **more):
        return Raw(name, [file], INPUT, place.format(re.escape(file)), says, {file: content},
                   **more)

    yield from (
        broken("empty TOML", "x.toml", b"", "kind is missing", "pipeline-schedule"),
        broken("only blanks", "x.toml", b"\n \n# nothing\n", "kind is missing"),
        broken("empty JSON", "x.json", b"", "JSON"),
        broken("empty JSON object", "x.json", b"{}", "kind is missing", place=r"{}:/"),
        broken("JSON that is no object", "x.json", b"[1, 2]", "list", "object", place=r"{}(:/?)?"),
        broken("JSON null", "x.json", b"null", "null", "object", place=r"{}(:/?)?"),
        broken("broken TOML", "x.toml", b'kind = "collective"\nn = = 4\n', "TOML",
               place=r"{}:2:\d+"),
        broken("open TOML text", "x.toml", b'kind = "collective\nn = 4\n', "TOML",
               place=r"{}:1:\d+"),
        broken("TOML key given twice", "x.toml", b"n = 4\nn = 4\n", "n", place=r"{}:2:\d+"),
        broken("TOML date", "x.toml", b'kind = "collective"\nn = 2020-01-01\n', "date",
               place=r"{}:2:\d+"),
        broken("broken JSON", "x.json", b'{"kind": "collective",\n "n": }', "JSON",
               place=r"{}:2:\d+"),
        broken("cut JSON", "x.json", b'{"kind": "collective"', "JSON", place=r"{}:1:\d+"),
        broken("JSON and more", "x.json", b'{"kind": "collective"} x', "JSON", place=r"{}:1:\d+"),
        broken("NaN is not JSON", "x.json", b'{"n": NaN}', "JSON", place=r"{}:1:\d+"),
        broken("JSON number beyond a double", "x.json", b'{"n": 1e400}', "1e400",
               place=r"{}:1:\d+"),
        broken("JSON key given twice", "x.json",
               b'{"kind": "collective", "n": 4, "n": 5}', "twice", place=r"{}:/n"),
        broken("TOML bytes that are not UTF-8", "x.toml", b'kind = "\xff\xfe"\n', "utf-8",
               place=r"{}:1:\d+"),
        broken("JSON bytes that are not UTF-8", "x.json", b'{"kind": "\xff\xfe"}', "utf-8",
               place=r"{}:1:\d+"),
        broken("TOML in a .json file", "x.json", good, "JSON", place=r"{}:1:\d+"),
        broken("JSON in a .toml file", "x.toml", json_of(PIPELINE).encode(), "TOML",
               place=r"{}:1:\d+"),
        broken("JSON nested too deep", "x.json", b'{"a":' * 2000 + b"1" + b"}" * 2000, "deep",
               place=r"{}.*"),
        broken("TOML nested too deep", "x.toml", b"a = " + b"[" * 2000 + b"]" * 2000, "TOML",
               place=r"{}:1:\d+"),
        broken("TOML key of very many parts", "x.toml", b"a." * 200000 + b"a = 1\n", "",
               place=r"{}.*"),
        broken("a file of 17 MiB", "x.toml", b"#" * (17 << 20), "16 MiB", place=r"{}"),
        Raw("a folder", ["x.toml"], IO, r"x\.toml", ("folder",), {"x.toml": None}),
        Raw("a missing file", ["y.toml"], IO, r"y\.toml", ("No such file",)),
        Raw("a missing JSON file", ["y.json"], IO, r"y\.json", ("No such file",)),
        Raw("one of two files missing", ["x.toml", "y.toml"], IO, r"y\.toml", ("No such file",),
            {"x.toml": good}),
        # standard input
        Raw("stdin: empty", ["-"], INPUT, r"standard input:\d+:\d+", ("JSON",)),
        Raw("stdin: broken", ["-"], INPUT, r"standard input:1:\d+", ("JSON",), stdin=b'{"n": ]}'),
        Raw("stdin: wrong", ["-"], INPUT, r"standard input:/n", ("n is 0",),
            stdin=json_of(COLLECTIVE | {"n": "0"}).encode()),
        Raw("stdin: TOML", ["-"], INPUT, r"standard input:1:\d+", ("JSON",), stdin=good),
        # --set
        Raw("--set without =", ["x.toml", "--set", "stages"], INPUT, "--set stages",
            ("key=value",), {"x.toml": good}),
        Raw("--set without a key", ["x.toml", "--set", "=4"], INPUT, "--set =4", ("key=value",),
            {"x.toml": good}),
        Raw("--set of a wrong value", ["x.toml", "--set", "stages=0"], INPUT, "--set stages=0",
            ("stages is 0",), {"x.toml": good}),
        Raw("--set of an unknown key", ["x.toml", "--set", "stagse=2"], INPUT, "--set stagse=2",
            ("stagse", "did you mean stages"), {"x.toml": good}),
        Raw("--set through a value", ["x.toml", "--set", "stages.a=2"], INPUT,
            "--set stages.a=2", ("stages", "not a table"), {"x.toml": good}),
        Raw("--set of a bad unit", ["x.toml", "--set", "simulation.forward=2 GB"], INPUT,
            "--set simulation.forward=2 GB", ("a size", "a time"), {"x.toml": good}),
        Raw("--set of a list of the wrong length",
            ["x.toml", "--set", "simulation.stage_scale=[1, 2]"], INPUT,
            re.escape("--set simulation.stage_scale=[1, 2]"), ("2 entries", "4"),
            {"x.toml": good}),
        Raw("--set of an empty part", ["x.toml", "--set", "simulation..forward=1"], INPUT,
            "--set .*", (), {"x.toml": good}),
        Raw("--set of very many parts", ["x.toml", "--set", "a." * 60000 + "a=1"], INPUT, ".*",
            (), {"x.toml": good}),
    )


def command_lines():
    """Whole command lines: what is wrong stands before any verb's own work."""
    file = {"x.toml": toml_of(PIPELINE).encode()}
    line = "command line"
    yield from (
        Raw("no verb", [], INPUT, line, ("--help",)),
        Raw("unknown verb", ["frobnicate"], INPUT, line, ("frobnicate",)),
        Raw("unknown verb before a file", ["predcit", "x.toml"], INPUT, line, ("predcit",), file),
        Raw("unknown option", ["predict", "x.toml", "--frob"], INPUT, line, ("--frob",), file),
        Raw("unknown option of simulate", ["simulate", "x.toml", "--traces=out"], INPUT, line,
            ("--traces",), file),
        Raw("predict without a file", ["predict"], INPUT, line, ("file",)),
        Raw("simulate without a file", ["simulate"], INPUT, line, ("file",)),
        Raw("simulate with two files", ["simulate", "x.toml", "x.toml"], INPUT, line, ("files",),
            file),
        Raw("--set without a value", ["predict", "x.toml", "--set"], INPUT, line, ("--set",),
            file, json=False),  # a "--json" added here would be its value
        Raw("--max-tasks 0", ["simulate", "x.toml", "--max-tasks", "0"], INPUT, line,
            ("--max-tasks",), file),
        Raw("--max-tasks NaN", ["simulate", "x.toml", "--max-tasks", "nan"], INPUT, line,
            ("--max-tasks",), file),
        Raw("--max-tasks is no number", ["simulate", "x.toml", "--max-tasks", "many"], INPUT,
            line, ("--max-tasks",), file),
        Raw("--max-tasks binds no prediction", ["predict", "x.toml", "--max-tasks", "5"], INPUT,
            line, ("--max-tasks",), file),
        Raw("list without a topic", ["list"], INPUT, line, ("topic",)),
        Raw("list of nothing known", ["list", "scheduls"], INPUT, line,
            ("scheduls", "schedules", "collectives")),
    )


def outputs():
    """Output paths that cannot be written: found before the run ("N operations" starts it)."""
    big = {"x.toml": toml_of(entries(PIPELINE, {
        "stages": "16", "microbatches": "16384", "simulation.stage_scale": None})).encode()}
    ran = ("operations,",)

    def trace(name, path, exit_code, *says, files=None):
        return Raw(name, ["-v", "simulate", "x.toml", "--trace", path], exit_code,
                   re.escape(path) if exit_code == IO else ".*", says, files or big, not_says=ran)

    yield from (
        trace("trace in a missing folder", "missing/out.json", IO, "not exist"),
        trace("trace is a folder", "dir.json", IO, "folder", files=big | {"dir.json": None}),
        trace("trace below a file", "x.toml/out.json", IO, ""),
        trace("trace in no place for files", "/proc/out.json", IO, ""),
        trace("trace of an overlong name", "n" * 300 + ".json", IO, ""),
        trace("trace of an unknown format", "out.txt", INPUT, "out.txt", ".json"),
        trace("trace without an extension", "out", INPUT, "out", ".json"),
        Raw("traces below a file", ["validate", "x.toml", "--traces", "x.toml/out"], IO,
            ".*x.toml/out.*", (), big),
        Raw("traces folder is a file", ["validate", "x.toml", "--traces", "x.toml"], IO,
            ".*x.toml.*", (), big),
    )


# ---- writing scenarios


def entries(base, change_of):
    result = dict(base)
    for key, literal in change_of.items():
        result.pop(key, None)
        if literal is not None:
            result[key] = literal
    return result


def sections(scenario):
    """Top-level keys first, then those of each section; in order."""
    ordered = sorted(scenario.items(), key=lambda item: "." in item[0])
    return [(key.rpartition(".")[0], key.rpartition(".")[2], literal) for key, literal in ordered]


def toml_of(scenario):
    return "\n".join(toml_lines(scenario)[0]) + "\n"


def toml_lines(scenario):
    """The lines of the TOML file, and dotted key -> (line, column)."""
    lines, places, current = [], {}, ""
    for section, key, literal in sections(scenario):
        if section != current:
            lines.append(f"[{section}]")
            current = section
        lines.append(f"{key} = {literal}")
        dotted = f"{section}.{key}" if section else key
        places[dotted] = (len(lines), 1)
        if literal.startswith("{"):
            for part in re.finditer(r'(?<=[{, ])("?)([\w-]+)\1 = ', lines[-1][len(key) + 2:]):
                places[f"{dotted}.{part[2]}"] = (len(lines), len(key) + 3 + part.start())
    return lines, places


def json_of(scenario):
    return json.dumps(tomllib.loads(toml_of(scenario)))


# ---- running


class Checks:
    def __init__(self, program):
        self.program = program
        self.passed = 0
        self.failed = 0

    def check(self, label, good, detail=""):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAIL {label}: {detail}")

    def run(self, args, files, stdin):
        """One run in a fresh folder: exit code, stdout, stderr, what appeared or changed there."""
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = pathlib.Path(folder) / name
                path.mkdir() if content is None else path.write_bytes(content)
            before = listing(folder)
            try:
                done = subprocess.run([self.program, *args], cwd=folder, input=stdin,
                                      capture_output=True, timeout=TIMEOUT)
            except subprocess.TimeoutExpired:
                return "timeout", b"", b"", set()
            return (done.returncode, done.stdout, done.stderr,
                    set(before.items()) ^ set(listing(folder).items()))

    def refused(self, label, args, expected_exit, where, says, files, stdin=b"", not_says=(),
                as_json=True):
        """Runs as text and with --json and checks everything that holds for a refusal."""
        code, out, err, written = self.run(args, files, stdin)
        text = err.decode(errors="replace")
        self.check(f"{label}: exit", code == expected_exit,
                   f"exit {code}, not {expected_exit}: {text[:300]}")
        self.check(f"{label}: stdout", out == b"", f"stdout has {out[:100]!r}")
        self.check(f"{label}: files", not written, f"written: {sorted(written)}")
        problems = [line.removeprefix("lockstep: ") for line in text.splitlines()]
        pattern = re.compile(f"{where}: .*")
        placed = [line for line in problems if pattern.fullmatch(line)]
        self.check(f"{label}: place", placed, f"no line at {where}: {text[:300]}")
        self.check(f"{label}: cause",
                   any(holds(line, says) for line in placed or problems),
                   f"no line with {says}: {text[:300]}")
        self.check(f"{label}: in time", not holds_any(text, not_says), f"says {not_says}")
        if as_json:
            self.refused_json(label, args, expected_exit, where, says, files, stdin)

    def refused_json(self, label, args, expected_exit, where, says, files, stdin):
        code, out, err, written = self.run([*args, "--json"], files, stdin)
        text = err.decode(errors="replace")
        label += " --json"
        self.check(f"{label}: exit", code == expected_exit,
                   f"exit {code}, not {expected_exit}: {text[:300]}")
        self.check(f"{label}: stdout", out == b"", f"stdout has {out[:100]!r}")
        self.check(f"{label}: files", not written, f"written: {sorted(written)}")
        problems, strays = [], []
        for line in text.splitlines():
            try:
                problems.append(json.loads(line)["error"])
            except (ValueError, KeyError, TypeError):
                if "-v" not in args:  # else it is the log that was asked for
                    strays.append(line)
        self.check(f"{label}: one document a problem", not strays, f"no problems: {strays[:3]}")
        kinds = {INPUT: "input", UNSUPPORTED: "unsupported", IO: "io"}
        shaped = problems and all(
            list(problem) == ["kind", "where", "message", "hint"]
            and all(isinstance(value, str) for value in problem.values())
            and problem["kind"] == kinds[expected_exit] for problem in problems)
        self.check(f"{label}: shape", shaped, f"{problems[:2]}")
        placed = [problem for problem in problems if re.fullmatch(where, problem["where"])]
        self.check(f"{label}: cause",
                   any(holds(f"{p['message']} {p['hint']} {p['where']}", says) for p in placed),
                   f"none at {where} with {says}: {text[:300]}")


def listing(folder):
    return {str(path.relative_to(folder)): (path.stat().st_size, path.stat().st_mtime_ns,
                                            path.is_dir())
            for path in pathlib.Path(folder).rglob("*") if not path.is_dir()} | {
                str(path.relative_to(folder)): "folder"
                for path in pathlib.Path(folder).rglob("*") if path.is_dir()}


def holds(text, words):
    return all(word.lower() in text.lower() for word in words)


def holds_any(text, words):
    return any(word.lower() in text.lower() for word in words)


def pointer(dotted):
    return "/" + dotted.replace(".", "/")


def run_changes(checks):
    for case in changes():
        scenario = entries(case.base, case.change)
        lines, places = toml_lines(scenario)
        line, column = places.get(case.at, (1, 1))
        toml = ("\n".join(lines) + "\n").encode()
        for verb in ("predict", "simulate"):
            checks.refused(f"{case.name} [{verb} toml]", [verb, "bad.toml", *RUNS[verb]], INPUT,
                           rf"bad\.toml:{line}:{column}", case.says, {"bad.toml": toml})
        for verb in ("predict", "validate") if case.json else ():
            checks.refused(f"{case.name} [{verb} json]", [verb, "bad.json", *RUNS[verb]], INPUT,
                           re.escape(f"bad.json:{pointer(case.at)}"), case.says,
                           {"bad.json": json_of(scenario).encode()})


def run_raws(checks):
    for case in raws():
        for verb in ALL:
            if verb == "simulate" and case.name == "one of two files missing":
                continue  # it takes one file
            args = [verb, *case.args, *RUNS[verb]]
            if case.name == "one of two files missing" and verb == "predict":
                args = [verb, *reversed(case.args)]
            checks.refused(f"{case.name} [{verb}]", args, case.exit, case.where, case.says,
                           case.files, case.stdin, case.not_says)
    for case in [*command_lines(), *outputs()]:
        checks.refused(case.name, case.args, case.exit, case.where, case.says, case.files,
                       case.stdin, case.not_says, case.json)


def run_bases(checks):
    """The scenarios that the mistakes are made in are good ones."""
    for name, base in (("pipeline", PIPELINE), ("scale-out", SCALE_OUT),
                       ("collective", COLLECTIVE)):
        for verb in ALL:
            for file, content in (("good.toml", toml_of(base)), ("good.json", json_of(base))):
                code, _, err, _ = checks.run([verb, file], {file: content.encode()}, b"")
                checks.check(f"the good {name} [{verb} {file}]", code == 0, err.decode()[:300])


def run_limit(checks):
    """Too many operations: refused by the verbs that run, never by predict; the limit is named."""
    limit = 4_194_304
    for name, base in (
            ("pipeline", entries(PIPELINE, {"stages": "1000000000", "microbatches": "1000000000",
                                            "simulation.stage_scale": None})),
            ("scale-out", SCALE_OUT | {"nodes": "1000000", "devices_per_node": "1000000"}),
            ("collective", COLLECTIVE | {"n": "1000000", "simulation.fidelity": '"steps"'})):
        for file, content in (("big.toml", toml_of(base)), ("big.json", json_of(base))):
            files = {file: content.encode()}
            for verb in ("simulate", "validate"):
                checks.refused(f"too many operations, {name} [{verb} {file}]",
                               [verb, file, *RUNS[verb]], INPUT, rf"{re.escape(file)}.*",
                               (str(limit), "limit", "--max-tasks"), files)
            code, out, err, _ = checks.run(["predict", file, "--json"], files, b"")
            checks.check(f"predict of {name} knows no limit [{file}]", code == 0 and out,
                         err.decode()[:300])
    small = {"x.toml": toml_of(PIPELINE).encode()}
    checks.refused("a limit of 10", ["simulate", "x.toml", "--max-tasks", "10"], INPUT,
                   r"x\.toml.*", ("limit of 10", "--max-tasks"), small)
    code, _, err, _ = checks.run(["simulate", "x.toml", "--max-tasks", "112"], small, b"")
    checks.check("64 operations and 48 messages fit 112", code == 0, err.decode()[:300])
    checks.refused("64 operations and 48 messages exceed 111",
                   ["simulate", "x.toml", "--max-tasks", "111"], INPUT, r"x\.toml.*",
                   ("112", "limit of 111"), small)


def run_together(checks):
    """Several problems of a file are reported at once, each in its place."""
    scenario = entries(PIPELINE, {
        "stages": '"four"', "microbatches": "0", "targets": "[2.0]", "microbatchs": "1",
        "simulation.forward": "1", "simulation.backward": '"2 GB"', "simulation.p2p": '"eagre"',
        "simulation.stage_scale": None})
    lines, places = toml_lines(scenario)
    wrong = ("stages", "microbatches", "targets", "microbatchs", "simulation.forward",
             "simulation.backward", "simulation.p2p")
    for file, content in (("bad.toml", "\n".join(lines) + "\n"), ("bad.json", json_of(scenario))):
        for verb in ALL:
            label = f"all at once [{verb} {file}]"
            code, out, err, written = checks.run([verb, file, *RUNS[verb], "--json"],
                                                 {file: content.encode()}, b"")
            checks.check(f"{label}: exit", code == INPUT and out == b"" and not written, str(code))
            found = [json.loads(line)["error"]["where"] for line in err.decode().splitlines()]
            for key in wrong:
                place = "{}:{}:{}".format(file, *places[key]) if file.endswith(".toml") else (
                    f"{file}:{pointer(key)}")
                checks.check(f"{label}: {key}", place in found, f"{place} not in {found}")
            checks.check(f"{label}: nothing else", len(found) == len(wrong), f"{found}")


def run_set_over_file(checks):
    """A mistake that --set repairs is none."""
    files = {"x.toml": toml_of(PIPELINE | {"stages": "0"}).encode()}
    code, _, err, _ = checks.run(["predict", "x.toml", "--set", "stages=4"], files, b"")
    checks.check("--set repairs a key", code == 0, err.decode()[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        print(f"skipped: {options.program} is not a program")
        return 77
    checks = Checks(os.path.abspath(options.program))
    run_bases(checks)
    run_changes(checks)
    run_raws(checks)
    run_limit(checks)
    run_together(checks)
    run_set_over_file(checks)
    print(f"{sum(1 for _ in changes())} mistakes in scenarios, {sum(1 for _ in raws())} in files, "
          f"{sum(1 for _ in command_lines()) + sum(1 for _ in outputs())} on the command line")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
