#!/usr/bin/env python3
"""Adds up the marks that test programs have passed (docs/TESTING.md, Marks).

usage: report.py FOLDER [--all]
FOLDER holds the *.marks files that test programs wrote. Prints the marks that no test reached, or with --all every
mark and how often it was passed, and then the totals.
"""

import collections
import pathlib
import sys

OF_TESTS = "test."  # marks with such a name stand in tests, to test marks


def counts_in(folder):
    """How often each mark was passed, over all programs that know it."""
    counts = collections.Counter()
    for path in sorted(pathlib.Path(folder).glob("*.marks")):
        for line in path.read_text(encoding="utf-8").splitlines():
            count, name = line.split(" ", 1)
            if not name.startswith(OF_TESTS):
                counts[name] += int(count)
    return counts


def report(counts, show_all):
    missed = [name for name in sorted(counts) if counts[name] == 0]
    lines = [f"{counts[name]:>12,}  {name}" for name in sorted(counts)] if show_all else []
    lines += [f"mark never reached: {name}" for name in missed]
    lines.append(f"marks: {len(counts) - len(missed)} of {len(counts)} reached")
    return lines


def main(arguments):
    show_all = "--all" in arguments
    folders = [argument for argument in arguments if argument != "--all"]
    if len(folders) != 1 or not pathlib.Path(folders[0]).is_dir():
        sys.exit(__doc__.strip())
    print("\n".join(report(counts_in(folders[0]), show_all)))


if __name__ == "__main__":
    main(sys.argv[1:])
