"""What CREATE INDEX can be told: order, several columns, INCLUDE, unique, fillfactor, deduplication."""

from fixture import Fixture
from types_alone import HASH


def built(name, story, columns, select, index, claims=(), checksums=False):
    """A fixture made by one INSERT and one CREATE INDEX; `index` is what follows INDEX or UNIQUE INDEX."""
    unique = "UNIQUE " if index.startswith("UNIQUE ") else ""
    definition = index.removeprefix("UNIQUE ")
    sql = f"""
CREATE TABLE t ({columns});
INSERT INTO t {select};
CREATE {unique}INDEX i ON t {definition};
"""
    return Fixture(name=name, story=story, sql=sql, claims=tuple(claims), checksums=checksums)


# NULL first, last and in between in heap order, about one in seven.
SOME_NULLS = (
    f"SELECT CASE WHEN n % 7 = 0 THEN NULL ELSE {HASH} % 500 END FROM generate_series(0, 1400) n"
)

ORDER = [
    built(
        "int4-nulls-last", "NULLs in all heap positions, at the end of the index",
        "k int4", SOME_NULLS, "(k ASC NULLS LAST)", ["items_with_nulls > 1", "posting_tuples > 0"],
    ),
    built(
        "int4-nulls-first", "NULLs in all heap positions, at the start of an ascending index",
        "k int4", SOME_NULLS, "(k NULLS FIRST)", ["items_with_nulls > 1"], checksums=True,
    ),
    built(
        "int4-desc", "descending, where NULLs come first unless told otherwise",
        "k int4", SOME_NULLS, "(k DESC)", ["levels == 2", "items_with_nulls > 1"],
    ),
    built(
        "int4-desc-nulls-last", "descending with the NULLs at the end",
        "k int4", SOME_NULLS, "(k DESC NULLS LAST)", ["items_with_nulls > 1"], checksums=True,
    ),
    built(
        "text-desc", "descending text, NULLs first, several leaves",
        'k text COLLATE "C"',
        "SELECT CASE WHEN n % 50 <> 0 THEN substr(md5(n::text), 1, 4 + n % 20) END "
        "FROM generate_series(1, 1500) n", "(k DESC)", ["levels == 2"],
    ),
    built(
        "all-null", "nothing but NULLs: posting lists whose key is a null bitmap",
        "k int4", "SELECT NULL::int4 FROM generate_series(1, 3000)", "(k)",
        ["levels == 2", "items_with_nulls == items - 1", "pivots_with_heap_tid > 0"], checksums=True,
    ),
]

COLUMNS_32 = ", ".join(f"c{n} int2" for n in range(32))
VALUES_32 = ", ".join(
    # Long runs of equal leading columns, so that pivots keep a different number of attributes.
    f"CASE WHEN (n * {7 + c} + {c}) % 5 = 0 THEN NULL ELSE (n >> {max(0, 9 - c // 3)}) % {2 + c} END"
    for c in range(32)
)
NAMES_32 = ", ".join(f"c{n}" for n in range(32))

