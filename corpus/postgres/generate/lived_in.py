"""Indexes that were written to after CREATE INDEX: inserts, dead items, VACUUM, page deletion, crashes."""

import capture
import pg_cluster
from fixture import Fixture
from types_alone import HASH

NO_SEQUENTIAL_SCAN = "SET enable_seqscan = off;\nSET enable_bitmapscan = off;\n"
VACUUM = "VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) t;\n"


def lived(name, story, sql, claims, checksums=False, after=None, rebuildable=False):
    return Fixture(
        name=name, story=story, sql=sql, claims=tuple(claims), rebuildable=rebuildable,
        checksums=checksums, after=after,
    )


def grown(name, story, columns, index, inserts, claims, checksums=False, before=""):
    """An index that was empty when it was created and grew by inserts."""
    sql = f"CREATE TABLE t ({columns});\n{before}CREATE INDEX i ON t {index};\n"
    sql += "".join(f"INSERT INTO t {select};\n" for select in inserts)
    return lived(name, story, sql, claims, checksums)


INSERTS = [
    grown(
        "inserts-random", "int4 inserted in random order: splits in the middle", "k int4", "(k)",
        [f"SELECT {HASH} FROM generate_series(1, 3000) n"], ["levels == 2", "wal['SPLIT_L'] > 0", "wal['SPLIT_R'] > 0"],
    ),
    grown(
        "inserts-ascending", "int4 inserted in ascending order: rightmost splits leave full leaves", "k int4", "(k)",
        ["SELECT n FROM generate_series(1, 3000) n"], ["levels == 2", "wal['NEWROOT'] == 2"], checksums=True,
    ),
    grown(
        "inserts-descending", "int4 inserted in descending order: leaves half full", "k int4", "(k)",
        ["SELECT -n FROM generate_series(1, 3000) n"], ["levels == 2"],
    ),
    grown(
        "inserts-duplicates", "few values inserted: lazy deduplication before each split", "k int4", "(k)",
        ["SELECT n % 5 FROM generate_series(1, 6000) n"], ["wal['DEDUP'] > 0", "largest_posting_list > 132"],
        checksums=True,
    ),
    grown(
        "inserts-single-value", "one value inserted: the split strategy that fills the left page", "k int4", "(k)",
        ["SELECT 1 FROM generate_series(1, 9000) n"],
        ["wal['DEDUP'] > 0", "pivots_with_heap_tid > 0", "largest_posting_tuple <= 1352"],
    ),
    grown(
        "inserts-groups-ascending", "many groups, each ascending: splits right after the new item",
        "a int4, b int4", "(a, b)",
        [f"SELECT g, part * 100 + n FROM generate_series(1, 20) g, generate_series(1, 100) n, "
         f"generate_series({part}, {part}) part" for part in range(3)],
        ["levels == 2", "truncated_pivots > 0"],
    ),
    grown(
        "inserts-text-three-columns", "random inserts over three columns: suffix truncation in splits",
        'a text COLLATE "C", b text COLLATE "C", c int8', "(a, b, c)",
        ["SELECT substr(md5((n % 40)::text), 1, 6), substr(md5(n::text), 1, n % 7), n "
         "FROM generate_series(1, 2500) n"], ["levels == 2", "truncated_pivots > 0"], checksums=True,
    ),
    grown(
        "inserts-wide-three-levels", "wide keys inserted in random order: internal splits", 'k text COLLATE "C"', "(k)",
        ["SELECT substr(md5(n::text), 1, 8) || repeat('w', 900) FROM generate_series(1, 130) n"],
        ["levels >= 3", "wal['NEWROOT'] >= 3"], before="ALTER TABLE t ALTER k SET STORAGE EXTERNAL;\n",
    ),
    grown(
        "inserts-include", "inserts into an index with INCLUDE columns and duplicate keys", "k int4, v text", "(k) INCLUDE (v)",
        ["SELECT n % 4, 'v' || n FROM generate_series(1, 2000) n"],
        ["levels == 2", "pivots_with_heap_tid > 0", "posting_tuples == 0"], checksums=True,
    ),
    grown(
        "inserts-float8", "floats inserted, with both zeros and NaN among them", "k float8", "(k)",
        ["SELECT CASE n % 9 WHEN 0 THEN '-0'::float8 WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE sin(n) END "
         "FROM generate_series(1, 1500) n"], ["levels == 2", "posting_tuples == 0"],
    ),
    grown(
        "inserts-icu", "ICU text inserted in random order with duplicates", 'k text COLLATE "en-US-x-icu"', "(k)",
        ["SELECT (ARRAY['Øre', 'ore', 'Oré', 'ÖRE', 'zz', 'Ångström', 'angstrom'])[1 + n % 7] || n * 31 % 60 "
         "FROM generate_series(1, 2500) n"], ["levels == 2", "posting_tuples > 0"], checksums=True,
    ),
    grown(
        "inserts-null-duplicates", "NULLs and few values inserted: posting lists behind a null bitmap",
        "a int4, b int4", "(a, b DESC)",
        ["SELECT CASE WHEN n % 4 > 0 THEN n % 3 END, CASE WHEN n % 3 > 0 THEN n % 2 END "
         "FROM generate_series(1, 4000) n"], ["wal['DEDUP'] > 0", "items_with_nulls > 20"],
    ),
]

