#!/usr/bin/env python3
"""Every tree rule must see a planted violation, and keep quiet about the sound tree beside it."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import check_layers
import check_lengths

LAYERS = """\
# a comment
base   engine/base        codec  -
key    engine/key         plain  base
env    engine/env         plain  base
record engine/wal/record  codec  base
wal    engine/wal         plain  base,record
world  sim/world          plain  base
tests  tests              plain  *
"""

SOUND = {
    "cmake/layers.txt": LAYERS,
    "engine/base/a.h": "#include <cstdint>\n// std::string and absl/x.h are only mentioned here.\n",
    "engine/base/a_test.cc": '#include <string>\n#include "engine/base/a.h"\nstd::string s;\n',
    "engine/key/b.cc": '#include <string>\n#include "absl/status/status.h"\n#include "engine/base/a.h"\n',
    "engine/key/strings.cc": 'const char* kText = "unordered_map, system_clock";\n',
    "engine/wal/w.cc": '#include "engine/wal/record/r.h"\n',
    "engine/wal/w_test.cc": '#include "engine/key/b.h"\n',
    "engine/env/e.cc": "std::thread t;\nstd::shared_mutex m;\nstd::ofstream f;\nstd::chrono::steady_clock c;\n",
    "engine/key/x_test.cc": "std::mutex m;\n",
    "engine/key/key_test_util.h": "std::thread t;\n",
    "sim/world/w.cc": '#include "engine/base/a.h"\n',
    "build/dev/generated.cc": '#include "sim/world/w.h"\nstd::random_device d;\n',
}


def function_of(lines, name="F"):
    return f"void {name}() {{\n" + "  Call();\n" * (lines - 2) + "}\n"


def violations(rule, files):
    """What one rule says about a tree of the given files."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return rule.violations(pathlib.Path(folder))


class RuleTest(unittest.TestCase):
    def expect_violation(self, rule, files, text):
        """Planted beside the sound tree, the files give exactly one violation, and it says text."""
        found = violations(rule, {**SOUND, **files})
        self.assertEqual(len(found), 1, found)
        self.assertIn(text, found[0])


class LayersTest(RuleTest):
    def expect(self, path, text, complaint):
        self.expect_violation(check_layers, {path: text}, complaint)

    def test_sound_tree(self):
        self.assertEqual(violations(check_layers, SOUND), [])
        self.assertEqual(violations(check_lengths, SOUND), [])

    def test_upward_include(self):
        self.expect("engine/base/x.h", '\n#include "engine/key/b.h"\n',
                    "engine/base/x.h:2: layer base may not include engine/key/b.h of layer key")

    def test_sideways_include(self):
        self.expect("engine/wal/x.cc", '#include "engine/key/b.h"\n', "layer wal may not include engine/key/b.h")

    def test_nested_folder_is_its_own_layer(self):
        self.expect("engine/wal/record/x.h", '#include "engine/wal/w.h"\n', "layer record may not include")

    def test_angle_brackets_do_not_hide_a_layer(self):
        self.expect("engine/base/x.h", "#  include <engine/key/b.h>\n", "layer base may not include")

    def test_engine_knows_no_simulator(self):
        self.expect("engine/wal/x.cc", '#include "sim/world/w.h"\n', "layer wal may not include sim/world/w.h")
        self.expect("engine/wal/x_test.cc", '#include "sim/world/w.h"\n', "layer wal may not include sim/world/w.h")

    def test_relative_include(self):
        self.expect("engine/base/x.cc", '#include "a.h"\n', 'write "a.h" from the repository root')

    def test_file_outside_every_layer(self):
        self.expect("engine/new/x.cc", "int x;\n", "engine/new/x.cc:1: belongs to no layer")

    def test_codec_headers(self):
        for header in ("string", "iostream", "sstream", "absl/types/span.h"):
            self.expect("engine/base/x.h", f"#include <{header}>\n", f"may not include <{header}>")

    def test_codec_names(self):
        self.expect("engine/base/x.h", "std::string_view v;\nstd::string s;\n",
                    "engine/base/x.h:2: layer base is a codec and may not use std::string")

    def test_banned_names(self):
        for name in ("std::uniform_int_distribution<int>", "std::random_device", "std::unordered_map<int, int>",
                     "std::chrono::system_clock", "std::chrono::steady_clock", "clock_gettime(CLOCK_REALTIME, 0);",
                     "std::thread", "std::mutex", "std::shared_mutex", "std::condition_variable", "thread_local int",
                     "std::ifstream", "std::filesystem::path"):
            self.expect("engine/key/x.cc", f"/* a\nb */ {name} x;\n", "engine/key/x.cc:2: ")
            self.expect("sim/world/x.cc", f"int n = 1'000; {name} x;\n", "is banned")

    def test_randomness_is_banned_behind_the_interfaces_too(self):
        self.expect("engine/env/x.cc", "std::random_device d;\n", "is banned")

    def test_clocks_are_banned_in_tests_too(self):
        self.expect("engine/key/x_test.cc", "std::chrono::steady_clock::now();\n", "is banned")

    def test_words_that_only_resemble_banned_names(self):
        self.assertEqual(violations(check_layers, {**SOUND, "engine/key/x.cc": "int unordered_pairs;\n"}), [])

    def test_table_names_only_lower_layers(self):
        with self.assertRaisesRegex(SystemExit, "a uses b, not listed before it"):
            violations(check_layers, {"cmake/layers.txt": "a a plain b\nb b plain -\n"})


