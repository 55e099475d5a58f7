"""One index of the live lane: made on the server, rebuilt by us, given back, used, and looked at again."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import capture
import pages
import queries

# What people are told to ask the server for --schema.
SCHEMA_SQL = pathlib.Path(__file__, "../../../scripts/index_schema.sql").resolve().read_text(encoding="utf-8")

# Every page of a file that we build carries this LSN, so that the server can tell us whose pages it reads. It is before
# the start of any log: a page from the future would make recovery skip the records that it needs.
OUR_LSN = "0/7EAF"

INSTALLED_PAGES = f"""
SELECT count(*) FROM generate_series(0, pg_relation_size('i') / {pages.PAGE_SIZE} - 1) b,
LATERAL page_header(get_raw_page('i', b)) h WHERE h.lsn = '{OUR_LSN}'
"""

# Leaves dead rows, shortened posting lists, versions of rows on one page, and whole pages without a row.
CHURN = """
DELETE FROM t WHERE (ctid::text::point)[1]::int % 3 = 0;
VACUUM (INDEX_CLEANUP ON) t;
{more}
UPDATE t SET {first} = {first} WHERE (ctid::text::point)[1]::int % 5 = 0;
DELETE FROM t USING bound b WHERE b.number % 2 = 0 AND t.{first} >= b.low AND t.{first} < b.high;
"""


class Tornleaf:
    """The program under test."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments, output=subprocess.PIPE):
        """Returns (exit code, standard output, first line of standard error)."""
        done = subprocess.run([self.path, *map(str, arguments)], stdout=output, stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode("utf-8", "replace").splitlines()
        return done.returncode, (done.stdout or b"").decode("utf-8", "replace"), said[0] if said else ""


class Namespace:
    """A cluster as one schema sees it: `t` and `i` are that schema's. Has what capture's functions ask for."""

    def __init__(self, cluster, schema):
        self._cluster = cluster
        self._search_path = f"{schema},public"

    def _settings(self, settings):
        return {**(settings or capture.SETTINGS), "search_path": self._search_path}

    def psql(self, sql, options=("-At",), settings=None):
        return self._cluster.psql(sql, options, self._settings(settings))

    def copy(self, query, path, settings=None):
        self._cluster.copy(query, path, self._settings(settings))

    def relation_path(self, name):
        return self._cluster.relation_path(name, settings=self._settings(None))


class Trial:
    """The steps of one case, in the order in which the lane calls them; each reports what it found."""

    def __init__(self, cluster, case, folder, tornleaf, report):
        self.case = case
        self.cluster = Namespace(cluster, f'"{case.name}"')
        self._schema_sql = f'CREATE SCHEMA "{case.name}"'
        self._folder = pathlib.Path(folder, case.name)
        self._folder.mkdir()
        self._tornleaf = tornleaf
        self._report = report
        self._checksums = "on" if case.checksums else "off"
        self._options = [] if not case.checksums else ["--checksums"]

    def _check(self, what, error):
        self._report.check(f"{self.case.name}: {what}", error)

    # --- steps ----------------------------------------------------------------------------------------

    def create(self):
        """Table and index on the server, and the rows in heap order in a file of ours."""
        self.cluster.psql(f"{self._schema_sql};\n{self.case.create_sql()}")
        self.description = json.loads(self.cluster.psql(capture.DESCRIBE_SQL))
        self.schema = self.cluster.psql("\\set index i\n" + SCHEMA_SQL).strip()
        self._questions = queries.questions(self.description)
        self.cluster.psql(queries.prepare_sql(self.description))
        (self._folder / "rows").write_bytes(capture.rows_text(self.cluster, self.description))
        self.path = self.cluster.relation_path("i")

    def rebuild(self):
        """Builds our file; returns its path, or None where the build failed. The server's file must be on disk."""
        built = self._build(self._folder / "rows", "built", ["--lsn", OUR_LSN])
        if built:
            difference = pages.first_difference(built.read_bytes(), self.path.read_bytes())
            self._check("build: bytes of CREATE INDEX", difference)
        return built

    def judge(self, when, tied):
        """amcheck, our check, pageinspect against our view, and every question asked three ways."""
        for name, verdict in capture.amcheck_verdicts(self.cluster).items():
            self._check(f"{when}: {name}", None if verdict == "ok" else verdict)
        self._judge_file(when)
        self._judge_answers(when, tied)

    def judge_installed(self):
        """The server reads our pages: nothing else in the lane would notice a file that was not exchanged."""
        level = self.cluster.psql("SELECT level FROM bt_metap('i')").strip()
        self._check("more than one level", "a single page" if level == "0" else None)
        installed = int(self.cluster.psql(INSTALLED_PAGES))
        count = capture.page_count(self.cluster)
        error = None if installed == count else f"{installed} of {count} pages are ours"
        self._check("exchange: every page is ours", error)

    def churn(self):
        """The server goes on with our file: deletes, vacuums, inserts, updates."""
        case = self.case
        more = case.rows_sql(case.rows + 1, case.rows * 5 // 4)
        if not case.unique:
            more += case.rows_sql(1, case.rows // 4)
        self.cluster.psql(CHURN.format(more=more, first=self.description["attributes"][0]["sql"]))

    def vacuum(self):
        self.cluster.psql("VACUUM (INDEX_CLEANUP ON) t")

    def judge_rows(self):
        """The rows that we read out of the used index make the bytes of a fresh CREATE INDEX."""
        with open(self._folder / "dumped", "wb") as output:
            code, _, said = self._tornleaf.run("dump", self._copy(), "--schema", self.schema, output=output)
        self._check("dump", f"exit code {code}: {said}" if code else None)
        self.cluster.psql("REINDEX INDEX i; CHECKPOINT")
        self.path = self.cluster.relation_path("i")
        built = self._build(self._folder / "dumped", "rebuilt", ["--sorted"]) if not code else None
        if built:
            difference = pages.first_difference(built.read_bytes(), self.path.read_bytes())
            self._check("dump and build: bytes of REINDEX", difference)

    def has_deleted_pages(self):
        """Whether VACUUM has taken whole pages out of the index."""
        count = capture.page_count(self.cluster)
        return self.cluster.psql(
            f"SELECT count(*) FROM generate_series(1, {count - 1}) b, LATERAL bt_page_stats('i', b) s "
            "WHERE s.type = 'd'").strip() != "0"

    # --- parts ----------------------------------------------------------------------------------------

    def _build(self, rows, name, options):
        target = self._folder / name
        for option in self.description["options"]:
            key, _, value = option.partition("=")
            options = options + (["--fillfactor", value] if key == "fillfactor" else ["--no-dedup"])
        code, _, said = self._tornleaf.run(
            "build", "--schema", self.schema, "-o", target, *options, *self._options, rows)
        self._check(f"build of the {rows.name}", f"exit code {code}: {said}" if code else None)
        return target if code == 0 else None

    def _copy(self):
        """A copy of the server's file, which must be on disk."""
        copy = self._folder / "index"
        shutil.copyfile(self.path, copy)
        return copy

    def _judge_file(self, when):
        self.cluster.psql("CHECKPOINT")
        copy = self._copy()
        code, text, said = self._tornleaf.run("check", "--schema", self.schema, "--checksums", self._checksums, copy)
        self._check(f"{when}: tornleaf check", f"exit code {code}: {said or text.strip()[:200]}" if code else None)
        count = capture.page_count(self.cluster)
        tables = capture.pageinspect_csv(self.cluster, range(1, count))
        for table, expected in zip(("--items", "--stats", "--meta"), tables):
            code, text, said = self._tornleaf.run("view", copy, table, "--format", "csv")
            error = f"exit code {code}: {said}" if code else None
            if not code and text != expected:
                error = queries.compare(text, expected, ordered=True)
            self._check(f"{when}: view {table} equals pageinspect", error)

    def _judge_answers(self, when, tied):
        questions = [question for question in self._questions if tied or not question.tied]
        expected = self._ask(queries.SEQUENTIAL_SCAN, questions)
        for way in (queries.INDEX_SCAN, queries.INDEX_ONLY_SCAN):
            numbers = [number for number, question in enumerate(questions) if question.way == way]
            asked = [questions[number] for number in numbers]
            for number, question, (plan, rows) in zip(numbers, asked, self._ask(way, asked)):
                error = question.plan_error(way, plan)
                error = error or question.plan_error(queries.SEQUENTIAL_SCAN, expected[number][0])
                error = error or queries.compare(rows, expected[number][1], question.tied)
                self._check(f"{when}: {question.name}", error)

    def _ask(self, way, asked):
        return queries.ask(self.cluster, way, asked, capture.SETTINGS)
