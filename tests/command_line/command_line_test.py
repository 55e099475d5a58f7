#!/usr/bin/env python3
"""Calls the tornleaf program as people do. Usage: command_line_test.py PROGRAM [unittest arguments]

The rules: 0 nothing is wrong, 1 the job could not be done, 2 an index is damaged; each error is one line on
standard error that says what, where and what to do; standard output carries results only.
"""

import json
import os
import pathlib
import pty
import re
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = ""
CORPUS = pathlib.Path("corpus/postgres").resolve()
LOGS = pathlib.Path("corpus/postgres_wal").resolve()
README = pathlib.Path("README.md").resolve()
PAGE = 8192
GIB = 1 << 30


def fixture(name):
    return subprocess.run(["zstd", "-dqc", CORPUS / name / "index.zst"], check=True, capture_output=True).stdout


class CommandLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.index = fixture("int4")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.put("index", self.index)

    def put(self, name, data):
        (self.folder / name).write_bytes(data)

    def put_server_log(self, name):
        """Lays out a log of corpus/postgres_wal and the file `before`; returns the index's relation."""
        for file in ("before", "log"):
            data = subprocess.run(["zstd", "-dqc", LOGS / name / f"{file}.zst"], check=True, capture_output=True).stdout
            self.put(file, data)
        description = json.loads((LOGS / name / "fixture.json").read_text())
        size = description["segment_bytes"]
        log = (self.folder / "log").read_bytes()
        (self.folder / "pg_wal").mkdir(exist_ok=True)
        first = description["first_segment"]
        for at in range(0, len(log), size):
            segment = f"{first[:16]}{int(first[16:], 16) + at // size:08X}"
            self.put(f"pg_wal/{segment}", log[at:at + size].ljust(size, b"\0"))
        return description["relation"]

    def run_it(self, *arguments, **options):
        """Runs the program in the test's folder; text in, text out."""
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        environment.update(options.pop("environment", {}))
        return subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=environment, capture_output=True,
                              text=True, timeout=120, check=False, **options)

    def expect(self, code, *arguments, stdout=None, stderr=None, **options):
        """Expects the exit code, and that each stream matches the pattern (None: nothing may be there)."""
        result = self.run_it(*arguments, **options)
        shown = f"{arguments}\nstdout: {result.stdout[:800]}\nstderr: {result.stderr[:800]}"
        self.assertEqual(result.returncode, code, shown)
        for text, pattern in ((result.stdout, stdout), (result.stderr, stderr)):
            if pattern is None:
                self.assertEqual(text, "", shown)
            else:
                self.assertRegex(text, pattern, shown)
        return result

    def expect_error(self, code, message, *arguments, **options):
        """Expects no results and exactly one line on standard error."""
        result = self.expect(code, *arguments, stderr=re.escape(message), **options)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("tornleaf: "), result.stderr)


