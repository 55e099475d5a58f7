#!/usr/bin/env python3
"""Kills `tornleaf db` with SIGKILL at random instants, and looks at what is left.

A round is one killed put, delete or vacuum on a database with a past of earlier rounds. It counts when the kill fell
where something was at stake: after the first and before the last `durable` line of a put or delete, or inside a vacuum
that had written to its log. Some rounds kill the recovery as well. Afterwards `db check` must find nothing, before
recovery and after it, and `db scan` must print the rows that contract.py allows.

The system's cache survives a killed process: this is about the order of what is written, not about syncs.
"""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import contract

_ROWS_MAX = 40000  # in one database; then another one is begun
_TIMEOUT = 300


class Failure(Exception):
    """Something that may not be."""


@dataclasses.dataclass
class Killed:
    """How a process that was to be killed has ended."""
    durable: list  # the numbers of its durable lines
    dead: bool     # by our signal; otherwise it was done before
    seconds: float


class Program:
    """The command under test, on one directory."""

    def __init__(self, path, directory, opening):
        self.path = path
        self.directory = str(directory)
        self.opening = opening  # options of opening a database

    def _line(self, command, *arguments, opening=True):
        return [self.path, "db", command, self.directory, *arguments, *(self.opening if opening else ())]

    def run(self, command, *arguments, opening=True):
        line = self._line(command, *arguments, opening=opening)
        done = subprocess.run(line, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(line)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def run_and_kill(self, command, *arguments, wait_lines=0, pick_delay):
        """Kills after `wait_lines` durable lines and then pick_delay(seconds between lines so far)."""
        line = self._line(command, *arguments)
        begin = time.monotonic()
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True)
            lines = []
            enough = threading.Event()

            def read():
                for text in process.stdout:
                    if text.startswith("durable "):
                        lines.append(int(text.split()[1]))
                    if len(lines) >= wait_lines:
                        enough.set()
                enough.set()

            if wait_lines == 0:
                enough.set()
            reader = threading.Thread(target=read)
            reader.start()
            enough.wait(_TIMEOUT)
            time.sleep(pick_delay((time.monotonic() - begin) / max(wait_lines, 1)))
            process.send_signal(signal.SIGKILL)
            code = process.wait()
            seconds = time.monotonic() - begin
            reader.join()
            if code not in (0, -signal.SIGKILL):
                errors.seek(0)
                raise Failure(f"{' '.join(line)}: exit code {code}\n{errors.read()[-2000:]}")
        return Killed(lines, code == -signal.SIGKILL, seconds)

    def check(self):
        """What the verdict of `db check` says."""
        lines = self.run("check", "--format", "json", opening=False).splitlines()
        verdict = json.loads(lines[-1])
        if verdict.get("verdict") != "pass":
            raise Failure(f"db check {self.directory}: {verdict}")
        return verdict

    def scan(self):
        return self.run("scan").splitlines()


class Keys:
    """A schema and rows of it, each with an address of its own."""

    def __init__(self, prng):
        self._prng = prng
        self.schema, self._make = prng.choice([
            ("int4", lambda: str(prng.randrange(-10**9, 10**9))),
            ("int4", lambda: str(prng.randrange(50))),
            ("text collate C", lambda: "/".join(prng.choice(("usr", "lib", "share", "doc", "bin"))
                                                for _ in range(prng.randrange(1, 30)))),
            ("int8, text collate C", lambda: f"{prng.randrange(1000)}\t{prng.randrange(10**6):x}"),
        ])
        self._ascending = self.schema == "int4" and prng.random() < 0.3
        self._count = 0

    def rows(self, count):
        rows = []
        for _ in range(count):
            key = str(self._count) if self._ascending else self._make()
            rows.append(f"{key}\t({self._count // 200},{self._count % 200 + 1})")
            self._count += 1
        return rows


