#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The house rules that a compiler does not see: layers, lists, sizes, headers, chapters.

Before it looks at the tree it makes small trees with one fault each and sees that every rule finds
its fault: a rule that cannot fail guards nothing.

usage: layering.py --program PATH --source DIR
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

LONGEST_FILE = 400  # lines
LONGEST_FUNCTION = 60  # lines, braces included

# Functions that may be longer, each with its reason: "file: first line of the function".
LONG_FUNCTIONS = {}

LAYERS = ("platforms", "analytic", "traces", "sim")
MAY_INCLUDE = {
    "platforms": {"platforms"},
    "analytic": {"platforms", "analytic"},
    "traces": {"platforms", "traces"},
    "sim": {"platforms", "analytic", "traces", "sim"},
}
# Parts of sim that stay below its top: what each may include of sim.
PARTS_OF_SIM = {
    "sim/graph": {"sim/graph"},
    "sim/schedules": {"sim/schedules", "sim/graph"},
    "sim/collectives": {"sim/collectives", "sim/schedules", "sim/graph"},
    "sim/lower": {"sim/lower", "sim/collectives", "sim/schedules", "sim/graph"},
    "sim/engine": {"sim/engine", "sim/graph"},
}
# Headers of other projects: where each may appear.
FOREIGN = {
    r"(simgrid|xbt|surf)/": r"sim/engine/[^/]+\.cpp|tests/(contract|bench)/.*",
    r"boost/": r"sim/graph/.*|tests/.*",
    r"toml\+\+/": r"platforms/toml_file\.cpp",
    r"nlohmann/": r"(platforms/json_file|platforms/\w+_reader|traces/\w+_reader)\.cpp|tests/.*",
    r"CLI/": r"sim/app/.*",
    r"(catch2|rapidcheck|benchmark)/|rapidcheck\.h": r"tests/.*",
}
# Lowering makes operations and messages; it may not look the answers up.
LOWERING = "sim/lower"
ANSWERS = "analytic/formulas/"
# Lists of units: list, its macro, the folder of the units, and how a unit's Info is named.
LISTS = (
    ("sim/schedules/schedules.def", "LOCKSTEP_SCHEDULE", "sim/schedules", "ScheduleInfo",
     "schedule"),
    ("sim/collectives/collectives.def", "LOCKSTEP_COLLECTIVE", "sim/collectives",
     "CollectiveInfo", "collective"),
    ("analytic/formulas.def", "LOCKSTEP_FORMULA", "analytic/formulas", "FormulaInfo", "formula"),
    ("traces/writers/writers.def", "LOCKSTEP_WRITER", "traces/writers", "WriterInfo", "writer"),
    ("sim/kinds/kinds.def", "LOCKSTEP_KIND", "sim/kinds", "KindInfo", "kind"),
)
CODE = (".cpp", ".hpp")
SOURCES = (".cpp", ".hpp", ".py", ".cmake", ".sh")
TEXTS = SOURCES + (".md", ".txt", ".toml", ".def", ".json", ".yml", ".yaml", ".in", "")
SPDX = "SPDX-License-Identifier: Apache-2.0"
# Written in pieces, so that this file does not hold what it looks for.
BETRAYALS = {
    "an absolute path": r"(?<![\w.:/-])/(?:" + "|".join(("wo" + "rk", "t" + "mp", "ro" + "ot",
                                                          "ho" + "me")) + r")/",
    "a note to self": r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "X" + "XX")) + r")\b",
}


# ---- the tree


def read_tree(source):
    """Path -> text of every tracked file; without git, of every file outside build folders."""
    listed = subprocess.run(["git", "-C", str(source), "ls-files", "-z"], capture_output=True)
    if listed.returncode == 0 and listed.stdout:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(source):
            folders[:] = [name for name in folders if name not in ("build", "out", "__pycache__")
                          and name != ".git"]
            names += [str((pathlib.Path(folder) / name).relative_to(source)) for name in files]
    tree = {}
    for name in sorted(names):
        path = pathlib.Path(source) / name
        if path.suffix in TEXTS and path.is_file():
            tree[name] = path.read_text(encoding="utf-8", errors="replace")
    return tree


def code_of(tree):
    return {path: text for path, text in tree.items() if path.endswith(CODE)}


def layer_of(path):
    first = path.split("/")[0]
    return first if first in LAYERS else None


def includes_of(text):
    """(line number, header, whether in quotes) of every include."""
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if found:
            yield number, found[2], found[1] == '"'


