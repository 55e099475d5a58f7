#!/usr/bin/env python3
"""The kill harness on a stand-in for the program: quiet about a sound one, loud about defects."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).parent


class HarnessTest(unittest.TestCase):
    def kill(self, defect, *arguments):
        line = [sys.executable, "-B", HERE / "kill.py", "--program", HERE / "fake_db.py", "--threads", "1", *arguments]
        with tempfile.TemporaryDirectory() as folder:  # a failed round leaves its database
            environment = {**os.environ, "FAKE_DB_DEFECT": defect, "TMPDIR": folder}
            return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=250, check=False)

    def test_sound(self):
        done = self.kill("", "--rounds", "8")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("kill: 8 rounds, nothing acknowledged lost", done.stdout)

    def test_rows_acknowledged_too_early(self):
        done = self.kill("early", "--rounds", "40")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("acknowledged and lost", done.stdout)

    def test_rows_lost_by_vacuum(self):
        done = self.kill("vacuum", "--rounds", "60", "--seed", "3")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("lost by vacuum", done.stdout)

    def test_a_log_that_lost_its_end(self):
        done = self.kill("", "--rounds", "40", "--sabotage")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
