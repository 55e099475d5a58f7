"""The indexes of the live lane: every type alone, every option, each some thousands of rows on several levels."""

import dataclasses

# Deterministic pseudo-random integers: the leading bits of md5.
HASH = "('x' || substr(md5(n::text), 1, 8))::bit(32)::int4"
HASH64 = "('x' || substr(md5(n::text), 1, 16))::bit(64)::int8"


@dataclasses.dataclass(frozen=True)
class Case:
    """One index `i` on a table `t`, both in a schema of their own.

    values     select list that makes row n; no two n give the same keys where the index is unique.
    index      what follows INDEX or UNIQUE INDEX.
    before     statements between CREATE TABLE and the first row.
    checksums  which of the two clusters makes it.
    """

    name: str
    columns: str
    values: str
    index: str = "(k)"
    rows: int = 4000
    before: str = ""
    checksums: bool = False

    @property
    def unique(self):
        return self.index.startswith("UNIQUE ")

    def rows_sql(self, first, last):
        return f"INSERT INTO t SELECT {self.values} FROM generate_series({first}, {last}) n;\n"

    def create_sql(self):
        unique = "UNIQUE " if self.unique else ""
        # The first VACUUM sets the visibility map, without which an index-only scan reads the table.
        return (
            f"CREATE TABLE t ({self.columns});\n{self.before}{self.rows_sql(1, self.rows)}VACUUM ANALYZE t;\n"
            f"CREATE {unique}INDEX i ON t {self.index.removeprefix('UNIQUE ')};\n"
        )


def _or_null(value, every):
    return f"CASE WHEN n % {every} > 0 THEN {value} END"


TYPES = [
    Case("bool", "k bool", _or_null("n % 3 = 0", 5)),
    Case("int2", "k int2", f"({HASH} % 32768)::int2", checksums=True),
    Case("int4", "k int4", _or_null(HASH, 50)),
    Case("int8", "k int8", _or_null(HASH64, 70), checksums=True),
    Case("oid", "k oid", f"({HASH}::int8 & 4294967295)::oid"),
    Case("float4", "k float4",
         "CASE WHEN n % 40 < 7 THEN (ARRAY['NaN', '-0', '0', 'Infinity', '-Infinity', '1e-45', NULL]::float4[])"
         f"[1 + n % 40] ELSE ({HASH} / 1000.0)::float4 END", checksums=True),
    Case("float8", "k float8", "CASE n % 9 WHEN 0 THEN '-0'::float8 WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE sin(n) END"),
    Case("date", "k date", f"CASE n % 60 WHEN 0 THEN 'infinity'::date ELSE date '1970-01-01' + {HASH} % 700000 END",
         checksums=True),
    Case("timestamp", "k timestamp",
         f"timestamp '2000-01-01' + ({HASH64} % 3000000000000000) * interval '1 microsecond'"),
    Case("timestamptz", "k timestamptz",
         f"timestamptz '2000-01-01 00:00:00+00' + ({HASH64} % 3000000000000000) * interval '1 microsecond'",
         checksums=True),
    Case("uuid", "k uuid", "md5(n::text)::uuid"),
    Case("bytea", "k bytea", "decode(repeat('00', n % 3) || substr(md5(n::text), 1, 2 * (n % 17)), 'hex')",
         checksums=True),
    Case("text", 'k text COLLATE "C"',
         "substr(md5(n::text), 1, n % 33) || (ARRAY['', 'é', E'\\t', E'\\\\N', '日本', '🙂'])[1 + n % 6]"),
    Case("varchar", 'k varchar(60) COLLATE "C"', "'customer-' || lpad((n * 7919 % 10007)::text, n % 40, '0')",
         checksums=True),
    Case("text-icu", 'k text COLLATE "en-US-x-icu"',
         "(ARRAY['apple', 'Apple', 'äpfel', 'apfel', 'résumé', 'resume', 'straße', 'strasse', 'Zebra', 'ωmega', "
         "'日本', 'co-op', 'coop', 'co op', U&'e\\0301', U&'\\00e9'])[1 + n % 16] || (n * 31 % 997)"),
    Case("name", "k name", "('relation_' || substr(md5(n::text), 1, 1 + n % 30))::name", checksums=True),
    Case("numeric", "k numeric",
         "CASE WHEN n % 80 < 8 THEN (ARRAY['NaN', 'Infinity', '-Infinity', '0', '0.00', '1', '1.0', '1.000']"
         f"::numeric[])[1 + n % 80] ELSE {HASH}::numeric / (10 ^ (n % 9))::numeric END"),
]