class LengthsTest(RuleTest):
    def test_longest_allowed(self):
        self.assertEqual(violations(check_lengths, {"engine/base/x.cc": function_of(70)}), [])

    def test_long_function(self):
        self.expect_violation(check_lengths, {"engine/base/x.cc": "\n" + function_of(71)},
                              "engine/base/x.cc:2: F has 71 lines; it may have 70")

    def test_long_member_and_test_body(self):
        body = "A::A(int x)\n    : x_{x}, y_(x) {\n" + "Call({1});\n" * 70 + "}\n"
        self.expect_violation(check_lengths, {"a.cc": "namespace n {\n" + body + "}\n"}, "a.cc:2: A::A has 73")
        body = "TEST(Suite,\n     Name) {\n" + "if (x) {}\n" * 70 + "}\n"
        self.expect_violation(check_lengths, {"a.cc": body}, "TEST(Suite,Name) has 73")

    def test_listed_function_may_not_grow(self):
        entry = {"tests/layering/long_functions.txt": "# why\nx.cc F 75\n"}
        self.assertEqual(violations(check_lengths, {**entry, "x.cc": function_of(75)}), [])
        self.expect_violation(check_lengths, {**entry, "x.cc": function_of(76)}, "it may have 75")

    def test_listed_function_shrank(self):
        entry = {"tests/layering/long_functions.txt": "x.cc F 75\n"}
        self.expect_violation(check_lengths, {**entry, "x.cc": function_of(74)}, "lower or remove the entry")
        self.expect_violation(check_lengths, entry, "lower or remove the entry")

    def test_long_file(self):
        self.expect_violation(check_lengths, {"x.h": "int x;\n" * 801}, "x.h:1: 801 lines")

    def test_what_is_a_function(self):
        text = (
            "namespace a::b {\nclass C : public D<int> {\n public:\n  int Get() const { return x_; }\n"
            "  bool operator==(const C& o) const {\n    return true;\n  }\n private:\n  int x_ = 0;\n};\n"
            "constexpr int kTable[] = {\n  F(1),\n  2,\n};\n"
            "INSTANTIATE(A, B, Values(C{1, 2}),\n  [](const P& p) { return p.name; });\nint H(int x = {}) {\n}\n"
            "struct alignas(8) S {\n  void G() {}\n};\n"
            "template <typename T>\nauto Make(T t) -> int {\n  auto f = [&](int y) { return y; };\n  return f(1);\n}\n"
            "}  // namespace a::b\n")
        self.assertEqual(list(check_lengths.functions(text)),
                         [("Get", 4, 1), ("operator==", 5, 3), ("H", 17, 2), ("G", 20, 1), ("Make", 22, 5)])


class CommandTest(unittest.TestCase):
    def test_exit_codes(self):
        for text, code in (("int x;\n", 0), ("#include <string>\n", 1)):
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "cmake").mkdir()
                pathlib.Path(folder, "cmake/layers.txt").write_text("base base codec -\n", encoding="utf-8")
                pathlib.Path(folder, "base").mkdir()
                pathlib.Path(folder, "base/a.h").write_text(text, encoding="utf-8")
                command = [sys.executable, "-B", check_layers.__file__, "--root", folder]
                done = subprocess.run(command, capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(f"layers: {code} violation(s) in 1 files", done.stdout)


if __name__ == "__main__":
    unittest.main()
