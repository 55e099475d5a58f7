"""What the server did in each fixture of corpus/postgres_wal: tables, and then statements whose log is kept."""

import dataclasses
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parent.parent.parent / "postgres" / "generate")]

from lived_in import DELETED_THIRD, FOUR_LEVELS, THREE_LEVELS, TOUCH, VACUUM  # noqa: E402
from lived_in import _split_during_vacuum as split_during_vacuum  # noqa: E402
from types_alone import HASH  # noqa: E402


@dataclasses.dataclass
class Workload:
    """`setup` makes table t and index i; `sql` is what is logged; `expect` names record types that must occur."""

    name: str
    story: str
    schema: str
    setup: str
    sql: str
    expect: tuple
    images: bool = False  # full_page_writes and data checksums
    checked: bool = False  # wal_consistency_checking: each record has its pages as they are after it
    session: object = None  # called with the cluster in place of running `sql`


ASCENDING = 'CREATE TABLE t (k int8);\nCREATE UNIQUE INDEX i ON t (k);\n'
FEW = "CREATE TABLE t (k int4);\nCREATE INDEX i ON t (k);\n"
WIDE = """CREATE TABLE t (k text COLLATE "C");
ALTER TABLE t ALTER k SET STORAGE EXTERNAL;
CREATE INDEX i ON t (k);
"""
PAGES_DELETED = """
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 4000) n;
CREATE INDEX i ON t (k);
"""

