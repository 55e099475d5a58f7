"""Takes everything a fixture consists of from a running server: file, pageinspect, amcheck, rows, state."""

import collections
import csv
import io
import json
import pathlib
import shutil
import struct
import subprocess
import tempfile

import pg_cluster

# Bytes; that of the server, which run checks.
page_size = 8192
SCHEMA = "fixture"

# Everything that changes how a value is spelled in the captured text.
SETTINGS = {
    "search_path": f"{SCHEMA},public",
    "TimeZone": "UTC",
    "DateStyle": "ISO",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "bytea_output": "hex",
}

Record = collections.namedtuple("Record", "lsn name description")

FLAG_LEAF = 0x1
FLAG_ROOT = 0x2
FLAG_DELETED = 0x4
FLAG_HALF_DEAD = 0x10
FLAG_SPLIT_END = 0x20
FLAG_HAS_GARBAGE = 0x40
FLAG_INCOMPLETE_SPLIT = 0x80

DESCRIBE_SQL = """
SELECT json_build_object(
  'indexdef', pg_get_indexdef(x.indexrelid),
  'unique', x.indisunique,
  'nulls_not_distinct', x.indnullsnotdistinct,
  'keys', x.indnkeyatts,
  'options', coalesce(to_json(c.reloptions), '[]'::json),
  'predicate', pg_get_expr(x.indpred, x.indrelid),
  'server_version', current_setting('server_version'),
  'checksums', current_setting('data_checksums') = 'on',
  'attributes', (
    SELECT json_agg(json_build_object(
        'sql', pg_get_indexdef(x.indexrelid, a.attnum, false),
        -- A name column is a cstring in the index: the type is that of the key, not of the storage.
        'type', CASE WHEN t.typname = 'cstring' THEN 'name' ELSE t.typname END,
        'collation', CASE WHEN n.oid = 100 THEN d.datcollate ELSE n.collname END,
        'storage', a.attstorage,
        'type_storage', t.typstorage,
        'compression', a.attcompression,
        -- Include columns have no options.
        'option', CASE WHEN a.attnum <= x.indnkeyatts THEN x.indoption[a.attnum - 1] END
      ) ORDER BY a.attnum)
    FROM pg_attribute a
    JOIN pg_type t ON t.oid = a.atttypid
    JOIN pg_database d ON d.datname = current_database()
    LEFT JOIN pg_collation n ON a.attnum <= x.indnkeyatts AND n.oid = x.indcollation[a.attnum - 1]
    WHERE a.attrelid = x.indexrelid))
FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid WHERE x.indexrelid = 'i'::regclass
"""

STORAGE_NAMES = {"p": "plain", "m": "main", "x": "extended", "e": "external"}


def schema_text(description):
    """The index in Tornleaf's schema language, defaults left out."""
    keys = [_key_text(attribute) for attribute in description["attributes"][: description["keys"]]]
    clauses = [", ".join(keys)]
    included = description["attributes"][description["keys"]:]
    if included:
        clauses.append("include " + ", ".join(_type_text(attribute) for attribute in included))
    if description["unique"]:
        clauses.append("unique" + (" nulls not distinct" if description["nulls_not_distinct"] else ""))
    return "; ".join(clauses)


def _type_text(attribute, collation=None):
    words = [attribute["type"]]
    if collation:
        words += ["collate", collation]
    if attribute["storage"] != attribute["type_storage"] and attribute["type"] != "name":
        words += ["storage", STORAGE_NAMES[attribute["storage"]]]
    return " ".join(words)


def _key_text(attribute):
    collation = attribute["collation"] if attribute["type"] != "name" else None
    descending = attribute["option"] & 1
    nulls_first = (attribute["option"] & 2) >> 1
    text = _type_text(attribute, collation) + (" desc" if descending else "")
    if nulls_first != descending:
        text += " nulls first" if nulls_first else " nulls last"
    return text


