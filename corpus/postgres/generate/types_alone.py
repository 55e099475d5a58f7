"""Every type of the schema language alone, with the values at which its order or its spelling turns."""

from fixture import Fixture

# Deterministic pseudo-random 32-bit integers: the leading bits of md5.
HASH = "('x' || substr(md5(n::text), 1, 8))::bit(32)::int4"
HASH64 = "('x' || substr(md5(n::text), 1, 16))::bit(64)::int8"


def alone(name, story, column, select, claims=(), checksums=False, index="k"):
    """A fixture of one key column `k`, filled by a query."""
    sql = f"""
CREATE TABLE t (k {column});
INSERT INTO t {select};
CREATE INDEX i ON t ({index});
"""
    return Fixture(name=name, story=story, sql=sql, claims=tuple(claims), checksums=checksums)


# A key of each kind NULL, at the start, in the middle and at the end of the heap.
def with_nulls(select):
    return f"SELECT NULL UNION ALL {select} UNION ALL SELECT NULL"


FIXTURES = [
    alone(
        "int4", "int4 over its whole range, both ends and a few NULLs, on several leaves",
        "int4",
        f"SELECT {HASH} FROM generate_series(1, 3000) n UNION ALL "
        "VALUES (-2147483648), (2147483647), (0), (-1), (1), (NULL), (NULL)",
        ["levels == 2", "items_with_nulls > 0"],
    ),
    alone(
        "int4-checksums", "int4 in a cluster with data checksums", "int4",
        f"SELECT {HASH} FROM generate_series(1, 3000) n", ["levels == 2"], checksums=True,
    ),
    alone(
        "bool", "bool: two values and NULL, so that almost everything is posting lists", "bool",
        "SELECT CASE n % 5 WHEN 0 THEN NULL ELSE n % 3 = 0 END FROM generate_series(1, 2000) n",
        ["posting_tuples > 10", "largest_posting_tuple <= 816"],
    ),
    alone(
        "int2", "int2 over its whole range", "int2",
        f"SELECT ({HASH} % 32768)::int2 FROM generate_series(1, 2000) n UNION ALL "
        "VALUES ((-32768)::int2), (32767::int2), (NULL)",
        ["levels == 2"], checksums=True,
    ),
    alone(
        "int8", "int8 over its whole range", "int8",
        f"SELECT {HASH64} FROM generate_series(1, 2000) n UNION ALL "
        "VALUES ((-9223372036854775808)::int8), (9223372036854775807), (0), (NULL)",
        ["levels == 2"],
    ),
    alone(
        "oid", "oid: unsigned, values above 2^31 sort last", "oid",
        f"SELECT ({HASH}::int8 & 4294967295)::oid FROM generate_series(1, 1500) n UNION ALL "
        "VALUES (0::oid), (2147483647::oid), (2147483648::oid), (4294967295::oid), (NULL)",
        ["levels == 2"], checksums=True,
    ),
    alone(
        "float4", "float4 with NaN, both zeros, infinities and denormals; no deduplication for floats", "float4",
        f"SELECT ({HASH} / 1000.0)::float4 FROM generate_series(1, 1000) n UNION ALL "
        "SELECT v::float4 FROM unnest(ARRAY['NaN', '-0', '0', '-0', '0', 'Infinity', '-Infinity', "
        "'1e-45', '-1e-45', '3.4028235e38', '-3.4028235e38', 'NaN', NULL]) v",
        ["levels == 2", "not all_equal_image", "posting_tuples == 0"],
    ),
    alone(
        "float8", "float8 with NaN, both zeros, infinities and denormals", "float8",
        f"SELECT {HASH64} / 1e6::float8 FROM generate_series(1, 1000) n UNION ALL "
        "SELECT v::float8 FROM unnest(ARRAY['NaN', '-0', '0', '-0', '0', 'Infinity', '-Infinity', "
        "'5e-324', '-5e-324', '1.7976931348623157e308', '-1.7976931348623157e308', 'NaN', NULL]) v",
        ["levels == 2", "not all_equal_image"], checksums=True,
    ),
    alone(
        "date", "date with infinities, BC and the far future", "date",
        "SELECT date '1970-01-01' + n * 37 % 40000 FROM generate_series(1, 800) n UNION ALL "
        "SELECT v::date FROM unnest(ARRAY['infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', "
        "'0001-12-31 BC', '0001-01-01', '1999-12-31', '2000-01-01', NULL]) v",
        ["levels == 2"],
    ),
    alone(
        "timestamp", "timestamp with infinities, BC, the far future and microseconds", "timestamp",
        f"SELECT timestamp '2000-01-01' + ({HASH64} % 3000000000000000) * interval '1 microsecond' "
        "FROM generate_series(1, 800) n UNION ALL "
        "SELECT v::timestamp FROM unnest(ARRAY['infinity', '-infinity', '4713-01-01 00:00:00 BC', "
        "'294276-12-31 23:59:59.999999', '1999-12-31 23:59:59.999999', '2000-01-01 00:00:00', NULL]) v",
        ["levels == 2"], checksums=True,
    ),
    alone(
        "timestamptz", "timestamptz with infinities, BC and offsets that COPY prints in UTC", "timestamptz",
        f"SELECT timestamptz '2000-01-01 00:00:00+00' + ({HASH64} % 3000000000000000) * interval '1 microsecond' "
        "FROM generate_series(1, 800) n UNION ALL "
        "SELECT v::timestamptz FROM unnest(ARRAY['infinity', '-infinity', '4713-01-02 00:00:00+00 BC', "
        "'294276-12-31 23:59:59.999999+00', '2024-03-31 02:30:00+05:45', NULL]) v",
        ["levels == 2"],
    ),
    alone(
        "uuid", "uuid: sixteen bytes compared as bytes", "uuid",
        "SELECT md5(n::text)::uuid FROM generate_series(1, 1000) n UNION ALL "
        "VALUES ('00000000-0000-0000-0000-000000000000'::uuid), "
        "('ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid), (NULL)",
        ["levels == 2"], checksums=True,
    ),
    alone(
        "bytea", "bytea: empty, zero bytes inside and at the end, prefixes of one another", "bytea",
        "SELECT decode(substr(md5(n::text), 1, 2 * (n % 17)), 'hex') FROM generate_series(1, 1000) n UNION ALL "
        "VALUES ('\\x'::bytea), ('\\x00'::bytea), ('\\x0000'::bytea), ('\\x000000'::bytea), ('\\xff'::bytea), "
        "('\\xff00'::bytea), ('\\x61'::bytea), ('\\x6100'::bytea), ('\\x610062'::bytea), (NULL)",
        ["levels == 2"],
    ),
    alone(
        "text-c", "text in C collation: empty, prefixes of one another, non-ASCII bytes", 'text COLLATE "C"',
        "SELECT substr(md5(n::text), 1, n % 33) FROM generate_series(1, 1500) n UNION ALL "
        "VALUES (''), (''), ('a'), ('ab'), ('A'), ('é'), ('Z'), ('zzz'), ('日本語'), ('🙂'), (NULL)",
        ["levels == 2", "all_equal_image"],
    ),
    alone(
        "varchar-c", "varchar(40) in C collation", 'varchar(40) COLLATE "C"',
        "SELECT 'customer-' || lpad((n * 7919 % 10007)::text, 6, '0') FROM generate_series(1, 1500) n UNION ALL "
        "VALUES (''), (repeat('x', 40)), (NULL)",
        ["levels == 2"], checksums=True,
    ),
    alone(
        "text-copy-escapes", "text with the characters that COPY escapes, and lone backslash-N", 'text COLLATE "C"',
        "SELECT chr(1 + n % 40) || n || chr(9) || chr(10) || chr(13) || chr(92) || chr(1 + n % 127) "
        "FROM generate_series(1, 500) n UNION ALL "
        "VALUES (E'\\\\N'), (E'\\\\.'), (E'\\t'), (E'\\n'), (E'\\\\'), (E'\\b\\f\\r' || chr(11)), (''), (NULL)",
        ["levels == 2"],
    ),
    alone(
        "text-icu", "text in an ICU collation: case variants, accents, and equal-looking strings",
        'text COLLATE "en-US-x-icu"',
        "SELECT (ARRAY['apple', 'Apple', 'APPLE', 'äpfel', 'Äpfel', 'apfel', 'résumé', 'resume', 'Resume', "
        "'straße', 'strasse', 'ñandú', 'nandu', 'Zebra', 'zebra', 'Ωmega', 'ωmega', '日本', 'にほん', "
        "'co-op', 'coop', 'co op'])[1 + n % 22] || CASE WHEN n % 3 = 0 THEN '' ELSE (n % 97)::text END "
        "FROM generate_series(1, 2000) n UNION ALL VALUES (''), (U&'e\\0301'), (U&'\\00e9'), (NULL)",
        ["levels == 2", "posting_tuples > 0"], checksums=True,
    ),
    alone(
        "text-libc", "text in a libc collation, whose order a file alone does not tell",
        'text COLLATE "en_US.UTF-8"',
        "SELECT (ARRAY['a', 'B', 'c-d', 'cd', 'C D', 'é', 'E', 'zulu'])[1 + n % 8] || (n * 31 % 211)::text "
        "FROM generate_series(1, 1500) n UNION ALL VALUES (''), (NULL)",
        ["levels == 2"],
    ),
    alone(
        "name", "name: a cstring in a B-tree, without the padding to 64 bytes", "name",
        "SELECT ('relation_' || substr(md5(n::text), 1, 1 + n % 30))::name FROM generate_series(1, 800) n UNION ALL "
        "VALUES (''::name), (repeat('n', 63)::name), ('x'::name), (NULL)",
        ["levels == 2"],
    ),
    alone(
        "numeric", "numeric: NaN, infinities, display scales that compare equal, huge, tiny, negative", "numeric",
        f"SELECT {HASH}::numeric / (10 ^ (n % 9))::numeric FROM generate_series(1, 700) n UNION ALL "
        "SELECT v::numeric FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity', 'NaN', '0', '0.0', '0.000', '-0', "
        "'1', '1.0', '1.00', '1.000', '-1', '-1.0', '10000', '9999', '0.0001', '0.00001', '1e100', '1e-100', "
        "'-1e100', '-1e-100', '1e130', '99999999999999999999999999999999.99999999', '12345.678900', NULL]) v",
        ["levels == 2", "not all_equal_image", "posting_tuples == 0"], checksums=True,
    ),
]
