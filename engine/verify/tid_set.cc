#include "engine/verify/tid_set.h"

#include <algorithm>
#include <tuple>

#include "engine/base/check.h"

namespace tornleaf {

TidSet::TidSet(std::uint32_t max_offset) : words_per_block_(max_offset / 64 + 1) {}

std::uint64_t* TidSet::FindChunk(std::uint32_t chunk) const {
  const std::uint32_t group = chunk / kChunksPerGroup;
  if (group >= groups_.size() || groups_[group] == nullptr) return nullptr;
  return groups_[group]->chunks[chunk % kChunksPerGroup].get();
}

bool TidSet::FindOrMake(std::uint32_t number, Chunk* chunk) {
  std::uint64_t* words = FindChunk(number);
  if (words == nullptr) {
    // A group costs as much as a few chunks. Both must be earned by addresses seen.
    const std::uint32_t group = number / kChunksPerGroup;
    const bool needs_group = group >= groups_.size() || groups_[group] == nullptr;
    const std::uint32_t cost = needs_group ? 4 : 1;
    if (chunk_count_ + cost > count_ / kAddressesPerChunk) return false;
    chunk_count_ += cost;
    if (needs_group) {
      if (group >= groups_.size()) groups_.resize(group + 1U);
      groups_[group] = std::make_unique<Group>();
    }
    std::unique_ptr<std::uint64_t[]>& made = groups_[group]->chunks[number % kChunksPerGroup];
    made = std::make_unique<std::uint64_t[]>(std::size_t{kBlocksPerChunk} * words_per_block_);
    words = made.get();
  }
  *chunk = {number, words};
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
    const PackedTid packed = PackTid(place.tid);
    const auto chunk = static_cast<std::uint32_t>(packed >> kChunkShift);
    std::uint64_t* words = FindChunk(chunk);
    if (words != nullptr && !SetBit(words, packed)) duplicates.push_back(place);
  }
  return duplicates;
}

}  // namespace tornleaf