COLUMNS = [
    built(
        "padding-int2-int8-text-bool-float8",
        "alignment padding before int8 and float8, and a short varlena with none",
        'a int2, b int8, c text COLLATE "C", d bool, e float8',
        "SELECT (n % 4)::int2, n % 20, substr(md5(n::text), 1, n % 12), n % 2 = 0, n / 8.0::float8 "
        "FROM generate_series(1, 1200) n", "(a, b, c, d, e)", ["levels == 2"],
    ),
    built(
        "padding-bool-int4-bool-int8-with-nulls",
        "alignment padding with NULLs in every column, so that offsets differ from row to row",
        "a bool, b int4, c bool, d int8",
        "SELECT CASE WHEN n % 2 = 0 THEN n % 3 = 0 END, CASE WHEN n % 3 > 0 THEN n % 11 END, "
        "CASE WHEN n % 5 > 0 THEN n % 7 = 0 END, CASE WHEN n % 4 > 0 THEN n % 29 END "
        "FROM generate_series(1, 1500) n", "(a, b DESC, c NULLS FIRST, d)",
        ["levels == 2", "items_with_nulls > 100"], checksums=True,
    ),
    built(
        "padding-char-aligned-run", "one-byte columns around a uuid and an int2",
        "a bool, u uuid, b bool, c int2, d oid",
        "SELECT n % 2 = 0, md5((n % 300)::text)::uuid, n % 3 = 0, (n % 50)::int2, n::oid "
        "FROM generate_series(1, 800) n", "(a, u, b, c, d)", ["levels == 2"],
    ),
    built(
        "text-then-int4", "a varlena first, so that the int4's offset depends on the text's length",
        'a text COLLATE "C", b int4',
        "SELECT repeat('k', n % 9), n FROM generate_series(1, 1500) n", "(a, b)",
        ["levels == 2"], checksums=True,
    ),
    built(
        "mixed-directions", "ascending and descending columns in turn over few values",
        'a int4, b text COLLATE "C", c date',
        "SELECT n % 6, chr(97 + n % 5), date '2020-01-01' + n % 40 FROM generate_series(1, 2000) n",
        "(a DESC, b, c DESC NULLS LAST)", ["levels == 2"],
    ),
    built(
        "columns-32", "32 key columns with NULLs: the full null bitmap, pivots of many widths",
        COLUMNS_32, f"SELECT {VALUES_32} FROM generate_series(1, 900) n", f"({NAMES_32})",
        ["levels == 2", "items_with_nulls > 500", "truncated_pivots > 0"],
    ),
    built(
        "multi-column-truncated", "three columns of which pivots keep one, two or three",
        'a text COLLATE "C", b int4, c int8',
        "SELECT 'tenant-' || n / 101, n / 2, n FROM generate_series(1, 2400) n", "(a, b, c)",
        ["levels == 2", "truncated_pivots > 0"], checksums=True,
    ),
    built(
        "multi-column-duplicates", "duplicates over two columns, one of them text",
        'a int4, b text COLLATE "C"',
        "SELECT n % 3, 'v' || n % 4 FROM generate_series(1, 4000) n", "(a, b)",
        ["levels == 2", "largest_posting_list > 100"],
    ),
    built(
        "multi-column-icu-numeric", "a collation and a type without deduplication in one index",
        'a text COLLATE "en-US-x-icu", b numeric, c timestamptz',
        "SELECT (ARRAY['Zoë', 'zoe', 'Zoé', 'ZOE'])[1 + n % 4], (n % 5)::numeric(6,2), "
        "timestamptz '2020-01-01 00:00+00' + n % 60 * interval '1 hour' FROM generate_series(1, 900) n",
        "(a, b DESC, c)", ["levels == 2", "not all_equal_image"],
    ),
]

EVERY_TYPE = (
    "a bool, b int2, c int4, d int8, e oid, f float4, g float8, h date, i timestamp, j timestamptz, "
    'k uuid, l bytea, m text COLLATE "C", n varchar COLLATE "C", o name, p numeric'
)

# Each column is NULL in other rows than its neighbours are.
EVERY_VALUE = ", ".join(
    f"CASE WHEN (x * {step} + {step}) % 7 > 0 THEN {value} END"
    for step, value in enumerate((
        "x % 2 = 0", "(x % 3)::int2", "x % 5", "x % 7::int8", "(x % 4)::oid", "(x % 3 / 2.0)::float4",
        "x % 6 / 4.0::float8", "date '2001-01-01' + x % 9", "timestamp '2001-01-01' + x % 8 * interval '1 s'",
        "timestamptz '2001-01-01 00:00+00' + x % 8 * interval '1 h'", "md5((x % 10)::text)::uuid",
        "decode(repeat('00', x % 4), 'hex')", "repeat('m', x % 11)", "repeat('n', x % 6)",
        "('o' || x % 12)::name", "(x % 13)::numeric / 4"), start=1)
)

MIXED_TYPES = [
    built(
        "every-type", "all types in one index, each NULL in other rows", EVERY_TYPE,
        f"SELECT {EVERY_VALUE} FROM generate_series(1, 500) x",
        "(a, b, c DESC, d, e, f, g DESC NULLS LAST, h, i NULLS FIRST, j, k, l, m, n, o DESC, p)",
        ["levels == 2", "items_with_nulls > 300"],
    ),
    built(
        "every-type-included", "all types as INCLUDE columns, where a name keeps its 64 bytes",
        EVERY_TYPE + ", q int4", f"SELECT {EVERY_VALUE}, -x FROM generate_series(1, 200) x",
        "(q) INCLUDE (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)", ["levels == 2"], checksums=True,
    ),
    built(
        "name-then-int8", "a cstring before an aligned column and another one after it", "a name, b int8, c name",
        "SELECT ('n' || n % 9)::name, n % 40, repeat('c', n % 30)::name FROM generate_series(1, 1200) n",
        "(a, b DESC, c)", ["levels == 2", "truncated_pivots > 0"], checksums=True,
    ),
]

