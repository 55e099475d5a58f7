#include "engine/store/free_space_map.h"

#include <mutex>

namespace tornleaf {

FreeSpaceMap::FreeSpaceMap(Executor* executor) : latch_(executor->NewLatch("free_space_map")) {}

void FreeSpaceMap::Add(BlockNumber block) {
  const std::unique_lock<Latch> lock(*latch_);
  free_.insert(block);
}

std::optional<BlockNumber> FreeSpaceMap::Take() {
  const std::unique_lock<Latch> lock(*latch_);
  if (free_.empty()) return std::nullopt;
  const BlockNumber block = *free_.begin();
  free_.erase(free_.begin());
  return block;
}

std::size_t FreeSpaceMap::size() const {
  const std::unique_lock<Latch> lock(*latch_);
  return free_.size();
}

}  // namespace tornleaf
