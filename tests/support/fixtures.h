// The committed index files of corpus/postgres, loaded for tests. Its README says what they are.
//
// Every function here CHECKs: a fixture that cannot be read is a broken checkout, and a test that
// skipped it would assert nothing.

#ifndef TORNLEAF_TESTS_SUPPORT_FIXTURES_H_
#define TORNLEAF_TESTS_SUPPORT_FIXTURES_H_

#include <string>
#include <string_view>
#include <vector>

#include "corpus/fixture.h"

namespace tornleaf {

// Names of all fixtures, sorted. Tests run in the repository root.
std::vector<std::string> FixtureNames();

Fixture LoadFixture(std::string_view name);

// The text of one file of a fixture, decompressed if its name ends in .zst: "items.csv.zst",
// "stats.csv.zst", "meta.csv", and "rows.tsv.zst" of rebuildable ones.
std::string FixtureText(std::string_view name, std::string_view file);

// The whole of a file, decompressed if its name ends in .zst.
std::string ReadWholeFile(const std::string& path);

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_SUPPORT_FIXTURES_H_
