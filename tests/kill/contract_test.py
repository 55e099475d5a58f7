#!/usr/bin/env python3
"""Each promise of contract.py, broken once: the checks must say so, and keep quiet about what is allowed."""

import unittest

import contract

ROWS = [f"{number}\t(0,{number + 1})" for number in range(100)]
OLD = {f"old {number}" for number in range(5)}


def put(found, acknowledged, threads=1, sync_every=10):
    return contract.problems_after_put(OLD, ROWS, acknowledged, threads, sync_every, list(found))


class ContractTest(unittest.TestCase):
    def expect(self, problems, text):
        self.assertEqual(len(problems), 1, problems)
        self.assertIn(text, problems[0])

    def test_a_tail_may_be_lost(self):
        for kept in (20, 21, 29, 30, 99, 100):
            self.assertEqual(put([*OLD, *ROWS[:kept]], 20), [])

    def test_an_acknowledged_row_may_not(self):
        found = [*OLD, *ROWS[:19]]
        self.expect(put(found, 20), "acknowledged and lost: 1")
        self.assertIn("acknowledged and lost: 20", put(OLD, 20)[0])

    def test_a_hole(self):
        self.expect(put([*OLD, *ROWS[:24], ROWS[25]], 20), "rows 21 to 30 of the input: a row without one before it")

    def test_batches_out_of_order(self):
        found = [*OLD, *ROWS[:23], *ROWS[30:37]]
        self.expect(put(found, 20), "2 batches before the last one begun are incomplete, with 1 threads")
        self.assertEqual(put(found, 20, threads=2), [])
        # Three were begun before the fourth: with three threads somebody took one too early.
        found = [*OLD, *ROWS[:20], ROWS[50]]
        self.expect(put(found, 20, threads=3), "4 batches")
        self.assertEqual(put(found, 20, threads=4), [])

    def test_rows_of_before(self):
        self.expect(put([*sorted(OLD)[1:], *ROWS[:20]], 20), "there before and lost: 1 ('old 0')")

    def test_rows_from_nowhere_and_twice(self):
        self.expect(put([*OLD, *ROWS[:20], "?"], 20), "never put: 1")
        self.expect(put([*OLD, *ROWS[:20], ROWS[3]], 20), "found twice: 1")

    def test_delete(self):
        def delete(found, acknowledged, threads=1):
            return contract.problems_after_delete(OLD | set(ROWS), ROWS, acknowledged, threads, 10, list(found))
        self.assertEqual(delete([*OLD, *ROWS[25:]], 20), [])
        self.expect(delete([*OLD, ROWS[7], *ROWS[25:]], 5, threads=2), "rows 1 to 10")
        self.expect(delete([*OLD, *ROWS[19:]], 20), "acknowledged and lost")
        self.expect(delete([*sorted(OLD)[1:], *ROWS[25:]], 20), "not deleted and lost")

    def test_vacuum(self):
        self.assertEqual(contract.problems_after_vacuum(OLD, OLD), [])
        self.expect(contract.problems_after_vacuum(OLD, sorted(OLD)[1:]), "lost by vacuum: 1")
        self.expect(contract.problems_after_vacuum(OLD, [*OLD, "back"]), "deleted and back: 1")

    def test_batches_are_no_longer_than_a_sync(self):
        self.assertEqual(contract.batch_rows(10), 10)
        self.assertEqual(contract.batch_rows(10000), 256)


if __name__ == "__main__":
    unittest.main()
