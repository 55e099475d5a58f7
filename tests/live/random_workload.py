#!/usr/bin/env python3
"""Looks for false alarms: random indexes, random work on a PostgreSQL 15 server, and every file judged afterwards.

    random_workload.py [--seed N] [--rounds N | --minutes N] [--tornleaf PROGRAM] [--keep FOLDER]

One round is one seed: a cluster with data checksums or without, some tables with random columns and index options,
and inserts, updates, deletes, scans, vacuums, crashes and sessions that work at the same time. After a clean stop,
`check` must find nothing, `view` must equal pageinspect, and `dump` and `build` must give the bytes of REINDEX. The
choices come from the seed; what sessions that run at once make of them does not.

Exit code 0 if everything held or there is no server here, 2 if something did not, 1 if the tester could not run.
"""

import argparse
import contextlib
import json
import pathlib
import random
import shutil
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "scripts"), str(ROOT / "corpus/postgres/generate")]
sys.dont_write_bytecode = True

import capture  # noqa: E402
import pages  # noqa: E402
import pg_cluster  # noqa: E402
import trial  # noqa: E402

TABLES_MAX = 6
STEPS_MAX = 14
EXIT_FAILED = 2

HASH = "('x' || substr(md5(n::text || '{salt}'), 1, 8))::bit(32)::int4"
HASH64 = "('x' || substr(md5(n::text || '{salt}'), 1, 16))::bit(64)::int8"
TEXTS = ["", "a", "A", "ä", "a\u0308", "ab", "a b", "co-op", "coop", "ss", "ß", "é", "e\u0301", "日本", "🙂", "\t", "\\N", "\\",
         "\x01", "\x7f", "\n", "\r", '"', ",", "z" * 126, "z" * 127, "z" * 128, "\\.", " ", "  ", "0", "ǆ", "İ", "i̇"]

