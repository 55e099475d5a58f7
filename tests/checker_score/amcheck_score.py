#!/usr/bin/env python3
"""Runs amcheck and the verifier on exactly the same damage and prints both scores side by side.

    amcheck_score.py [--sample N] [--seed S] [--program build/release/checker-score]

For each shape of index, a throw-away PostgreSQL 15 server (no checksums) makes as many copies of one index as
there are changes to try; with the server stopped, each copy gets one change, chosen and judged by
`checker-score --flips`; then bt_index_check and bt_index_parent_check(heapallindexed, rootdescend) look at each
copy. An error counts as seen; a backend that crashes is counted apart. The result is a section of
docs/CHECKER_SCORE.md. Exit code 0, or 1 with one line that says what to do.
"""

import argparse
import collections
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import pg_cluster  # noqa: E402

PAGE_SIZE = 8192

Shape = collections.namedtuple("Shape", "name schema columns key rows")
SHAPES = (
    Shape("int4", "int4", "k int4", "k", "SELECT n * 7919 % 1009 FROM generate_series(1, 900) n"),
    Shape("text", "text collate C", 'k text COLLATE "C"', "k",
          "SELECT 'item/' || lpad((n * 7919 % 10007)::text, 8, '0') || repeat('x', n % 40)"
          " FROM generate_series(1, 400) n"),
    Shape("posting lists", "int4", "k int4", "k", "SELECT n % 12 FROM generate_series(1, 3000) n"),
    Shape("two columns", "text collate C, int4", 'k text COLLATE "C", v int4', "k, v",
          "SELECT 'group-' || n / 37, n FROM generate_series(1, 700) n"),
)
LIGHT = "SELECT bt_index_check('i{0}')"
DEEP = "SELECT bt_index_parent_check('i{0}', heapallindexed => true, rootdescend => true)"


class Counts(collections.Counter):
    """tried, and for each checker how often it saw something, or crashed."""


def choose_flips(program, index_path, shape, arguments):
    done = subprocess.run(
        [program, "--index", index_path, "--schema", shape.schema, "--sample", str(arguments.sample),
         "--seed", str(arguments.seed), "--flips"],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 2):
        raise pg_cluster.PgError(f"{program} failed ({done.returncode})")
    rows = csv.DictReader(done.stdout.splitlines())
    # A checksum is not a change where checksums are off.
    return [row for row in rows if row["reader"] == "schema" and row["field"] != "pd_checksum"]


def make_copies(cluster, shape, first, count):
    cluster.psql("".join(f"CREATE INDEX i{number} ON t ({shape.key});\n"
                         for number in range(first, first + count)))


def apply_flip(path, flip):
    with open(path, "r+b") as file:
        at = int(flip["block"]) * PAGE_SIZE + int(flip["begin"])
        old, new = bytes.fromhex(flip["old"]), bytes.fromhex(flip["new"])
        file.seek(at)
        if not flip["field"].startswith("pd_lsn") and file.read(len(old)) != old:
            raise pg_cluster.PgError(f"{path.name}: the copies of an index differ at {at}")
        file.seek(at)
        file.write(new)


def wait_for_server(cluster):
    """After a crash the server restarts by itself."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            cluster.psql("SELECT 1")
            return
        except pg_cluster.SqlError:
            time.sleep(0.1)
    raise pg_cluster.PgError("the server did not come back after a crash")


def look(cluster, sql):
    """'clean', 'seen' or 'crashed'."""
    try:
        cluster.psql(sql, settings={"statement_timeout": "20s"})
        return "clean"
    except pg_cluster.SqlError as error:
        if "server closed the connection" in error.stderr or "connection to server" in error.stderr:
            wait_for_server(cluster)
            return "crashed"
        return "seen"


def score_shape(shape, arguments, totals):
    with pg_cluster.Cluster(checksums=False) as cluster, tempfile.TemporaryDirectory() as folder:
        cluster.psql("CREATE EXTENSION amcheck")
        cluster.psql(f"CREATE TABLE t ({shape.columns}); INSERT INTO t {shape.rows};")
        make_copies(cluster, shape, 0, 1)
        cluster.checkpoint()
        healthy = pathlib.Path(folder, "index")
        shutil.copy(cluster.relation_path("i0"), healthy)
        flips = choose_flips(arguments.program, healthy, shape, arguments)
        make_copies(cluster, shape, 1, len(flips) - 1)
        listed = cluster.psql("SELECT relname, pg_relation_filepath(oid) FROM pg_class WHERE relkind = 'i'"
                              " AND relname ~ '^i[0-9]+$'")
        paths = dict(line.split("|") for line in listed.splitlines())
        cluster.stop()
        for number, flip in enumerate(flips):
            apply_flip(cluster.data_dir / paths[f"i{number}"], flip)
        cluster.start()
        for number, flip in enumerate(flips):
            count_flip(flip, look(cluster, LIGHT.format(number)), look(cluster, DEEP.format(number)), totals)
            if (number + 1) % 50 == 0 or number + 1 == len(flips):
                print(f"{shape.name}: {number + 1}/{len(flips)} changes", file=sys.stderr)
        return len(flips)


def count_flip(flip, light, deep, totals):
    ours = "seen" if flip["finding"] else "clean"
    kinds = [("all", flip["region"])]
    if not flip["rule"]:
        kinds.append(("detectable", flip["region"]))
    for key in kinds:
        counts = totals[key]
        counts["tried"] += 1
        for checker, outcome in (("ours", ours), ("light", light), ("deep", deep)):
            counts[checker, outcome] += 1


def table(totals, kind):
    lines = [f"{'region':16} {'tried':>7} {'tornleaf':>10} {'light':>8} {'crashed':>8} {'deep':>8} {'crashed':>8}"]
    everything = Counts()
    regions = [region for which, region in totals if which == kind]
    for region in regions + ["all"]:
        counts = totals.get((kind, region), everything)
        lines.append(f"{region:16} {counts['tried']:7} {counts['ours', 'seen']:10} {counts['light', 'seen']:8} "
                     f"{counts['light', 'crashed']:8} {counts['deep', 'seen']:8} {counts['deep', 'crashed']:8}")
        if region != "all":
            everything.update(counts)
    return "\n".join(lines)


def section(totals, tried, version, arguments):
    shapes = ", ".join(f"{shape.name} ({count})" for shape, count in zip(SHAPES, tried))
    return f"""
## amcheck on the same changes

PostgreSQL {version}, seed {arguments.seed}, up to {arguments.sample} changes of each field of each index: {shapes}.
`light` is bt_index_check; `deep` is bt_index_parent_check with heapallindexed and rootdescend, which has the table
to compare with. A checker that reports an error has seen the change; backends that crashed are counted apart.
`./dev checker-score --amcheck` prints this section.

Changes that no rule excuses:

```
{table(totals, "detectable")}
```

All changes, those included that only the table, or nobody, can tell from a healthy index:

```
{table(totals, "all")}
```
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=8, help="changes of each field of each index")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=str(ROOT / "build/release/checker-score"))
    arguments = parser.parse_args()
    if not pg_cluster.is_available():
        raise pg_cluster.PgError("skipped, no server: install the package postgresql-15")
    pg_cluster.exit_on_signals()
    totals = collections.defaultdict(Counts)
    tried = [score_shape(shape, arguments, totals) for shape in SHAPES]
    version = subprocess.run([pathlib.Path(pg_cluster.find_bin_folder(), "postgres"), "--version"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.split()[2]
    print(section(dict(totals), tried, version, arguments))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except pg_cluster.PgError as error:
        print(f"checker-score --amcheck: {error}", file=sys.stderr)
        sys.exit(1)
