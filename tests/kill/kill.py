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
import os
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

_ROWS_MAX = 25000  # in one database; then another one is begun
_ROWS_IN_A_BLOCK = 30  # as many as a table's page of 1024 bytes may have addresses
_TIMEOUT = 300


class Failure(Exception):
    """Something that may not be."""


@dataclasses.dataclass
class Killed:
    """How a process that was to be killed has ended."""
    durable: list  # the numbers of its durable lines
    dead: bool     # by our signal; otherwise it was done before


def wait_until(process, condition):
    """Until the condition holds or the process has ended: whether it holds."""
    deadline = time.monotonic() + _TIMEOUT
    while time.monotonic() < deadline:
        if condition():
            return True
        if process.poll() is not None:
            return False
        time.sleep(0.0005)
    raise Failure(f"{process.args}: nothing happens for {_TIMEOUT} s")


class LogWrites:
    """Instants at which the log is written: where a vacuum is to be killed that spends most of its time elsewhere."""

    def __init__(self, prng):
        self._prng = prng
        self._writes = 4  # of a vacuum, as far as is known

    def wait(self, process, log_state):
        """Waits for one of them, and then a little."""
        wanted = self._prng.randrange(1, self._writes + 2)
        seen = 0
        state = log_state()

        def enough():
            nonlocal seen, state
            before, state = state, log_state()
            seen += state != before
            return seen >= wanted

        if wait_until(process, enough):
            self._writes = max(self._writes, seen)
            time.sleep(self._prng.uniform(0, 0.003))
        else:
            self._writes = max(seen, 1)


class Guess:
    """How long something takes that is to be killed in its course, learnt from the times that it was not."""

    def __init__(self, prng):
        self._prng = prng
        self._seconds = 0.02

    def wait(self, process):
        """Waits for a part of it, or a little longer."""
        begin = time.monotonic()
        wanted = begin + self._prng.uniform(0, 1.1 * self._seconds)
        if wait_until(process, lambda: time.monotonic() >= wanted):
            self._seconds = max(self._seconds, 1.5 * (wanted - begin))  # it lasts at least that long
        else:
            self._seconds = time.monotonic() - begin


class Program:
    """The command under test, on one directory."""

    def __init__(self, path, directory):
        self.path = path
        self.directory = str(directory)

    def _line(self, command, *arguments):
        return [self.path, "db", command, self.directory, *arguments]

    def run(self, command, *arguments):
        line = self._line(command, *arguments)
        done = subprocess.run(line, capture_output=True, text=True, timeout=_TIMEOUT, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(line)}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def run_and_kill(self, command, *arguments, wait):
        """Kills when wait(process, lines) returns; lines has (when, N) of each durable line so far."""
        line = self._line(command, *arguments)
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=errors, text=True)
            lines = []

            def read():
                for text in process.stdout:
                    if text.startswith("durable "):
                        lines.append((time.monotonic(), int(text.split()[1])))

            reader = threading.Thread(target=read)
            reader.start()
            wait(process, lines)
            process.send_signal(signal.SIGKILL)
            code = process.wait()
            reader.join()
            if code not in (0, -signal.SIGKILL):
                errors.seek(0)
                raise Failure(f"{' '.join(line)}: exit code {code}\n{errors.read()[-2000:]}")
        return Killed([number for _, number in lines], code == -signal.SIGKILL)

    def log_state(self):
        """Changes whenever the log is written."""
        folder = pathlib.Path(self.directory, "wal")
        state = []
        for name in sorted(os.listdir(folder)):
            try:
                state.append((name, (folder / name).stat().st_mtime_ns))
            except FileNotFoundError:  # renamed for later use meanwhile
                state.append((name, 0))
        return state

    def check(self):
        """What the verdict of `db check` says."""
        lines = self.run("check", "--format", "json").splitlines()
        verdict = json.loads(lines[-1])
        if verdict.get("verdict") != "pass":
            raise Failure(f"db check {self.directory}: {verdict}")
        return verdict

    def scan(self):
        return self.run("scan", "--frames", "256").splitlines()


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
            rows.append(f"{key}\t({self._count // _ROWS_IN_A_BLOCK},{self._count % _ROWS_IN_A_BLOCK + 1})")
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
        self._vacuum_writes = LogWrites(prng)
        self._recovery_time = Guess(prng)
        self.program = Program(options.program, folder / "db")
        # Text keys need pages that hold three of them.
        format_options = ["--page-size", prng.choice(("1024", "8192")),
                          "--log-segment-bytes", prng.choice(("1048576", "16777216"))]
        format_options += ["--no-full-page-images"] * (prng.random() < 0.3)
        format_options += ["--no-checksums"] * (prng.random() < 0.2)
        self.program.run("init", "--schema", self._keys.schema, *format_options)

    def _opening(self, frames=(32, 64, 1024, 16384)):
        return ["--frames", str(self._prng.choice(frames)),
                "--checkpoint-distance", str(self._prng.choice((100_000, 1_000_000, 256 << 20)))]

    def round(self):
        """True if it counts."""
        kinds = ["put", "put", "delete", "vacuum", "vacuum"] if len(self.rows) > 2000 else ["put"]
        kind = self._prng.choice(kinds)
        counts = self._vacuum() if kind == "vacuum" else self._bulk(kind)
        self._totals[f"{kind} rounds" if counts else f"{kind} rounds that did not count"] += 1
        return counts

    def _input(self, kind):
        """Rows to put, or rows to delete, some of them neighbours, so that pages become empty."""
        count = self._prng.randrange(3000, 10000)
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
        wanted = self._prng.randrange(1, max(len(rows) // max(sync_every, 256), 2))
        part = self._prng.random()

        def wait(process, lines):
            if wait_until(process, lambda: len(lines) >= wanted) and len(lines) > 1:
                time.sleep(part * (lines[-1][0] - lines[0][0]) / (len(lines) - 1))

        killed = self.program.run_and_kill(
            kind, str(path), "--threads", str(threads), "--sync-every", str(sync_every), *self._opening(),
            wait=wait)
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
        self.program.run("delete", str(path), "--frames", "256")
        self.rows -= set(path.read_text().splitlines())
        # With few frames pages are written, and the log before them, all the time.
        killed = self.program.run_and_kill(
            "vacuum", *self._opening(frames=(8, 16, 64)),
            wait=lambda process, _: self._vacuum_writes.wait(process, self.program.log_state))
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
            killed = self.program.run_and_kill("count", *self._opening(), wait=lambda process, _: self._recovery_time.wait(process))
            self._totals["recoveries killed"] += killed.dead
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
    if sys.stderr.isatty():
        print(file=sys.stderr)
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
