#include "engine/verify/tid_set.h"

#include <algorithm>
#include <tuple>

#include "engine/base/check.h"

namespace tornleaf {

TidSet::TidSet(std::uint32_t max_offset)
    : words_per_block_(max_offset / 64 + 1),
      groups_((std::uint64_t{1} << 32) / kBlocksPerChunk / kChunksPerGroup) {}

bool TidSet::MakeChunk(std::uint32_t chunk) {
  if (chunk_count_ >= count_ / kAddressesPerChunk) return false;
  std::unique_ptr<Group>& group = groups_[chunk / kChunksPerGroup];
  if (group == nullptr) {
    // A group costs as much as a few chunks, and must be earned like them.
    if (chunk_count_ + 4 >= count_ / kAddressesPerChunk) return false;
    group = std::make_unique<Group>();
    chunk_count_ += 3;
  }
  group->chunks[chunk % kChunksPerGroup] =
      std::make_unique<std::uint64_t[]>(std::size_t{kBlocksPerChunk} * words_per_block_);
  ++chunk_count_;
  return true;
}

std::vector<TidSet::Place> TidSet::Finish() {
  // Ties by place, so that which of two equal addresses is the duplicate does not depend on the
  // sort.
  std::sort(waiting_.begin(), waiting_.end(), [](const Place& a, const Place& b) {
    return std::tie(a.tid, a.block, a.slot) < std::tie(b.tid, b.block, b.slot);
  });
  std::vector<Place> duplicates;
  for (std::size_t index = 0; index < waiting_.size(); ++index) {
    const Place& place = waiting_[index];
    if (index > 0 && waiting_[index - 1].tid == place.tid) {
      duplicates.push_back(place);
      continue;
    }
    // The same address may have come after its chunk was made.
    const std::uint32_t chunk = place.tid.block / kBlocksPerChunk;
    const std::unique_ptr<Group>& group = groups_[chunk / kChunksPerGroup];
    if (group == nullptr || group->chunks[chunk % kChunksPerGroup] == nullptr) continue;
    if (!SetBit(WordOf(place.tid), place.tid)) duplicates.push_back(place);
  }
  return duplicates;
}

}  // namespace tornleaf
