"""States between two log records: incomplete splits and half-dead pages.

They exist for a moment only on a primary. A server that recovers up to the LSN of the first of the two records and
pauses there holds them still, and answers queries.
"""

import collections
import contextlib
import dataclasses
from typing import Callable

import capture
import pg_cluster
from fixture import Fixture, statements

NO_TOP_PARENT = "topparent 4294967295;"


@dataclasses.dataclass(frozen=True)
class Interrupted:
    """A fixture whose state lies right after one log record of `action`; `pick` finds its index in the list."""

    fixture: Fixture
    action: str
    pick: Callable


def interrupted(name, story, setup, action, pick, claims, checksums=False):
    notes = (
        f"pages read with get_raw_page on a hot standby paused right after the record that {pick.__doc__}; "
        "bt_index_parent_check needs a lock that recovery does not give, so it ran after recovery was ended there, "
        "on the same bytes"
    )
    fixture = Fixture(
        name=name, story=story, sql=setup, claims=tuple(claims), rebuildable=False, checksums=checksums, notes=notes
    )
    return Interrupted(fixture=fixture, action=action, pick=pick)


# --- which record ---------------------------------------------------------------------------------------


def _split(records, is_leaf, next_names):
    """The first split of a leaf, or of an internal page, that one of the named records follows."""
    for number, record in enumerate(records[:-1]):
        if record.name not in ("SPLIT_L", "SPLIT_R"):
            continue
        if record.description.startswith("level 0,") == is_leaf and records[number + 1].name in next_names:
            return number
    return None


def leaf_split(records):
    """splits a leaf"""
    return _split(records, True, ("INSERT_UPPER",))


def internal_split(records):
    """splits an internal page"""
    return _split(records, False, ("INSERT_UPPER",))


def leaf_root_split(records):
    """splits the root while it is a leaf"""
    return _split(records, True, ("NEWROOT",))


def internal_root_split(records):
    """splits the root while it is an internal page"""
    return _split(records, False, ("NEWROOT",))


def leaf_under_internal_split(records):
    """splits a leaf whose parent has to split as well"""
    return _split(records, True, ("SPLIT_L", "SPLIT_R"))


def half_dead_leaf(records):
    """marks a leaf half-dead"""
    return _first(records, lambda record: record.name == "MARK_PAGE_HALFDEAD" and NO_TOP_PARENT in record.description)


def half_dead_branch(records):
    """marks a leaf half-dead together with the branch above it"""
    return _first(
        records, lambda record: record.name == "MARK_PAGE_HALFDEAD" and NO_TOP_PARENT not in record.description)


def half_dead_deep_branch(records):
    """marks a leaf half-dead together with a branch of two internal pages"""
    for number, record in enumerate(records[:-3]):
        following = [later.name for later in records[number + 1: number + 4]]
        if record.name == "MARK_PAGE_HALFDEAD" and following == ["UNLINK_PAGE"] * 3:
            return number
    return None


def branch_top_unlinked(records):
    """unlinks the top of a half-dead branch of two internal pages"""
    number = half_dead_deep_branch(records)
    return None if number is None else number + 1


def branch_below_leaf_unlinked(records):
    """unlinks the last internal page of a half-dead branch, the leaf still half-dead"""
    number = half_dead_deep_branch(records)
    return None if number is None else number + 2


def leaf_unlinked(records):
    """unlinks a half-dead leaf"""
    number = half_dead_leaf(records)
    return None if number is None else number + 1


def _first(records, condition):
    return next((number for number, record in enumerate(records) if condition(record)), None)


# --- scenarios ------------------------------------------------------------------------------------------

INT4 = """
CREATE TABLE t (k int4);
INSERT INTO t SELECT n * 10 FROM generate_series(1, 1200) n;
CREATE INDEX i ON t (k);
"""

WIDE = """
CREATE TABLE t (k text COLLATE "C", n int4);
ALTER TABLE t ALTER k SET STORAGE EXTERNAL;
INSERT INTO t SELECT lpad((n * 100)::text, 6, '0') || repeat('w', {width}), n FROM generate_series(1, {rows}) n;
CREATE INDEX i ON t (k){options};
"""

VACUUM = "VACUUM (INDEX_CLEANUP ON, TRUNCATE OFF) t;\n"