class PageState:
    """What the pages hold, from pageinspect's answers; the names here are those that claims use."""

    def __init__(self, pages, stats_csv, items_csv, meta_csv, key_count, wal_records):
        stats = list(csv.DictReader(io.StringIO(stats_csv)))
        items = list(csv.DictReader(io.StringIO(items_csv)))
        meta = next(csv.DictReader(io.StringIO(meta_csv)))
        flags = {int(row["blkno"]): int(row["btpo_flags"]) for row in stats}
        types = {int(row["blkno"]): row["type"] for row in stats}
        lists = [row["tids"].count("(") for row in items if row["tids"]]

        def with_flag(flag):
            return [block for block, value in flags.items() if value & flag]

        self.pages = len(pages)
        self.wal = collections.Counter(wal_records)
        self.zero_pages = [block for block, page in enumerate(pages) if not any(page)]
        # The last two bytes of a page; time decides the values, so only the blocks are of use.
        self.cycle_ids = [block for block, page in enumerate(pages) if block and any(page[-2:])]
        self.levels = int(meta["level"]) + 1 if int(meta["root"]) else 0
        self.root = int(meta["root"])
        self.fast_root = int(meta["fastroot"])
        self.all_equal_image = meta["allequalimage"] == "t"
        self.items = len(items)
        self.items_by_block = dict(collections.Counter(int(row["blkno"]) for row in items))
        self.leaf_pages = sum(1 for block in types if types[block] in ("l", "r") and flags[block] & FLAG_LEAF)
        self.deleted_leaf = [block for block, kind in types.items() if kind == "d"]
        self.deleted_internal = [block for block, kind in types.items() if kind == "D"]
        self.half_dead = with_flag(FLAG_HALF_DEAD)
        self.incomplete_split = with_flag(FLAG_INCOMPLETE_SPLIT)
        self.split_end = with_flag(FLAG_SPLIT_END)
        self.has_garbage = with_flag(FLAG_HAS_GARBAGE)
        self.line_pointers_dead = sum(1 for row in items if row["dead"] == "t")
        self.posting_tuples = len(lists)
        self.largest_posting_list = max(lists, default=0)
        self.largest_item = max((int(row["itemlen"]) for row in items), default=0)
        self.largest_posting_tuple = max((int(row["itemlen"]) for row in items if row["tids"]), default=0)
        self.items_with_nulls = sum(1 for row in items if row["nulls"] == "t")
        # The key alone did not separate the two halves of a page.
        self.pivots_with_heap_tid = sum(1 for row in items if _is_pivot_with_heap_tid(row))
        self.truncated_pivots = sum(1 for row in items if _is_truncated_pivot(row, key_count))
        self.free_by_level = {}
        for row in stats:
            if row["type"] in ("l", "i", "r"):
                self.free_by_level.setdefault(int(row["btpo_level"]), []).append(int(row["free_size"]))

    def summary(self):
        """The part that goes into fixture.json, so that a test can ask the file for the same."""
        names = (
            "levels", "root", "fast_root", "items", "leaf_pages", "deleted_leaf", "deleted_internal",
            "half_dead", "incomplete_split", "split_end", "has_garbage", "cycle_ids", "zero_pages",
            "line_pointers_dead", "posting_tuples",
            "largest_posting_list", "largest_item", "items_with_nulls", "pivots_with_heap_tid",
            "truncated_pivots",
        )
        return {name: getattr(self, name) for name in names}


def _is_pivot_with_heap_tid(row):
    """pageinspect shows t_tid as ctid, whose bit 0x1000 marks a pivot's heap TID; offsets of real TIDs are smaller."""
    return not row["tids"] and int(row["ctid"].strip("()").split(",")[1]) & 0x1000 != 0


def _is_truncated_pivot(row, key_count):
    """A pivot that keeps at least one key attribute but not all of them."""
    kept = int(row["ctid"].strip("()").split(",")[1]) & 0x0FFF
    return not row["tids"] and row["htid"] == "" and 0 < kept < key_count


