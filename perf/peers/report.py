#!/usr/bin/env python3
"""Tornleaf beside LMDB, SQLite and WiredTiger on the same keys, in one run and one thread.

    report.py [--rounds N] [--keys N] [--skip-instructions] [--build FOLDER] [--results FOLDER]

Prints the tables as Markdown and writes FOLDER/<date>-peers.json (tornleaf.peers/1): every round, the settings, the
machine. perf/README.md says what the numbers mean. Exit code 1 if it could not run or an engine answered wrong.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "perf"))
sys.dont_write_bytecode = True

import bench  # noqa: E402

OURS = "Tornleaf"
LINES = {
    "insert": "insert, random order", "lookup": "point lookup, random", "scan": "full scan, a row",
    "range": "range scan of 100 rows", "count": "count, a row",
}
KEYS = ("url", "int8")

# Fewer rows under callgrind, which is about fifty times as slow.
INSTRUCTION_KEYS = {"--keys": "100000", "--lookups": "50000", "--ranges": "2000", "--rounds": "1"}


def run_engines(program, arguments):
    command = [program, "--keys", arguments.keys, "--lookups", max(arguments.keys // 3, 1), "--ranges",
               max(arguments.keys // 60, 1), "--rounds", arguments.rounds]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise bench.BenchError("an engine failed or answered wrong; see above")
    return json.loads(done.stdout)


def count_instructions(program):
    """Our own lines under callgrind: "int8/lookup" -> instructions an operation."""
    with tempfile.TemporaryDirectory() as folder:
        options = [word for pair in INSTRUCTION_KEYS.items() for word in pair]
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={folder}/out",
                   program, "--engine", OURS, "--folder", f"{folder}/index", *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise bench.BenchError(f"callgrind failed: {done.stderr.strip()[-300:]}")
        operations = {(run["keys"], run["line"]): run["operations"] for run in json.loads(done.stdout)["runs"]}
        counted = {}
        for path in pathlib.Path(folder).glob("out.*"):
            text = path.read_text(encoding="utf-8", errors="replace")
            label = re.search(rf"Trigger: Client Request: {OURS}/(\w+)/(\w+)", text)
            # The summary of a part is wrong where collection was off before it (valgrind 3.19).
            total = re.search(r"^totals: (\d+)", text, re.MULTILINE)
            if label and total:
                key = (label.group(1), label.group(2))
                counted["/".join(key)] = round(int(total.group(1)) / operations[key], 1)
        return counted


class Table:
    """Costs by (engine, keys, line), of all rounds."""

    def __init__(self, document):
        self.engines = [engine["name"] for engine in document["engines"]]
        self._costs = {}
        for run in document["runs"]:
            self._costs.setdefault((run["engine"], run["keys"], run["line"]), []).append(run)
        self._sizes = {(size["engine"], size["keys"]): size["bytes"] for size in document["sizes"]}

    def cost(self, engine, keys, line, clock, choose=min):
        return choose(run[clock] for run in self._costs[engine, keys, line])

    def rows(self):
        """Least CPU time of the thread; in brackets the median, and in the last column what the next best takes of it."""
        others = [engine for engine in self.engines if engine != OURS]
        rows = [("keys", "line, ns of CPU time", *self.engines, "best other / ours")]
        for keys in KEYS:
            for line, text in LINES.items():
                cells = [
                    f"{number(self.cost(engine, keys, line, 'thread_ns'))} "
                    f"({number(self.cost(engine, keys, line, 'thread_ns', statistics.median))})"
                    for engine in self.engines
                ]
                ratio = "-"
                if OURS in self.engines and others:
                    best = min(self.cost(engine, keys, line, "thread_ns") for engine in others)
                    ratio = f"{best / self.cost(OURS, keys, line, 'thread_ns'):.2f}"
                rows.append((keys, text, *cells, ratio))
            sizes = [f"{self._sizes[engine, keys] / 1e6:.0f}" for engine in self.engines]
            rows.append((keys, "MB on disk", *sizes, ""))
        return rows


def number(ns):
    """Three figures or whole nanoseconds."""
    return f"{ns:.0f}" if ns >= 100 else f"{ns:.1f}" if ns >= 1 else f"{ns:.2g}"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured (3)")
    parser.add_argument("--keys", type=int, default=bench.ROWS, help=f"rows of each data set ({bench.ROWS})")
    parser.add_argument("--skip-instructions", action="store_true", help="no callgrind")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where the program is")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "perf/results", help="where the JSON goes")
    arguments = parser.parse_args()
    if arguments.rounds < 1 or arguments.keys < 1:
        parser.error("--rounds and --keys must be at least 1")
    return arguments


def main():
    arguments = parse_arguments()
    began, load_before = time.monotonic(), os.getloadavg()[0]
    program = arguments.build / "peers-bench"
    document = run_engines(program, arguments)
    load_after = os.getloadavg()[0]
    instructions = {} if arguments.skip_instructions else count_instructions(program)
    machine = bench.describe_machine(arguments.build)
    date = datetime.date.today().isoformat()
    rows = Table(document).rows()
    document = {
        "schema": "tornleaf.peers/1", "date": date, "machine": machine,
        "load_average_before": round(load_before, 2), "load_average_after": round(load_after, 2),
        "instructions": {"settings": INSTRUCTION_KEYS, "per_operation": instructions},
        "table": [dict(zip(rows[0], row)) for row in rows[1:]], **document,
    }
    arguments.results.mkdir(parents=True, exist_ok=True)
    path = arguments.results / f"{date}-peers.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")

    print(bench.table_text(rows))
    if instructions:
        print("\n" + bench.table_text([
            ("instructions of Tornleaf", *LINES),
            *((keys, *(f"{instructions[f'{keys}/{line}']:.0f}" for line in LINES)) for keys in KEYS)]))
    versions = ", ".join(f"{engine['name']} {engine['version']}".strip() for engine in document["engines"])
    print(f"\n{machine['cpu']}, {machine['cores']} cores, load {load_before:.1f} before and {load_after:.1f} after; "
          f"{machine['compiler']}; commit {machine['commit']}; {versions}; least (median) of {arguments.rounds}")
    bench.say(f"wrote {path} after {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (bench.BenchError, OSError) as error:
        print(f"peers: {error}", file=sys.stderr)
        sys.exit(1)
