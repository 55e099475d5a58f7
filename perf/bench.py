#!/usr/bin/env python3
"""How fast indexes are verified and built, beside PostgreSQL 15 on the same keys in the same run where it is there.

    bench.py [--rounds N] [--build FOLDER] [--results FOLDER]

Prints one table and writes FOLDER/<date>.json (tornleaf.bench/1). perf/README.md says what the numbers mean.
Progress goes to standard error. Exit code 0 also where a goal is not met: the table says so; 1 if it could not run.
"""

import argparse
import contextlib
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import pg_cluster  # noqa: E402

ROWS = 3_000_000

# The keys of perf/datasets.cc in SQL: a table filled in row order has the same keys in the same order.
DATASETS = {
    "url": "SELECT 'https://www.example.com/products/item' || lpad((n + 1)::text, 10, '0')",
    "url_shuffled": "SELECT 'https://www.example.com/products/item' || "
                    f"lpad((n::int8 * 2654435761 % {ROWS} + 1)::text, 10, '0')",
    "int4": "SELECT n",
    "int4_shuffled": "SELECT ((n + 1)::int8 * 2654435761)::bit(32)::int4",
}

# Everything stays in shared buffers, no disk is waited for, and one core does the work.
SERVER_CONF = {
    "shared_buffers": "1GB", "maintenance_work_mem": "1GB", "max_parallel_maintenance_workers": "0",
    "fsync": "off", "wal_level": "minimal", "max_wal_senders": "0", "synchronize_seqscans": "off",
}

AMCHECKS = ("bt_index_check", "bt_index_parent_check")

GOAL_VERIFY = 2e9
GOAL_BUILD_SORTED = 3e6
GOAL_BUILD_UNSORTED = 1.5e6

# Our benchmarks, each beside what the server does on the same keys: program, benchmark, its name in the table, its
# data set, what the server is asked, goal.
PAIRS = [
    ("verify-bench", f"verify/{data}/full", "verify", data, amcheck, GOAL_VERIFY)
    for data in ("url", "int4", "int4_shuffled") for amcheck in AMCHECKS
] + [
    ("build-bench", f"build/{data}/{source}", f"build of {'text' if source == 'text' else 'tuples'}", data,
     "CREATE INDEX", {"url": GOAL_BUILD_SORTED, "url_shuffled": GOAL_BUILD_UNSORTED}.get(data))
    for data in DATASETS for source in ("text", "engine")
]


class BenchError(Exception):
    """The run cannot go on; one line that says what to do."""


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


# --- our side ------------------------------------------------------------------------------------------------