class UsageTest(CommandLineTest):
    def test_no_command_is_a_usage_error_with_help(self):
        self.expect(1, stderr="Subcommands:")

    def test_help_and_version(self):
        self.expect(0, "--help", stdout="Subcommands:")
        self.expect(0, "help", stdout="Subcommands:")
        self.expect(0, "help", "check", stdout=r"Usage: tornleaf check (.|\n)*SCHEMA names the columns in order")
        self.expect_error(1, "unknown command 'chekc'; did you mean 'check'?", "help", "chekc")
        self.expect(0, "help", "--version", stdout="Subcommands:")
        self.expect(0, "--version", stdout=r"^tornleaf \d+\.\d+\.\d+\n$")

    def test_unknown_words_suggest_the_nearest(self):
        self.expect_error(1, "unknown command 'chekc'; did you mean 'check'? 'tornleaf --help' lists all", "chekc")
        self.expect_error(1, "unknown command 'frobnicate'; 'tornleaf --help' lists all", "frobnicate")
        self.expect_error(1, "unknown option '--verison'; did you mean '--version'?", "--verison")
        self.expect_error(1, "check: unknown option '--shema'; did you mean '--schema'?",
                          "check", "index", "--shema", "int4")
        self.expect_error(1, "check: unknown option '--checksum'; did you mean '--checksums'?",
                          "check", "index", "--checksum=on")
        self.expect_error(1, "check: --format: 'xml' is not one of text, json or csv",
                          "check", "index", "--format", "xml")
        self.expect_error(1, "formats: unexpected argument 'now'", "formats", "now")
        self.expect_error(1, "explain: no rule has the id 'ITEM-04'; did you mean ITEM-004?", "explain", "ITEM-04")

    def test_missing_and_contradicting_arguments(self):
        self.expect_error(1, "check: file is required", "check")
        self.expect_error(1, "whatif: --schema is required", "whatif", "index")
        self.expect_error(1, "view: --items excludes --hex", "view", "index", "--items", "--hex")

    def test_numbers_are_whole_numbers(self):
        for option, value in (("--page-size", ""), ("--page-size", "8192.0"), ("--page-size", "1k"), ("--fillfactor", ""),
                              ("--fillfactor", "-1")):
            self.expect_error(1, f"build: {option}: '{value}' is no whole number", "build", "--schema", "int4", "-o", "new",
                              option, value, input="1\t(0,1)\n")
        self.expect_error(1, "check: --findings-max: '' is no whole number", "check", "index", "--findings-max", "")
        self.assertFalse((self.folder / "new").exists())

    def test_an_unknown_option_comes_before_what_is_missing(self):
        self.expect_error(1, "check: unknown option '-index'", "check", "-index")
        self.expect_error(1, "explain: no rule has the id 'NO'; 'tornleaf explain' lists all", "explain", "NO")

    def test_messages_stay_on_their_line(self):
        self.expect_error(1, "check: no\\x0asuch\\x1b[31m: No such file", "check", "no\nsuch\x1b[31m")
        self.expect_error(1, "line 1: field 1 (text): 'a\\x00b", "build", "--schema", "text",
                          "-o", "new", input="a\0b\t(0,1)\n")
        self.put("two\nlines", self.index)
        self.expect(0, "check", "two\nlines", stdout=r"^PASS  two\\x0alines  [^\n]*\n$")
        result = self.run_it("check", "index", "--schema", "x" * 100000)
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1))
        self.assertLess(len(result.stderr), 3000)

    def test_a_closed_stream_is_nobody_elses_file(self):
        command = f"{shlex.quote(PROGRAM)} build --schema int4 -o new rows <&- >&- 2>&-"
        self.put("rows", b"1\t(0,1)\n")
        self.assertEqual(subprocess.run(["bash", "-c", command], cwd=self.folder, check=False).returncode, 1)
        self.expect(0, "check", "new", "--schema", "int4", stdout="^PASS")

    def test_results_that_cannot_be_written_are_missed(self):
        for arguments in (["--help"], ["--version"], ["check", "--help"], ["check", "index"], ["explain"]):
            with open("/dev/full", "w", encoding="ascii") as full:
                done = subprocess.run([PROGRAM, *arguments], cwd=self.folder, stdout=full, stderr=subprocess.PIPE, text=True,
                                      check=False)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("cannot write the results: No space left on device", done.stderr)

    def test_a_schema_that_is_none_names_the_character(self):
        self.expect_error(1, "check: --schema 'text collat C': schema, character 6: expected",
                          "check", "index", "--schema", "text collat C")

    def test_the_readme_shows_what_is_printed(self):
        (self.folder / "corpus").symlink_to(CORPUS.parent)
        walk = README.read_text().split("## One failure, walked through")[1].split("\n## ")[0]
        blocks = re.findall(r"^```(sh)?\n(.*?)^```$", walk, re.MULTILINE | re.DOTALL)
        commands = "".join(block for shell, block in blocks if shell)
        printed = "".join(block for shell, block in blocks if not shell)
        self.assertIn("PATH=$PWD/build/release:$PATH\n", commands)
        commands = commands.replace("$PWD/build/release", shlex.quote(str(pathlib.Path(PROGRAM).parent)))
        result = subprocess.run(["bash", "-c", f"exec 2>&1\n{commands}"], cwd=self.folder, capture_output=True,
                                text=True, timeout=120, check=False)
        self.assertIn("FAIL", printed)
        self.assertEqual(result.stdout[:len(printed)], printed)
        self.assertRegex(result.stdout, r"\nORDER-001  item order\n(.|\n)* 6   8064 .* fe0cb6fb5\n")

    def test_the_documents_show_what_is_printed_of_databases(self):
        section = README.read_text().split("## An index of your own")[1].split("\n## ")[0]
        (shell, commands), (_, printed) = re.findall(r"^```(sh)?\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
        page = (README.parent / "docs/COMMAND.md").read_text().split("## Databases")[1].split("\n## ")[0]
        more = re.search(r"^```sh\n(.*?)^```$", page, re.MULTILINE | re.DOTALL).group(1)
        self.assertEqual(shell, "sh")
        for text, expected in ((commands, printed), ("rm -r books\n" + more, None)):
            line = f"exec 2>&1\nset -e\nPATH={shlex.quote(str(pathlib.Path(PROGRAM).resolve().parent))}:$PATH\n{text}"
            result = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, timeout=120,
                                    check=False)
            self.assertEqual(result.returncode, 0, result.stdout)
            if expected is not None:
                self.assertEqual(result.stdout, expected)
            else:
                self.assertRegex(result.stdout, r"\nPASS  books  1 row  0 deleted")

    def test_every_example_of_every_help_works(self):
        (self.folder / "corpus").symlink_to(CORPUS.parent)
        rows = subprocess.run(["zstd", "-dqc", CORPUS / "int4/rows.tsv.zst"], check=True, capture_output=True)
        self.put("rows.tsv", rows.stdout)
        self.relation = self.put_server_log("random-int4")
        self.run_it("db", "init", "model", "--schema", "int4")
        self.run_it("db", "put", "model", "rows.tsv")
        commands = [[name] for name in self.listed_commands()]
        self.assertGreaterEqual(len(commands), 9)
        commands += [["db", name] for name in self.listed_commands("db")]
        self.assertGreaterEqual(len(commands), 20)
        for command in commands:
            text = self.expect(0, *command, "--help", stdout="Examples:").stdout
            examples = re.findall(r"^  (.*\btornleaf .*)$", text.split("Examples:")[1], re.MULTILINE)
            self.assertEqual(len(examples), 3, text)
            for example in examples:
                with self.subTest(example=example):
                    self.run_example(example)

    def listed_commands(self, *group):
        return re.findall(r"^  (\w+) ", self.run_it(*group, "--help").stdout.split("Subcommands:")[1].split("Examples:")[0],
                          re.MULTILINE)

    def run_example(self, example):
        """In a folder with an index, its rows, a database `db` of them, a server's log, and nothing called `new`."""
        for name in ("new", "db"):
            if (self.folder / name).is_dir():
                shutil.rmtree(self.folder / name)
            (self.folder / name).unlink(missing_ok=True)
        shutil.copytree(self.folder / "model", self.folder / "db")
        line = re.sub(r"\btornleaf\b", shlex.quote(PROGRAM), example)
        line = line.replace("redo index", "redo before").replace("1663/5/16384", self.relation)
        line = line.replace("0/2000000", "F/0")
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, check=False, timeout=120)
        self.assertEqual(result.returncode, 0, (example, result.stderr[:500]))
        self.assertEqual(result.stderr, b"", example)


