// The row addresses seen so far in one index, to find one that occurs twice.
//
// Row addresses of a table are dense, so most are bits of a bitmap by table block. Damaged pages
// may name any address: the bitmap grows only with the number of addresses seen, and addresses
// outside it wait in a list that is sorted at the end. Memory stays below about 200 bytes an
// address for any input, and near 1.5 bytes for a real table.

#ifndef TORNLEAF_ENGINE_VERIFY_TID_SET_H_
#define TORNLEAF_ENGINE_VERIFY_TID_SET_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/finding.h"
#include "engine/key/index_tuple.h"

namespace tornleaf {

class TidSet {
 public:
  // `max_offset` is the greatest offset number that an address may have.
  explicit TidSet(std::uint32_t max_offset);

  // Where an address was seen.
  struct Place {
    ItemPointer tid;
    BlockNumber block;
    OffsetNumber slot;
  };

  // Adds the addresses of consecutive slots of one page. Calls `on_duplicate(slot, tid)` for each
  // that is known to be there already; a duplicate may also come to light only in Finish.
  template <typename OnDuplicate>
  void Add(std::span<const PackedTid> tids, BlockNumber block, OffsetNumber first_slot,
           OnDuplicate on_duplicate) {
    const std::uint64_t count_before = count_;
    Chunk chunk;
    for (std::size_t index = 0; index < tids.size(); ++index) {
      const PackedTid tid = tids[index];
      const auto slot = static_cast<OffsetNumber>(first_slot + index);
      const auto number = static_cast<std::uint32_t>(tid >> kChunkShift);
      // Kept in step here alone: writing it for each address would cost as much as the bitmap.
      if (number != chunk.number) count_ = count_before + index + 1;
      if (number != chunk.number && !Select(number, &chunk)) {
        waiting_.push_back({UnpackTid(tid), block, slot});
      } else if (!SetBit(chunk.words, tid)) {
        on_duplicate(slot, tid);
      }
    }
    count_ = count_before + tids.size();
  }

  // The duplicates among the addresses that had to wait. Call once, at the end.
  std::vector<Place> Finish();

  std::uint64_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kBlocksPerChunk = 256;
  static constexpr std::uint32_t kChunkShift = 16 + 8;  // offset number, block within its chunk
  static constexpr std::uint32_t kChunksPerGroup = 4096;
  static constexpr std::uint32_t kAddressesPerChunk = 64;  // seen before another chunk is made

  struct Group {
    std::unique_ptr<std::uint64_t[]> chunks[kChunksPerGroup];
  };

  struct Chunk {
    std::uint32_t number = UINT32_MAX;
    std::uint64_t* words = nullptr;
  };
  // Enough for a table of 512 MiB; beyond, the way to a chunk is a few loads longer.
  static constexpr std::uint32_t kRecentChunks = 256;

  // Sets the bit of an address in its chunk. False if it was set.
  bool SetBit(std::uint64_t* words, PackedTid tid) const {
    CHECK(words != nullptr);
    const auto block = static_cast<std::uint32_t>(tid >> 16) % kBlocksPerChunk;
    const std::uint32_t offset = tid & 0xFFFF;
    std::uint64_t* word = words + block * words_per_block_ + offset / 64;
    const std::uint64_t bit = std::uint64_t{1} << (offset % 64);
    const bool fresh = (*word & bit) == 0;
    *word |= bit;
    return fresh;
  }

  // Finds a chunk, or makes it if enough addresses have been seen. False if the bitmap does not
  // reach there; `chunk` is then as it was.
  bool Select(std::uint32_t number, Chunk* chunk) {
    Chunk* recent = &recent_[number % kRecentChunks];
    if (recent->number != number && !FindOrMake(number, recent)) return false;
    *chunk = *recent;
    return true;
  }
  bool FindOrMake(std::uint32_t number, Chunk* chunk);
  std::uint64_t* FindChunk(std::uint32_t chunk) const;

  std::uint32_t words_per_block_;
  Chunk recent_[kRecentChunks];  // by number, the last one asked for of each remainder
  std::uint64_t count_ = 0;
  std::uint64_t chunk_count_ = 0;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<Place> waiting_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_TID_SET_H_
