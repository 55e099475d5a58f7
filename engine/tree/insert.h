// Insertion.

#ifndef TORNLEAF_ENGINE_TREE_INSERT_H_
#define TORNLEAF_ENGINE_TREE_INSERT_H_

#include "engine/tree/search.h"
#include "engine/tree/tree.h"

namespace tornleaf {

enum class UniqueCheck : std::uint8_t {
  kNone,     // duplicates are welcome
  kEnforce,  // a live row with an equal key is a conflict; rows with a null in the key never are,
             // unless the schema says nulls not distinct
};

struct InsertResult {
  enum Outcome : std::uint8_t {
    kInserted,
    kAlreadyThere,  // an item with this key and row address is in the index
    kConflict,      // unique: `conflict` is the live row that has the key
  };
  Outcome outcome = kInserted;
  ItemPointer conflict;
};

struct InsertRequest {
  const Value* values = nullptr;  // all columns of the schema
  ItemPointer tid;
  UniqueCheck unique = UniqueCheck::kNone;
  // The row is a new version of one whose key columns have not changed (PostgreSQL's
  // indexUnchanged): a full page is first looked through for old versions (bottom-up deletion).
  bool key_unchanged = false;
};

// InvalidArgument if the tuple is larger than a page takes.
absl::StatusOr<InsertResult> Insert(Tree* tree, const InsertRequest& request);

// Inserts the downlink of `left`'s right sibling into the parent, which completes a split. `left`
// is held exclusively and is marked INCOMPLETE_SPLIT. Used by whoever meets one.
absl::Status FinishSplit(Tree* tree, PageRef left, Descent* descent);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_INSERT_H_
