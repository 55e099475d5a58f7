#!/usr/bin/env python3
"""Fails when a source file uses a layer, header or name that its own layer may not (cmake/layers.txt)."""

import dataclasses
import re
import sys

import source_text

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)
_TEST_FILE = re.compile(r"_(test|bench)\.cc$|_test_util\.h$")
_TEST_SUPPORT = re.compile(r"_(test|bench)\.cc$|_test_util\.(h|cc)$")

# A run is a pure function of its plan only without these; (pattern, why) for engine/, sim/ and props/.
_BANNED = [
    (r"\b\w+_distribution\b", "standard libraries disagree on its values; use Prng"),
    (r"\brandom_device\b", "not reproducible; use Prng"),
    (r"\bunordered_(multi)?(map|set)\b", "its order differs between standard libraries; use an ordered or a flat container"),
    (r"\b(system|steady|high_resolution)_clock\b|\b(clock_gettime|gettimeofday|nanosleep)\b",
     "time comes from engine/env's Clock only"),
    (r"\bstd::(j?thread|(shared_|recursive_|timed_)*mutex|condition_variable(_any)?|async|this_thread)\b|\bthread_local\b",
     "threads, latches and waiting come from engine/env's Executor only"),
    (r"\bstd::([io]?fstream|filesystem|fopen)\b|\bfopen\b", "files come from engine/env's Device only"),
]
_BANNED_IN = ("engine/", "sim/", "props/")
_BANNED_BEHIND_THE_INTERFACES = _BANNED[:3]  # in engine/env, where clocks, threads and files are
_BANNED_IN_TESTS = _BANNED[:4]

_CODEC_HEADERS = {"string", "iostream", "sstream", "ostream", "istream", "fstream", "iomanip"}
_CODEC_NAMES = re.compile(r"\bstd::(string|to_string|ostream|istream|cout|cerr|\w*stringstream)\b")


@dataclasses.dataclass(frozen=True)
class Layer:
    name: str
    folder: str
    is_codec: bool
    uses: frozenset  # for the library
    test_uses: frozenset  # for its tests: whatever stands before it in the table as well


def read_layers(root):
    layers = []
    for line in (root / "cmake/layers.txt").read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, folder, kind, uses = line.split()
        before = frozenset(layer.name for layer in layers)
        allowed = before if uses == "*" else frozenset(() if uses == "-" else uses.split(","))
        if not allowed <= before:
            sys.exit(f"cmake/layers.txt: {name} uses {', '.join(sorted(allowed - before))}, not listed before it")
        if kind not in ("codec", "plain"):
            sys.exit(f"cmake/layers.txt: {name} has kind {kind}, not codec or plain")
        layers.append(Layer(name, folder, kind == "codec", allowed, before))
    return layers


def layer_of(path, layers):
    inside = [layer for layer in layers if path.startswith(layer.folder + "/")]
    return max(inside, key=lambda layer: len(layer.folder), default=None)


def check_include(root, path, layer, header, layers):
    """The complaint about one #include, or None."""
    target = layer_of(header, layers)
    if target is None:
        if (root / path).parent.joinpath(header).is_file():
            return f'write "{header}" from the repository root'
        if layer.is_codec and not _TEST_FILE.search(path):
            if header in _CODEC_HEADERS or header.startswith("absl/"):
                return f"layer {layer.name} is a codec and may not include <{header}>"
        return None
    allowed = layer.test_uses if _TEST_SUPPORT.search(path) else layer.uses
    if target == layer or target.name in allowed:
        return None
    names = ", ".join(sorted(allowed)) or "no other layer"
    return f"layer {layer.name} may not include {header} of layer {target.name} (it may use: {names})"


def banned_in(path):
    if path.startswith("engine/env/"):
        return _BANNED_BEHIND_THE_INTERFACES
    return _BANNED_IN_TESTS if _TEST_SUPPORT.search(path) else _BANNED


def check_file(root, path, text, layers):
    layer = layer_of(path, layers)
    if layer is None:
        yield f"{path}:1: belongs to no layer of cmake/layers.txt"
        return
    code = source_text.blank(text, literals=False)
    for match in _INCLUDE.finditer(code):
        complaint = check_include(root, path, layer, match.group(1), layers)
        if complaint:
            yield f"{path}:{source_text.line_of(code, match.start(1))}: {complaint}"

    code = source_text.blank(text, literals=True)
    if path.startswith(_BANNED_IN):
        for pattern, why in banned_in(path):
            for match in re.finditer(pattern, code):
                yield f"{path}:{source_text.line_of(code, match.start())}: {match.group()} is banned: {why}"
    if layer.is_codec and not _TEST_FILE.search(path):
        for match in _CODEC_NAMES.finditer(code):
            line = source_text.line_of(code, match.start())
            yield f"{path}:{line}: layer {layer.name} is a codec and may not use {match.group()}"


def violations(root):
    layers = read_layers(root)
    return [line for path, text in source_text.sources(root) for line in check_file(root, path, text, layers)]


if __name__ == "__main__":
    sys.exit(source_text.main("layers", __doc__, violations))
