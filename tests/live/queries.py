"""Asks the server the same questions by index scan, by index-only scan and by sequential scan."""

MARK = "-- tornleaf: "

INDEX_SCAN = "index scan"
INDEX_ONLY_SCAN = "index-only scan"
SEQUENTIAL_SCAN = "sequential scan"

_NO_OTHER = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; " \
            "SET enable_incremental_sort = off; SET enable_hashjoin = off; SET enable_mergejoin = off;\n"

# Each way to scan: settings, and what EXPLAIN must name where the table is read.
WAYS = {
    INDEX_SCAN: (_NO_OTHER + "SET enable_indexonlyscan = off;\n", "Index Scan"),
    INDEX_ONLY_SCAN: (_NO_OTHER, "Index Only Scan"),
    SEQUENTIAL_SCAN: (
        "SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;\n", "Seq Scan"),
}


class Question:
    """One query, and how it is spelled where no index gives the order: `plain_sql`.

    tied  the lines must come in the same order, rows with equal keys in that of their TIDs. That only holds until a
          row has a version at another address than the one that the index knows. Elsewhere the order of the lines
          means nothing: where the scan's order is asked for, each line says how many rows came before its key.
    """

    def __init__(self, name, way, sql, plain_sql=None, backward=False, tied=False):
        self.name = f"{way}, {name}"
        self.way = way
        self.sql = sql
        self.plain_sql = plain_sql or sql
        self.tied = tied
        self.backward = backward

    def plan_error(self, way, plan):
        """Says what is wrong with the plan, or None: a scan that the planner did not use proves nothing."""
        node = WAYS[way][1]
        if way == SEQUENTIAL_SCAN:
            return None if "Seq Scan on t" in plan else f"no sequential scan in the plan: {plan}"
        direction = " Backward" if self.backward else ""
        if f"{node}{direction} using i on t" not in plan or "Seq Scan on t" in plan or "Sort" in plan:
            return f"the plan has no {node}{direction} of the index: {plan}"
        return None


def _order(keys, backward):
    words = []
    for name, descending, nulls_first in keys:
        down, first = descending != backward, nulls_first != backward
        words.append(f"{name} {'DESC' if down else 'ASC'} NULLS {'FIRST' if first else 'LAST'}")
    return ", ".join(words)


def questions(description):
    """All questions about an index, from what capture.DESCRIBE_SQL says about it."""
    attributes = description["attributes"]
    keys = [(a["sql"], bool(a["option"] & 1), bool(a["option"] & 2)) for a in attributes[: description["keys"]]]
    columns = ", ".join(a["sql"] for a in attributes)
    first = keys[0][0]
    same = " AND ".join(f"t.{name} = p.{name}" for name, _, _ in keys)
    asked = []
    for way, output in ((INDEX_SCAN, f"ctid, {columns}"), (INDEX_ONLY_SCAN, columns)):
        forward = _order(keys, False)
        for name, order in (("forward", forward), ("backward", _order(keys, True))):
            asked.append(Question(name, way, f"SELECT {output}, rank() OVER (ORDER BY {order}) FROM t",
                                  backward=name == "backward"))
        asked.append(Question("equal keys", way, f"SELECT {output} FROM t ORDER BY {forward}",
                              f"SELECT {output} FROM t ORDER BY {forward}, ctid", tied=True))
        found = "t.ctid" if way == INDEX_SCAN else ", ".join(f"t.{a['sql']}" for a in attributes)
        asked += [
            Question("point lookups", way, f"SELECT p.number, {found} FROM probe p JOIN t ON {same}"),
            Question("ranges", way, f"SELECT b.number, {found} FROM bound b JOIN t ON t.{first} >= b.low "
                     f"AND t.{first} < b.high"),
            Question("ranges from the other side", way, f"SELECT b.number, {found} FROM bound b JOIN t "
                     f"ON t.{first} > b.low AND t.{first} <= b.high"),
            Question("nulls", way, f"SELECT {found} FROM t WHERE {first} IS NULL"),
        ]
    return asked


def prepare_sql(description):
    """Makes the tables `probe` and `bound` from rows of `t`: keys to look up, and pairs of keys around ranges."""
    keys = ", ".join(a["sql"] for a in description["attributes"][: description["keys"]])
    first = description["attributes"][0]["sql"]
    return f"""
CREATE TABLE probe AS SELECT * FROM (
  SELECT row_number() OVER () AS number, s.* FROM (SELECT DISTINCT {keys} FROM t) s) s
  WHERE number < 20 OR number % 13 = 0;
CREATE TABLE bound AS WITH s AS (
  SELECT {first} AS k, row_number() OVER (ORDER BY {first}) AS number FROM t WHERE {first} IS NOT NULL)
  SELECT row_number() OVER (ORDER BY low.number) AS number, low.k AS low, high.k AS high
  FROM s low JOIN s high ON high.number = low.number + (SELECT count(*) / 12 FROM s)
  WHERE low.number % (SELECT count(*) / 6 FROM s) = 1;
ANALYZE probe; ANALYZE bound;
"""


def ask(cluster, way, asked, settings):
    """Returns a list of (plan, rows) for the questions, scanned the way named; rows as psql prints them."""
    script = WAYS[way][0]
    for question in asked:
        sql = question.plain_sql if way == SEQUENTIAL_SCAN else question.sql
        script += f"\\echo '{MARK}'\nEXPLAIN (COSTS off) {sql};\n\\echo '{MARK}'\n{sql};\n"
    parts = cluster.psql(script, settings=settings).split(MARK + "\n")[1:]
    return list(zip(parts[0::2], parts[1::2]))


def compare(got, expected, ordered):
    """Returns None for equal answers, or one line that says what is different first."""
    mine, theirs = got.split("\n"), expected.split("\n")
    if not ordered:
        mine, theirs = sorted(mine), sorted(theirs)
    if mine == theirs:
        return None
    for number, (one, other) in enumerate(zip(mine, theirs), start=1):
        if one != other:
            return f"row {number}: {one[:120]!r} instead of {other[:120]!r}"
    return f"{len(mine)} lines instead of {len(theirs)}"
