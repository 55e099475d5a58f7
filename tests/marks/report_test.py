#!/usr/bin/env python3
"""The report of marks: what a test program writes, and how it is added up. usage: report_test.py BASE_TEST"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import report

BASE_TEST = ""


class ReportTest(unittest.TestCase):
    def test_adds_up_over_programs_and_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "a_test.marks").write_text("3 split.leaf\n0 split.root\n0 delete.branch\n3 split.leaf\n")
            pathlib.Path(folder, "b_test.marks").write_text("0 split.leaf\n1 delete.branch\n7 test.own\n")
            pathlib.Path(folder, "notes.txt").write_text("9 split.root\n")
            counts = report.counts_in(folder)
        self.assertEqual(dict(counts), {"split.leaf": 6, "split.root": 0, "delete.branch": 1})
        self.assertEqual(report.report(counts, False),
                         ["mark never reached: split.root", "marks: 2 of 3 reached"])
        self.assertEqual(report.report(counts, True)[:3],
                         ["           1  delete.branch", "           6  split.leaf", "           0  split.root"])

    def run_program(self, folder, test):
        environment = {key: value for key, value in os.environ.items() if key != "TORNLEAF_MARKS"}
        if folder:
            environment["TORNLEAF_MARKS"] = folder
        subprocess.run([BASE_TEST, f"--gtest_filter={test}"], env=environment, check=True, capture_output=True)

    def test_a_program_appends_its_counts(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program(folder, "MarkTest.IsCountedEachTime")
            path = pathlib.Path(folder, pathlib.Path(BASE_TEST).name + ".marks")
            first = path.read_text().splitlines()
            self.assertIn("3 test.three_times", first)
            self.assertIn("0 test.never_reached", first)
            self.run_program(folder, "MarkTest.IsCountedEachTime")
            self.assertEqual(path.read_text().splitlines(), first * 2)

    def test_without_a_folder_nothing_is_written(self):
        with tempfile.TemporaryDirectory() as folder:
            self.run_program("", "MarkTest.IsCountedEachTime")
            self.assertEqual(os.listdir(folder), [])

    def test_a_folder_that_is_not_there_fails(self):
        with self.assertRaises(subprocess.CalledProcessError):
            self.run_program("/nowhere/at/all", "MarkTest.IsCountedEachTime")


if __name__ == "__main__":
    BASE_TEST = sys.argv.pop(1)
    unittest.main()