INSERT_INT4 = "INSERT INTO t SELECT 3000 + n * 7 % 3000 FROM generate_series(1, 600) n;\n"
INSERT_WIDE = (
    "INSERT INTO t SELECT lpad((n * 37)::text, 6, '0') || repeat('w', {width}), -n FROM generate_series(1, {rows}) n;\n"
)

SPLITS = [
    interrupted(
        "incomplete-split-leaf", "a leaf split whose right half has no downlink yet", INT4, INSERT_INT4, leaf_split,
        ["len(incomplete_split) == 1", "levels == 2"],
    ),
    interrupted(
        "incomplete-split-rightmost", "the rightmost leaf split, its right half without a downlink", INT4,
        "INSERT INTO t SELECT 12000 + n FROM generate_series(1, 600) n;\n", leaf_split,
        ["len(incomplete_split) == 1", "levels == 2"], checksums=True,
    ),
    interrupted(
        "incomplete-split-posting-lists", "a split among posting lists and truncated high keys", """
CREATE TABLE t (a int4, b text COLLATE "C");
CREATE INDEX i ON t (a, b);
INSERT INTO t SELECT n % 40, 'b' || n % 3 FROM generate_series(1, 4000) n;
""", "INSERT INTO t SELECT n % 40, 'b' || n % 5 FROM generate_series(1, 3000) n;\n", leaf_split,
        ["len(incomplete_split) == 1", "posting_tuples > 20"],
    ),
    interrupted(
        "incomplete-split-internal", "an internal split whose right half has no downlink yet",
        WIDE.format(width=900, rows=240, options=""), INSERT_WIDE.format(width=900, rows=400), internal_split,
        ["len(incomplete_split) == 1", "levels >= 3"],
    ),
    interrupted(
        "incomplete-split-leaf-full-parent", "a leaf split whose parent is full and has to split next",
        WIDE.format(width=900, rows=240, options=""), INSERT_WIDE.format(width=900, rows=400),
        leaf_under_internal_split, ["len(incomplete_split) == 1", "levels >= 3"], checksums=True,
    ),
    interrupted(
        "incomplete-split-root-leaf", "the only leaf split: no root has been made above the halves yet", """
CREATE TABLE t (k int8);
INSERT INTO t SELECT n FROM generate_series(1, 330) n;
CREATE INDEX i ON t (k);
""", "INSERT INTO t SELECT n FROM generate_series(1, 200) n;\n", leaf_root_split,
        ["incomplete_split == [root]", "levels == 1", "leaf_pages == 2"],
    ),
    interrupted(
        "incomplete-split-root-internal", "an internal root split: the meta page still names its left half",
        WIDE.format(width=1900, rows=8, options=""), INSERT_WIDE.format(width=1900, rows=20), internal_root_split,
        ["incomplete_split == [root]", "levels >= 2"], checksums=True,
    ),
]

DELETE_INT4 = f"DELETE FROM t WHERE k BETWEEN 2000 AND 9000;\n{VACUUM}"
BRANCHES = WIDE.format(width=900, rows=240, options="")
DELETE_BRANCHES = f"DELETE FROM t WHERE n BETWEEN 40 AND 200;\n{VACUUM}"
DEEP_BRANCHES = WIDE.format(width=1900, rows=110, options="")
DELETE_DEEP_BRANCHES = f"DELETE FROM t WHERE n BETWEEN 12 AND 95;\n{VACUUM}"

DELETIONS = [
    interrupted(
        "half-dead-leaf", "a half-dead leaf whose downlink is gone and whose siblings still name it",
        INT4, DELETE_INT4, half_dead_leaf, ["len(half_dead) == 1", "not deleted_leaf"],
    ),
    interrupted(
        "unlinked-leaf", "a leaf just deleted, as redo writes it", INT4, DELETE_INT4, leaf_unlinked,
        ["not half_dead", "len(deleted_leaf) == 1"], checksums=True,
    ),
    interrupted(
        "half-dead-branch", "a half-dead leaf that names the top parent of the branch to be deleted",
        BRANCHES, DELETE_BRANCHES, half_dead_branch, ["len(half_dead) == 1", "levels >= 3", "not deleted_internal"],
    ),
    interrupted(
        "half-dead-branch-deep", "a half-dead branch of two internal pages and a leaf",
        DEEP_BRANCHES, DELETE_DEEP_BRANCHES, half_dead_deep_branch, ["len(half_dead) == 1", "levels >= 4"],
        checksums=True,
    ),
    interrupted(
        "half-dead-branch-top-unlinked", "the same with its top already deleted",
        DEEP_BRANCHES, DELETE_DEEP_BRANCHES, branch_top_unlinked,
        ["len(half_dead) == 1", "len(deleted_internal) >= 1"],
    ),
    interrupted(
        "half-dead-branch-leaf-left", "the same with both internal pages deleted and the leaf left",
        DEEP_BRANCHES, DELETE_DEEP_BRANCHES, branch_below_leaf_unlinked,
        ["len(half_dead) == 1", "len(deleted_internal) >= 2"], checksums=True,
    ),
]

