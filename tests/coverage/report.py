#!/usr/bin/env python3
"""What tests never run, from llvm-cov's JSON (docs/TESTING.md, Coverage).

usage: report.py [--details FILE] EXPORT.json [FOLDER...]
Prints functions, lines and branches reached, by file, of the named folders (default: engine). With --details, FILE gets
what was not: functions never called, lines never run, and branches of lines that did run of which one side never was.

A branch has two sides, both to be taken. The side of a CHECK that fails is none, nor is a side that the compiler knows.
Instantiations of a template count as one piece of code: what one of them reaches is reached.
"""

import argparse
import collections
import dataclasses
import itertools
import json
import pathlib
import re
import shutil
import subprocess

_NOTHING_THERE = re.compile(r"^[\s{}();]*(//.*)?$|^\s*(\}\s*)?else\s*\{?\s*$")


@dataclasses.dataclass
class FileReport:
    name: str
    functions: dict  # (line, mangled name) -> count
    lines: dict      # line -> count
    branches: dict   # (line, column, end column; 0: on a later line) -> [times true, times false]
    source: list

    def never_called(self):
        return [key for key, count in sorted(self.functions.items()) if count == 0]

    def never_run(self):
        return [line for line, count in sorted(self.lines.items())
                if count == 0 and not _NOTHING_THERE.match(self.text(line))]

    def never_taken(self):
        """(line, column, end column, side) for each side not taken of a branch that was come to."""
        return [(*key, side) for key, (true, false) in sorted(self.branches.items()) if true or false
                for side, count in (("true", true), ("false", false)) if count == 0]

    def text(self, line):
        return self.source[line - 1] if line <= len(self.source) else ""


def line_counts(segments):
    """How often each line ran: llvm-cov's own rule, the most often run of the regions that begin on it."""
    counts = {}
    wrapped = None
    by_line = {line: list(group) for line, group in itertools.groupby(segments, key=lambda segment: segment[0])}
    for line in range(min(by_line, default=1), max(by_line, default=0) + 1):
        here = by_line.get(line, [])
        starts = [segment for segment in here if segment[3] and segment[4] and not segment[5]]
        skipped = bool(here) and not here[0][3] and here[0][4]
        if not skipped and ((wrapped and wrapped[3]) or starts):
            counts[line] = max(segment[2] for segment in ([wrapped] if wrapped else []) + starts)
        wrapped = here[-1] if here else wrapped
    return counts


def branch_counts(branches, source):
    counts = collections.defaultdict(lambda: [0, 0])
    for line, column, end_line, end_column, true, false, *_ in branches:
        if source[line - 1].lstrip().startswith("CHECK("):
            continue
        sides = counts[(line, column, end_column if end_line == line else 0)]
        sides[0] += true
        sides[1] += false
    return dict(counts)


def read_export(export, root, folders):
    data = export["data"][0]
    functions = collections.defaultdict(lambda: collections.defaultdict(int))
    for function in data["functions"]:
        # One line may hold several functions, but instantiations of one begin at the same place.
        start = tuple(function["regions"][0][:2])
        functions[function["filenames"][0]][start] += function["count"]
    names = {(function["filenames"][0], tuple(function["regions"][0][:2])): function["name"]
             for function in data["functions"]}
    reports = []
    for file in data["files"]:
        path = pathlib.Path(file["filename"])
        if not path.is_relative_to(root):
            continue
        name = path.relative_to(root).as_posix()
        if not any(name == folder or name.startswith(folder.rstrip("/") + "/") for folder in folders):
            continue
        source = path.read_text(encoding="utf-8").splitlines()
        called = {(start[0], names[file["filename"], start]): count
                  for start, count in functions[file["filename"]].items()}
        reports.append(FileReport(name, called, line_counts(file["segments"]),
                                  branch_counts(file["branches"], source), source))
    return sorted(reports, key=lambda report: report.name)


def ranges(numbers):
    """[1, 2, 3, 7] -> [(1, 3), (7, 7)]"""
    found = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def figures(report):
    sides = 2 * len(report.branches)
    taken = sum((true > 0) + (false > 0) for true, false in report.branches.values())
    called = sum(count > 0 for count in report.functions.values())
    run = sum(count > 0 for count in report.lines.values())
    return [called, len(report.functions), run, len(report.lines), taken, sides]


def summary(reports):
    rows = [(report.name, figures(report)) for report in reports]
    rows.append(("total", [sum(column) for column in zip(*(row[1] for row in rows))] or [0] * 6))
    width = max(len(name) for name, _ in rows)
    lines = [f"{'file':{width}}  {'functions':>13}  {'lines':>20}  {'branch sides':>20}"]
    for name, (called, functions, run, all_lines, taken, sides) in rows:
        def share(part, whole):
            return f"{100 * part / whole:5.1f} %" if whole else "    -  "
        lines.append(f"{name:{width}}  {called:>5} of {functions:<4}  {run:>5} of {all_lines:<4} {share(run, all_lines)}"
                     f"  {taken:>5} of {sides:<4} {share(taken, sides)}")
    return lines


def demangled(names):
    tool = shutil.which("llvm-cxxfilt-19") or shutil.which("c++filt")
    if not names or tool is None:
        return names
    # Static functions have the path of their file before the name.
    bare = [name.rsplit(":", 1)[-1] for name in names]
    answer = subprocess.run([tool], input="\n".join(bare), capture_output=True, text=True, check=True)
    return answer.stdout.splitlines()


def details(reports):
    """One line for each thing not reached, path:line: first, as editors like it."""
    for report in reports:
        missed = report.never_called()
        for (line, _), name in zip(missed, demangled([name for _, name in missed])):
            yield f"{report.name}:{line}: never called: {name}"
        for first, last in ranges(report.never_run()):
            span = f"{first}" if first == last else f"{first}-{last}"
            yield f"{report.name}:{span}: never run: {report.text(first).strip()}"
        for line, column, end, side in report.never_taken():
            condition = report.text(line)[column - 1:end - 1 if end else None].strip()
            yield f"{report.name}:{line}:{column}: never {side}: {condition}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export")
    parser.add_argument("--details")
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    arguments = parser.parse_args()
    with open(arguments.export, encoding="utf-8") as file:
        reports = read_export(json.load(file), pathlib.Path.cwd(), arguments.folders or ["engine"])
    if arguments.details:
        with open(arguments.details, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in details(reports))
    print("\n".join(summary(reports)))


if __name__ == "__main__":
    main()
