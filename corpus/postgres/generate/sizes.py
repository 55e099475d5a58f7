"""Tuples at the limits of size, and the ways in which a varlena value is stored."""

from fixture import Fixture

MAKE_INDEX = "CREATE INDEX i ON t (k);"


def sized(name, story, column, select, claims=(), checksums=False, before="", rebuildable=True, index=MAKE_INDEX):
    sql = f"CREATE TABLE t ({column});\n{before}INSERT INTO t {select};\n{index}\n"
    return Fixture(
        name=name, story=story, sql=sql, claims=tuple(claims), rebuildable=rebuildable, checksums=checksums
    )


PLAIN = "ALTER TABLE t ALTER k SET STORAGE PLAIN;\n"
EXTERNAL = "ALTER TABLE t ALTER k SET STORAGE EXTERNAL;\n"
MAIN = "ALTER TABLE t ALTER k SET STORAGE MAIN;\n"
LZ4 = "ALTER TABLE t ALTER k SET COMPRESSION lz4;\n"

# Prefix that decides the order, then filler: the files compress well and the order is not that of the heap.
MIXED = "lpad((n * 37 % 101)::text, 4, '0')"

LARGEST = [
    sized(
        "largest-tuples", "tuples of exactly 2704 bytes, the largest allowed: three to a leaf, the high key among them",
        'k text COLLATE "C"', f"SELECT {MIXED} || repeat('m', 2688) FROM generate_series(1, 24) n",
        ["largest_item == 2704", "levels >= 3", "max(items_by_block.values()) == 4"], before=PLAIN,
    ),
    sized(
        "largest-tuples-duplicates",
        "equal keys of the largest size: pivots of 2712 bytes, larger than any leaf tuple",
        'k text COLLATE "C"', "SELECT repeat('d', 2692) FROM generate_series(1, 20) n",
        ["largest_item == 2712", "levels >= 3", "pivots_with_heap_tid > 3"], before=PLAIN, checksums=True,
    ),
    sized(
        "third-page-tuples", "sizes around a third of a page, so that two or three tuples fit",
        'k text COLLATE "C"', f"SELECT {MIXED} || repeat('t', 2600 + n * 4) FROM generate_series(1, 22) n",
        ["levels >= 3", "largest_item > 2690"], before=PLAIN,
    ),
    sized(
        "three-levels", "wide keys over three levels, with short ones among them",
        'k text COLLATE "C"',
        "SELECT lpad((n * 7919 % 10007)::text, 6, '0') || repeat('w', CASE WHEN n % 9 = 0 THEN 3 ELSE 480 END) "
        "FROM generate_series(1, 600) n", ["levels == 3"], checksums=True,
    ),
    sized(
        "four-levels", "four levels of very wide keys",
        'k text COLLATE "C"',
        "SELECT lpad((n * 7919 % 10007)::text, 6, '0') || repeat('w', 1900) FROM generate_series(1, 90) n",
        ["levels >= 4"], before=EXTERNAL,
    ),
    sized(
        "bytea-largest", "bytea of the largest size with zero bytes only, one differing at its end",
        "k bytea", "SELECT decode(repeat('00', 2688) || lpad(to_hex(n * 7 % 31), 8, '0'), 'hex') "
        "FROM generate_series(1, 12) n", ["largest_item == 2704"], before=PLAIN,
    ),
]