SCENARIOS = tuple(SPLITS + DELETIONS)


# --- making them ----------------------------------------------------------------------------------------


class Lane:
    """One primary that made the log of all scenarios, and the base that standbys start from."""

    def __init__(self, scenarios, checksums, prepare):
        self._scenarios = scenarios
        self._checksums = checksums
        self._prepare = prepare
        self._stack = contextlib.ExitStack()
        self._targets = {}  # name -> (LSN, counts of the records up to it)
        self._primary = None
        self._base = None

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            conf = {"wal_keep_size": "1GB"}
            self._primary = stack.enter_context(pg_cluster.Cluster(self._checksums, extra_conf=conf))
            self._base = self._primary.folder / "base"
            self._set_up()
            self._act()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind, value, traceback):
        self._stack.close()

    def _set_up(self):
        """Makes one database for each scenario, so that every table and index keeps the names t and i."""
        for scenario in self._scenarios:
            name = scenario.fixture.name
            self._primary.database = "postgres"
            self._primary.psql(f'CREATE DATABASE "{name}" STRATEGY file_copy')
            self._primary.database = name
            self._prepare(self._primary)
            self._primary.psql(f"CREATE SCHEMA {capture.SCHEMA}")
            self._primary.psql(scenario.fixture.sql, settings=capture.SETTINGS)
        self._primary.stop()
        # The log is left out, since restore_command gets it from the primary.
        self._primary.copy_data_folder(self._base, with_log=False)
        self._primary.start()

    def _act(self):
        for scenario in self._scenarios:
            self._primary.database = scenario.fixture.name
            start = capture.wal_position(self._primary)
            self._primary.psql(scenario.action, settings=capture.SETTINGS)
            records = capture.index_records(self._primary, start)
            number = scenario.pick(records)
            if number is not None:
                counts = collections.Counter(record.name for record in records[: number + 1])
                self._targets[scenario.fixture.name] = (records[number].lsn, dict(sorted(counts.items())))
        self._primary.stop()

    def _recover(self, name):
        """A standby that has replayed the log up to and with the scenario's record, and pauses there."""
        lsn, _ = self._targets[name]
        recovery = {
            "restore_command": f'cp "{self._primary.data_dir}/pg_wal/%f" "%p"',
            "recovery_target_lsn": lsn,
            "recovery_target_inclusive": "on",
            "recovery_target_action": "pause",
        }
        cluster = pg_cluster.Cluster(self._checksums, data_from=self._base, recovery=recovery)
        cluster.database = name
        return cluster

    def make(self, scenario, out):
        """Makes one fixture; returns (state, verdicts)."""
        fixture = scenario.fixture
        name = fixture.name
        assert name in self._targets, f"no log record that {scenario.pick.__doc__}"
        _, counts = self._targets[name]
        made = statements(fixture.sql) + statements(scenario.action)
        made[-1] += " -- up to the record named in notes"
        with self._recover(name) as standby:
            pg_cluster.wait_until(standby, "SELECT pg_get_wal_replay_pause_state()", "paused")
            paused_pages = capture.raw_pages(standby)
            paused_verdict = capture.amcheck_verdicts(standby)["bt_index_check"]
            # To resume at the target ends recovery, and then locks can be taken.
            standby.psql("SELECT pg_wal_replay_resume()")
            pg_cluster.wait_until(standby, "SELECT pg_is_in_recovery()", "f")
            verdicts = {**capture.amcheck_verdicts(standby), "bt_index_check": paused_verdict}
            pages = paused_pages
            if self._checksums:
                sums = capture.page_checksums(standby, len(pages))
                pages = [capture.with_checksum(page, value) for page, value in zip(pages, sums)]
            outcome = capture.capture(standby, fixture, out / name, made, counts, pages, verdicts)
            assert capture.raw_pages(standby) == paused_pages, "the end of recovery changed pages"
            return outcome
