// The committed index files of corpus/postgres, loaded for tests. Its README says what they are.
//
// Every function here CHECKs: a fixture that cannot be read is a broken checkout, and a test that
// skipped it would assert nothing.

#ifndef TORNLEAF_TESTS_SUPPORT_FIXTURES_H_
#define TORNLEAF_TESTS_SUPPORT_FIXTURES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/bytes.h"

namespace tornleaf {

struct Fixture {
  std::string name;
  std::string schema;            // in Tornleaf's schema language
  std::uint32_t page_size = 0;   // bytes
  std::uint32_t fillfactor = 0;  // percent
  bool checksums = false;
  bool deduplicate = false;
  bool rebuildable = false;    // rows.tsv.zst is there, and a build of it gives `index`
  std::string fork;            // "main" or "init"
  std::string bt_index_check;  // amcheck's verdicts: "ok" or its error
  std::string bt_index_parent_check;
  std::string description;          // fixture.json as it stands, for its other members
  std::vector<std::uint8_t> index;  // the relation file

  std::uint32_t page_count() const { return static_cast<std::uint32_t>(index.size() / page_size); }
  ByteView page(std::uint32_t block) const {
    CHECK(block < page_count());
    return ByteView(index).subspan(std::size_t{block} * page_size, page_size);
  }
};

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