# Type: (literals that are at the edge of something, an expression of n for anything between).
TYPES = {
    "bool": (["t", "f"], "n % 3 = 0"),
    "int2": (["-32768", "32767", "0", "-1", "256"], f"({HASH} % 32768)::int2"),
    "int4": (["-2147483648", "2147483647", "0", "-1", "65536"], HASH),
    "int8": (["-9223372036854775808", "9223372036854775807", "0", "-1", "4294967296"], HASH64),
    "oid": (["0", "4294967295", "2147483648"], f"({HASH}::int8 & 4294967295)::oid"),
    "float4": (["NaN", "-0", "0", "Infinity", "-Infinity", "1e-45", "3.4028235e38", "-1e-45"],
               f"({HASH} / 977.0)::float4"),
    "float8": (["NaN", "-0", "0", "Infinity", "-Infinity", "5e-324", "1.7976931348623157e308"], f"sin({HASH})"),
    "date": (["infinity", "-infinity", "4714-11-24 BC", "5874897-12-31", "2000-01-01", "0001-01-01", "0001-12-31 BC"],
             f"date '1970-01-01' + {HASH} % 700000"),
    "timestamp": (["infinity", "-infinity", "4714-11-24 00:00:00 BC", "294276-12-31 23:59:59.999999", "2000-01-01"],
                  f"timestamp '2000-01-01' + ({HASH64} % 3000000000000000) * interval '1 microsecond'"),
    "timestamptz": (["infinity", "-infinity", "4714-11-24 00:00:00+00 BC", "294276-12-31 23:59:59.999999+00"],
                    f"timestamptz '2000-01-01 00:00+00' + ({HASH64} % 3000000000000000) * interval '1 microsecond'"),
    "uuid": (["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
             "md5(n::text || '{salt}')::uuid"),
    "bytea": (["\\x", "\\x00", "\\x0000", "\\xff", "\\x5c", "\\x" + "ab" * 126, "\\x" + "ab" * 127],
              "decode(substr(md5(n::text || '{salt}'), 1, 2 * (n % 17)::int), 'hex')"),
    "text": (TEXTS, "substr(md5(n::text || '{salt}'), 1, (n % 33)::int) || repeat('w', (n % {wide})::int)"),
    "varchar(200)": (TEXTS, "substr(md5(n::text || '{salt}'), 1, (n % 33)::int)"),
    "name": (["", "a", "pg_class", "x" * 63, "日本"],
             "('r_' || substr(md5(n::text || '{salt}'), 1, (n % 30)::int))::name"),
    "numeric": (["NaN", "Infinity", "-Infinity", "0", "0.00", "-0", "1", "1.0", "1.000", "-1", "10000", "0.0001", "1e131071",
                 "-1e131071", "1e-16383", "9999.9999", "99999999", "1e100", "-1e-1000", "0." + "0" * 200, "1" + "0" * 63],
                f"{HASH}::numeric / (10 ^ (n % 9))::numeric"),
    "numeric(20,5)": (["NaN", "0", "1", "-1.5", "999999999999999.99999"], f"{HASH}::numeric / 100000"),
}
TEXT_TYPES = ("text", "varchar(200)")
COLLATIONS = ["C", "C", "POSIX", "ucs_basic", "en-US-x-icu", "de-x-icu", "und-x-icu"]


def _literal(text):
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    for character in "\t\n\r\x01\x7f":
        escaped = escaped.replace(character, f"\\x{ord(character):02x}")
    return f"E'{escaped}'"


class Column:
    """One column of a random table: its declaration, and an expression that makes its value of row n."""

    def __init__(self, name, choose, wide_allowed):
        self.name = name
        self.type = choose.choice(list(TYPES))
        self.is_text = self.type in TEXT_TYPES
        self.collation = f' COLLATE "{choose.choice(COLLATIONS)}"' if self.is_text else ""
        edges, between = TYPES[self.type]
        # Values beyond a sixteenth of a page would be compressed, and `build` does not do that.
        self.external = self.type == "text" and wide_allowed and choose.random() < 0.3
        wide = choose.choice([300, 900]) if self.external else choose.choice([1, 20, 200])
        between = between.format(salt=name + str(choose.randrange(1000)), wide=wide)
        pool = choose.sample(edges, choose.randint(1, len(edges)))
        array = ", ".join(_literal(one) for one in pool)
        spread = choose.choice([1, 2, 3, 7, 50, 1000000])
        if spread != 1000000 or choose.random() < 0.3:
            between = f"(SELECT {between} FROM (SELECT n % {choose.choice([1, 3, 20, 300])} AS n) s)"
        edge = f"(ARRAY[{array}]::{self.type}[])[1 + (n / {choose.choice([1, 3, 11])}) % {len(pool)}]"
        every = choose.choice([2, 5, 30])
        value = f"CASE WHEN n % {every} = 1 THEN {edge} ELSE {between} END"
        if choose.random() < 0.4:
            value = f"CASE WHEN n % {choose.choice([2, 6, 40])} > 0 THEN {value} END"
        self.value = f"({value})::{self.type}"

    def declaration(self):
        return f"{self.name} {self.type}{self.collation}"


class Table:
    """A random table `t` with a random index `i`, in a schema of their own, and the work on them."""

    def __init__(self, name, choose):
        self.name = name
        self.choose = choose
        keys = choose.choice([1, 1, 1, 2, 2, 3, 4, 8, 26])
        included = choose.choice([0, 0, 0, 1, 3]) if keys < 8 else 0
        self.columns = [Column(f"c{number}", choose, keys + included < 3) for number in range(keys + included)]
        self.unlogged = choose.random() < 0.1
        self.unique = choose.random() < 0.2
        self.first_free = 1
        self._index = self._index_sql(keys)

    def _index_sql(self, keys):
        choose = self.choose
        order = ["", "", " DESC", " NULLS FIRST", " DESC NULLS LAST"]
        text = ", ".join(column.name + choose.choice(order) for column in self.columns[:keys])
        text = f"{'UNIQUE ' if self.unique else ''}INDEX i ON t ({text})"
        if len(self.columns) > keys:
            text += f" INCLUDE ({', '.join(column.name for column in self.columns[keys:])})"
        if self.unique and choose.random() < 0.5:
            text += " NULLS NOT DISTINCT"
        options = []
        if choose.random() < 0.4:
            options.append(f"fillfactor = {choose.choice([10, 50, 70, 99, 100])}")
        if choose.random() < 0.2:
            options.append("deduplicate_items = off")
        return text + (f" WITH ({', '.join(options)})" if options else "")

    def create_sql(self):
        choose = self.choose
        fill = f" WITH (fillfactor = {choose.choice([10, 50, 100])})"
        declared = ", ".join(column.declaration() for column in self.columns)
        sql = f'CREATE SCHEMA "{self.name}"; SET search_path = "{self.name}", public;\n'
        # A column that no index knows makes updates that need no new index entry, and fills pages of the table.
        sql += f"CREATE {'UNLOGGED ' if self.unlogged else ''}TABLE t (number int8, {declared}, extra int4){fill};\n"
        for column in self.columns:
            if column.external:
                sql += f"ALTER TABLE t ALTER {column.name} SET STORAGE EXTERNAL;\n"
        create = f"CREATE {self._index};\n"
        filled = self.insert_sql(choose.choice([1, 50, 500, 4000]))
        # An index that grows row by row, one that is built at once, and one that is built over nothing.
        return sql + (create + filled if choose.random() < 0.6 else filled + create)

    def insert_sql(self, count):
        begin = self.first_free if self.choose.random() < 0.7 else self.choose.randint(1, self.first_free)
        self.first_free = max(self.first_free, begin + count)
        values = ", ".join(column.value for column in self.columns)
        order = self.choose.choice(["n", "n DESC", "md5(n::text)"])
        return (f"INSERT INTO t SELECT n, {values}, 0 FROM generate_series({begin}, {begin + count - 1}) n ORDER BY {order}"
                " ON CONFLICT DO NOTHING;\n")

    def work_sql(self):
        """One random piece of work."""
        choose = self.choose
        first = self.columns[0].name
        low = choose.randint(1, self.first_free)
        high = low + choose.choice([1, 100, 1000, 5000])
        some = choose.choice([2, 3, 10])
        where = choose.choice([
            f"number BETWEEN {low} AND {high}", f"number % {some} = 0", "true" if choose.random() < 0.2 else "number < 300",
            f"{first} > (SELECT min({first}) FROM (SELECT {first} FROM t LIMIT 50) s)" if self.columns[0].type != "bool"
            else f"{first}",
        ])
        other = choose.choice(self.columns)
        value = other.value.replace("n ", "number ").replace("n::", "number::")
        moved = f"UPDATE t SET {other.name} = {value} WHERE {where};\n"
        return choose.choice([
            self.insert_sql(choose.choice([1, 30, 600, 3000])),
            self.insert_sql(choose.choice([1, 30, 600, 3000])),
            f"DELETE FROM t WHERE {where};\n",
            f"UPDATE t SET extra = extra + 1 WHERE {where};\n" * choose.choice([1, 4]),
            f"UPDATE t SET {first} = {first}, extra = extra + 1 WHERE {where};\n",
            self.insert_sql(300) if self.unique else f"UPDATE t SET {other.name} = NULL WHERE {where};\n",
            self.insert_sql(100) if self.unique else moved,
            "VACUUM (INDEX_CLEANUP ON) t;\n", "VACUUM t;\n", "VACUUM FREEZE t;\n",
            f"BEGIN; {self.insert_sql(500)} ROLLBACK;\n",
            # Scans mark the items of dead rows.
            f"SET enable_seqscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM (SELECT * FROM t ORDER BY {first}) s;\n",
        ])


class Round:
    """One seed: creates, works, stops, judges."""

    def __init__(self, seed, tornleaf, folder):
        self.seed = seed
        self.choose = random.Random(seed)
        self.tornleaf = tornleaf
        self.folder = pathlib.Path(folder)
        self.failures = []
        self.judged = 0
        self.checksums = self.choose.random() < 0.5

    def run(self):
        with pg_cluster.Cluster(self.checksums) as cluster:
            cluster.psql("CREATE EXTENSION pageinspect")
            tables = []
            for number in range(self.choose.randint(2, TABLES_MAX)):
                table = Table(f"s{number}", self.choose)
                # A key may be larger than an index allows: then there is one table less.
                with contextlib.suppress(pg_cluster.SqlError):
                    cluster.psql(table.create_sql())
                    tables.append((table, trial.Namespace(cluster, f'"{table.name}"')))
            tables = [(table, space) for table, space in tables
                      if space.psql("SELECT to_regclass('i') IS NOT NULL").strip() == "t"]
            for _ in range(self.choose.randint(1, STEPS_MAX)):
                self._step(cluster, tables)
            cluster.stop()
            cluster.start()
            for table, space in tables:
                self._judge(table, space, lambda: cluster.restart() if table.unlogged else cluster.checkpoint())

    def _step(self, cluster, tables):
        kind = self.choose.random()
        if kind < 0.12:
            if self.choose.random() < 0.5:
                cluster.checkpoint()
            cluster.stop_immediate()
            cluster.start()
        elif kind < 0.4:
            self._at_once(cluster, tables)
        else:
            table, space = self.choose.choice(tables)
            with contextlib.suppress(pg_cluster.SqlError):
                space.psql(table.work_sql())

    def _at_once(self, cluster, tables):
        """Sessions that work at the same time, one of which may keep an old snapshot meanwhile."""
        with contextlib.ExitStack() as stack:
            if self.choose.random() < 0.5:
                old = stack.enter_context(cluster.session())
                old.run("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class")
            going = []
            for _ in range(self.choose.randint(2, 4)):
                table, _ = self.choose.choice(tables)
                session = stack.enter_context(cluster.session({"search_path": f"{table.name},public"}))
                session.send("".join(table.work_sql() for _ in range(self.choose.randint(1, 3))))
                going.append(session)
            for session in going:
                # A deadlock or a duplicate ends that session's work, no more.
                with contextlib.suppress(pg_cluster.SqlError):
                    session.wait()

    # --- judging --------------------------------------------------------------------------------------

    def _expect(self, table, what, error):
        if error is None:
            return
        self.failures.append(f"seed {self.seed} {table.name}: {what}: {' | '.join(error.splitlines())[:600]}")
        print("FAIL  " + self.failures[-1], flush=True)

    def _judge(self, table, space, flush):
        """`flush` brings the files up to date; of an unlogged index that takes more than a checkpoint."""
        self.judged += 1
        description = json.loads(space.psql(capture.DESCRIBE_SQL))
        schema = capture.schema_text(description)
        path = space.relation_path("i")
        copy = self.folder / f"{self.seed}-{table.name}-index"
        shutil.copyfile(path, copy)
        copy.with_suffix(".schema").write_text(schema + "\n", encoding="utf-8")
        failures = len(self.failures)
        self._judge_check(table, schema, copy)
        self._judge_view(table, space, copy)
        self._judge_rebuild(table, space, description, schema, flush)
        if len(self.failures) == failures:
            copy.unlink()
            copy.with_suffix(".schema").unlink()

    def _judge_check(self, table, schema, copy):
        for options in (["--schema", schema], []):
            code, text, said = self.tornleaf.run("check", *options, "--checksums", "on" if self.checksums else "off", copy)
            self._expect(table, f"check {options}", None if code == 0 else f"exit code {code}: {said} {text}")
        # What `auto` decides must hold as well.
        code, text, said = self.tornleaf.run("check", copy)
        self._expect(table, "check", None if code == 0 else f"exit code {code}: {said} {text}")

    def _judge_view(self, table, space, copy):
        zero = [block for block, page in enumerate(capture.read_file_pages(copy)) if not any(page)]
        blocks = [block for block in range(1, copy.stat().st_size // pages.PAGE_SIZE) if block not in zero]
        expected = capture.pageinspect_csv(space, blocks)
        for option, text in zip(("--items", "--stats", "--meta"), expected):
            code, got, said = self.tornleaf.run("view", copy, option, "--format", "csv")
            error = None if code == 0 else f"exit code {code}: {said}"
            if code == 0 and got != text:
                pairs = zip(got.splitlines(), text.splitlines())
                error = next((f"{mine} instead of {theirs}" for mine, theirs in pairs if mine != theirs), "lengths differ")
            self._expect(table, f"view {option}", error)

    def _judge_rebuild(self, table, space, description, schema, flush):
        space.psql("VACUUM (INDEX_CLEANUP ON) t")
        flush()
        vacuumed = self.folder / f"{self.seed}-{table.name}-vacuumed"
        shutil.copyfile(space.relation_path("i"), vacuumed)
        dumped, built = vacuumed.with_suffix(".dumped"), vacuumed.with_suffix(".built")
        failures = len(self.failures)
        code, text, said = self.tornleaf.run("check", "--schema", schema, vacuumed)
        self._expect(table, "check after VACUUM", None if code == 0 else f"exit code {code}: {said} {text}")
        with open(dumped, "wb") as output:
            code, _, said = self.tornleaf.run("dump", vacuumed, "--schema", schema, output=output)
        self._expect(table, "dump", None if code == 0 else f"exit code {code}: {said}")
        options = ["--checksums"] if self.checksums else []
        for option in description["options"]:
            key, _, value = option.partition("=")
            options += ["--fillfactor", value] if key == "fillfactor" else ["--no-dedup"]
        options += self.choose.choice([["--sorted"], []])
        if code == 0:
            code, _, said = self.tornleaf.run("build", "--force", "--schema", schema, "-o", built, *options, dumped)
            self._expect(table, f"build {options}", None if code == 0 else f"exit code {code}: {said}")
        if code == 0:
            space.psql("REINDEX INDEX i")
            flush()
            difference = pages.first_difference(built.read_bytes(), space.relation_path("i").read_bytes())
            self._expect(table, f"bytes of REINDEX, {schema}, {options}", difference)
        if len(self.failures) == failures:
            for path in (vacuumed, dumped, built):
                path.unlink(missing_ok=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of the first round; each round has the next one")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--minutes", type=float, help="go on for so long, however many rounds that makes")
    parser.add_argument("--tornleaf", default=str(ROOT / "build/release/tornleaf"), help="the program under test")
    parser.add_argument("--keep", help="folder for the files of what failed; otherwise they are thrown away")
    return parser.parse_args()


def run_rounds(arguments, folder):
    tornleaf = trial.Tornleaf(arguments.tornleaf)
    start = time.monotonic()
    judged, failures, seed = 0, [], arguments.seed
    while True:
        elapsed = time.monotonic() - start
        if elapsed > arguments.minutes * 60 if arguments.minutes else seed - arguments.seed >= arguments.rounds:
            break
        one = Round(seed, tornleaf, folder)
        one.run()
        judged += one.judged
        failures += one.failures
        print(f"[{time.monotonic() - start:6.1f} s] seed {seed}: {one.judged} indexes", file=sys.stderr, flush=True)
        seed += 1
    verdict = "FAIL" if failures else "PASS"
    print(f"{verdict}  {seed - arguments.seed} rounds, {judged} indexes, {len(failures)} failures")
    return EXIT_FAILED if failures else 0


def main():
    arguments = parse_arguments()
    if not pg_cluster.is_available():
        print("skipped: nothing was tested, there is no PostgreSQL 15 server here; install postgresql-15")
        return 0
    pg_cluster.exit_on_signals()
    with contextlib.ExitStack() as stack:
        if arguments.keep:
            folder = pathlib.Path(arguments.keep)
            folder.mkdir(parents=True, exist_ok=True)
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tornleaf-random-"))
        return run_rounds(arguments, folder)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (pg_cluster.PgError, OSError) as error:
        print(f"random_workload: {error}", file=sys.stderr)
        sys.exit(1)
