#!/usr/bin/env python3
"""Fails on functions over 70 lines and files over 800.

Functions that are longer for a reason stand in long_functions.txt beside this script, with their length. An
entry that is out of date fails too, so the list can only shrink unless a reviewer sees it grow.
"""

import re
import sys

import source_text

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 800

_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_SCOPE = re.compile(r"^(?:template\b.*\s)?(?:inline\s+)?(?:namespace|class|struct|union|enum|extern)\b[^=()]*$",
                    re.DOTALL)
_ATTRIBUTE = re.compile(r"\balignas\s*\([^()]*\)|\[\[.*?\]\]", re.DOTALL)
_MEMBER_INIT = re.compile(r"\)[^()]*?(?<!:):(?!:).*[\w>]$", re.DOTALL)
_NAME = re.compile(r"(TEST\w*|RC_\w+)\s*\(([^()]*)\)|(operator\s*\S+?|[\w:~]+)\s*\(")


def function_name(head):
    match = _NAME.search(head)
    if match.group(1):
        return f"{match.group(1)}({','.join(part.strip() for part in match.group(2).split(','))})"
    return match.group(3).replace(" ", "")


def functions(text):
    """(name, first line, line count) of every function body that stands in a namespace or class."""
    code = _PREPROCESSOR.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source_text.blank(text, literals=True))
    open_braces = []  # each as brace_kind() says
    head_start = 0
    for match in re.finditer(r"[{};]|\b(?:public|private|protected)\s*:(?!:)", code):
        token = match.group()
        in_scope = all(kind == "scope" for kind in open_braces)
        if token == "{":
            head = code[head_start:match.start()]
            first_line = source_text.line_of(code, match.start() - len(head.lstrip()))
            kind = brace_kind(head, first_line) if in_scope else "other"
            open_braces.append(kind)
            if kind == "init":
                continue
        elif token == "}" and open_braces:
            kind = open_braces.pop()
            if isinstance(kind, tuple):
                name, first = kind
                yield name, first, source_text.line_of(code, match.start()) - first + 1
            if kind == "init":
                continue
        if all(kind == "scope" for kind in open_braces):
            head_start = match.end()


def brace_kind(head, first_line):
    """What a brace in a namespace or class opens, judged by the text since the last statement.

    "scope" a namespace or class, "init" a braced part of a longer head (an argument, or a member's initial
    value before a constructor's body), "other" a braced value, and (name, first line) a function.
    """
    text = _ATTRIBUTE.sub("", head).strip()
    if _SCOPE.match(text):
        return "scope"
    if text.count("(") > text.count(")"):
        return "init"
    if "(" not in text or re.search(r"(?<![=!<>])=(?!=)[^()]*$", text) and "operator" not in text:
        return "other"
    if _MEMBER_INIT.search(text):
        return "init"
    return function_name(text), first_line


def read_allowed(path):
    allowed = {}
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                file, name, lines = line.rsplit(maxsplit=2)
                allowed[file, name] = int(lines)
    return allowed


def check(files, allowed):
    longest = {}
    for path, text in files:
        lines = text.count("\n")
        if lines > FILE_LINES_MAX:
            yield f"{path}:1: {lines} lines; a file may have {FILE_LINES_MAX}"
        for name, first, count in functions(text):
            if count <= FUNCTION_LINES_MAX:
                continue
            longest[path, name] = max(count, longest.get((path, name), 0))
            if count > allowed.get((path, name), FUNCTION_LINES_MAX):
                limit = allowed.get((path, name), FUNCTION_LINES_MAX)
                yield f"{path}:{first}: {name} has {count} lines; it may have {limit}"
    for (path, name), lines in allowed.items():
        now = longest.get((path, name), 0)
        if now < lines:
            yield f"long_functions.txt: {path} {name} is listed with {lines} lines; lower or remove the entry"


def violations(root):
    return list(check(source_text.sources(root), read_allowed(root / "tests/layering/long_functions.txt")))


if __name__ == "__main__":
    sys.exit(source_text.main("lengths", __doc__, violations))
