"""pg_waldump reads a log that we wrote, and we read a server's; each must find the same records.

The texts are compared too: of records of B-trees, checkpoints and images line by line, of others all but what
pg_waldump says behind the record's name.
"""

import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import pg_cluster

SEGMENT = 1 << 20
FIRST_RECORD = "0/100028"  # of a log that begins with segment 1 of 1 MiB
DESCRIBED = re.compile(r"rmgr: Btree|desc: (CHECKPOINT_|FPI|NOOP|SWITCH|NEXTOID|FPW_CHANGE)")
# pg_waldump does not know our resource manager; tornleaf log does.
UNKNOWN_TO_THEM = {("custom128", "UNKNOWN (0)"): ("custom128", "ADD_DEAD_ROWS"),
                   ("custom128", "UNKNOWN (10)"): ("custom128", "RESET_DEAD_ROWS")}


def waldump(folder, start, *options):
    """Runs pg_waldump to the end of the log; returns (standard output, lines of standard error)."""
    program = pathlib.Path(pg_cluster.find_bin_folder(), "pg_waldump")
    done = subprocess.run([program, "-p", folder, "-s", start, *options], capture_output=True, text=True, check=False)
    return done.stdout, done.stderr.splitlines()


def waldump_counts(folder, start):
    """Number of records by (resource manager, operation)."""
    text, _ = waldump(folder, start, "--stats=record")
    counts = {}
    for line in text.splitlines():
        found = re.match(r"(\w+)/(.*?) +(\d+) \(", line)
        if found:
            kind = (found[1], found[2])
            counts[UNKNOWN_TO_THEM.get(kind, kind)] = int(found[3])
    return counts


def our_counts(tornleaf, folder, start):
    code, text, said = tornleaf.run("log", folder, "--from", start, "--stats", "--format", "csv")
    if code != 0:
        raise pg_cluster.PgError(f"tornleaf log: exit code {code}: {said}")
    return {(row["manager"], row["operation"]): int(row["records"]) for row in csv.DictReader(io.StringIO(text))}


def difference(ours, theirs):
    """None where both count the same."""
    wrong = [f"{'/'.join(kind)}: {ours.get(kind, 0)} and not {theirs.get(kind, 0)}"
             for kind in sorted(set(ours) | set(theirs)) if ours.get(kind) != theirs.get(kind)]
    return "; ".join(wrong) or (None if theirs else "pg_waldump counts nothing")


def without_description(line):
    head, _, tail = line.partition(", blkref #")
    return re.match(r"(.*desc: \S+)", head)[1], tail


def compare_lines(ours, theirs):
    """None if all lines agree, as far as they are meant to."""
    if len(ours) != len(theirs):
        return f"{len(ours)} records and not {len(theirs)}"
    for our, their in zip(ours, theirs):
        if "rmgr: custom128" in their:
            our, their = (re.sub(r"desc: .*?(, blkref|$)", r"\1", line) for line in (our, their))
        elif not DESCRIBED.search(their):
            our, their = without_description(our), without_description(their)
        if our != their:
            return f"'{our}' and not '{their}'"
    return None


def compare_texts(tornleaf, folder, start):
    theirs, _ = waldump(folder, start)
    _, ours, _ = tornleaf.run("log", folder, "--from", start)
    # Their lines of records with details go on with a tab or not at all; ours end with the end of the log.
    return compare_lines(ours.splitlines()[:-1], [line for line in theirs.splitlines() if line.startswith("rmgr: ")])


def end_of(tornleaf, folder):
    """Where our reader says that the log ends, and where its first record starts."""
    _, text, _ = tornleaf.run("log", folder, "--format", "json")
    lines = text.splitlines()
    return json.loads(lines[-1]), json.loads(lines[0])["lsn"]