WORKLOADS = [
    Workload(
        "random-int4", "inserts in random order: splits in the middle of pages", "int4",
        f"CREATE TABLE t (k int4);\nINSERT INTO t SELECT {HASH} FROM generate_series(1, 900) n;\n"
        "CREATE INDEX i ON t (k);\n",
        f"INSERT INTO t SELECT {HASH} FROM generate_series(1001, 3000) n;\n",
        ("INSERT_LEAF", "SPLIT_L", "SPLIT_R", "INSERT_UPPER"),
    ),
    Workload(
        "ascending-int8", "an empty index that grows by ascending keys: its first root, and the second one",
        "int8; unique", ASCENDING, "INSERT INTO t SELECT n FROM generate_series(1, 2500) n;\n",
        ("NEWROOT", "SPLIT_R", "INSERT_UPPER"),
    ),
    Workload(
        "descending-text", "inserts in descending order", "text collate C",
        'CREATE TABLE t (k text COLLATE "C");\nCREATE INDEX i ON t (k);\n',
        "INSERT INTO t SELECT 'key ' || lpad((5000 - n)::text, 20, '0') FROM generate_series(1, 1200) n;\n",
        ("SPLIT_L", "INSERT_UPPER"),
    ),
    Workload(
        "duplicates-int4", "few values: deduplication before each split", "int4", FEW,
        "INSERT INTO t SELECT n % 3 FROM generate_series(1, 5000) n;\n", ("DEDUP", "SPLIT_R"),
    ),
    Workload(
        "single-value-int4", "one value: the strategies that leave the left page almost full", "int4", FEW,
        "INSERT INTO t SELECT 1 FROM generate_series(1, 6000) n;\n", ("DEDUP", "SPLIT_R"),
    ),
    Workload(
        "posting-splits-int4", "rows that fall between the rows of posting lists, also where pages are split", "int4",
        "CREATE TABLE t (k int4);\nINSERT INTO t SELECT n % 60 FROM generate_series(1, 6000) n;\n"
        f"CREATE INDEX i ON t (k);\nDELETE FROM t WHERE (ctid::text::point)[1]::int % 2 = 0;\n{VACUUM}"
        "ALTER INDEX i SET (deduplicate_items = off);\n",
        "INSERT INTO t SELECT n * 7 % 60 FROM generate_series(1, 2500) n;\n",
        ("INSERT_POST", "SPLIT_R", "SPLIT_L", "SPLIT of a posting list, too"),
    ),
    Workload(
        "vacuum-int4", "VACUUM takes items, and rows out of posting lists", "int4",
        "CREATE TABLE t (k int4, v int4);\nINSERT INTO t SELECT n % 700, n / 700 FROM generate_series(0, 1999) n;\n"
        "CREATE INDEX i ON t (k);\n",
        f"DELETE FROM t WHERE v = k % 3 OR (k % 5 = 0 AND v < 2);\n{VACUUM}"
        f"INSERT INTO t SELECT n % 50, 0 FROM generate_series(1, 900) n;\nDELETE FROM t WHERE k > 650;\n{VACUUM}",
        ("VACUUM", "DEDUP"),
    ),
    Workload(
        "vacuum-disordered-int4", "VACUUM takes a few items from pages whose tuples lie in the order of insertion",
        "int4", f"{FEW}INSERT INTO t SELECT {HASH} FROM generate_series(1, 4000) n;\n",
        f"DELETE FROM t WHERE abs(k) % 70 = 3;\n{VACUUM}", ("VACUUM",),
    ),
    Workload(
        "vacuum-lists-int4", "VACUUM takes rows out of long posting lists", "int4",
        "CREATE TABLE t (k int4);\nINSERT INTO t SELECT n % 3 FROM generate_series(1, 4000) n;\n"
        "CREATE INDEX i ON t (k);\n",
        f"DELETE FROM t WHERE k = 1 AND ctid::text LIKE '%5)';\n{VACUUM}", ("VACUUM",),
    ),
    Workload(
        "pages-reused-int4", "leaves deleted by VACUUM and used again", "int4", PAGES_DELETED,
        f"DELETE FROM t WHERE k BETWEEN 700 AND 3100;\n{VACUUM}CREATE TABLE other ();\n{VACUUM}"
        "INSERT INTO t SELECT 5000 + n FROM generate_series(1, 900) n;\n",
        ("MARK_PAGE_HALFDEAD", "UNLINK_PAGE", "META_CLEANUP", "REUSE_PAGE", "VACUUM"),
    ),
    Workload(
        "branches-deleted-text", "whole branches of a tree of many levels deleted", "text collate C storage external",
        FOUR_LEVELS, f"DELETE FROM t WHERE n BETWEEN 12 AND 95;\n{VACUUM}",
        ("MARK_PAGE_HALFDEAD", "UNLINK_PAGE"),
    ),
    Workload(
        "fast-root-text", "a tree of which one leaf remains, and which grows again below its root", "text collate C",
        THREE_LEVELS,
        f"DELETE FROM t WHERE n < 550;\n{VACUUM}"
        "INSERT INTO t SELECT lpad(n::text, 6, '0') || repeat('w', 480), n FROM generate_series(600, 700) n;\n",
        ("UNLINK_PAGE_META", "INSERT_META", "UNLINK_PAGE"),
    ),
    Workload(
        "levels-text", "wide keys in random order: splits on every level", "text collate C storage external", WIDE,
        "INSERT INTO t SELECT substr(md5(n::text), 1, 8) || repeat('w', 1300) FROM generate_series(1, 160) n;\n",
        ("NEWROOT", "SPLIT_L", "SPLIT_R", "INSERT_UPPER"),
    ),
    Workload(
        "bottom-up-int4", "updates of another column leave versions behind: bottom-up deletion", "int4",
        "CREATE TABLE t (k int4, v int4);\nINSERT INTO t SELECT n, 0 FROM generate_series(1, 500) n;\n"
        "CREATE INDEX i ON t (k);\nCREATE INDEX other ON t (v);\n",
        "DO $$ BEGIN FOR round IN 1..8 LOOP UPDATE t SET v = v + 1; COMMIT; END LOOP; END $$;\n", ("DELETE",),
    ),
    Workload(
        "simple-deletion-int4", "items that scans have marked dead make room", "int4", DELETED_THIRD,
        TOUCH + "INSERT INTO t SELECT n FROM generate_series(1, 2500, 2) n;\n", ("DELETE",),
    ),
    Workload(
        "columns-text", "three columns: suffix truncation of new high keys", "text collate C, text collate C, int8",
        'CREATE TABLE t (a text COLLATE "C", b text COLLATE "C", c int8);\nCREATE INDEX i ON t (a, b, c);\n',
        "INSERT INTO t SELECT substr(md5((n % 40)::text), 1, 6), substr(md5(n::text), 1, n % 7), n "
        "FROM generate_series(1, 1500) n;\n", ("SPLIT_L", "SPLIT_R"),
    ),
    Workload(
        "groups-int4", "many groups, each ascending: pages are split after the new item", "int4, int4",
        "CREATE TABLE t (a int4, b int4);\nCREATE INDEX i ON t (a, b);\n",
        "".join(f"INSERT INTO t SELECT g, {part * 100} + n FROM generate_series(1, 12) g, generate_series(1, 100) n;\n"
                for part in range(2)), ("SPLIT_L",),
    ),
    Workload(
        "include-int4", "included columns, and nulls among the keys", "int4, int4 desc; include text",
        "CREATE TABLE t (a int4, b int4, v text);\nCREATE INDEX i ON t (a, b DESC) INCLUDE (v);\n",
        "INSERT INTO t SELECT CASE WHEN n % 4 > 0 THEN n % 3 END, CASE WHEN n % 3 > 0 THEN n % 2 END, 'v' || n "
        "FROM generate_series(1, 1500) n;\n", ("SPLIT_R",),
    ),
    Workload(
        "float8", "floats, of which equal ones differ in their bytes", "float8",
        "CREATE TABLE t (k float8);\nCREATE INDEX i ON t (k);\n",
        "INSERT INTO t SELECT CASE n % 9 WHEN 0 THEN '-0'::float8 WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE sin(n) END "
        "FROM generate_series(1, 1500) n;\n", ("SPLIT_L",),
    ),
    Workload(
        "cycle-ids-int4", "pages that are split while VACUUM runs", "int4",
        "CREATE TABLE t (k int4);\nINSERT INTO t SELECT n FROM generate_series(1, 3000) n;\nCREATE INDEX i ON t (k);\n"
        "DELETE FROM t WHERE k % 10 = 0;\n", "", ("VACUUM", "SPLIT_L"), session=split_during_vacuum,
    ),
    Workload(
        "images-churned", "all kinds of work with full-page images, and hints that are logged",
        "int4, text collate C", 'CREATE TABLE t (a int4, b text COLLATE "C");\nCREATE INDEX i ON t (a, b);\n'
        "INSERT INTO t SELECT n % 60, 'b' || n % 11 FROM generate_series(1, 1500) n;\n",
        f"""DELETE FROM t WHERE a BETWEEN 10 AND 30;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT count(*) FROM t WHERE a BETWEEN 10 AND 20;
SELECT count(*) FROM t WHERE a BETWEEN 10 AND 20;
{VACUUM}UPDATE t SET b = b || 'x' WHERE a % 4 = 0;
INSERT INTO t SELECT n % 90, 'c' || n % 13 FROM generate_series(1, 900) n;
CHECKPOINT;
DELETE FROM t WHERE a > 70;
{VACUUM}INSERT INTO t SELECT n % 25, NULL FROM generate_series(1, 300) n;
""", ("VACUUM", "DEDUP", "FPI_FOR_HINT"), images=True,
    ),
    Workload(
        "images-random", "random inserts after a checkpoint, each page with its image", "int4",
        f"CREATE TABLE t (k int4);\nINSERT INTO t SELECT {HASH} FROM generate_series(1, 2000) n;\n"
        "CREATE INDEX i ON t (k);\n",
        f"INSERT INTO t SELECT {HASH} FROM generate_series(5001, 5600) n;\n", ("INSERT_LEAF",), images=True,
    ),
    Workload(
        "checked-fast-root-text", "as fast-root-text, each record with its pages", "text collate C",
        THREE_LEVELS,
        f"DELETE FROM t WHERE n < 550;\n{VACUUM}"
        "INSERT INTO t SELECT lpad(n::text, 6, '0') || repeat('w', 480), n FROM generate_series(600, 700) n;\n",
        ("UNLINK_PAGE_META", "INSERT_META", "UNLINK_PAGE", "META_CLEANUP", "SPLIT_R"), checked=True,
    ),
    Workload(
        "checked-lists-int4", "posting lists made, split, shortened and deleted, each record with its pages", "int4",
        "CREATE TABLE t (k int4);\nINSERT INTO t SELECT n % 60 FROM generate_series(1, 3000) n;\n"
        f"CREATE INDEX i ON t (k);\nDELETE FROM t WHERE (ctid::text::point)[1]::int % 2 = 0;\n{VACUUM}",
        f"INSERT INTO t SELECT n * 7 % 60 FROM generate_series(1, 900) n;\n"
        f"DELETE FROM t WHERE k % 7 = 1 AND ctid::text LIKE '%5)';\n{VACUUM}"
        "INSERT INTO t SELECT n * 7 % 60 FROM generate_series(1, 300) n;\n",
        ("INSERT_POST", "DEDUP", "VACUUM"), checked=True,
    ),
    Workload(
        "checked-levels-text", "splits on every level, and pages deleted and used again, each record with its pages",
        "text collate C storage external", WIDE,
        "INSERT INTO t SELECT substr(md5(n::text), 1, 8) || repeat('w', 1300) FROM generate_series(1, 120) n;\n"
        f"DELETE FROM t WHERE k < 'c';\n{VACUUM}CREATE TABLE other ();\n{VACUUM}"
        "INSERT INTO t SELECT substr(md5(n::text), 1, 8) || repeat('v', 1300) FROM generate_series(121, 150) n;\n",
        ("NEWROOT", "INSERT_UPPER", "SPLIT_L", "MARK_PAGE_HALFDEAD", "REUSE_PAGE"), checked=True,
    ),
    Workload(
        "checked-bottom-up-int4", "bottom-up deletion, each record with its pages", "int4",
        "CREATE TABLE t (k int4, v int4);\nINSERT INTO t SELECT n, 0 FROM generate_series(1, 250) n;\n"
        "CREATE INDEX i ON t (k);\nCREATE INDEX other ON t (v);\n",
        "DO $$ BEGIN FOR round IN 1..5 LOOP UPDATE t SET v = v + 1; COMMIT; END LOOP; END $$;\n",
        ("DELETE", "DEDUP"), checked=True,
    ),
]
