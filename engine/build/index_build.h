// Rows of text in, pages of an index out.

#ifndef TORNLEAF_ENGINE_BUILD_INDEX_BUILD_H_
#define TORNLEAF_ENGINE_BUILD_INDEX_BUILD_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "engine/build/bulk_build.h"
#include "engine/build/row_text.h"
#include "engine/build/tuple_sort.h"

namespace tornleaf {

// Takes rows that have to come in index order, and says where they do not.
//
// Columns with a libc collation cannot be compared here. Then the order is not checked, and rows
// are taken as they come.
class OrderCheck {
 public:
  // `schema` outlives the check.
  explicit OrderCheck(const Schema& schema) : schema_(schema) {}

  // InvalidArgument if the row does not come after the one before, or may not stand beside it.
  absl::Status Add(TupleView tuple);

 private:
  const Schema& schema_;
  std::vector<std::uint8_t> last_tuple_;
  DeformedTuple last_;
  DeformedTuple next_;
  std::uint64_t count_ = 0;
};

// Forms the tuple of row `number` into `bytes`, in place of what is there. InvalidArgument if it is
// larger than a page of `page_size` takes, or if a table of such pages cannot have that address.
absl::Status FormRow(const Schema& schema, std::uint32_t page_size, std::uint64_t number,
                     const Value* values, ItemPointer tid, std::vector<std::uint8_t>* bytes);

// Sorts the rows and adds all of them.
absl::Status AddAllSorted(TupleSort* sort, BulkBuild* build);

struct BuildInput {
  TextSource* rows = nullptr;  // see row_text.h
  // Rows come in index order: they are checked and passed on, and only one page of each level is
  // held in memory. Otherwise all rows are (tuple_sort.h says how much that takes).
  bool sorted = false;
  PlainHeaders plain_headers = PlainHeaders::kShort;
};

struct BuildSummary {
  std::uint64_t rows = 0;
  BlockNumber pages = 0;  // the metapage included
};

// Builds the index of all rows. InvalidArgument for rows that cannot be in it, with the number of
// the line; errors of the source and the sink as they are. After an error the sink has part of the
// pages, or none.
//
// FailedPrecondition if rows have to be sorted and a key column has a libc collation: its order is
// that of the server's C library.
absl::Status BuildIndex(const Schema& schema, const BuildOptions& options, const BuildInput& input,
                        PageSink* sink, BuildSummary* summary);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_INDEX_BUILD_H_
