// VACUUM: removes the entries of dead rows, deletes empty pages, and finds those that are free.
//
// Goes through the pages in block order. Pages that were split since it began carry its cycle id,
// so that entries moved to a page it has passed are not missed (it goes back for them). Each leaf
// is held for cleanup: nobody else has it pinned.

#ifndef TORNLEAF_ENGINE_TREE_VACUUM_H_
#define TORNLEAF_ENGINE_TREE_VACUUM_H_

#include <cstdint>
#include <functional>

#include "engine/tree/search.h"
#include "engine/tree/tree.h"

namespace tornleaf {

struct VacuumSummary {
  std::uint64_t rows_removed = 0;
  std::uint64_t rows_left = 0;
  std::uint32_t pages_scanned = 0;
  std::uint32_t pages_deleted_now = 0;  // by this run
  std::uint32_t pages_deleted = 0;      // in the index, free ones included
  std::uint32_t pages_free = 0;         // may be used again
};

struct VacuumRequest {
  // Whether the entry of this row address goes. Asked with the page held.
  std::function<bool(ItemPointer)> is_dead;
  // Called now and then: pages done, pages in the index. May be empty.
  std::function<void(BlockNumber, BlockNumber)> progress;
};

// One at a time for an index: FailedPrecondition if another is running. When it returns OK, no
// entry is left of any row that was dead when it began.
absl::StatusOr<VacuumSummary> Vacuum(Tree* tree, const VacuumRequest& request);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_VACUUM_H_
