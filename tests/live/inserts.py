"""The same rows in the same order into a server's index and into ours: the pages must have the same bytes.

Every split point, every posting list and every block number is compared, since a different choice anywhere shows in
what follows. Then the same rows are deleted, both sides VACUUM, and more rows come: what is removed, which pages are
deleted and how what is left lies on its pages must be the same too.
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


# A run of rows that empties whole pages where keys ascend, and every third of the others.
DELETED = "n BETWEEN {rows} / 4 AND {rows} / 2 OR n % 3 = 0"


class _Pair:
    """A server's index and ours of one shape."""

    def __init__(self, cluster, shape, folder, tornleaf):
        self._cluster, self._shape, self._folder, self._tornleaf = cluster, shape, folder, tornleaf
        self._database = folder / "db"
        self._columns = ", ".join(column.split()[0] for column in shape.columns.split(", "))

    def create(self):
        shape = self._shape
        unique = "UNIQUE " if shape.index.startswith("UNIQUE ") else ""
        self._cluster.psql(f"DROP TABLE IF EXISTS t; CREATE TABLE t (n int8, {shape.columns}); "
                           f"CREATE {unique}INDEX i ON t {shape.index.removeprefix('UNIQUE ')}")
        self._run("init", "--schema", shape.schema, *shape.options)

    def insert(self, first, last):
        self._cluster.psql(f"INSERT INTO t SELECT n, {self._shape.keys} FROM generate_series({first}, {last}) n")
        self._run("put", self._rows(f"n BETWEEN {first} AND {last}"))

    def delete(self):
        condition = DELETED.format(rows=self._shape.rows)
        rows = self._rows(condition)
        self._cluster.psql(f"DELETE FROM t WHERE {condition}")
        self._cluster.psql("VACUUM (INDEX_CLEANUP ON) t")
        self._run("delete", rows)
        self._run("vacuum")

    def difference(self):
        """None, or one line that says where the files part; and the server's file."""
        self._cluster.checkpoint()
        self._run("checkpoint")
        ours = (self._database / "index").read_bytes()
        servers = self._cluster.relation_path("i").read_bytes()
        return pages.first_difference(ours, servers), servers

    def _rows(self, condition):
        path = self._folder / "rows"
        self._cluster.copy(f"SELECT {self._columns}, ctid FROM t WHERE {condition} ORDER BY n", path)
        return path

    def _run(self, command, *arguments):
        code, _, said = self._tornleaf.run("db", command, self._database, *arguments)
        if code:
            raise pg_cluster.PgError(f"{self._shape.name}: tornleaf db {command}: exit code {code}: {said}")


def _try_shape(pair, shape, report):
    pair.create()
    steps = (("inserts", lambda: pair.insert(1, shape.rows)),
             ("DELETE and VACUUM", pair.delete),
             ("inserts after VACUUM", lambda: pair.insert(shape.rows + 1, shape.rows * 3 // 2)))
    said = []
    for what, step in steps:
        step()
        error, data = pair.difference()
        said.append(f"{len(data) // pages.PAGE_SIZE:,}")
        report.check(f"{shape.name}: bytes of the server's {what}", error)
        if error:
            break
        # When a deleted page may be used again depends on transactions, which are the server's own affair.
        if pages.has_deleted_page(data):
            said.append("some of them deleted")
            break
    report.say(f"{shape.name}: {', '.join(said)} pages")


def run(tornleaf, report):
    """Does to both, for each shape, what the module says."""
    with pg_cluster.Cluster() as cluster:
        for shape in SHAPES:
            with tempfile.TemporaryDirectory(prefix="tornleaf-live-") as folder:
                _try_shape(_Pair(cluster, shape, pathlib.Path(folder), tornleaf), shape, report)