INCLUDE = [
    built(
        "include", "an INCLUDE column, dropped from every pivot",
        'k int4, v text COLLATE "C"',
        "SELECT n, 'payload ' || n % 100 FROM generate_series(1, 1500) n", "(k) INCLUDE (v)",
        ["levels == 2", "not posting_tuples"],
    ),
    built(
        "include-duplicates", "INCLUDE with duplicate keys: no deduplication, pivots with a heap TID",
        "k int4, v int8", "SELECT n % 2, n FROM generate_series(1, 2000) n", "(k) INCLUDE (v)",
        ["levels == 2", "pivots_with_heap_tid > 0", "posting_tuples == 0"], checksums=True,
    ),
    built(
        "include-three-levels", "INCLUDE columns and two wide keys over three levels",
        'a text COLLATE "C", b int4, v text, w bool',
        "SELECT repeat(chr(97 + n % 26), 500) || n / 4, n, repeat('v', n % 40), n % 3 = 0 "
        "FROM generate_series(1, 420) n", "(a, b) INCLUDE (v, w)",
        ["levels == 3", "truncated_pivots > 0"],
    ),
    built(
        "include-unique", "unique with two INCLUDE columns that hold NULLs",
        "k int8, v text, w numeric",
        "SELECT n * 3, CASE WHEN n % 4 > 0 THEN 'v' || n END, CASE WHEN n % 3 > 0 THEN n / 100.0 END "
        "FROM generate_series(1, 900) n", "UNIQUE (k) INCLUDE (v, w)", ["levels == 2"], checksums=True,
    ),
    built(
        "include-31-of-32", "one key column and 31 INCLUDE columns",
        COLUMNS_32, f"SELECT {VALUES_32} FROM generate_series(1, 300) n",
        f"(c31) INCLUDE ({', '.join(f'c{n}' for n in range(31))})", ["levels == 2"],
    ),
]

UNIQUE = [
    built(
        "unique", "unique int4 with several NULLs, which are distinct from one another",
        "k int4",
        "SELECT CASE WHEN n % 100 > 0 THEN n END FROM generate_series(1, 2000) n", "UNIQUE (k)",
        ["levels == 2", "items_with_nulls > 0"],
    ),
    built(
        "unique-nulls-not-distinct", "unique where NULL may stand once",
        'a int4, b text COLLATE "C"',
        "SELECT n, CASE WHEN n % 10 > 0 THEN 'b' || n END FROM generate_series(1, 1500) n",
        "UNIQUE (b, a) NULLS NOT DISTINCT", ["levels == 2"], checksums=True,
    ),
    built(
        "unique-text", "unique text in C collation, shared prefixes",
        'k text COLLATE "C"',
        "SELECT 'https://example.org/page/' || n * 17 FROM generate_series(1, 1000) n", "UNIQUE (k)",
        ["levels == 2"],
    ),
]

FILL = [
    built(
        f"fillfactor-{factor}", f"leaves filled to {factor} percent", "k int4",
        f"SELECT {HASH} FROM generate_series(1, {rows}) n", f"(k) WITH (fillfactor = {factor})",
        ["levels == 2"], checksums=factor in (50, 100),
    )
    for factor, rows in ((10, 1000), (50, 2500), (70, 3000), (100, 4000))
] + [
    built(
        "fillfactor-100-duplicates", "full leaves of posting lists", "k int4",
        "SELECT n % 9 FROM generate_series(1, 9000) n", "(k) WITH (fillfactor = 100)",
        ["levels == 2", "largest_posting_list == 132"],
    ),
]

