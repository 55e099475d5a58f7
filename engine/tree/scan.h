// Cursors.
//
// A cursor reads a leaf at a time: it copies what matches under the latch, keeps the leaf pinned,
// and gives the rows one by one. Splits, insertions and deletions meanwhile do not confuse it: each
// row that is there from beginning to end is given exactly once, in order. The pin keeps VACUUM
// away from the leaf, so that a row address that was given cannot be reused behind the cursor's
// back.

#ifndef TORNLEAF_ENGINE_TREE_SCAN_H_
#define TORNLEAF_ENGINE_TREE_SCAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/key/index_tuple.h"
#include "engine/tree/tree.h"

namespace tornleaf {

// An end of the range: the leading columns of a key, in index order (descending columns reversed,
// nulls where the schema puts them). No columns: no end.
struct ScanBound {
  std::vector<Value> values;
  bool inclusive = true;
};

struct ScanRequest {
  ScanBound lower;
  ScanBound upper;
  bool backward = false;
  bool with_values = true;  // else row addresses only: keys are not copied
};

class Scan {
 public:
  // The values' bytes outlive the scan.
  Scan(Tree* tree, ScanRequest request);
  ~Scan();

  // Moves to the next row; false at the end.
  absl::StatusOr<bool> Next();
  ItemPointer tid() const;
  // The row's columns, included ones too; with_values only. Valid until Next().
  const Value* values();

  // Number of rows from here to the end, without giving them one by one.
  absl::StatusOr<std::uint64_t> CountRest();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Appends the addresses of all live rows whose leading `count` key columns, at least one, equal
// `values`, in index order: the point lookup, without a cursor.
absl::Status Lookup(Tree* tree, const Value* values, std::uint32_t count,
                    std::vector<ItemPointer>* tids);

// The first, or the last, live row of the index in index order: min and max of the leading column
// when it is ascending. False if there is none. The row is appended to `tuple`, a plain tuple.
absl::StatusOr<bool> FindEdgeRow(Tree* tree, bool last, std::vector<std::uint8_t>* tuple);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_SCAN_H_