def judge_ours(tornleaf, log_sample, report):
    report.say("pg_waldump reads a log that we wrote")
    with tempfile.TemporaryDirectory(prefix="tornleaf-log-") as folder:
        printed = subprocess.run([log_sample, folder], capture_output=True, text=True, check=True).stdout
        written = [tuple(map(int, line.split())) for line in printed.splitlines()]
        report.check("log: kinds of records in it", None if len(written) == 22 else f"{len(written)}")
        theirs = waldump_counts(folder, FIRST_RECORD)
        report.check("log: pg_waldump --stats=record and tornleaf log --stats",
                     difference(our_counts(tornleaf, folder, FIRST_RECORD), theirs))
        total = sum(number for _, _, number in written)
        report.check("log: pg_waldump --stats=record and what the writer counted",
                     None if sorted(theirs.values()) == sorted(number for _, _, number in written)
                     else f"{sum(theirs.values())} of {total} records")
        report.check("log: the text of every record", compare_texts(tornleaf, folder, FIRST_RECORD))
        end, _ = end_of(tornleaf, folder)
        _, said = waldump(folder, FIRST_RECORD)
        expected = f"invalid record length at {end['lsn']}: wanted 24, got 0"
        complaint = None if len(said) == 1 and said[0].endswith(expected) else f"{said} and not {expected}"
        report.check("log: pg_waldump's only complaint is the end of the log", complaint)
        report.say(f"{total} records in {len(list(pathlib.Path(folder).iterdir()))} segments, end {end['lsn']}")


WORK = """
CREATE TABLE t (k int4, v text);
CREATE INDEX i ON t (k);
CREATE INDEX j ON t USING hash (k);
CREATE SEQUENCE s;
SET wal_compression = {compression};
CHECKPOINT;
INSERT INTO t SELECT n * 7919 % 20000, repeat('x', n % 50) FROM generate_series(1, 20000) n;
SELECT nextval('s');
DELETE FROM t WHERE k % 3 = 0;
DELETE FROM t WHERE k BETWEEN 5000 AND 9000;
VACUUM t;
CHECKPOINT;
UPDATE t SET v = 'y' WHERE k % 5 = 0;
BEGIN; INSERT INTO t VALUES (1, 'a'); ROLLBACK;
SELECT pg_switch_wal();
INSERT INTO t SELECT n, 'z' FROM generate_series(1, 3000) n;
DROP TABLE t;
DROP SEQUENCE s;
"""


def restore_images(log_sample, folder, report):
    """Every image gives a page, whatever compresses it."""
    printed = subprocess.run([log_sample, folder, "--restore"], capture_output=True, text=True, check=True).stdout
    counts = [tuple(map(int, line.split())) for line in printed.splitlines()]
    methods = {bits for bits, _, _ in counts}
    report.check("server's log: images of every compression", None if methods == {0, 4, 8, 16} else f"only {methods}")
    lost = [f"{bits}: {good} of {images}" for bits, images, good in counts if good != images]
    report.check("server's log: every image is restored", "; ".join(lost) or None)
    report.say(f"{sum(images for _, images, _ in counts)} images")


def judge_server(tornleaf, log_sample, report):
    report.say("we read a server's log")
    with pg_cluster.Cluster(extra_conf={"wal_keep_size": "1GB"}, initdb=("--wal-segsize=1",)) as cluster, \
            tempfile.TemporaryDirectory(prefix="tornleaf-log-") as copy:
        for compression in ("off", "pglz", "lz4", "zstd"):
            cluster.psql(WORK.format(compression=compression))
        cluster.stop_immediate()
        folder = pathlib.Path(copy, "wal")
        shutil.copytree(cluster.data_dir / "pg_wal", folder)
        end, first = end_of(tornleaf, folder)
        theirs = waldump_counts(folder, first)
        report.check("server's log: counts by record", difference(our_counts(tornleaf, folder, first), theirs))
        report.check("server's log: the text of every record", compare_texts(tornleaf, folder, first))
        report.check("server's log: its segments", None if end["segment_bytes"] == SEGMENT else end["segment_bytes"])
        restore_images(log_sample, folder, report)
        # From positions that are no record's start, too.
        for offset in (1 << 20, (2 << 20) + 12344, (3 << 20) + 8192, (5 << 20) + 8):
            high, low = (int(word, 16) for word in first.split("/"))
            start = f"{high:X}/{low + offset:X}"
            report.check(f"server's log from {start}", difference(our_counts(tornleaf, folder, start),
                                                                  waldump_counts(folder, start)))
        report.say(f"{sum(theirs.values())} records of {len(theirs)} kinds, end {end['reason']}")


def run(tornleaf, log_sample, report):
    judge_ours(tornleaf, log_sample, report)
    judge_server(tornleaf, log_sample, report)