HEADERS = [
    sized(
        "short-header-boundary", "values of 120 to 135 bytes: the header grows from one byte to four at 127",
        'k text COLLATE "C"', "SELECT repeat(chr(97 + n % 7), 120 + n % 16) FROM generate_series(1, 500) n",
        ["levels == 2", "posting_tuples > 0"],
    ),
    sized(
        "plain-short-values", "short values under storage plain: INSERT gives them one-byte headers all the same",
        'a bool, k text COLLATE "C", b int8',
        "SELECT n % 2 = 0, repeat('p', n % 20), n FROM generate_series(1, 1000) n",
        ["levels == 2"], before=PLAIN, checksums=True, index="CREATE INDEX i ON t (a, k, b);",
    ),
    sized(
        "plain-empty-and-boundary", "storage plain at lengths 0 to 3 and 124 to 129, in posting lists",
        'k text COLLATE "C"',
        "SELECT repeat('b', length) FROM generate_series(1, 60) n, "
        "unnest(ARRAY[0, 1, 2, 3, 124, 125, 126, 127, 128, 129]) length", ["posting_tuples == 10"], before=PLAIN,
    ),
    sized(
        "bytea-plain", "bytea under storage plain, with values that look like headers",
        "k bytea", "SELECT decode(lpad(to_hex(n % 256), 2, '0') || repeat('03', n % 9), 'hex') "
        "FROM generate_series(1, 700) n", ["levels == 2"], before=PLAIN,
    ),
    sized(
        "include-plain", "an INCLUDE column under storage plain beside one under storage extended",
        'a int4, k text COLLATE "C", b text',
        "SELECT n, repeat('i', n % 30), repeat('j', n % 25) FROM generate_series(1, 800) n",
        ["levels == 2"], before=PLAIN, index="CREATE INDEX i ON t (a) INCLUDE (b, k);",
    ),
    sized(
        "numeric-plain", "numeric under storage plain", "k numeric",
        "SELECT (n * 31 % 977)::numeric / 8 FROM generate_series(1, 700) n", ["levels == 2"],
        before=PLAIN, checksums=True,
    ),
    sized(
        "numeric-many-digits", "numeric from 1 to 900 digits, the longest above 450 bytes and below compression",
        "k numeric",
        "SELECT (CASE WHEN n % 2 = 0 THEN '-' ELSE '' END || "
        "substr(translate(repeat(md5(n::text), 40), 'abcdef', '123456'), 1, 1 + n * 13 % 900) "
        "|| '.' || n % 10)::numeric FROM generate_series(1, 90) n",
        ["levels == 2", "largest_item > 400"],
    ),
    sized(
        "external-above-compression", "storage external: values above 510 bytes stay as they are",
        'k text COLLATE "C"', f"SELECT {MIXED} || repeat('e', 400 + n * 21) FROM generate_series(1, 60) n",
        ["levels >= 3", "largest_item > 1600"], before=EXTERNAL,
    ),
    sized(
        "extended-incompressible", "storage extended above 510 bytes where compression gains nothing",
        'k text COLLATE "C"',
        "SELECT (SELECT string_agg(md5(n || '.' || part), '' ORDER BY part) FROM generate_series(1, 17) part) "
        "FROM generate_series(1, 60) n", ["levels == 2", "largest_item == 560"], checksums=True,
    ),
    sized(
        "below-compression", "storage extended at 500 to 511 bytes: the last values that are never compressed",
        'k text COLLATE "C"', f"SELECT {MIXED} || repeat('c', 490 + n % 13) FROM generate_series(1, 60) n",
        ["levels == 2"], checksums=True,
    ),
]

COMPRESSIBLE = f"SELECT {MIXED} || repeat('compressible ', 50 + n) FROM generate_series(1, 150) n"

COMPRESSED = [
    sized(
        "compressed-pglz", "values above 510 bytes compressed in line with pglz",
        'k text COLLATE "C"', COMPRESSIBLE, ["levels == 2", "largest_item < 200"], rebuildable=False,
    ),
    sized(
        "compressed-lz4", "values above 510 bytes compressed in line with lz4",
        'k text COLLATE "C"', COMPRESSIBLE, ["levels == 2", "largest_item < 200"], before=LZ4,
        rebuildable=False, checksums=True,
    ),
    sized(
        "compressed-main", "bytea under storage main: compressed, never moved out of line",
        "k bytea", "SELECT decode(repeat(lpad(to_hex(n % 256), 2, '0') || '00ff', 300 + n), 'hex') "
        "FROM generate_series(1, 300) n", ["levels == 2", "largest_item < 300"], before=MAIN, rebuildable=False,
    ),
    sized(
        "compressed-numeric", "numeric of so many equal digits that it is compressed", "k numeric",
        "SELECT (n || repeat('12345678', 200 + n))::numeric FROM generate_series(1, 60) n",
        ["largest_item < 300"], rebuildable=False,
    ),
    sized(
        "compressed-and-short", "compressed, long and short values and both methods in one index",
        'k text COLLATE "C", b int4',
        "SELECT CASE n % 3 WHEN 0 THEN 'short' || n % 40 WHEN 1 THEN repeat('long' || n % 20, 90) "
        "ELSE repeat('lz' || n % 30, 200) END, n FROM generate_series(1, 600) n",
        ["levels == 3", "truncated_pivots > 0"], rebuildable=False, index="""INSERT INTO t SELECT k || 'x', b FROM t;
ALTER TABLE t ALTER k SET COMPRESSION lz4;
INSERT INTO t SELECT repeat('later' || n % 50, 150), n FROM generate_series(1, 300) n;
CREATE INDEX i ON t (k, b);""",
    ),
    sized(
        "compressed-duplicates", "compressed duplicates, deduplicated by their stored image",
        'k text COLLATE "C"',
        "SELECT repeat('value ' || n % 4, 120) FROM generate_series(1, 1500) n",
        ["levels == 2", "posting_tuples > 0"], rebuildable=False, checksums=True,
    ),
    sized(
        "plain-over-short-values",
        "storage changed to plain after the rows were stored: one-byte headers under a plain column",
        'k text COLLATE "C"', "SELECT 'row ' || n * 7 % 500 FROM generate_series(1, 800) n",
        ["levels == 2"], rebuildable=False,
        index=f"{PLAIN}INSERT INTO t SELECT 'row ' || n FROM generate_series(1, 200) n;\nCREATE INDEX i ON t (k);",
    ),
]

FIXTURES = LARGEST + HEADERS + COMPRESSED