def amcheck_verdicts(cluster):
    """What amcheck says about `i`: 'ok' or the error's text."""
    calls = {
        "bt_index_check": "bt_index_check('i', true)",
        "bt_index_parent_check": "bt_index_parent_check('i', true, true)",
    }
    verdicts = {}
    for name, call in calls.items():
        try:
            cluster.psql(f"SELECT {call}", settings=SETTINGS)
            verdicts[name] = "ok"
        except pg_cluster.SqlError as error:
            verdicts[name] = error.message
    return verdicts


def wal_position(cluster):
    return cluster.psql("SELECT pg_current_wal_insert_lsn()").strip()


# REUSE_PAGE has no block reference and names the relation in its description.
INDEX_RECORDS = """
SELECT r.start_lsn, r.record_type, r.description
FROM pg_get_wal_records_info('{start}', pg_current_wal_flush_lsn()) r
WHERE r.resource_manager = 'Btree'
  AND concat(r.block_ref, r.description) ~ ('/' || pg_relation_filenode('i') || '\\M')
"""


def index_records(cluster, start):
    """The B-tree log records of `i` since a position, oldest first."""
    # A checkpoint flushes the log also where nothing that committed has done so.
    text = cluster.psql(
        f"CHECKPOINT;\n{INDEX_RECORDS.format(start=start)} ORDER BY r.start_lsn;\n", settings=SETTINGS)
    return [Record(*line.split("|", 2)) for line in text.splitlines()]


def raw_pages(cluster, fork="main"):
    """The relation's pages as they are in the server's buffers, by pageinspect's get_raw_page."""
    count = page_count(cluster, fork)
    rows = cluster.psql(
        f"SELECT encode(get_raw_page('i', '{fork}', b), 'hex') FROM generate_series(0, {count - 1}) b ORDER BY b",
        settings=SETTINGS,
    )
    # encode() breaks no lines for hex.
    return [bytes.fromhex(line) for line in rows.split()]


def page_count(cluster, fork="main"):
    answer = cluster.psql(f"SELECT pg_relation_size('i', '{fork}')", settings=SETTINGS)
    return int(answer) // page_size


def page_checksums(cluster, count):
    """pd_checksum as the server computes it for each page; 0 for a page of zeros, which has none."""
    rows = cluster.psql(
        "SELECT page_checksum(get_raw_page('i', 'main', b), b) "
        f"FROM generate_series(0, {count - 1}) b ORDER BY b", settings=SETTINGS,
    )
    # The function answers a signed 16-bit number.
    return [int(line) & 0xFFFF if line else 0 for line in rows.split("\n")[:count]]


def without_checksum(page):
    return page[:8] + b"\0\0" + page[10:]


def with_checksum(page, value):
    """The page as the server would write it: the checksum is only put into the copy that goes to disk."""
    return page[:8] + struct.pack("<H", value) + page[10:] if any(page) else page


def read_file_pages(path):
    data = path.read_bytes()
    assert len(data) % page_size == 0, f"{path}: {len(data)} bytes"
    return [data[start: start + page_size] for start in range(0, len(data), page_size)]


def check_file_against_server(pages, buffered, checksums, expected_checksums):
    """Proves that the copied file is the state that pageinspect described."""
    assert len(pages) == len(buffered), f"{len(pages)} pages in the file, {len(buffered)} in the server"
    for block, (page, buffer) in enumerate(zip(pages, buffered)):
        assert without_checksum(page) == without_checksum(buffer), f"block {block} differs from its buffer"
        if checksums and any(page):
            stored = struct.unpack_from("<H", page, 8)[0]
            assert stored == expected_checksums[block], f"block {block}: checksum {stored}"


def pageinspect_csv(cluster, blocks):
    """Returns (items, stats, meta) as psql --csv prints them; `blocks` are those to ask for."""
    listed = ",".join(str(block) for block in blocks)
    source = f"unnest(ARRAY[{listed}]::int8[]) AS p(blkno)"
    queries = (
        f"SELECT p.blkno, x.* FROM {source}, LATERAL bt_page_items('i', p.blkno) x ORDER BY p.blkno, x.itemoffset",
        f"SELECT x.* FROM {source}, LATERAL bt_page_stats('i', p.blkno) x ORDER BY x.blkno",
        "SELECT * FROM bt_metap('i')",
    )
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder, str(number)) for number in range(len(queries))]
        script = "".join(f"\\o '{path}'\n{query};\n" for path, query in zip(paths, queries))
        cluster.psql(script, options=("--csv",), settings=SETTINGS)
        return tuple(path.read_text(encoding="utf-8") for path in paths)


