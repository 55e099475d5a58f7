// Which pages of an index may be used again.
//
// Like PostgreSQL's it is a hint: never logged, and rebuilt by every VACUUM. It begins empty; a
// database keeps it in a file from one start to the next. Who takes a page from it looks at the
// page before using it. A page that is missing here waits for the next VACUUM; one that is here
// wrongly is found out by that look.

#ifndef TORNLEAF_ENGINE_STORE_FREE_SPACE_MAP_H_
#define TORNLEAF_ENGINE_STORE_FREE_SPACE_MAP_H_

#include <memory>
#include <optional>
#include <set>

#include "engine/base/finding.h"
#include "engine/env/executor.h"

namespace tornleaf {

class FreeSpaceMap {
 public:
  explicit FreeSpaceMap(Executor* executor);

  // Adding a page twice is the same as adding it once.
  void Add(BlockNumber block);
  // Takes the lowest free page out.
  std::optional<BlockNumber> Take();
  std::size_t size() const;

 private:
  std::unique_ptr<Latch> latch_;
  std::set<BlockNumber> free_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_FREE_SPACE_MAP_H_
