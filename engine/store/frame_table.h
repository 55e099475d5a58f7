// The frames of a buffer pool: their state, pinning without a lock, and the clock sweep.
//
// A frame's state is one word: how many pins, how much used lately, and flags. A frame that is
// mapped belongs to a block of a relation (its tag) and stands in that relation's PageTable.
//
//   unmapped, 0 pins  --Claim()-->  unmapped, 1 pin  --load-->  mapped, valid, pinned
//   mapped, 0 pins    --Claim()-->  mapped, 1 pin  --Unmap()-->  unmapped, 1 pin
//
// The tag changes only while the frame is unmapped and pinned once, by who changes it. Pin() adds
// a pin to a mapped frame alone, in one step, and then looks at the tag, which cannot change any
// more: that is why it needs no lock.

#ifndef TORNLEAF_ENGINE_STORE_FRAME_TABLE_H_
#define TORNLEAF_ENGINE_STORE_FRAME_TABLE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/env/executor.h"
#include "engine/env/large_memory.h"
#include "engine/store/page_table.h"

namespace tornleaf {

class PageGuard;
class Relation;

struct PooledRelation {
  Relation* relation = nullptr;
  PageGuard* guard = nullptr;
  std::uint32_t number = 0;  // in the order of Attach()
  PageTable table;
  std::unique_ptr<Latch> extension;  // held by who adds pages at the end
};

namespace frame_state {

inline constexpr std::uint32_t kPin = 1;
inline constexpr std::uint32_t kPinMask = (1U << 20) - 1;
inline constexpr std::uint32_t kUse = 1U << 20;
inline constexpr std::uint32_t kUseMask = 7U << 20;
inline constexpr std::uint32_t kUseMax = 5U << 20;  // PostgreSQL's BM_MAX_USAGE_COUNT
inline constexpr std::uint32_t kMapped = 1U << 24;  // the tag counts
inline constexpr std::uint32_t kValid = 1U << 25;   // the bytes are the page's
inline constexpr std::uint32_t kDirty = 1U << 26;   // and newer than on disk
inline constexpr std::uint32_t kWaiter = 1U << 27;  // somebody waits to have the only pin

constexpr std::uint32_t Pins(std::uint32_t state) { return state & kPinMask; }

}  // namespace frame_state

struct alignas(64) BufferFrame {
  std::atomic<std::uint32_t> state{0};
  std::atomic<BlockNumber> block{0};
  std::atomic<PooledRelation*> relation{nullptr};
  std::uint8_t* bytes = nullptr;
  Latch* latch = nullptr;              // of the bytes
  std::atomic<std::uint64_t> hits{0};  // about, where tasks are threads

  bool has(std::uint32_t flag) const { return (state.load(std::memory_order_acquire) & flag) != 0; }
};

class FrameTable {
 public:
  FrameTable(Executor* executor, std::uint32_t count, std::uint32_t page_size);

  std::uint32_t count() const { return count_; }
  std::uint32_t page_size() const { return page_size_; }
  BufferFrame* frame(std::uint32_t index) { return &frames_[index]; }
  MutableBytes bytes(const BufferFrame& frame) const { return {frame.bytes, page_size_}; }

  // Pins the frame of a block if there is one; else null. Its bytes need not be there yet (kValid).
  // `use` is what the pin counts for the sweep: frame_state::kUse, or 0.
  BufferFrame* Pin(const PooledRelation& relation, BlockNumber block, std::uint32_t use) {
    PageTable::Entry* entry = relation.table.Find(block);
    if (entry == nullptr) return nullptr;
    for (;;) {
      const std::uint32_t number = entry->load(std::memory_order_acquire);
      if (number == 0) return nullptr;
      BufferFrame* frame = &frames_[number - 1];
      if (!PinMapped(frame, use)) return nullptr;
      if (frame->block.load(std::memory_order_relaxed) == block &&
          frame->relation.load(std::memory_order_relaxed) == &relation) {
        frame->hits.store(frame->hits.load(std::memory_order_relaxed) + 1,
                          std::memory_order_relaxed);
        return frame;
      }
      // The frame went to another block between the two looks.
      Unpin(frame);
    }
  }

  void Unpin(BufferFrame* frame) {
    const std::uint32_t before =
        frame->state.fetch_sub(frame_state::kPin, std::memory_order_acq_rel);
    if ((before & frame_state::kWaiter) != 0 && frame_state::Pins(before) == 2) Wake();
  }
  // Waits until the caller's pin is the frame's only one, which it need not be any more afterwards.
  void WaitForOnlyPin(BufferFrame* frame);

  // A number that is greater each time: stands for the LSN where there is no log.
  Lsn NextUnloggedLsn() { return unlogged_lsn_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Pins a frame that nobody has pinned, and that has not been used lately. Null if all are pinned.
  BufferFrame* Claim();

  // The next three by one task at a time.
  //
  // Gives a claimed frame that is unmapped to a block that is in no frame.
  void Map(BufferFrame* frame, PooledRelation* relation, BlockNumber block);
  // Takes a frame from its block if it is clean and pinned only by the caller. True if it did.
  bool UnmapUnused(BufferFrame* frame);
  // Takes a frame from its block although others may have it pinned: its bytes were never there.
  void UnmapFailed(BufferFrame* frame);

 private:
  static bool PinMapped(BufferFrame* frame, std::uint32_t use) {
    std::uint32_t state = frame->state.load(std::memory_order_relaxed);
    for (;;) {
      if ((state & frame_state::kMapped) == 0) return false;
      const std::uint32_t more = (state & frame_state::kUseMask) < frame_state::kUseMax ? use : 0;
      if (frame->state.compare_exchange_weak(state, state + frame_state::kPin + more,
                                             std::memory_order_acquire,
                                             std::memory_order_relaxed)) {
        return true;
      }
    }
  }
  void Wake();
  static PageTable::Entry* EntryOf(const BufferFrame& frame);

  std::uint32_t count_;
  std::uint32_t page_size_;
  LargeMemory frame_memory_;
  LargeMemory bytes_;
  BufferFrame* frames_;  // in frame_memory_
  std::vector<std::unique_ptr<Latch>> latches_;
  std::atomic<std::uint32_t> hand_{0};
  std::atomic<Lsn> unlogged_lsn_{0};

  std::unique_ptr<Latch> wait_latch_;
  std::unique_ptr<Condition> unpinned_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_FRAME_TABLE_H_
