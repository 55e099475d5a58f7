#!/usr/bin/env python3
"""The coverage report: what it counts, what it leaves out, and how it names what was not reached."""

import os
import pathlib
import tempfile
import unittest

import report

SOURCE = """\
int F(int x) {
  CHECK(x > 0);
  if (x > 1 && x < 9) {
    return 1;
  }
  return 2;
}
template <typename T> T G(T x) {
  return x;
}
int H() {
  return 3;
}
"""


def export_of(path):
    def function(name, line, count):
        return {"name": name, "count": count, "filenames": [path], "regions": [[line, 1, line + 2, 2, count, 0, 0, 0]]}
    # A segment: line, column, count, has a count, begins a region, is a gap.
    segments = [
        [1, 14, 5, True, True, False], [3, 23, 0, True, True, False], [5, 4, 5, True, False, False],
        [7, 2, 0, False, False, False], [8, 32, 2, True, True, False], [10, 2, 0, False, False, False],
        [11, 9, 0, True, True, False], [13, 2, 0, False, False, False],
    ]
    branches = [
        [2, 9, 2, 14, 5, 0, 0, 0, 4],
        [3, 7, 3, 12, 0, 3, 0, 0, 4], [3, 7, 3, 12, 2, 0, 0, 0, 4],
        [3, 16, 3, 21, 0, 2, 0, 0, 4],
        [12, 3, 12, 4, 0, 0, 0, 0, 4],
    ]
    return {"data": [{"files": [{"filename": path, "segments": segments, "branches": branches}],
                      "functions": [function("_Z1Fi", 1, 5), function("_Z1GIiET_S0_", 8, 0),
                                    function("_Z1GIlET_S0_", 8, 2), function("_Z1Hv", 11, 0)]}]}


class ReportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.path = self.root / "engine/x/a.cc"
        os.makedirs(self.path.parent)
        self.path.write_text(SOURCE)

    def tearDown(self):
        self.folder.cleanup()

    def read(self, *folders):
        return report.read_export(export_of(str(self.path)), self.root, folders)

    def test_only_named_folders(self):
        self.assertEqual([found.name for found in self.read("engine/x")], ["engine/x/a.cc"])
        self.assertEqual([found.name for found in self.read("engine/x/a.cc")], ["engine/x/a.cc"])
        self.assertEqual(self.read("engine/xy", "engine/x/a"), [])

    def test_figures(self):
        [found] = self.read("engine")
        # G counts once, reached by one of its instantiations; CHECK is no branch; the two records of one branch add up.
        called, functions, run, lines, taken, sides = report.figures(found)
        self.assertEqual((called, functions), (2, 3))
        self.assertEqual((run, lines), (8, 13))
        self.assertEqual((taken, sides), (3, 6))

    def test_details(self):
        self.assertEqual(list(report.details(self.read("engine"))), [
            "engine/x/a.cc:11: never called: H()",
            "engine/x/a.cc:4: never run: return 1;",
            "engine/x/a.cc:11-12: never run: int H() {",
            "engine/x/a.cc:3:16: never true: x < 9",
        ])

    def test_a_condition_over_several_lines(self):
        counts = report.branch_counts([[3, 7, 5, 1, 1, 0, 0, 0, 4], [3, 7, 3, 12, 1, 1, 0, 0, 4]], SOURCE.splitlines())
        self.assertEqual(sorted(counts.items()), [((3, 7, 0), [1, 0]), ((3, 7, 12), [1, 1])])

    def test_summary(self):
        lines = report.summary(self.read("engine"))
        self.assertEqual(len(lines), 3)
        self.assertIn("2 of 3", lines[1])
        self.assertIn("50.0 %", lines[1])
        self.assertTrue(lines[2].startswith("total"))


if __name__ == "__main__":
    unittest.main()