DUPLICATES = [
    built(
        "no-deduplication", "duplicates with deduplicate_items off", "k int4",
        "SELECT n % 4 FROM generate_series(1, 2000) n", "(k) WITH (deduplicate_items = off)",
        ["levels == 2", "posting_tuples == 0", "pivots_with_heap_tid > 0", "all_equal_image"],
    ),
    built(
        "few-distinct", "three values: posting lists at the build's limit of 812 bytes", "k int4",
        "SELECT n % 3 FROM generate_series(1, 6000) n", "(k)",
        ["levels == 2", "largest_posting_list == 132", "largest_posting_tuple == 808"], checksums=True,
    ),
    built(
        "all-equal", "one value: pivots need a heap TID", "k int4",
        "SELECT 42 FROM generate_series(1, 12000) n", "(k)",
        ["levels == 2", "pivots_with_heap_tid > 3", "largest_posting_list == 132"],
    ),
    built(
        "all-equal-three-levels", "one wide value over three levels: every pivot holds a heap TID",
        'k text COLLATE "C"',
        "SELECT repeat('tornleaf', 60) FROM generate_series(1, 420) n",
        "(k) WITH (deduplicate_items = off, fillfactor = 50)",
        ["levels == 3", "pivots_with_heap_tid > 20", "truncated_pivots == 0"],
    ),
    built(
        "pairs", "two rows to a value: the smallest posting lists", "k int8",
        "SELECT n / 2 FROM generate_series(1, 2000) n", "(k)",
        ["levels == 2", "largest_posting_list == 2", "posting_tuples > 900"],
    ),
    built(
        "duplicates-text-lengths", "posting lists behind text keys of every length, so of every padding",
        'k text COLLATE "C"',
        "SELECT repeat('x', n % 60) FROM generate_series(1, 3000) n", "(k)",
        ["levels == 2", "posting_tuples >= 60"], checksums=True,
    ),
    built(
        "equal-image-differs", "numeric values that compare equal with different display scales",
        "k numeric", "SELECT (n % 5)::numeric + (ARRAY['0', '0.0', '0.00'])[1 + n % 3]::numeric "
        "FROM generate_series(1, 900) n", "(k)",
        ["levels == 2", "posting_tuples == 0", "pivots_with_heap_tid > 0"],
    ),
]

SMALL = [
    built(
        "empty", "no rows: a metapage alone, without a root", "k int4", "SELECT 1 WHERE false", "(k)",
        ["pages == 1", "levels == 0", "items == 0"],
    ),
    built(
        "empty-not-equal-image", "no rows, and a type that forbids deduplication", "k float8",
        "SELECT 1 WHERE false", "(k)", ["pages == 1", "not all_equal_image"], checksums=True,
    ),
    built(
        "one-row", "one row: the root is a leaf", "k int4", "SELECT 7", "(k)",
        ["pages == 2", "levels == 1", "items == 1"],
    ),
    built(
        "one-null", "one row that is NULL", 'k text COLLATE "C"', "SELECT NULL", "(k)",
        ["pages == 2", "items == 1", "items_with_nulls == 1"], checksums=True,
    ),
    built(
        "one-full-leaf", "the most int4 rows that one leaf takes at fillfactor 100", "k int4",
        "SELECT n FROM generate_series(1, 407) n", "(k) WITH (fillfactor = 100)",
        ["pages == 2", "levels == 1", "items == 407", "free_by_level[0][0] == 8"],
    ),
    built(
        "one-over-a-full-leaf", "one row more than one leaf takes", "k int4",
        "SELECT n FROM generate_series(1, 408) n", "(k) WITH (fillfactor = 100)",
        ["levels == 2", "leaf_pages == 2"],
    ),
]

SPECIAL = [
    built(
        "partial", "a partial index: fewer rows than the table has", "k int4, alive bool",
        "SELECT n, n % 3 = 0 FROM generate_series(1, 3000) n", "(k) WHERE alive",
        ["levels == 2", "items < 1100"],
    ),
    built(
        "expression", "an index over expressions", 'a text COLLATE "C", b int4',
        "SELECT 'Key-' || md5(n::text), n FROM generate_series(1, 700) n",
        '(lower(a) COLLATE "C", (b * 2) DESC)', ["levels == 2"], checksums=True,
    ),
    Fixture(
        "unlogged", "an unlogged index, whose pages carry no LSN of a record", """
CREATE UNLOGGED TABLE t (k int4);
INSERT INTO t SELECT n * 3 FROM generate_series(1, 1500) n;
CREATE INDEX i ON t (k);
""", ("levels == 2",),
    ),
    Fixture(
        "unlogged-init-fork", "the init fork of an unlogged index: one metapage", """
CREATE UNLOGGED TABLE t (k int4);
CREATE INDEX i ON t (k);
""", ("pages == 1",), fork="init",
    ),
]

FIXTURES = ORDER + COLUMNS + MIXED_TYPES + INCLUDE + UNIQUE + FILL + DUPLICATES + SMALL + SPECIAL