OPTIONS = [
    Case("desc", "k int4", _or_null(f"{HASH} % 900", 7), "(k DESC)"),
    Case("desc-nulls-last", "k int4", _or_null(f"{HASH} % 900", 7), "(k DESC NULLS LAST)", checksums=True),
    Case("nulls-first", 'k text COLLATE "C"', _or_null("substr(md5(n::text), 1, 4 + n % 20)", 6), "(k NULLS FIRST)"),
    Case("three-columns", 'a text COLLATE "C", b int4, c int8', "'tenant-' || n / 101, n / 2, n", "(a, b, c)",
         checksums=True),
    Case("padding-and-nulls", "a bool, b int4, c bool, d int8",
         f"{_or_null('n % 3 = 0', 2)}, {_or_null('n % 11', 3)}, {_or_null('n % 7 = 0', 5)}, {_or_null('n % 29', 4)}",
         "(a, b DESC, c NULLS FIRST, d)"),
    Case("icu-numeric-timestamptz", 'a text COLLATE "en-US-x-icu", b numeric, c timestamptz',
         "(ARRAY['Zoë', 'zoe', 'Zoé', 'ZOE'])[1 + n % 4], (n % 5)::numeric(6,2), "
         "timestamptz '2020-01-01 00:00+00' + n % 60 * interval '1 hour'", "(a, b DESC, c)", checksums=True),
    Case("include", 'k int4, v text COLLATE "C", w name', "n * 3, 'payload ' || n % 100, ('w' || n % 9)::name",
         "(k) INCLUDE (v, w)"),
    Case("include-duplicates", "k int4, v int8", "n % 2, n", "(k) INCLUDE (v)", checksums=True),
    Case("unique", "k int4", "CASE WHEN n % 100 > 0 THEN n * 7 END", "UNIQUE (k)"),
    Case("unique-include", 'k text COLLATE "C", v numeric', "'https://example.org/page/' || n * 17, n / 100.0",
         "UNIQUE (k) INCLUDE (v)", checksums=True),
    Case("unique-nulls-not-distinct", 'a int4, b text COLLATE "C"', "n, CASE WHEN n % 10 > 0 THEN 'b' || n END",
         "UNIQUE (b, a) NULLS NOT DISTINCT"),
    Case("duplicates", "k int4", "n % 9", rows=9000, checksums=True),
    Case("duplicates-text", 'k text COLLATE "C"', "repeat('x', n % 60)", rows=6000),
    Case("no-deduplication", "k int4", "n % 4", "(k) WITH (deduplicate_items = off)"),
    Case("fillfactor-10", "k int8", "n * 5", "(k) WITH (fillfactor = 10)", rows=2000, checksums=True),
    Case("fillfactor-50", "k int4", HASH, "(k) WITH (fillfactor = 50)"),
    Case("fillfactor-100", "k int4", "n / 3", "(k) WITH (fillfactor = 100)", rows=6000, checksums=True),
]

# Values that the server must not compress: `build` gets them as they are printed.
EXTERNAL = "ALTER TABLE t ALTER k SET STORAGE EXTERNAL;\n"
PLAIN = "ALTER TABLE t ALTER k SET STORAGE PLAIN;\n"

SIZES = [
    Case("three-levels", 'k text COLLATE "C"', "lpad((n * 7919 % 10007)::text, 6, '0') || repeat('w', n % 500)",
         rows=3000),
    Case("largest-tuples", 'k text COLLATE "C"', "lpad((n * 7919 % 10007)::text, 6, '0') || repeat('m', 2686)",
         rows=600, before=PLAIN, checksums=True),
    Case("wide-duplicates", "k bytea", "decode(repeat(lpad(to_hex(n % 5), 2, '0'), 1200 + n % 2), 'hex')",
         rows=600, before=EXTERNAL),
    Case("header-boundary", 'k text COLLATE "C"', "repeat(chr(97 + n % 7), 120 + n % 16)", rows=3000, checksums=True),
]

CASES = TYPES + OPTIONS + SIZES