DELETED_THIRD = f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 2500) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k % 3 = 0;
"""

TOUCH = f"{NO_SEQUENTIAL_SCAN}SELECT count(*) FROM t WHERE k >= 0;\nSELECT count(*) FROM t WHERE k >= 0;\n"

POSTING_HOLES = f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n % 3 FROM generate_series(1, 4000) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k = 1 AND ctid::text LIKE '%5)';
{VACUUM}"""

DEAD_ITEMS = [
    lived(
        "dead-items", "LP_DEAD set by index scans over deleted rows", DELETED_THIRD + TOUCH,
        ["line_pointers_dead > 800", "len(has_garbage) == leaf_pages"],
    ),
    lived(
        "dead-items-checksums", "LP_DEAD with data checksums, where the hint is logged", DELETED_THIRD + TOUCH,
        ["line_pointers_dead > 800"], checksums=True,
    ),
    lived(
        "dead-posting-lists", "LP_DEAD on posting lists all of whose rows are dead", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n % 4 FROM generate_series(1, 4000) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k = 2;
{TOUCH}""", ["line_pointers_dead > 5", "posting_tuples > 20"],
    ),
    lived(
        "deleted-rows-not-visited", "deleted rows that no scan has marked yet", DELETED_THIRD,
        ["line_pointers_dead == 0"], checksums=True,
    ),
    lived(
        "dead-items-reused", "inserts into pages with LP_DEAD items: deletion instead of a split",
        DELETED_THIRD + TOUCH + "INSERT INTO t SELECT n FROM generate_series(1, 2500, 2) n;\n",
        ["wal['DELETE'] > 0"],
    ),
    lived(
        "bottom-up-deletion", "updates that leave versions behind: bottom-up deletion before a split", """
CREATE TABLE t (k int4, v int4);
INSERT INTO t SELECT n, 0 FROM generate_series(1, 800) n;
CREATE INDEX i ON t (k);
CREATE INDEX other ON t (v);
DO $$ BEGIN FOR round IN 1..12 LOOP UPDATE t SET v = v + 1; COMMIT; END LOOP; END $$;
""", ["wal['DELETE'] > 0", "line_pointers_dead == 0"],
    ),
    lived(
        "bottom-up-deletion-unique", "the same in a unique index, where the check for conflicts marks dead versions", """
CREATE TABLE t (k int8, v int4);
INSERT INTO t SELECT n, 0 FROM generate_series(1, 800) n;
CREATE UNIQUE INDEX i ON t (k);
CREATE INDEX other ON t (v);
DO $$ BEGIN FOR round IN 1..12 LOOP UPDATE t SET v = v + 1 WHERE k % 2 = 0; COMMIT; END LOOP; END $$;
""", ["wal['DELETE'] > 0", "line_pointers_dead > 0"], checksums=True,
    ),
]

THREE_LEVELS = """
CREATE TABLE t (k text COLLATE "C", n int4);
INSERT INTO t SELECT lpad(n::text, 6, '0') || repeat('w', 480), n FROM generate_series(1, 560) n;
CREATE INDEX i ON t (k);
"""

FOUR_LEVELS = """
CREATE TABLE t (k text COLLATE "C", n int4);
ALTER TABLE t ALTER k SET STORAGE EXTERNAL;
INSERT INTO t SELECT lpad(n::text, 6, '0') || repeat('w', 1900), n FROM generate_series(1, 110) n;
CREATE INDEX i ON t (k);
"""

VACUUMED = [
    lived(
        "vacuum", "every third row deleted and vacuumed", DELETED_THIRD + VACUUM,
        ["wal['VACUUM'] > 0", "items < 1700"],
    ),
    lived(
        "vacuum-posting-lists", "VACUUM takes single rows out of posting lists", POSTING_HOLES,
        ["wal['VACUUM'] > 0", "posting_tuples > 20"], checksums=True,
    ),
    lived(
        "vacuum-posting-to-plain", "posting lists of two and three rows that VACUUM reduces to plain tuples", f"""
CREATE TABLE t (k int4, v int4);
INSERT INTO t SELECT n % 700, n / 700 FROM generate_series(0, 1999) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE v = k % 3 OR (k % 5 = 0 AND v < 2);
{VACUUM}""", ["posting_tuples > 100", "items > posting_tuples + 100"],
    ),
    lived(
        "posting-list-splits", "rows that fall between the rows of a posting list",
        POSTING_HOLES + "INSERT INTO t SELECT 1 FROM generate_series(1, 120);\n", ["wal['INSERT_POST'] > 20"],
    ),
    lived(
        "page-deletion", "a range deleted and vacuumed: deleted leaves, not yet recyclable", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 4000) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k BETWEEN 700 AND 3100;
{VACUUM}""", ["len(deleted_leaf) >= 5", "wal['UNLINK_PAGE'] == len(deleted_leaf)"],
    ),
    lived(
        "page-deletion-recycled", "deleted leaves of which a later insert took some back", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 4000) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k BETWEEN 700 AND 3100;
{VACUUM}CREATE TABLE other ();
{VACUUM}INSERT INTO t SELECT 5000 + n FROM generate_series(1, 900) n;
""", ["wal['REUSE_PAGE'] >= 2", "len(deleted_leaf) >= 2"], checksums=True,
    ),
    lived(
        "branch-deletion", "an internal page deleted with its last leaf", f"""{THREE_LEVELS}
DELETE FROM t WHERE n BETWEEN 100 AND 420;
{VACUUM}""", ["len(deleted_internal) >= 1", "len(deleted_leaf) > 10", "root == fast_root"],
    ),
    lived(
        "branch-deletion-deep", "whole branches deleted in a tree of many levels", f"""{FOUR_LEVELS}
DELETE FROM t WHERE n BETWEEN 12 AND 95;
{VACUUM}""", ["levels >= 4", "len(deleted_internal) >= 4"], checksums=True,
    ),
    lived(
        "fast-root", "only the last rows remain: the fast root is below the root", f"""{THREE_LEVELS}
DELETE FROM t WHERE n < 550;
{VACUUM}""", ["root != fast_root", "levels == 3"],
    ),
    lived(
        "fast-root-grown", "a skinny tree that grew again below its root", f"""{THREE_LEVELS}
DELETE FROM t WHERE n < 550;
{VACUUM}INSERT INTO t SELECT lpad(n::text, 6, '0') || repeat('w', 480), n FROM generate_series(600, 700) n;
""", ["wal['UNLINK_PAGE_META'] > 0", "levels == 3"], checksums=True,
    ),
    lived(
        "vacuum-everything", "all rows deleted from a tree of two levels: one empty leaf remains", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 2000) n;
CREATE INDEX i ON t (k);
DELETE FROM t;
{VACUUM}""", ["leaf_pages == 1", "items_by_block.get(fast_root, 0) == 0", "root != fast_root"],
    ),
    lived(
        "empty-root-leaf", "all rows deleted from a tree of one leaf: the root remains, empty", f"""
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 100) n;
CREATE INDEX i ON t (k);
DELETE FROM t;
{VACUUM}""", ["pages == 2", "levels == 1", "items == 0"], checksums=True,
    ),
    lived(
        "everything-churned", "inserts, updates, deletes and VACUUM in turn over two columns", f"""
CREATE TABLE t (a int4, b text COLLATE "C");
CREATE INDEX i ON t (a, b);
INSERT INTO t SELECT n % 60, 'b' || n % 11 FROM generate_series(1, 2500) n;
DELETE FROM t WHERE a BETWEEN 10 AND 30;
{VACUUM}UPDATE t SET b = b || 'x' WHERE a % 4 = 0;
INSERT INTO t SELECT n % 90, 'c' || n % 13 FROM generate_series(1, 1500) n;
DELETE FROM t WHERE a > 70;
{VACUUM}INSERT INTO t SELECT n % 25, NULL FROM generate_series(1, 400) n;
""", ["wal['DEDUP'] > 0", "wal['VACUUM'] > 0", "posting_tuples > 0", "items_with_nulls > 0"],
    ),
]


