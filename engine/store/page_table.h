// Which frame holds a block of one relation: an array over all block numbers, made in chunks where
// it is used. Found without a lock, a hash or a comparison.

#ifndef TORNLEAF_ENGINE_STORE_PAGE_TABLE_H_
#define TORNLEAF_ENGINE_STORE_PAGE_TABLE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/finding.h"

namespace tornleaf {

class PageTable {
 public:
  // Number of the frame plus one; 0 if the block is in none.
  using Entry = std::atomic<std::uint32_t>;

  PageTable() = default;
  PageTable(const PageTable&) = delete;
  PageTable& operator=(const PageTable&) = delete;

  // The entry of a block, or null if its chunk has not been made. By any number of tasks.
  Entry* Find(BlockNumber block) const {
    const Middle* middle =
        root_[block >> (kMiddleBits + kLeafBits)].load(std::memory_order_acquire);
    if (middle == nullptr) return nullptr;
    Leaf* leaf = (*middle)[(block >> kLeafBits) % kMiddleSize].load(std::memory_order_acquire);
    return leaf == nullptr ? nullptr : &(*leaf)[block % kLeafSize];
  }

  // The same, made if need be. By one task at a time. Entries never move.
  Entry* Make(BlockNumber block) {
    Middle* middle = MakeAt(&root_[block >> (kMiddleBits + kLeafBits)], &middles_);
    Leaf* leaf = MakeAt(&(*middle)[(block >> kLeafBits) % kMiddleSize], &leaves_);
    return &(*leaf)[block % kLeafSize];
  }

 private:
  static constexpr std::uint32_t kLeafBits = 10;
  static constexpr std::uint32_t kMiddleBits = 11;
  static constexpr std::uint32_t kLeafSize = 1U << kLeafBits;
  static constexpr std::uint32_t kMiddleSize = 1U << kMiddleBits;
  static constexpr std::uint32_t kRootSize = 1U << (32 - kLeafBits - kMiddleBits);
  using Leaf = std::array<Entry, kLeafSize>;
  using Middle = std::array<std::atomic<Leaf*>, kMiddleSize>;

  template <typename T>
  static T* MakeAt(std::atomic<T*>* place, std::vector<std::unique_ptr<T>>* owned) {
    T* there = place->load(std::memory_order_relaxed);
    if (there != nullptr) return there;
    owned->push_back(std::make_unique<T>());
    place->store(owned->back().get(), std::memory_order_release);
    return owned->back().get();
  }

  std::array<std::atomic<Middle*>, kRootSize> root_{};
  std::vector<std::unique_ptr<Middle>> middles_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_PAGE_TABLE_H_