class Database:
    """One database through its rounds, and the rows that must be in it."""

    def __init__(self, options, prng, folder, totals):
        self._options = options
        self._prng = prng
        self._folder = folder
        self._totals = totals
        self._keys = Keys(prng)
        self.rows = set()
        self._vacuum_seconds = 0.05
        self._recovery_seconds = 0.05
        opening = ["--frames", str(prng.choice((16, 64, 1024, 16384))),
                   "--checkpoint-distance", str(prng.choice((100_000, 1_000_000, 256 << 20)))]
        self.program = Program(options.program, folder / "db", opening)
        # Text keys need pages that hold three of them.
        format_options = ["--page-size", prng.choice(("1024", "8192")),
                          "--log-segment-bytes", prng.choice(("1048576", "16777216"))]
        format_options += ["--no-full-page-images"] * (prng.random() < 0.3)
        format_options += ["--no-checksums"] * (prng.random() < 0.2)
        self.program.run("init", "--schema", self._keys.schema, *format_options, opening=False)

    def round(self):
        """True if it counts."""
        kinds = ["put", "put", "delete", "vacuum"] if len(self.rows) > 2000 else ["put"]
        kind = self._prng.choice(kinds)
        counts = self._vacuum() if kind == "vacuum" else self._bulk(kind)
        self._totals[f"{kind} rounds" if counts else f"{kind} rounds that did not count"] += 1
        return counts

    def _input(self, kind):
        """Rows to put, or rows to delete, some of them neighbours, so that pages become empty."""
        count = self._prng.randrange(2000, 8000)
        if kind == "put":
            return self._keys.rows(count)
        there = sorted(self.rows)
        begin = self._prng.randrange(len(there))
        rows = there[begin:begin + count]
        if self._prng.random() < 0.5:
            self._prng.shuffle(rows)
        return rows

    def _bulk(self, kind):
        rows = self._input(kind)
        path = self._folder / "input.tsv"
        path.write_text("".join(row + "\n" for row in rows))
        threads = self._options.threads or self._prng.choice((1, 2, 4, 8))
        sync_every = self._prng.choice((17, 50, 256, 500))
        expected = max(len(rows) // sync_every, 2)
        killed = self.program.run_and_kill(
            kind, str(path), "--threads", str(threads), "--sync-every", str(sync_every),
            wait_lines=self._prng.randrange(1, expected),
            pick_delay=lambda between: self._prng.uniform(0, 2 * between))
        acknowledged = killed.durable[-1] if killed.durable else 0
        if killed.durable != sorted(set(killed.durable)):
            raise Failure(f"durable lines are not ascending: {killed.durable}")
        if not killed.dead and acknowledged != len(rows):
            raise Failure(f"{kind} ended by itself after {acknowledged} of {len(rows)} rows")
        found, _ = self._look()
        check = contract.problems_after_put if kind == "put" else contract.problems_after_delete
        self._hold(check(self.rows, rows, acknowledged, threads, sync_every, found))
        done = len(set(rows) & set(found)) if kind == "put" else len(set(rows) - set(found))
        self._totals["rows acknowledged before a kill"] += acknowledged
        self._totals["rows found beyond those"] += done - acknowledged
        self.rows = set(found)
        return killed.dead and bool(killed.durable) and acknowledged < len(rows)

    def _vacuum(self):
        path = self._folder / "input.tsv"
        path.write_text("".join(row + "\n" for row in self._input("delete")))
        self.program.run("delete", str(path))
        self.rows -= set(path.read_text().splitlines())
        killed = self.program.run_and_kill(
            "vacuum", pick_delay=lambda _: self._prng.uniform(0, 1.2 * self._vacuum_seconds))
        if not killed.dead:
            self._vacuum_seconds = killed.seconds
        found, replayed = self._look()
        self._hold(contract.problems_after_vacuum(self.rows, found))
        # Nothing to replay: it had only been opened.
        return killed.dead and replayed > 0

    def _look(self):
        """The rows that are there, and how many records of the log it took to bring them back."""
        if self._options.sabotage:
            self._sabotage()
        before = self.program.check()
        if self._prng.random() < 0.25:
            killed = self.program.run_and_kill(
                "count", pick_delay=lambda _: self._prng.uniform(0, 1.2 * self._recovery_seconds))
            if killed.dead:
                self._totals["recoveries killed"] += 1
            else:
                self._recovery_seconds = killed.seconds
        found = self.program.scan()
        after = self.program.check()
        if not before["live_rows"] == after["live_rows"] == len(found):
            raise Failure(f"{before['live_rows']} rows by check, {len(found)} by scan, {after['live_rows']} by check again")
        self._totals["checks without findings"] += 2
        self._totals["records replayed"] += before["records_replayed"]
        return found, before["records_replayed"]

    def _sabotage(self):
        """Zeroes the second half of what the newest segment of the log holds: rows that were acknowledged are lost."""
        newest = sorted(pathlib.Path(self.program.directory, "wal").iterdir())[-1]
        data = bytearray(newest.read_bytes())
        end = len(data.rstrip(b"\0"))
        data[end // 2:end] = bytes(end - end // 2)
        newest.write_bytes(data)

    def _hold(self, problems):
        if problems:
            raise Failure("\n".join(problems))


def campaign(options, folder):
    """Rounds until enough of them count. Gives the totals."""
    prng = random.Random(options.seed)
    totals = collections.Counter()
    counted = 0
    database = None
    while counted < options.rounds:
        if database is None or len(database.rows) > _ROWS_MAX or prng.random() < 0.1:
            shutil.rmtree(folder / "db", ignore_errors=True)
            database = Database(options, prng, folder, totals)
            totals["databases"] += 1
        counted += database.round()
        if sys.stderr.isatty():
            print(f"\r{counted} of {options.rounds} rounds", end="", file=sys.stderr)
    return totals


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/tornleaf")
    parser.add_argument("--rounds", type=int, default=500, help="rounds that count (500)")
    parser.add_argument("--seed", type=int, default=1, help="of keys and choices; when the kill falls is chance (1)")
    parser.add_argument("--threads", type=int, default=0, help="of put and delete (1, 2, 4 or 8 by chance)")
    parser.add_argument("--sabotage", action="store_true", help="damage the log after each kill: must fail")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tornleaf-kill-"))
    begin = time.monotonic()
    try:
        totals = campaign(options, folder)
    except Failure as failure:
        print(f"\nFAIL: {failure}\nseed {options.seed}; the database is {folder / 'db'}, the last input {folder / 'input.tsv'}")
        sys.exit(1)
    shutil.rmtree(folder)
    for name in sorted(totals):
        print(f"{totals[name]:>12,}  {name}")
    print(f"kill: {options.rounds} rounds, nothing acknowledged lost, in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
