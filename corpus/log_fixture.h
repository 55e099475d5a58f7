// The committed logs of corpus/postgres_wal: an index file, the server's log since, and the file as
// the server had it afterwards. corpus/postgres_wal/README.md says how they were made.

#ifndef TORNLEAF_CORPUS_LOG_FIXTURE_H_
#define TORNLEAF_CORPUS_LOG_FIXTURE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "corpus/fixture.h"
#include "engine/base/finding.h"

namespace tornleaf {

struct LogFixture {
  std::string name;
  std::string schema;
  std::uint32_t page_size = 0;
  bool checksums = false;
  bool full_page_writes = false;
  bool consistency_images = false;  // each record has its pages as the server had them after it
  // Of the index: tablespace, database, relation.
  std::uint32_t relation[3] = {};
  std::uint32_t segment_bytes = 0;
  std::string first_segment;  // name of the segment that the log begins with
  Lsn end = 0;                // the index was not changed after this position
  // What pg_waldump counts in the log: records of the index by type, their full-page images, and
  // records of everything.
  std::map<std::string, std::uint64_t> records;
  std::uint64_t images = 0;
  std::uint64_t records_in_all = 0;
  std::vector<std::uint8_t> before;
  std::vector<std::uint8_t> after;
  std::vector<std::uint8_t> log;  // from the start of the first segment
};

// Reads the fixture in `folder`. InvalidArgument, with the file's name, if it is not whole.
absl::StatusOr<LogFixture> ReadLogFixture(const std::string& folder);

}  // namespace tornleaf

#endif  // TORNLEAF_CORPUS_LOG_FIXTURE_H_
