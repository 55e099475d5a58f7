#!/usr/bin/env python3
"""Stands in for `tornleaf db`, so that the harness can be tested: a log of lines that is read from its begin each time.

$FAKE_DB_DEFECT plants a defect: "early" says durable before the rows are written, "vacuum" loses a row.
"""

import json
import os
import pathlib
import sys
import time

DEFECT = os.environ.get("FAKE_DB_DEFECT", "")


def live(log):
    rows = {}
    for line in log.read_text().splitlines():
        kind, row = line.split(" ", 1)
        if kind == "P":
            rows[row] = True
        elif kind == "D":
            rows.pop(row, None)
    return list(rows)


def feed(log, kind, rows, sync_every):
    with open(log, "a", buffering=1 << 20, encoding="utf-8") as file:
        for number, row in enumerate(rows, start=1):
            file.write(f"{kind} {row}\n")
            if number % sync_every and number != len(rows):
                continue
            if DEFECT == "early":
                print(f"durable {number}", flush=True)
            time.sleep(0.001)
            file.flush()
            if DEFECT != "early":
                print(f"durable {number}", flush=True)


def vacuum(log):
    with open(log, "a", encoding="utf-8") as file:
        for _ in range(50):
            file.write("V \n")
            file.flush()
            if DEFECT == "vacuum":
                file.write(f"D {live(log)[0]}\n")
            time.sleep(0.001)


def main(command, directory, *arguments):
    log = pathlib.Path(directory, "wal", "log")
    if command == "init":
        log.parent.mkdir(parents=True)
        log.touch()
    elif command in ("put", "delete"):
        rows = pathlib.Path(arguments[0]).read_text().splitlines()
        sync_every = int(arguments[arguments.index("--sync-every") + 1]) if "--sync-every" in arguments else 10000
        feed(log, command[0].upper(), rows, sync_every)
    elif command == "vacuum":
        vacuum(log)
    elif command == "scan":
        print("\n".join(sorted(live(log))))
    elif command == "check":
        print(json.dumps({"verdict": "pass", "live_rows": len(live(log)), "records_replayed": log.stat().st_size}))


main(*sys.argv[2:])