def rows_text(cluster, description):
    """Key and include columns and the TID of every row that the index covers, in heap order, as COPY prints."""
    columns = ", ".join(attribute["sql"] for attribute in description["attributes"])
    where = f" WHERE {description['predicate']}" if description["predicate"] else ""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "rows")
        cluster.copy(f"SELECT {columns}, ctid FROM ONLY t{where} ORDER BY ctid", path, settings=SETTINGS)
        return path.read_bytes()


def check_claims(fixture, state):
    for claim in fixture.claims:
        holds = eval(claim, {"__builtins__": {"len": len, "max": max, "min": min, "sum": sum}}, vars(state))
        if not holds:
            raise AssertionError(f"claim does not hold: {claim}; state is {state.summary()}")


def capture(cluster, fixture, folder, statements, wal_records=None, pages=None, verdicts=None):
    """Writes the fixture's folder.

    `pages` are given for states that only exist in a server's buffers; otherwise the file is copied after a
    CHECKPOINT and compared with the buffers. `wal_records` counts the B-tree records that made the index, by name.
    `verdicts` replaces amcheck's answers where they were got elsewhere.
    """
    description = json.loads(cluster.psql(DESCRIBE_SQL, settings=SETTINGS))
    verdicts = verdicts or amcheck_verdicts(cluster)
    buffered = raw_pages(cluster)
    zero_pages = [block for block, page in enumerate(buffered) if not any(page)]
    blocks = [block for block in range(1, len(buffered)) if block not in zero_pages]
    items, stats, meta = pageinspect_csv(cluster, blocks)
    rows = rows_text(cluster, description) if fixture.rebuildable else None
    if pages is None:
        cluster.checkpoint()
        pages = read_file_pages(cluster.relation_path("i", settings=SETTINGS))
        sums = page_checksums(cluster, len(buffered)) if description["checksums"] else []
        check_file_against_server(pages, raw_pages(cluster), description["checksums"], sums)
    assert (items, stats, meta) == pageinspect_csv(cluster, blocks), "the index changed while it was captured"
    if fixture.fork == "init":
        pages = read_file_pages(cluster.relation_path("i", fork="init", settings=SETTINGS))
    state = PageState(pages, stats, items, meta, description["keys"], wal_records or {})
    check_claims(fixture, state)
    write_folder(folder, {
        "index.zst": b"".join(pages), "items.csv.zst": items.encode(), "stats.csv.zst": stats.encode(),
        "meta.csv": meta.encode(), "rows.tsv.zst": rows,
        "fixture.json": fixture_json(fixture, description, statements, state, verdicts),
    })
    return state, verdicts


def fixture_json(fixture, description, statements, state, verdicts):
    options = dict(option.split("=", 1) for option in description["options"])
    document = {
        "name": fixture.name,
        "story": fixture.story,
        "schema": schema_text(description),
        "page_size": page_size,
        "checksums": description["checksums"],
        "fillfactor": int(options.get("fillfactor", 90)),
        "deduplicate": options.get("deduplicate_items", "on") in ("on", "true"),
        "rebuildable": fixture.rebuildable,
        "fork": fixture.fork,
        "pages": state.pages,
        "state": state.summary(),
        "amcheck": verdicts,
        "wal_records": dict(state.wal),
        "server_version": description["server_version"].split()[0],
        "sql": statements,
        "notes": fixture.notes,
    }
    if not fixture.notes:
        del document["notes"]
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def write_folder(folder, files):
    """Replaces the folder by the given files; names that end in .zst are compressed, None means no file."""
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    for name, data in files.items():
        if data is None:
            continue
        if name.endswith(".zst"):
            data = subprocess.run(["zstd", "-19", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
        (folder / name).write_bytes(data)
