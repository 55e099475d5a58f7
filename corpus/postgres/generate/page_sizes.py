"""Other page sizes than the usual one: the limits follow from it, and so does every layout decision.

Each needs a server configured --with-blocksize for it; Debian has none, so ./dev postgres-fixtures leaves
these fixtures as they are unless it is told the page size and where the server is (see run).
"""

from fixture import Fixture

HASH = "('x' || substr(md5(n::text), 1, 8))::bit(32)::int4"

LINE_POINTER, PAGE_HEADER, SPECIAL, TUPLE_HEADER, VARLENA_HEADER = 4, 24, 16, 8, 4
TUPLE_SIZE_MAX = 8191  # the 13 bits of an index tuple's size
TID_ROOM = 8


def largest_text(page_size):
    """Characters of a text under storage plain that make the largest tuple of a page size."""
    third = (page_size - (PAGE_HEADER + 3 * LINE_POINTER + 7) // 8 * 8 - SPECIAL) // 3 // 8 * 8
    tuple_size = min(third, TUPLE_SIZE_MAX // 8 * 8) - TID_ROOM
    return tuple_size - TUPLE_HEADER - VARLENA_HEADER


def of_size(page_size):
    kib = page_size // 1024
    rows = 400 * kib if kib > 4 else 1500

    def fixture(name, story, sql, claims, **more):
        return Fixture(name=f"pages-{kib}k-{name}", story=f"{story}, on pages of {kib} KiB", sql=sql,
                       claims=tuple(claims), page_size=page_size, **more)

    return [
        fixture("int4", "int4 on several leaves", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT {HASH} FROM generate_series(1, {rows}) n;
CREATE INDEX i ON t (k);
""", ["levels >= 2"]),
        fixture("duplicates", "Posting lists up to the limit of a build", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n % 3 FROM generate_series(1, {3 * rows}) n;
CREATE INDEX i ON t (k);
""", ["levels >= 2", "posting_tuples > 3"], checksums=True),
        fixture("mixed", "Two key columns, nulls and an included column", f"""
CREATE TABLE t (a text COLLATE "C", b int2, c float8);
INSERT INTO t SELECT md5((n % 50)::text), NULLIF(n % 9, 4)::int2, n / 7.0 FROM generate_series(1, {rows}) n;
CREATE INDEX i ON t (a, b DESC) INCLUDE (c) WITH (fillfactor = 70);
""", ["levels >= 2", "items_with_nulls > 0"]),
        fixture("largest", "Tuples of the largest size that the page takes", f"""
CREATE TABLE t (k text COLLATE "C");
ALTER TABLE t ALTER k SET STORAGE PLAIN;
INSERT INTO t SELECT lpad((n * 7 % 40)::text, {largest_text(page_size)}, 'x') FROM generate_series(1, 40) n;
CREATE INDEX i ON t (k);
""", ["levels >= 2"]),
        fixture("lived-in", "Inserts in random order, deletes and VACUUM", f"""
CREATE TABLE t (k int4);
CREATE INDEX i ON t (k);
INSERT INTO t SELECT {HASH} FROM generate_series(1, {rows}) n;
DELETE FROM t WHERE k > 0 AND k % 3 <> 0;
VACUUM t;
INSERT INTO t SELECT {HASH} % 100 FROM generate_series(1, {rows}) n;
""", ["levels >= 2", "posting_tuples > 0"], rebuildable=False, checksums=True),
    ]


# The least and the greatest that PostgreSQL allows.
FIXTURES = [fixture for kib in (1, 32) for fixture in of_size(kib * 1024)]
