"""Sets of three million keys with published page counts: CREATE INDEX and our build must come to the same file."""

import dataclasses
import os
import tempfile

import pages
import pg_cluster

ROWS = 3_000_000

# Settings under which CREATE INDEX takes the time of one core and no disk is waited for.
CONF = {"maintenance_work_mem": "1GB", "shared_buffers": "256MB", "synchronize_seqscans": "off", "max_wal_size": "8GB"}


@dataclasses.dataclass(frozen=True)
class BigSet:
    """`published` is the page count in the benchmark that the set comes from; None where there is none."""

    name: str
    schema: str
    table: str
    column: str
    published: int = None
    deduplicate: bool = True


# Page counts with deduplication depend on how the values are spread: 2,000 values of 1,500 rows each need 21 pages more
# than 2,000 values that a hash deals out.
TABLES = {
    # A shared prefix of 37 bytes and ten digits.
    "urls": "SELECT 'https://www.example.com/products/item' || lpad(n::text, 10, '0') COLLATE \"C\" AS k "
            f"FROM generate_series(1, {ROWS}) n",
    "integers": "SELECT n % 30 AS few, (hashint4(n) & 2147483647) % 2000 AS many, n AS single "
                f"FROM generate_series(1, {ROWS}) n",
    # Paths as a source tree has them, each twice and the two far apart in the table.
    "paths": "SELECT ('/usr/src/' || (ARRAY['kernel', 'include', 'drivers/net', 'fs', 'lib', 'tools/perf'])[1 + n % 6] "
             "|| '/' || substr(md5((n % 977)::text), 1, 3 + n % 9) || '/' || substr(md5(n::text), 1, 4 + n % 15) "
             "|| (ARRAY['.c', '.h', '.txt', '.rst', ''])[1 + n % 5]) COLLATE \"C\" AS k "
             "FROM generate_series(1, 2) twice, generate_series(1, 250000) n",
}

SETS = [
    BigSet("3,000,000 URLs", "text collate C", "urls", "k", 24_855),
    BigSet("int4, 30 values", "int4", "integers", "few", 2_542),
    BigSet("int4, 2,000 values", "int4", "integers", "many", 2_661),
    BigSet("int4, 2,000 values, no deduplication", "int4", "integers", "many", 8_240, deduplicate=False),
    BigSet("int4, distinct values", "int4", "integers", "single", 8_228),
    BigSet("250,000 paths twice", "text collate C", "paths", "k"),
    BigSet("250,000 paths twice, no deduplication", "text collate C", "paths", "k", deduplicate=False),
]


def _make_table(cluster, name):
    cluster.psql(f"DROP TABLE IF EXISTS {', '.join(TABLES)}; CREATE UNLOGGED TABLE {name} AS {TABLES[name]}")


def _compare(cluster, big, folder, tornleaf, report):
    """Builds the set both ways. The rows stay in `folder` as a file for the next set of the same column."""
    rows = os.path.join(folder, f"{big.table}-{big.column}.tsv")
    if not os.path.exists(rows):
        cluster.copy(f"SELECT {big.column}, ctid FROM {big.table}", rows)
    options = "" if big.deduplicate else " WITH (deduplicate_items = off)"
    cluster.psql(f"CREATE INDEX i ON {big.table} ({big.column}){options}; CHECKPOINT")
    server_path = cluster.relation_path("i")
    built = os.path.join(folder, "built")
    flags = [] if big.deduplicate else ["--no-dedup"]
    code, _, said = tornleaf.run("build", "--schema", big.schema, "-o", built, *flags, rows)
    report.check(f"{big.name}: build", f"exit code {code}: {said}" if code else None)
    if code == 0:
        count = os.path.getsize(built) // pages.PAGE_SIZE
        with open(built, "rb") as ours, open(server_path, "rb") as servers:
            report.check(f"{big.name}: bytes of CREATE INDEX", pages.first_difference(ours.read(), servers.read()))
        if big.published:
            error = None if count == big.published else f"{count} pages instead of {big.published}"
            report.check(f"{big.name}: published page count", error)
        report.say(f"{big.name}: {count:,} pages")
        os.unlink(built)
    cluster.psql("DROP INDEX i")


def run(tornleaf, report):
    """Builds each set on a server and with our build, and compares."""
    with pg_cluster.Cluster(extra_conf=CONF) as cluster, \
            tempfile.TemporaryDirectory(prefix="tornleaf-live-") as folder:
        made = None
        for big in SETS:
            if big.table != made:
                for path in os.listdir(folder):
                    os.unlink(os.path.join(folder, path))
                _make_table(cluster, big.table)
                made = big.table
            _compare(cluster, big, folder, tornleaf, report)