class Ours:
    """Runs the benchmark programs, one benchmark at a time."""

    def __init__(self, folder):
        self._folder = folder
        for program in {pair[0] for pair in PAIRS}:
            if not os.access(self._path(program), os.X_OK):
                raise BenchError(f"{self._path(program)} not found: run ./dev build release")

    def _path(self, program):
        return self._folder / program

    def run(self, program, name):
        """Returns (rate a second of CPU time, CPU seconds of one iteration)."""
        command = [self._path(program), f"--benchmark_filter=^{name}/", "--benchmark_format=json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        runs = json.loads(done.stdout)["benchmarks"] if done.returncode == 0 else []
        if len(runs) != 1:
            raise BenchError(f"{program} has no single benchmark {name}: {done.stderr.strip()[-200:]}")
        run = runs[0]
        seconds = run["cpu_time"] * {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}[run["time_unit"]]
        # Verification counts items too; its rate is that of bytes.
        return run.get("bytes_per_second", run["items_per_second"]), seconds


# --- the server's side ---------------------------------------------------------------------------------------


class Server:
    """A throw-away server with one table for each data set, and one backend whose CPU time is taken."""

    def __init__(self, stack):
        self._cluster = stack.enter_context(pg_cluster.Cluster(extra_conf=SERVER_CONF))
        self._cluster.psql("CREATE EXTENSION amcheck")
        self._session = stack.enter_context(self._cluster.session())
        self._pid = int(self._session.run("SELECT pg_backend_pid()"))
        self.version = self._session.run("SHOW server_version").split()[0]
        for name, query in DATASETS.items():
            say(f"server: table {name}")
            text = name.startswith("url")
            # Unlogged: CREATE INDEX writes its pages once and no log.
            self._session.run(f"CREATE UNLOGGED TABLE {name} (k {'text' if text else 'int4'})")
            self._session.run(f"INSERT INTO {name} {query} FROM generate_series(0, {ROWS - 1}) n")
            self._session.run(f"VACUUM ANALYZE {name}")

    def _cpu_seconds(self):
        text = pathlib.Path(f"/proc/{self._pid}/stat").read_text(encoding="utf-8")
        # After the program's name in parentheses: user and system time are fields 14 and 15 of proc(5).
        fields = text.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _timed(self, sql):
        begin = self._cpu_seconds()
        self._session.run(sql)
        return self._cpu_seconds() - begin

    def run(self, data):
        """CREATE INDEX and both amchecks: what was asked -> (rate a second of CPU time, CPU seconds)."""
        self._session.run("DROP INDEX IF EXISTS i")
        seconds = {"CREATE INDEX": self._timed(f"CREATE INDEX i ON {data} (k)")}
        size = int(self._session.run("SELECT pg_relation_size('i')"))
        # The index is in shared buffers from here on.
        self._session.run("SELECT bt_index_check('i')")
        for amcheck in AMCHECKS:
            seconds[amcheck] = self._timed(f"SELECT {amcheck}('i')")
        work = {"CREATE INDEX": ROWS}
        return {asked: (work.get(asked, size) / taken, taken) for asked, taken in seconds.items()}


# --- results -------------------------------------------------------------------------------------------------


class Results:
    """All rounds of all measurements; the least CPU time counts."""

    def __init__(self):
        self._rounds = {}

    def add(self, who, what, data, rate, seconds):
        self._rounds.setdefault((who, what, data), []).append((rate, seconds))

    def best(self, who, what, data):
        """The rate of the fastest round, or None where nothing was measured."""
        rounds = self._rounds.get((who, what, data))
        return max(rate for rate, _ in rounds) if rounds else None

    def json(self):
        return [
            {"who": who, "what": what, "data": data, "best_per_second": max(rate for rate, _ in rounds),
             "cpu_seconds": [round(seconds, 4) for _, seconds in rounds]}
            for (who, what, data), rounds in self._rounds.items()
        ]


def measure(ours, server, rounds, results):
    """Both sides in turn, data set by data set, so that a busy machine slows both."""
    for number in range(1, rounds + 1):
        for data in DATASETS:
            say(f"round {number} of {rounds}: {data}, load {os.getloadavg()[0]:.1f}")
            if server:
                for asked, (rate, seconds) in server.run(data).items():
                    results.add("server", asked, data, rate, seconds)
            for program, name in sorted({(pair[0], pair[1]) for pair in PAIRS if pair[3] == data}):
                rate, seconds = ours.run(program, name)
                results.add("tornleaf", name, data, rate, seconds)


def _rate_text(rate, in_bytes):
    if rate is None:
        return "-"
    return f"{rate / 1e9:.2f} GB/s" if in_bytes else f"{rate / 1e6:.2f} M rows/s"


def table(results):
    """The rows of the table, as texts, under a first row of headings."""
    rows = [("what", "keys", "Tornleaf", "the server", "server's rate", "ratio", "goal", "")]
    for _, name, what, data, asked, goal in PAIRS:
        in_bytes = what == "verify"
        mine, theirs = results.best("tornleaf", name, data), results.best("server", asked, data)
        met = "" if goal is None else "met" if mine >= goal else "not met"
        rows.append((
            what, data, _rate_text(mine, in_bytes), asked, _rate_text(theirs, in_bytes),
            f"{mine / theirs:.1f}" if theirs else "-", _rate_text(goal, in_bytes), met))
    return rows


def table_text(rows):
    """The table as Markdown, columns aligned."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


# --- the machine ---------------------------------------------------------------------------------------------


def _first_match(path, pattern):
    with contextlib.suppress(OSError):
        found = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.MULTILINE)
        if found:
            return found.group(1).strip()
    return "unknown"


def _output(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def describe_machine(build_folder):
    """What decides about the numbers, and nothing that names the machine."""
    compiler = _first_match(build_folder / "CMakeCache.txt", r"^CMAKE_CXX_COMPILER:\w+=(.*)$")
    version = _output(compiler, "--version").splitlines()
    return {
        "cpu": _first_match("/proc/cpuinfo", r"^model name\s*:\s*(.*)$"),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "compiler": version[0] if version else "unknown",
        "build_type": _first_match(build_folder / "CMakeCache.txt", r"^CMAKE_BUILD_TYPE:\w+=(.*)$"),
        "commit": _output("git", "rev-parse", "--short=12", "HEAD") or "unknown",
        "changed_since_commit": bool(_output("git", "status", "--porcelain", "--untracked-files=no")),
    }


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; the best counts (3)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="where the programs are")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "perf/results", help="where <date>.json goes")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def main():
    arguments = parse_arguments()
    pg_cluster.exit_on_signals()
    began, load_before = time.monotonic(), os.getloadavg()
    ours, results, version = Ours(arguments.build), Results(), None
    with contextlib.ExitStack() as stack:
        server = None
        if pg_cluster.is_available():
            server = Server(stack)
            version = server.version
        else:
            say("no PostgreSQL 15 server here, so no ratios; install postgresql-15")
        measure(ours, server, arguments.rounds, results)
    rows = table(results)
    machine = describe_machine(arguments.build)
    loads = {"load_average_before": load_before[0], "load_average_after": os.getloadavg()[0]}
    date = datetime.date.today().isoformat()
    document = {
        "schema": "tornleaf.bench/1", "date": date, "rows": ROWS, "rounds": arguments.rounds,
        "machine": machine, **{name: round(load, 2) for name, load in loads.items()},
        "server_version": version, "server_settings": SERVER_CONF if version else None,
        "measurements": results.json(), "table": [dict(zip(rows[0][:-1] + ("met",), row)) for row in rows[1:]],
    }
    arguments.results.mkdir(parents=True, exist_ok=True)
    path = arguments.results / f"{date}.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(table_text(rows))
    print(f"\n{machine['cpu']}, {machine['cores']} cores, load {load_before[0]:.1f} before and "
          f"{document['load_average_after']:.1f} after; {machine['compiler']}; commit {machine['commit']}; "
          f"server {version or 'absent'}; best of {arguments.rounds}")
    say(f"wrote {path} after {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BenchError, pg_cluster.PgError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        sys.exit(1)