def _crash(cluster):
    cluster.stop_immediate()
    cluster.start()
    return ["-- the server is stopped with SIGQUIT and started again, so recovery redoes every page"]


def _restart(cluster):
    """A checkpoint leaves unlogged pages in memory; only a clean shutdown writes them."""
    cluster.restart()
    return ["-- the server is stopped cleanly and started again, which writes unlogged pages"]


ZERO_PAGE_INSERT = "INSERT INTO t SELECT 1000 + n FROM generate_series(1, 2500) n"


def _crash_with_unlogged_extension(cluster):
    """Leaves pages of zeros: the file has grown at once, the log of what was put there never reached the disk."""
    # Right after a start the log writer sleeps for wal_writer_delay, so nothing flushes the transaction's log.
    cluster.restart()
    with cluster.session(settings=capture.SETTINGS) as session:
        session.run(f"BEGIN;\n{ZERO_PAGE_INSERT}")
        cluster.stop_immediate()
    cluster.start()
    return [f"BEGIN; {ZERO_PAGE_INSERT}", "-- the server is stopped with SIGQUIT, the log not flushed, and started"]


def _crash_and_insert(cluster):
    done = _crash_with_unlogged_extension(cluster)
    more = "INSERT INTO t SELECT 1000 + n FROM generate_series(1, 900) n"
    cluster.psql(more, settings=capture.SETTINGS)
    return done + [more]


