"""The same rows in the same order into a server's index and into ours: the pages must have the same bytes.

Every split point, every posting list and every block number is compared, since a different choice anywhere shows in
what follows.
"""

import dataclasses
import pathlib
import tempfile

import pages
import pg_cluster

HASH = "('x' || substr(md5(n::text), 1, 8))::bit(32)::int4"
HASH64 = "('x' || substr(md5(n::text), 1, 16))::bit(64)::int8"


@dataclasses.dataclass(frozen=True)
class Shape:
    """Rows n = 1..rows are inserted in ascending n. `keys` makes the key columns of a row, named as in `columns`."""

    name: str
    schema: str
    columns: str
    keys: str
    index: str = "(k)"
    rows: int = 40_000
    options: tuple = ()  # of `tornleaf db init`


SHAPES = [
    Shape("ascending int4", "int4", "k int4", "n"),
    Shape("descending int4", "int4", "k int4", "-n"),
    Shape("random int8", "int8", "k int8", HASH64),
    Shape("unique random int8", "int8; unique", "k int8", HASH64, "UNIQUE (k)"),
    Shape("ascending with fillfactor 70", "int4", "k int4", "n", "(k) WITH (fillfactor = 70)",
          options=("--fillfactor", "70")),
    Shape("100 values at random", "int4", "k int4", f"{HASH} % 100"),
    Shape("one value", "int4", "k int4", "7"),
    Shape("2,000 values in turn", "int4", "k int4", "n % 2000"),
    Shape("duplicates without posting lists", "int4", "k int4", f"{HASH} % 500",
          "(k) WITH (deduplicate_items = off)", options=("--no-dedup",)),
    Shape("nulls at random", "int4 nulls first", "k int4", f"CASE WHEN n % 3 > 0 THEN {HASH} % 1000 END",
          "(k NULLS FIRST)"),
    Shape("random URLs", "text collate C", 'k text COLLATE "C"',
          f"'https://www.example.com/products/item' || lpad(({HASH64} & 4294967295)::text, 10, '0')"),
    Shape("texts of many lengths", "text collate C", 'k text COLLATE "C"',
          f"repeat(chr(97 + (n % 26)), 1 + ({HASH} & 127)) || md5(n::text)"),
    Shape("tenant and ascending number", "int4, int8", "a int4, b int8", f"{HASH} % 50, n", "(a, b)"),
    Shape("ascending pair", "int4, int4", "a int4, b int4", "n / 10, n % 10", "(a, b)"),
    Shape("few names and numbers, descending", "text collate C desc, int4", 'a text COLLATE "C", b int4',
          f"'name ' || ({HASH} & 15), ({HASH} >> 8) % 50", "(a DESC, b)"),
    Shape("included column", "int4; include text", "k int4, v text", f"{HASH} % 3000, md5((n % 10)::text)",
          "(k) INCLUDE (v)"),
    Shape("numeric", "numeric", "k numeric", f"({HASH} % 100000) / 100.0"),
    Shape("uuid", "uuid", "k uuid", "md5(n::text)::uuid"),
]


def _column_names(shape):
    return ", ".join(column.split()[0] for column in shape.columns.split(", "))


def _insert_both(cluster, shape, folder, tornleaf, report):
    unique = "UNIQUE " if shape.index.startswith("UNIQUE ") else ""
    cluster.psql(
        f"DROP TABLE IF EXISTS t; CREATE TABLE t (n int8, {shape.columns}); "
        f"CREATE {unique}INDEX i ON t {shape.index.removeprefix('UNIQUE ')}; "
        f"INSERT INTO t SELECT n, {shape.keys} FROM generate_series(1, {shape.rows}) n; CHECKPOINT")
    rows, database = folder / "rows", folder / "db"
    cluster.copy(f"SELECT {_column_names(shape)}, ctid FROM t ORDER BY n", rows)
    for arguments in (("init", database, "--schema", shape.schema, *shape.options),
                      ("put", database, rows), ("checkpoint", database)):
        code, _, said = tornleaf.run("db", *arguments)
        if code:
            return f"tornleaf db {arguments[0]}: exit code {code}: {said}"
    ours, servers = (database / "index").read_bytes(), cluster.relation_path("i").read_bytes()
    report.say(f"{shape.name}: {len(servers) // pages.PAGE_SIZE} pages")
    return pages.first_difference(ours, servers)


def run(tornleaf, report):
    """Inserts the rows of each shape into both, and compares every page."""
    with pg_cluster.Cluster() as cluster:
        for shape in SHAPES:
            with tempfile.TemporaryDirectory(prefix="tornleaf-live-") as folder:
                error = _insert_both(cluster, shape, pathlib.Path(folder), tornleaf, report)
                report.check(f"{shape.name}: bytes of the server's inserts", error)
