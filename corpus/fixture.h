// The committed index files of corpus/postgres, for tests, for `tornleaf selftest` and for the
// benchmarks. corpus/postgres/README.md says what the files are.

#ifndef TORNLEAF_CORPUS_FIXTURE_H_
#define TORNLEAF_CORPUS_FIXTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
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

// Names of the folders in `corpus_folder` that hold a fixture, sorted. NotFound if there is no such
// folder or no fixture in it.
absl::StatusOr<std::vector<std::string>> ListFixtures(const std::string& corpus_folder);

// Reads the fixture in `folder`. InvalidArgument, with the file's name, if it is not whole.
absl::StatusOr<Fixture> ReadFixture(const std::string& folder);

// The whole of a file, decompressed if its name ends in .zst. At most 1 GiB.
absl::StatusOr<std::string> ReadCorpusFile(const std::string& path);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_FIXTURE_H_