CURSOR = "DECLARE c CURSOR FOR SELECT k FROM t WHERE k >= 2600 ORDER BY k"
SPLITTING_INSERT = "INSERT INTO t SELECT n FROM generate_series(1, 900) n"


def _split_during_vacuum(cluster):
    """Splits pages that a running VACUUM has passed: they keep its cycle id.

    An index-only cursor keeps its leaf pinned, and VACUUM waits for that pin before it goes on to later blocks.
    """
    with cluster.session(capture.SETTINGS) as reader, cluster.session(capture.SETTINGS) as vacuum:
        reader.run(f"{NO_SEQUENTIAL_SCAN}BEGIN;\n{CURSOR};\nFETCH 1 FROM c")
        vacuum.send(VACUUM)
        pg_cluster.wait_until(
            cluster, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'BufferPin'", "1")
        cluster.psql(SPLITTING_INSERT, settings=capture.SETTINGS)
        reader.run("COMMIT")
        vacuum.wait()
    return [f"BEGIN; {CURSOR}; FETCH 1 FROM c", f"{VACUUM.strip(chr(10) + ';')} -- waits for the cursor's leaf",
            SPLITTING_INSERT, "COMMIT -- VACUUM goes on"]


SMALL_INT4 = """
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 1000) n;
CREATE INDEX i ON t (k);
"""

CRASHED = [
    lived(
        "recovered", "random inserts redone from the log after a crash", """
CREATE TABLE t (k int4, v text COLLATE "C");
CREATE INDEX i ON t (v, k);
CHECKPOINT;
INSERT INTO t SELECT n % 40, substr(md5(n::text), 1, 2) FROM generate_series(1, 3000) n;
DELETE FROM t WHERE k < 10;
""" + VACUUM, ["levels == 2", "wal['VACUUM'] > 0"], checksums=True, after=_crash,
    ),
    lived(
        "zero-pages-trailing", "pages of zeros at the end, left by a crash during an insert", SMALL_INT4,
        ["len(zero_pages) >= 3", "max(zero_pages) == pages - 1", "items < 1010"],
        after=_crash_with_unlogged_extension,
    ),
    lived(
        "zero-pages-inside", "pages of zeros before live ones: the crash was followed by more inserts", SMALL_INT4,
        ["len(zero_pages) >= 3", "max(zero_pages) < pages - 1"], checksums=True, after=_crash_and_insert,
    ),
    lived(
        "cycle-ids", "pages that were split while VACUUM ran and keep its cycle id", """
CREATE TABLE t (k int4);
INSERT INTO t SELECT n FROM generate_series(1, 3000) n;
CREATE INDEX i ON t (k);
DELETE FROM t WHERE k % 10 = 0;
""", ["len(cycle_ids) > 0"], after=_split_during_vacuum,
    ),
]

REBUILT = [
    lived(
        "reindex", "REINDEX over a table with holes, in place of a bloated index",
        DELETED_THIRD + VACUUM + "INSERT INTO t SELECT -n FROM generate_series(1, 300) n;\nREINDEX INDEX i;\n",
        ["levels == 2", "leaf_pages == 6"], rebuildable=True,
    ),
    lived(
        "vacuum-full", "VACUUM FULL, which writes the table and then the index anew",
        POSTING_HOLES + "VACUUM FULL t;\n", ["levels == 2"], checksums=True, rebuildable=True,
    ),
    lived(
        "hot-chains", "rows updated in place before CREATE INDEX: the index holds the head of each chain", """
CREATE TABLE t (k int4, v int4) WITH (fillfactor = 40);
INSERT INTO t SELECT n, 0 FROM generate_series(1, 600) n;
UPDATE t SET v = 1, k = k + 1 WHERE k % 2 = 0;
UPDATE t SET v = 2 WHERE k % 3 = 0;
CREATE INDEX i ON t (k);
""", ["levels == 2"],
    ),
    lived(
        "unlogged-lived-in", "inserts, VACUUM and page deletion without a log", f"""
CREATE UNLOGGED TABLE t (k int4);
CREATE INDEX i ON t (k);
INSERT INTO t SELECT n * 7 % 3001 FROM generate_series(1, 3000) n;
DELETE FROM t WHERE k BETWEEN 500 AND 1500;
{VACUUM}""", ["len(deleted_leaf) >= 1", "not wal"], checksums=True, after=_restart,
    ),
]

FIXTURES = INSERTS + DEAD_ITEMS + VACUUMED + CRASHED + REBUILT