def project_path(header, includer, tree):
    """The file of the tree that an include means, or None."""
    if header.startswith("lockstep/"):
        return header.removeprefix("lockstep/")
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), header))
    return beside if beside in tree else None


def blanked(text):
    """The code with comments, texts and characters blanked out; lines stay where they are."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"'
        r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'|^[ \t]*#[^\n]*(?:\\\n[^\n]*)*", re.S | re.M)
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)


# ---- the rules: each takes the tree and gives problems, "file:line: what"


def layers(tree):
    for path, text in code_of(tree).items():
        layer = layer_of(path)
        for number, header, _ in includes_of(text):
            target = project_path(header, path, tree)
            if layer is None or target is None:
                continue
            if layer_of(target) is None:
                yield f"{path}:{number}: includes {header}, which is of no layer"
            elif layer_of(target) not in MAY_INCLUDE[layer]:
                yield f"{path}:{number}: {layer} may not include {layer_of(target)} ({header})"


def parts_of_sim(tree):
    for path, text in code_of(tree).items():
        allowed = PARTS_OF_SIM.get("/".join(path.split("/")[:2]))
        if allowed is None:
            continue
        for number, header, _ in includes_of(text):
            target = project_path(header, path, tree)
            if target is None or layer_of(target) != "sim":
                continue
            if os.path.dirname(target) not in allowed:
                yield f"{path}:{number}: {os.path.dirname(path)} may not include {target}"


def foreign_headers(tree):
    for path, text in code_of(tree).items():
        for number, header, _ in includes_of(text):
            for pattern, places in FOREIGN.items():
                if re.match(pattern, header) and not re.fullmatch(places, path):
                    yield f"{path}:{number}: {header} may stand only in {places}"


def existing_includes(tree):
    """An include of the project names a file of the tree: else the rules above see nothing."""
    for path, text in code_of(tree).items():
        for number, header, _ in includes_of(text):
            if header.startswith("lockstep/") and header.removeprefix("lockstep/") not in tree:
                yield f"{path}:{number}: includes {header}, which is not in the tree"


def lowering(tree):
    """What lowering reaches through the includes of its includes."""
    for start in code_of(tree):
        if not start.startswith(LOWERING):
            continue
        came_from, waiting = {start: None}, [start]
        while waiting:
            path = waiting.pop()
            for _, header, _ in includes_of(tree.get(path, "")):
                target = project_path(header, path, tree)
                if target is not None and target not in came_from:
                    came_from[target] = path
                    waiting.append(target)
        for target in sorted(came_from):
            if target.startswith(ANSWERS):
                yield f"{start}:1: reaches {target} by {route(came_from, target)}"


def route(came_from, target):
    steps = []
    while target is not None:
        steps.insert(0, target)
        target = came_from[target]
    return " -> ".join(steps)


def unit_lists(tree):
    for list_path, macro, folder, info, prefix in LISTS:
        if list_path not in tree:
            continue
        listed = re.findall(rf"^\s*{macro}\(\s*(\w+)\s*\)", tree[list_path], re.M)
        for unit in listed:
            if listed.count(unit) > 1:
                yield f"{list_path}:1: {unit} is listed twice"
            if f"{folder}/{unit}.cpp" not in tree:
                yield f"{list_path}:1: lists {unit}, but there is no {folder}/{unit}.cpp"
            elif not re.search(rf"^const {info} {prefix}_{unit}\b\s*[={{]",
                               tree[f"{folder}/{unit}.cpp"], re.M):
                yield f"{folder}/{unit}.cpp:1: is listed, but defines no {prefix}_{unit}"
        for path, text in code_of(tree).items():
            for name in re.findall(rf"^const {info} (\w+)\s*[={{]", text, re.M):
                stem = pathlib.PurePath(path).stem
                if os.path.dirname(path) != folder or name != f"{prefix}_{stem}":
                    yield f"{path}:1: defines {name}; its place is {folder}/, its name the file's"
                elif stem not in listed:
                    yield f"{path}:1: defines {name}, which {list_path} does not list"


def file_sizes(tree):
    for path, text in code_of(tree).items():
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            yield f"{path}:{LONGEST_FILE + 1}: has {lines} lines, more than {LONGEST_FILE}"


def function_sizes(tree):
    for path, text in code_of(tree).items():
        for first, last, head in functions_of(text):
            lines = last - first + 1
            if lines > LONGEST_FUNCTION and f"{path}: {head}" not in LONG_FUNCTIONS:
                yield (f"{path}:{first}: {head[:60]} has {lines} lines, more than "
                       f"{LONGEST_FUNCTION}")


def functions_of(text):
    """(first line, last line, head) of every function: braces whose head ends in a parameter
    list. A brace inside a function opens no other."""
    code = blanked(text)
    stack, head_start, inside = [], 0, 0
    for at, char in enumerate(code):
        if char == ";" and not open_bracket(code, head_start, at):
            head_start = at + 1
        elif char == "{" and (code[at - 1].isalnum() or code[at - 1] in "_>"):
            stack.append(None)  # "x_{1}": an initializer, part of what stands before it
        elif char == "}" and stack and stack[-1] is None:
            stack.pop()
        elif char == "{":
            head = " ".join(code[head_start:at].split())
            is_function = inside == 0 and bool(re.search(
                r"\)\s*(const|noexcept|override|final|mutable|&|->[\w:<>,\s*&]+|"
                r":\s*\w.*)*$", head)) and not re.search(r"\b(namespace|class|struct|enum)\b[^)]*$",
                                                         head)
            stack.append((is_function, code.count("\n", 0, first_code(code, head_start)) + 1,
                          " ".join(text[first_code(code, head_start):at].split())))
            inside += is_function
            head_start = at + 1
        elif char == "}":
            if stack:
                was_function, first, head = stack.pop()
                inside -= was_function
                if was_function:
                    yield first, code.count("\n", 0, at) + 1, head
            head_start = at + 1


def open_bracket(code, start, at):
    return code.count("(", start, at) > code.count(")", start, at)


def first_code(code, start):
    while start < len(code) - 1 and code[start].isspace():
        start += 1
    return start


def headers(tree):
    for path, text in code_of(tree).items():
        lines = text.splitlines() or [""]
        if SPDX not in lines[0]:
            yield f"{path}:1: does not begin with {SPDX}"
        if not path.endswith(".hpp"):
            continue
        if "#pragma once" not in text:
            yield f"{path}:1: has no #pragma once"
        if layer_of(path) and not re.search(r"^// Layer: ", text, re.M):
            yield f'{path}:1: has no "Layer:" line'


def license_lines(tree):
    for path, text in tree.items():
        if path.endswith((".py", ".sh")) and SPDX not in "\n".join(text.split("\n")[:3]):
            yield f"{path}:1: has no {SPDX} in its first lines"


def chapters(tree):
    folders = {os.path.dirname(path) for path in tree if path.endswith(SOURCES)}
    folders |= {path.split("/")[0] for path in tree if path.startswith("examples/")}
    for folder in sorted(folders):
        if f"{folder}/README.md".lstrip("/") not in tree:
            yield f"{folder or '.'}:1: holds sources but no README.md"


def betrayals(tree):
    for path, text in tree.items():
        for number, line in enumerate(text.splitlines(), 1):
            for what, pattern in BETRAYALS.items():
                found = re.search(pattern, line)
                if found:
                    yield f"{path}:{number}: {what}: {found[0]}"


RULES = (layers, parts_of_sim, foreign_headers, existing_includes, lowering, unit_lists,
         file_sizes, function_sizes, headers, license_lines, chapters, betrayals)


# ---- the rules themselves are tried first


def header(*lines, layer="x"):
    return f"// {SPDX}\n// Layer: {layer}.\n#pragma once\n" + "".join(f"{x}\n" for x in lines)


def source(*lines):
    return f"// {SPDX}\n" + "".join(f"{line}\n" for line in lines)


def sound_tree():
    """A small house in order."""
    tree = {f"{folder}/README.md": "A chapter.\n" for folder in
            ("platforms", "analytic", "analytic/formulas", "traces", "traces/writers", "sim",
             "sim/app", "sim/graph", "sim/engine", "sim/lower", "sim/schedules",
             "sim/collectives", "sim/kinds", "examples", "tests")}
    tree |= {
        "platforms/error.hpp": header("struct Error {};"),
        "platforms/toml_file.cpp": source("#include <toml++/toml.h>"),
        "platforms/json_file.cpp": source("#include <nlohmann/json.hpp>"),
        "analytic/bubble.hpp": header('#include "lockstep/platforms/error.hpp"'),
        "analytic/formulas/ring.hpp": header("double ring();"),
        "traces/timeline.hpp": header('#include "lockstep/platforms/error.hpp"'),
        "sim/graph/graph.hpp": header('#include "lockstep/traces/timeline.hpp"'),
        "sim/graph/graph.cpp": source("#include <boost/graph/adjacency_list.hpp>"),
        "sim/engine/engine.hpp": header('#include "lockstep/sim/graph/graph.hpp"'),
        "sim/engine/engine.cpp": source("#include <simgrid/s4u.hpp>",
                                        '#include "lockstep/sim/engine/engine.hpp"'),
        "sim/lower/lower.hpp": header('#include "lockstep/analytic/bubble.hpp"'),
        "sim/lower/lower.cpp": source('#include "lockstep/sim/lower/lower.hpp"'),
        "sim/app/main.cpp": source("#include <CLI/CLI.hpp>", "int main() {", "  return 0;", "}"),
        "tests/unit.cpp": source('#include "lockstep/sim/lower/lower.hpp"'),
        "examples/a.toml": 'kind = "collective"\n',
    }
    for list_path, macro, folder, info, prefix in LISTS:
        tree[list_path] = f"// Units: {macro}(unit).\n{macro}(one)\n"
        tree[f"{folder}/one.cpp"] = source(f"extern const {info} {prefix}_one;",
                                           f"const {info} {prefix}_one{{.name = 1}};")
    return tree


def long_function(lines):
    return source("namespace a {", "void f(int x)", "{", *["  x = 1;"] * (lines - 3), "}", "}")


def faults():
    """(rule, path, text, what its message must name); text None takes the file away."""
    def including(header_name, quoted=True):
        return source(f'#include "{header_name}"' if quoted else f"#include <{header_name}>")

    timeline, bubble = "lockstep/traces/timeline.hpp", "lockstep/analytic/bubble.hpp"
    engine = "lockstep/sim/engine/engine.hpp"
    for path, target in (
            ("platforms/x.cpp", bubble), ("platforms/x.cpp", timeline), ("platforms/x.cpp", engine),
            ("analytic/x.cpp", timeline), ("analytic/x.cpp", engine), ("traces/x.cpp", bubble),
            ("traces/writers/x.cpp", engine)):
        yield layers, path, including(target), target
    yield layers, "platforms/x.hpp", header('#include "../traces/timeline.hpp"'), "timeline"
    yield layers, "traces/x.cpp", including(bubble, quoted=False), bubble
    yield layers, "sim/x.cpp", including("lockstep/tests/x.hpp"), "tests/x.hpp"
    yield parts_of_sim, "sim/graph/x.cpp", including(engine), "engine.hpp"
    yield parts_of_sim, "sim/engine/x.cpp", including("lockstep/sim/lower/lower.hpp"), "lower.hpp"
    yield parts_of_sim, "sim/lower/x.cpp", including(engine), "engine.hpp"
    for path, target in (
            ("sim/engine/x.hpp", "simgrid/s4u.hpp"), ("sim/x.cpp", "simgrid/s4u.hpp"),
            ("sim/graph/x.cpp", "simgrid/engine.h"), ("tests/unit/x.cpp", "simgrid/s4u.hpp"),
            ("sim/x.cpp", "boost/graph/graph_traits.hpp"), ("platforms/x.cpp", "toml++/toml.h"),
            ("sim/app/x.cpp", "nlohmann/json.hpp"), ("sim/x.cpp", "CLI/CLI.hpp"),
            ("platforms/x.cpp", "CLI/App.hpp"), ("sim/x.cpp", "catch2/catch.hpp")):
        yield foreign_headers, path, including(target, quoted=False), target
    yield existing_includes, "sim/x.cpp", including("lockstep/sim/gone.hpp"), "gone.hpp"
    ring = "lockstep/analytic/formulas/ring.hpp"
    yield lowering, "sim/lower/x.cpp", including(ring), "formulas/ring.hpp"
    yield lowering, "analytic/bubble.hpp", header(f'#include "{ring}"'), "formulas/ring.hpp"
    yield lowering, "sim/lower/lower.hpp", header('#include "../../analytic/formulas/ring.hpp"'), \
        "formulas/ring.hpp"
    for list_path, macro, folder, info, prefix in LISTS:
        unlisted = source(f"extern const {info} {prefix}_two;", f"const {info} {prefix}_two{{}};")
        yield unit_lists, f"{folder}/two.cpp", unlisted, "does not list"
        yield unit_lists, list_path, f"{macro}(one)\n{macro}(two)\n", "no " + folder
        yield unit_lists, list_path, f"{macro}(one)\n{macro}(one)\n", "twice"
        yield unit_lists, f"{folder}/one.cpp", source("int x;"), f"defines no {prefix}_one"
        yield unit_lists, "sim/elsewhere.cpp", unlisted, "its place"
        yield unit_lists, list_path, f"// {macro}(one)\n", "does not list"
    yield file_sizes, "sim/x.cpp", source(*["int x;"] * LONGEST_FILE), "401 lines"
    yield file_sizes, "tests/x.hpp", header(*["int x;"] * LONGEST_FILE), "403 lines"
    yield function_sizes, "sim/x.cpp", long_function(LONGEST_FUNCTION + 1), "61 lines"
    yield function_sizes, "sim/x.cpp", source(
        "class A {", " public:", "  A() : x_{1} {", *["  f(\"}\");  // }"] * 70, "  }", "};"), "A()"
    yield function_sizes, "sim/x.cpp", source(
        "auto f() -> std::vector<int> {", *["  if (x) { y(); }"] * 70, "}"), "f()"
    yield headers, "sim/x.hpp", "// Layer: sim.\n#pragma once\n", "SPDX"
    yield headers, "sim/x.cpp", "int x;\n", "SPDX"
    yield headers, "sim/x.hpp", f"// {SPDX}\n#pragma once\n", "Layer"
    yield headers, "sim/x.hpp", f"// {SPDX}\n// Layer: sim.\n", "pragma"
    yield license_lines, "tests/x.py", "print(1)\n", "SPDX"
    yield chapters, "sim/new/x.cpp", source("int x;"), "sim/new"
    yield chapters, "sim/lower/README.md", None, "sim/lower"
    yield chapters, "examples/README.md", None, "examples"
    for word in ("/wo" + "rk/main", "/t" + "mp/x", "'/ro" + "ot/x'", "TO" + "DO: later",
                 "FIX" + "ME", "X" + "XX"):
        yield betrayals, "sim/x.cpp", source(f"// see {word}"), word.strip("'")[:4]
        yield betrayals, "sim/README.md", f"See {word}.\n", word.strip("'")[:4]


def innocents():
    """What must not be reported."""
    yield "sim/x.cpp", long_function(LONGEST_FUNCTION)
    yield "sim/x.cpp", source(*["int x;"] * (LONGEST_FILE - 1))
    yield "sim/x.cpp", source("namespace a {", *["int x;"] * 100, "}")
    yield "sim/x.cpp", source("class A {", *["  int x() { return 1'000; }"] * 100, "};")
    yield "sim/x.cpp", source("const int table[] = {", *["  f(1),"] * 100, "};")
    yield "sim/x.cpp", source("// The document/work/x of x/tmp/y; https://a.b/home/x")
    yield "platforms/x.cpp", source("// #include <simgrid/s4u.hpp>")
    yield "sim/engine/x.cpp", source("#include <xbt/log.h>")


def write_tree(folder, tree):
    for path, text in tree.items():
        target = pathlib.Path(folder) / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def found_in(changed):
    """rule -> problems of the sound tree with one file changed, read from disk."""
    tree = sound_tree()
    for path, text in changed:
        tree.pop(path, None)
        if text is not None:
            tree[path] = text
    with tempfile.TemporaryDirectory() as folder:
        write_tree(folder, tree)
        read = read_tree(folder)
    return {rule: list(rule(read)) for rule in RULES}


def self_test():
    """Gives (passed, failures)."""
    passed, failures = 0, []

    def expect(label, good, detail):
        nonlocal passed
        if good:
            passed += 1
        else:
            failures.append(f"self-test, {label}: {detail}")

    for label, changed in [("the sound tree", [])] + [(path, [(path, text)])
                                                      for path, text in innocents()]:
        reported = [p for problems in found_in(changed).values() for p in problems]
        expect(f"innocent {label}", not reported, reported)
    tried = set()
    for rule, path, text, named in faults():
        problems = found_in([(path, text)])[rule]
        tried.add(rule)
        expect(f"{rule.__name__} in {path}", any(named in problem for problem in problems),
               f"does not report {named!r}: {problems}")
    expect("every rule is tried", tried == set(RULES), set(RULES) - tried)
    return passed, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", help="taken for symmetry with the other checks; not run")
    parser.add_argument("--source", required=True, type=pathlib.Path)
    options = parser.parse_args()
    passed, failures = self_test()
    print(f"self-test: {passed} passed, {len(failures)} failed")
    tree = read_tree(options.source)
    if not all(any(layer_of(path) == layer for path in code_of(tree)) for layer in LAYERS):
        failures.append(f"{options.source} holds no such tree")
    for rule in RULES:
        problems = list(rule(tree))
        print(f"{rule.__name__.replace('_', ' ')}: {len(problems)} problems")
        failures += problems
        passed += not problems
    for failure in failures:
        print(f"FAIL {failure}")
    print(f"checked {len(code_of(tree))} C++ files of {len(tree)} files")
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
