"""What the tree rules share: which files they read, and C++ text with comments or literals blanked."""

import argparse
import pathlib
import re
import sys

SOURCE_SUFFIXES = (".cc", ".h")
OUTSIDE = {"build", "out"}  # generated at the root of a checkout, never sources

_TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<literal>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"
          | "(?:\\.|[^"\\\n])*"
          | (?<![0-9A-Za-z_])(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')""",
    re.VERBOSE | re.DOTALL,
)
_NOT_NEWLINE = re.compile(r"[^\n]")


def blank(text, literals):
    """Comments, and literals if asked, become spaces: line and column of what stays do not change."""

    def replace(match):
        if match.group("comment") is None and not literals:
            return match.group()
        return _NOT_NEWLINE.sub(" ", match.group())

    return _TOKEN.sub(replace, text)


def sources(root):
    """Every C++ file under root as (path relative to root with slashes, text), in path order."""
    for path in sorted(pathlib.Path(root).rglob("*")):
        relative = path.relative_to(root)
        if path.suffix not in SOURCE_SUFFIXES or relative.parts[0] in OUTSIDE:
            continue
        if any(part.startswith(".") for part in relative.parts):
            continue
        yield relative.as_posix(), path.read_text(encoding="utf-8")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def main(rule, description, violations):
    """Run a rule, violations(root) -> list of lines, over --root or this checkout; returns the exit code."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root
    found = violations(root)
    for line in found:
        print(line, file=sys.stderr)
    print(f"{rule}: {len(found)} violation(s) in {sum(1 for _ in sources(root))} files")
    return 1 if found else 0