class DatabaseTest(CommandLineTest):
    """tornleaf db: what it says, what its exit codes are, and what is left after a signal."""

    def make(self, schema="int4", *options):
        self.expect(0, "db", "init", "d", "--schema", schema, *options, stdout="^d: made\n$")

    def test_rows_go_in_and_come_out(self):
        self.make()
        result = self.expect(0, "db", "put", "d", "--sync-every", "2", input="3\t(0,1)\n1\t(0,2)\n2\t(0,3)\n",
                             stdout=r"^durable 2\ndurable 3\nd: 3 rows put, 0 were there already\n$")
        self.assertNotIn("recovered", result.stderr)
        self.expect(0, "db", "put", "d", input="2\t(0,3)\n4\t(0,4)\n",
                    stdout=r"^durable 2\nd: 1 row put, 1 were there already\n$")
        self.expect(0, "db", "scan", "d", stdout=r"^1\t\(0,2\)\n2\t\(0,3\)\n3\t\(0,1\)\n4\t\(0,4\)\n$")
        self.expect(0, "db", "scan", "d", "--lower", "2", "--lower-excluded", "--upper", "4", "--backward", "--limit", "1",
                    stdout=r"^4\t\(0,4\)\n$")
        self.expect(0, "db", "scan", "d", "--tids-only", "--limit", "2", stdout=r"^\(0,2\)\n\(0,3\)\n$")
        self.expect(0, "db", "get", "d", "3", stdout=r"^3\t\(0,1\)\n$")
        self.expect(0, "db", "get", "d", "9")
        self.expect(0, "db", "count", "d", stdout=r"^4\n$")
        self.expect(0, "db", "min", "d", stdout=r"^1\t")
        self.expect(0, "db", "max", "d", stdout=r"^4\t")
        self.expect(0, "db", "delete", "d", input="1\t(0,2)\n1\t(0,9)\n",
                    stdout=r"^durable 2\nd: 1 row deleted, 1 were not there\n$")
        self.expect(0, "db", "check", "d", stdout=r"^PASS  d  3 rows  1 deleted, with 1 still in the index")
        self.expect(0, "db", "vacuum", "d", stdout=r"^d: 1 row removed, 3 left; ")
        self.expect(0, "db", "checkpoint", "d", stdout=r"^d: checkpoint at 0/[0-9A-F]+\n$")
        self.expect(0, "db", "check", "d", stdout=r"^PASS  d  3 rows  0 deleted, with 0 still in the index")

    def test_min_and_max_know_nulls_and_directions(self):
        rows = "\\N\t(0,1)\n5\t(0,2)\n7\t(0,3)\n"
        for name, schema in (("a", "int4"), ("b", "int4 desc"), ("c", "int4 nulls first"), ("e", "int4 desc nulls last")):
            self.expect(0, "db", "init", name, "--schema", schema, stdout="made")
            self.expect(0, "db", "put", name, input=rows, stdout="3 rows put")
            self.expect(0, "db", "min", name, stdout="^5\t")
            self.expect(0, "db", "max", name, stdout="^7\t")
            self.expect(0, "db", "get", name, "\\N", stdout=r"^\\N\t\(0,1\)\n$")

    def test_json_for_programs(self):
        self.make()
        out = self.expect(0, "db", "put", "d", "--format", "json", input="1\t(0,1)\n", stdout="durable").stdout
        durable, summary = map(json.loads, out.splitlines())
        self.assertEqual(durable, {"schema": "tornleaf.db.durable/1", "rows": 1})
        self.assertEqual(summary, {"schema": "tornleaf.db.put/1", "directory": "d", "durable": 1, "changed": 1,
                                   "unchanged": 0})
        row = json.loads(self.expect(0, "db", "scan", "d", "--format", "json", stdout="row").stdout)
        self.assertEqual(row, {"schema": "tornleaf.db.row/1", "columns": ["1"], "tid": "(0,1)"})
        verdict = json.loads(self.expect(0, "db", "check", "d", "--format", "json", stdout="verdict").stdout)
        self.assertEqual((verdict["verdict"], verdict["live_rows"]), ("pass", 1))

    def test_a_duplicate_names_its_line_and_loses_nothing(self):
        self.make("int4; unique")
        self.put("rows", "".join(f"{key}\t(0,{key})\n" for key in (1, 2, 3, 2, 5)).replace("2\t(0,2)\n5", "2\t(0,4)\n5").encode())
        for threads in ("1", "4"):
            result = self.run_it("db", "put", "d", "rows", "--threads", threads)
            self.assertEqual(result.returncode, 1)
            self.assertIn("tornleaf: db put: rows: line 4: key (2) is that of row (0,2), and the index is unique; the first "
                          "3 rows of the input are durable\n", result.stderr)
        self.expect(0, "db", "count", "d", stdout=r"^3\n$")

    def test_how_much_of_a_refused_input_is_durable(self):
        self.make()
        for good, text in ((0, "no row of the input is known to be durable"), (1, "the first row of the input is durable"),
                           (2, "the first 2 rows of the input are durable")):
            rows = "".join(f"{row}\t(0,{row})\n" for row in range(1, good + 1)) + "x\n"
            self.expect(1, "db", "put", "d", input=rows, stdout="put", stderr=f"; {text}\n$")

    def test_an_address_comes_back_by_vacuum(self):
        self.make()
        self.expect(0, "db", "put", "d", input="1\t(0,1)\n", stdout="1 row put")
        self.expect(0, "db", "delete", "d", input="1\t(0,1)\n", stdout="1 row deleted")
        result = self.run_it("db", "put", "d", input="2\t(0,1)\n")
        self.assertEqual(result.returncode, 1)
        self.assertIn("standard input: line 1: the address is that of a deleted row; VACUUM frees it", result.stderr)
        self.expect(0, "db", "vacuum", "d", stdout="1 row removed")
        self.expect(0, "db", "put", "d", input="2\t(0,1)\n", stdout="1 row put")

    def test_nulls_alone_have_no_least_and_no_greatest(self):
        for name, schema in (("a", "int4"), ("b", "int4 desc"), ("c", "int4 nulls first"), ("e", "int4 desc nulls last")):
            self.expect(0, "db", "init", name, "--schema", schema, stdout="made")
            self.expect(0, "db", "put", name, input="\\N\t(0,1)\n", stdout="1 row put")
            self.expect(0, "db", "min", name)
            self.expect(0, "db", "max", name)

    def test_more_memory_than_there_is(self):
        self.make()
        refuse = {f"{name}_OPTIONS": "allocator_may_return_null=1" for name in ("ASAN", "TSAN")}
        result = self.expect(1, "db", "count", "d", "--frames", "4294967295", environment=refuse,
                             stderr="tornleaf: db count: out of memory; ask for less")
        self.assertNotIn("terminate", result.stderr)
        self.expect(0, "db", "count", "d", stdout="^0\n$")

    def test_pages_are_used_again_by_other_processes(self):
        self.make("int4", "--page-size", "512")
        rows = "".join(f"{number}\t({number},1)\n" for number in range(2000))
        sizes = []
        for _ in range(3):
            self.expect(0, "db", "put", "d", input=rows, stdout="2,000 rows put")
            self.expect(0, "db", "delete", "d", input=rows, stdout="2,000 rows deleted")
            self.expect(0, "db", "vacuum", "d", stdout="2,000 rows removed")
            sizes.append((self.folder / "d/index").stat().st_size)
        self.assertLess(sizes[2], 1.2 * sizes[0], sizes)

    def test_a_log_with_a_hole_is_damage(self):
        self.make("int4", "--page-size", "512", "--log-segment-bytes", "32768")
        rows = "".join(f"{number}\t({number},1)\n" for number in range(3000))
        process = subprocess.Popen([PROGRAM, "db", "put", "d", "--sync-every", "1000"], cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(rows)
        process.stdin.flush()
        self.assertTrue(any(line.startswith("durable 2") for line in process.stdout))
        process.kill()
        process.communicate()
        segments = sorted(os.listdir(self.folder / "d/wal"))
        self.assertGreater(len(segments), 3)
        (self.folder / "d/wal" / segments[1]).rename(self.folder / "kept")
        self.expect_error(2, "db count: d/wal: the log breaks off at ", "db", "count", "d")
        (self.folder / "kept").rename(self.folder / "d/wal" / segments[1])
        self.expect(0, "db", "check", "d", stdout="^PASS")

    def test_what_cannot_be_opened(self):
        self.expect_error(1, "db count: nowhere: no such directory; `tornleaf db init` makes a database", "db", "count",
                          "nowhere")
        self.expect_error(1, "db: unknown command 'conut'; did you mean 'count'?", "db", "conut", "d")
        self.expect_error(1, "db count: unknown option '--frame'; did you mean '--frames'?", "db", "count", "d", "--frame", "9")
        self.expect_error(1, "db put: directory is required", "db", "put")
        self.expect_error(1, "db count: index: not a directory; name the one of the database", "db", "count", "index")
        self.make()
        self.expect_error(1, "db put: /: Is a directory\n", "db", "put", "d", "/")
        self.expect_error(1, "db init: d: not empty (control)", "db", "init", "d", "--schema", "int4")
        (self.folder / "d/index").unlink()
        self.expect_error(2, "db count: d/index: the file is missing; restore it", "db", "count", "d")
        (self.folder / "d/control").unlink()
        self.expect_error(1, "db count: d/control: the file is missing", "db", "count", "d")

    def test_a_file_to_start_from_must_be_the_schemas_index(self):
        self.expect(0, "db", "init", "d", "--schema", "int4", "--from", "index", stdout="made")
        self.expect(0, "db", "check", "d", stdout=r"^PASS  d  3,007 rows")
        self.expect_error(1, "db init: index: the schema is not that of this index", "db", "init", "e", "--schema", "text",
                          "--from", "index")
        self.assertFalse((self.folder / "e").exists())

    def test_damage_is_found_and_told(self):
        self.expect(0, "db", "init", "d", "--schema", "int4", "--from", "index", stdout="made")
        with open(self.folder / "d/index", "r+b") as file:
            file.seek(3 * PAGE + 8000)
            file.write(b"damage")
        self.expect(2, "db", "check", "d", stdout=r"(?m)^FAIL  d  1 finding  rows not counted  0 records")
        verdict = json.loads(self.expect(2, "db", "check", "d", "--format", "json", stdout=".").stdout.splitlines()[-1])
        self.assertEqual((verdict["live_rows"], verdict["deleted_rows"], verdict["deleted_entries"]), (None, 0, None))
        self.expect(2, "db", "count", "d", stderr="d/index: block 3: checksum")

    def test_a_file_that_lost_its_end_is_refused(self):
        self.make()
        self.expect(0, "db", "put", "d", input="1\t(0,1)\n2\t(0,2)\n", stdout="2 rows put")
        self.expect(0, "db", "delete", "d", input="1\t(0,1)\n", stdout="1 row deleted")
        for name in ("dead_rows", "index"):
            file = self.folder / "d" / name
            whole = file.read_bytes()
            file.write_bytes(b"")
            words = rf"d/{name}: 0 pages, of the {len(whole) // PAGE} that the last checkpoint left; restore the file\n$"
            for command in ("check", "count", "vacuum"):
                self.expect(2, "db", command, "d", stderr=words)
            file.write_bytes(whole)
        self.expect(0, "db", "check", "d", stdout=r"^PASS  d  1 row  1 deleted")

    def test_check_writes_nothing(self):
        self.make()
        process = subprocess.Popen([PROGRAM, "db", "put", "d", "--sync-every", "1"], cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for number in range(1, 301):
            process.stdin.write(f"{number}\t(0,{number})\n")
        process.stdin.flush()
        while process.stdout.readline() != "durable 200\n":
            pass
        process.kill()
        process.communicate()
        def files():
            return {path: path.read_bytes() for path in sorted((self.folder / "d").rglob("*")) if path.is_file()}
        before = files()
        result = self.expect(0, "db", "check", "d", stdout=r"^PASS  d  \d+ rows .* [1-9]\d* records replayed")
        self.assertEqual(files(), before)
        result = self.expect(0, "db", "count", "d", stdout=r"^\d+\n$",
                             stderr=r"^tornleaf: db count: d: not closed in order last time; recovered by \d+ records")
        self.assertGreaterEqual(int(result.stdout), 200)

    def test_signals_end_it_in_order(self):
        # A signal that comes while the only thread waits for input ends that wait too.
        for number, name, threads, wait in ((signal.SIGINT, "a", "1", 0.3), (signal.SIGINT, "b", "2", 0),
                                            (signal.SIGTERM, "c", "2", 0.3)):
            self.expect(0, "db", "init", name, "--schema", "int4", stdout="made")
            process = subprocess.Popen([PROGRAM, "db", "put", name, "--threads", threads, "--sync-every", "1"], cwd=self.folder,
                                       text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stdin.write("1\t(0,1)\n2\t(0,2)\n")
            process.stdin.flush()
            # The input stays open: the program waits for more of it.
            self.assertRegex(process.stdout.readline(), r"^durable [12]\n$")
            time.sleep(wait)
            process.send_signal(number)
            process.wait(timeout=60)
            out, err = process.communicate()
            self.assertEqual(process.returncode, 1)
            self.assertRegex(err, r"^tornleaf: db put: standard input: interrupted; the first (2 rows of the input are|row of "
                                  r"the input is) durable, and the same command goes on from there\n$")
            self.assertRegex(out, "rows? put")
            self.expect(0, "db", "count", name, stdout=r"^[12]\n$")

    def test_one_process_at_a_time(self):
        self.make()
        process = subprocess.Popen([PROGRAM, "db", "put", "d", "--sync-every", "1"], cwd=self.folder, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write("1\t(0,1)\n")
        process.stdin.flush()
        self.assertEqual(process.stdout.readline(), "durable 1\n")
        self.expect_error(1, "db count: d: another process has this database open", "db", "count", "d")
        process.communicate()
        self.assertEqual(process.returncode, 0)


class RedoTest(CommandLineTest):
    """A server's log over a copy of its index file."""

    def test_the_result_is_the_server_s_file(self):
        relation = self.put_server_log("random-int4")
        arguments = ("redo", "before", "--log", "pg_wal", "--relation", relation)
        self.expect(0, *arguments, stdout=r"before: \w+/\w+ to (.|\n)* 1,992  INSERT_LEAF\n")
        self.assertFalse((self.folder / "new").exists())
        before = (self.folder / "before").read_bytes()
        result = self.expect(0, *arguments, "-o", "new", "--format", "json", stdout="tornleaf.redo/1")
        report = json.loads(result.stdout)
        wanted = json.loads((LOGS / "random-int4/fixture.json").read_text())
        self.assertEqual(report["records"], wanted["records"])
        self.assertEqual(report["output"], "new")
        self.assertEqual((self.folder / "before").read_bytes(), before)
        after = subprocess.run(["zstd", "-dqc", LOGS / "random-int4/after.zst"], check=True, capture_output=True)
        self.put("after", after.stdout)
        for name in ("new", "after"):
            self.expect(0, "check", name, "--schema", "int4", stdout="^PASS")
        dumps = [self.expect(0, "dump", name, "--schema", "int4", stdout=".").stdout for name in ("new", "after")]
        self.assertEqual(dumps[0], dumps[1])
        self.expect_error(1, "redo: new: exists", *arguments, "-o", "new")
        self.expect(0, *arguments, "-o", "new", "--force", stdout=".")
        csv = self.expect(0, *arguments, "--format", "csv", stdout="record,count").stdout
        self.assertIn("SPLIT_R,", csv)

    def test_the_replay_may_end_early(self):
        relation = self.put_server_log("random-int4")
        arguments = ("redo", "before", "--log", "pg_wal", "--relation", relation)
        wanted = json.loads((LOGS / "random-int4/fixture.json").read_text())
        high, low = wanted["start"].split("/")
        until = f"{high}/{int(low, 16) + 50000:X}"
        report = json.loads(self.expect(0, *arguments, "--until", until, "--format", "json", stdout="--until").stdout)
        self.assertLess(report["records"]["INSERT_LEAF"], 1000)

    def test_what_cannot_be(self):
        relation = self.put_server_log("random-int4")
        log = ("--log", "pg_wal")
        self.expect_error(1, "redo: --relation '5': expected three numbers", "redo", "before", *log, "--relation", "5")
        self.expect_error(1, "redo: --until 'x': expected two hex", "redo", "before", *log, "--relation", relation,
                          "--until", "x")
        self.expect(1, "redo", "before", *log, "--relation", "1/2/3",
                    stderr=f"redo: pg_wal: no record of 1/2/3 up to \\w+/\\w+; it has some of {relation}\n$")
        self.expect_error(1, "redo: nowhere: ", "redo", "nowhere", *log, "--relation", relation)
        self.expect_error(1, "redo: base: ", "redo", "before", "--log", "base", "--relation", relation)
        self.expect_error(1, "redo: before: Not a directory; name the folder", "redo", "before", "--log", "before",
                          "--relation", relation)
        self.expect_error(1, "log: .: no log segments; a database has them in its folder wal", "log", ".")
        # The log of one index over the file of another: a record does not fit.
        self.put("other", fixture("empty"))
        self.expect_error(2, "redo: other: record at ", "redo", "other", *log, "--relation", relation)


class BadInputTest(CommandLineTest):
    """What people name by mistake, for each command that takes an index file."""

    def expect_refusal(self, code, message, name):
        for command in (["check"], ["view"], ["whatif", "--schema", "int4"], ["dump", "--schema", "int4"]):
            with self.subTest(command=command[0]):
                self.expect_error(code, f"tornleaf: {command[0]}: {message}", *command, name)

    def test_missing_file(self):
        self.expect_refusal(1, "nowhere: No such file or directory; name the file of an index", "nowhere")

    def test_directory(self):
        (self.folder / "base").mkdir()
        self.expect_refusal(1, "base: Is a directory; name the file of an index in it, or `tornleaf db check` a database",
                            "base")

    def test_pipe(self):
        os.mkfifo(self.folder / "pipe")
        self.expect_refusal(1, "pipe: Not a regular file", "pipe")

    def test_zero_length(self):
        self.put("empty", b"")
        self.expect_refusal(1, "empty: not a B-tree index: the file is empty (0 bytes)", "empty")

    def test_text_file(self):
        self.put("notes", b"dear diary, " * 3000)
        self.expect_refusal(1, "notes: not a B-tree index: it does not begin with a PostgreSQL page", "notes")

    def test_heap_file(self):
        header = struct.pack("<IIHHHHHHI", 0, 1, 0, 0, 24, PAGE, PAGE, PAGE | 4, 0)
        self.put("table", header + bytes(PAGE - len(header)))
        self.expect_refusal(1, "table: not a B-tree index: block 0 has no special area, so it is a table (heap)",
                            "table")

    def test_big_endian_file(self):
        header = struct.pack(">IIHHHHHHIIII", 0, 1, 0, 0, 72, PAGE - 16, PAGE - 16, PAGE | 4, 0, 0x053162, 4, 1)
        self.put("sparc", header + bytes(PAGE - len(header)))
        self.expect_refusal(1, "sparc: written on a big-endian machine (pd_pagesize_version is stored as 20 04)",
                            "sparc")

    def test_impossible_page_size(self):
        header = struct.pack("<IIHHHHHHI", 0, 1, 0, 0, 24, PAGE, PAGE, 0x2104, 0)
        self.put("odd", header + bytes(PAGE - len(header)))
        self.expect_refusal(1, "odd: not a B-tree index: page size 8448 is none of 512, 1024, 2048, ... 32768", "odd")

    def test_unsupported_version(self):
        self.put("future", self.index[:28] + struct.pack("<I", 5) + self.index[32:])
        self.expect_refusal(1, "future: metapage version 5 is not supported, only 2 to 4", "future")

    def test_later_segment_alone(self):
        self.put("16384.3", self.index[PAGE:])
        self.expect_refusal(1, "16384.3: not a B-tree index: block 0 is a B-tree page but not the metapage", "16384.3")

    def test_cut_within_the_metapage(self):
        self.put("cut", self.index[:100])
        self.expect_refusal(2, "cut: truncated: 100 bytes, less than the metapage of 8192", "cut")

    def test_missing_segment(self):
        self.put("big", self.index)
        os.truncate(self.folder / "big", GIB)
        self.put("big.2", self.index[PAGE:])
        self.expect_refusal(2, "big.1: segment missing, while big.2 is there", "big")

    def test_unreadable_file(self):
        if os.geteuid() != 0:
            os.chmod(self.folder / "index", 0)
            self.expect_refusal(1, "index: Permission denied; run as a user who may read it", "index")
            return
        # As root everything is readable, so another user runs a copy that this user can reach.
        os.chmod(self.folder, 0o755)
        os.chmod(self.folder / "index", 0o600)
        copy = shutil.copy(PROGRAM, self.folder / "program")
        os.chmod(copy, 0o755)
        result = subprocess.run([copy, "check", "index"], cwd=self.folder, user=65534, group=65534, extra_groups=[],
                                capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertEqual(result.stderr, "tornleaf: check: index: Permission denied; run as a user who may read it\n")


class CheckTest(CommandLineTest):
    def damaged(self, offset, data):
        return self.index[:offset] + data + self.index[offset + len(data):]

    def test_a_healthy_index_passes(self):
        self.expect(0, "check", "index",
                    stdout=r"^PASS  index  11 pages  [\d,]+ items  [\d,]+ TIDs  checksums off  no schema: order not "
                           r"checked\n$")
        self.expect(0, "check", "index", "--schema", "int4",
                    stdout=r"^PASS  index  11 pages  [\d,]+ items  [\d,]+ TIDs  [\d,]+ comparisons  checksums off  "
                           r"order checked\n$")

    def test_a_libc_order_is_said_to_be_unverifiable(self):
        self.put("libc", fixture("text-libc"))
        self.expect(0, "check", "libc", "--schema", "text collate en_US.UTF-8",
                    stdout=r"order unverifiable \(libc collation\)\n$")

    def test_the_wrong_schema_is_no_damage(self):
        for schema in ("text collate C", "int4 desc", "numeric, bool"):
            self.expect_error(1, f"check: index: the schema '{schema}' is not that of this index: page ",
                              "check", "index", "--schema", schema)
        # It differs only in where negative numbers stand.
        self.expect(2, "check", "index", "--schema", "int8", stdout="ORDER-001",
                    stderr="without the schema nothing is wrong; if 'int8' is not that of this index")

    def test_a_finding_has_coordinates_and_a_rule(self):
        # Line pointer 5 of page 1: 400 bytes at 8160.
        self.put("bad", self.damaged(PAGE + 24 + 4 * 4, struct.pack("<I", 8160 | 1 << 15 | 400 << 17)))
        result = self.expect(2, "check", "bad", stdout=r"\nFAIL  bad  1 finding  ")
        self.assertRegex(result.stdout.splitlines()[0],
                         r"^bad page 1 leaf lsn [0-9A-F]+/[0-9A-F]+: slot 5 \[40,44\) .*: found \[8160,8560\) .*, "
                         r"expected .*  ITEM-004 \(tornleaf explain ITEM-004\)")

    def test_a_wrong_checksum_is_found(self):
        summed = fixture("int4-checksums")
        self.put("good", summed)
        self.expect(0, "check", "good", stdout="^PASS .*checksums checked")
        hole = 2 * PAGE + 2000  # unused bytes, which only the checksum protects
        self.put("bad", summed[:hole] + b"x" + summed[hole + 1:])
        self.expect(2, "check", "bad", stdout=r"^bad page 2 leaf .* PAGE-002 .*\nFAIL  bad  1 finding  ")
        self.expect(0, "check", "bad", "--checksums", "off", stdout="^PASS .*checksums off")

    def test_a_short_list_keeps_the_count_and_each_findings_own_consequences(self):
        # The same one, of two that are listed and of two of which one is: what follows from the second is not its own.
        summed = fixture("int4-checksums")
        copied = [summed[block * PAGE:(block + 1) * PAGE] for block in (0, 1, 1, 3, 4, 4)]
        self.put("bad", b"".join(copied) + summed[6 * PAGE:])
        lists = []
        for most in ("1000", "1"):
            result = self.expect(2, "check", "bad", "--format", "json", "--findings-max", most, stdout="verdict")
            lists.append([json.loads(line) for line in result.stdout.splitlines()])
        (*every, verdict), (*listed, short_verdict) = lists
        self.assertGreater(sum(finding["consequences"] for finding in every[1:]), 0)
        self.assertEqual(listed, every[:1])
        self.assertEqual(short_verdict["findings_unlisted"], len(every) - 1)
        self.assertEqual({**short_verdict, "findings": len(every), "findings_unlisted": 0}, verdict)

    def test_a_stray_checksum_does_not_turn_checksums_on(self):
        self.put("stray", self.damaged(3 * PAGE + 8, b"\x12\x34"))
        self.expect(0, "check", "stray", stdout="^PASS .*checksums off")
        self.expect(2, "check", "stray", "--checksums", "on", stdout="PAGE-002")

    def test_truncation_is_damage(self):
        self.put("cut", self.index[:-100])
        self.expect(2, "check", "cut", stdout=r"^cut page 10 cut lsn 0/0: \[0,8092\) whole pages: found 8092 bytes, "
                                              r"then the end of the file, .*FILE-001")
        self.put("short", self.index[:-PAGE])
        self.expect(2, "check", "short", stdout=r"(?s)block.*\nFAIL  short  ")

    def test_the_worst_file_decides(self):
        self.put("cut", self.index[:-100])
        self.expect(2, "check", "nowhere", "index", "cut", stderr="nowhere: No such file",
                    stdout=r"\nFAIL  3 indexes: 1 hold, 1 damaged, 1 could not be checked\n$")
        self.expect(1, "check", "index", "nowhere", stderr="nowhere: No such file",
                    stdout=r"\nFAIL  2 indexes: 1 hold, 0 damaged, 1 could not be checked\n$")

    def test_segments_of_a_relation_are_one_index(self):
        self.put("big", self.index)
        os.truncate(self.folder / "big", GIB)
        self.put("big.1", bytes(PAGE))
        self.expect(0, "check", "big.1", "big", stdout=r"^PASS  big  131,073 pages  [^\n]*131,062 new[^\n]*\n$")

    def test_findings_as_objects_and_rows(self):
        self.put("cut", self.index[:-100])
        lines = [json.loads(line) for line in self.expect(2, "check", "cut", "--format", "json",
                                                          stdout=".").stdout.splitlines()]
        self.assertEqual({line["schema"] for line in lines[:-1]}, {"tornleaf.check.finding/1"})
        self.assertEqual((lines[0]["id"], lines[0]["block"], lines[0]["bytes"]), ("FILE-001", 10, [0, 8092]))
        self.assertEqual(lines[-1]["schema"], "tornleaf.check.verdict/1")
        self.assertEqual((lines[-1]["verdict"], lines[-1]["findings"]), ("fail", len(lines) - 1))
        table = self.expect(2, "check", "cut", "--format", "csv", stdout="^file,block,page,", stderr="check: FAIL  cut")
        self.assertEqual(table.stdout.count("\n"), len(lines))

    def test_files_are_never_written(self):
        os.chmod(self.folder / "index", 0o444)
        before = os.stat(self.folder / "index")
        for command in (["check"], ["view"], ["whatif", "--schema", "int4"]):
            self.expect(0, *command, "index", stdout=".")
        after = os.stat(self.folder / "index")
        self.assertEqual((before.st_mtime_ns, before.st_ctime_ns), (after.st_mtime_ns, after.st_ctime_ns))
        self.assertEqual((self.folder / "index").read_bytes(), self.index)


class ViewTest(CommandLineTest):
    def test_a_page_and_a_file(self):
        self.expect(0, "view", "index", stdout=r"(?s)^index  11 blocks of 8192 bytes\n.*\n *1  leaf ")
        self.expect(0, "view", "index:1", stdout=r"(?s)^index page 1 leaf lsn .*\nitems\n")
        self.expect(0, "view", "index:1", "--schema", "int4", "--items", stdout=r"\n *2 .*plain .* -2147483648\n")
        self.expect(0, "view", "index:1", "--hex", stdout=r"\n    16  .*\| pd_special pd_pagesize_version pd_prune_xid\n")

    def test_csv_is_pageinspects(self):
        stats = subprocess.run(["zstd", "-dqc", CORPUS / "int4/stats.csv.zst"], check=True, capture_output=True).stdout
        items = subprocess.run(["zstd", "-dqc", CORPUS / "int4/items.csv.zst"], check=True, capture_output=True).stdout
        meta = (CORPUS / "int4/meta.csv").read_text()
        for option, wanted in (("--stats", stats.decode()), ("--items", items.decode()), ("--meta", meta)):
            self.assertEqual(self.run_it("view", "index", option, "--format", "csv").stdout, wanted)
        header, *rows = items.decode().splitlines()
        wanted = [header.removeprefix("blkno,")] + [row[2:] for row in rows if row.startswith("2,")]
        self.assertEqual(self.run_it("view", "index:2", "--format", "csv").stdout.splitlines(), wanted)

    def test_json_is_one_object_a_slot(self):
        lines = self.run_it("view", "index:1", "--format", "json", "--schema", "int4").stdout.splitlines()
        slots = [json.loads(line) for line in lines]
        self.assertEqual([slot["slot"] for slot in slots], list(range(1, len(slots) + 1)))
        self.assertEqual(slots[1]["key"], ["-2147483648"])

    def test_blocks_that_are_not_there(self):
        self.expect_error(1, "view: index: there is no block 11; the file has blocks 0 to 10", "view", "index:11")
        self.expect_error(1, "view: index:99999999999: 99999999999 is no block number", "view", "index:99999999999")
        self.put("cut", self.index[:-100])
        self.expect_error(2, "view: cut: block 10 is cut short: 8092 of 8192 bytes", "view", "cut:10")
        self.expect(0, "view", "cut", "--stats", stdout=".", stderr="the last 8092 bytes are a page cut short")
        self.put("tail", self.index + b"x" * 100)
        self.expect(2, "whatif", "tail", "--schema", "int4", stdout=".", stderr="the last 100 bytes are a page cut short")

    def test_a_file_may_have_a_colon_in_its_name(self):
        self.put("a:3", self.index)
        self.expect(0, "view", "a:3", stdout="^a:3  11 blocks")
        self.expect(0, "view", "a:3:1", stdout="^a:3 page 1 leaf")

    def test_a_damaged_page_is_shown(self):
        self.put("bad", self.index[:PAGE] + b"\xff" * PAGE + self.index[2 * PAGE:])
        self.expect(0, "view", "bad:1", stdout="^bad page 1 damaged")


class SelftestTest(CommandLineTest):
    def copy(self, *names):
        for name in names:
            shutil.copytree(CORPUS / name, self.folder / "fixtures" / name)

    def test_passes_with_counts(self):
        self.copy("int4", "text-libc", "page-deletion")
        self.expect(0, "selftest", "fixtures",
                    stdout=r"\nPASS  3 indexes  \d+ pages  verify 3 of 3  view 3 of 3  rebuild 2 of 2  1 not rebuildable\n$")

    def test_each_step_can_fail(self):
        self.copy("int4", "int8", "oid")
        meta = self.folder / "fixtures/int4/meta.csv"
        meta.write_text(meta.read_text().replace("340322", "340323"))
        for name, change in (("int8", lambda text: text.replace('"fillfactor": 90', '"fillfactor": 80')),
                             ("oid", lambda text: text.replace('"schema": "oid"', '"schema": "oid desc"'))):
            path = self.folder / "fixtures" / name / "fixture.json"
            path.write_text(change(path.read_text()))
        result = self.expect(2, "selftest", "fixtures", stdout=r"\nFAIL  3 indexes ")
        self.assertRegex(result.stdout, r"int4 +\d+  ok      FAILED  ok\n  view: meta.csv: line 2 differs: ours '340322")
        self.assertRegex(result.stdout, r"int8 +\d+  ok      ok      FAILED\n  rebuild: ")
        self.assertRegex(result.stdout, r"oid +\d+  FAILED  ok      FAILED\n  verify: oid page ")

    def test_what_cannot_be_read(self):
        self.expect(1, "selftest", "nowhere", stderr="nowhere: No such file or directory")
        self.copy("int4")
        self.expect(1, "selftest", "fixtures", "--only", "int9", stderr="int9/fixture.json: cannot be read",
                    stdout="FAIL  0 indexes")


class StreamsTest(CommandLineTest):
    def test_every_format_is_what_it_says(self):
        shutil.copytree(CORPUS / "empty", self.folder / "fixtures/empty")
        self.put("cut", self.index[:-100])
        documented = {}
        for row in pathlib.Path("docs/COMMAND.md").read_text().splitlines():
            if match := re.match(r"\| (`tornleaf\.[^|]+) \|[^|]*\| (.*)", row):
                for name in re.findall(r"`([^`]+)`", match[1]):
                    documented[name] = set(re.findall(r"`(\w+)`", match[2])) | {"schema"}
        counts = documented["tornleaf.check.verdict/1"] - {"file", "error"}
        documented["tornleaf.db.check.verdict/1"] |= counts
        seen = set()
        schema = ["--schema", "int4"]
        relation = self.put_server_log("random-int4")
        self.put("rows", b"1\t(0,1)\n1\t(0,2)\n")
        self.expect(0, "build", *schema, "-o", "twice", "rows", stdout="2 rows")
        self.expect(0, "db", "init", "unique", "--schema", "int4; unique", "--from", "twice", stdout="made")
        for command in (["check", "index", "cut"], ["view", "index"], ["view", "index:1", "--hex"],
                        ["view", "index", "--meta"], ["view", "index", "--stats"], ["whatif", "index", *schema],
                        ["view", "index:1", *schema], ["explain"], ["formats"], ["selftest", "fixtures"],
                        ["dump", "index", *schema], ["build", *schema, "-o", "new", "--force", "/dev/null"],
                        ["redo", "before", "--log", "pg_wal", "--relation", relation],
                        ["db", "init", "d.FORMAT", *schema], ["db", "put", "d.json", "rows"], ["db", "get", "d.json", "1"],
                        ["db", "scan", "d.json"], ["db", "scan", "d.json", "--tids-only"], ["db", "count", "d.json"],
                        ["db", "min", "d.json"], ["db", "max", "d.json"], ["db", "check", "d.json"], ["db", "check", "unique"],
                        ["db", "delete", "d.json", "rows"], ["db", "vacuum", "d.json"], ["db", "checkpoint", "d.json"],
                        ["log", "d.json/wal"], ["log", "d.json/wal", "--stats"]):
            with self.subTest(command=command):
                def run(form):
                    words = [word.replace("FORMAT", form) for word in command]
                    return self.run_it(*words, "--format", form).stdout.splitlines()
                for line in run("json"):
                    value = json.loads(line)
                    seen.add(value["schema"])
                    self.assertLessEqual(set(value), documented[value["schema"]], line[:300])
                self.assertRegex(run("csv")[0], r"^[a-z0-9_]+(,[a-z0-9_]+)*$")
        self.assertEqual(seen, set(documented))

    def test_a_reader_that_leaves_is_no_error(self):
        line = f"set -o pipefail; {shlex.quote(PROGRAM)} view index --items --format json | head -1"
        result = subprocess.run(["bash", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual(result.stdout.count("\n"), 1)

    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([PROGRAM, "explain"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot write the results: No space left on device", result.stderr)

    def on_terminal(self, *arguments, **environment):
        """What the program writes when standard output is a terminal."""
        leader, follower = pty.openpty()
        settings = {**os.environ, "TERM": "xterm", **environment}
        if "NO_COLOR" not in environment:
            settings.pop("NO_COLOR", None)
        subprocess.run([PROGRAM, *arguments], cwd=self.folder, env=settings, stdout=follower, check=True)
        os.close(follower)
        text = b""
        try:
            while piece := os.read(leader, 65536):
                text += piece
        except OSError:
            pass  # The terminal is closed: everything has been read.
        os.close(leader)
        return text

    def test_colour_only_on_a_terminal(self):
        self.assertNotIn("\033", self.run_it("check", "index").stdout)
        self.assertIn("\033[32mPASS", self.run_it("check", "index", "--color", "always").stdout)
        self.assertIn(b"\033[32mPASS", self.on_terminal("check", "index"))
        self.assertNotIn(b"\033", self.on_terminal("check", "index", NO_COLOR="1"))
        self.assertNotIn(b"\033", self.on_terminal("check", "index", TERM="dumb"))
        self.assertNotIn(b"\033", self.on_terminal("check", "index", "--color", "never"))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
