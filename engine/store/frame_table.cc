#include "engine/store/frame_table.h"

#include <memory>
#include <mutex>
#include <type_traits>

#include "engine/base/mark.h"

namespace tornleaf {

using frame_state::kDirty;
using frame_state::kMapped;
using frame_state::kPin;
using frame_state::kUse;
using frame_state::kUseMask;
using frame_state::kWaiter;
using frame_state::Pins;

static_assert(std::is_trivially_destructible_v<BufferFrame>, "frames are never destroyed");

FrameTable::FrameTable(Executor* executor, std::uint32_t count, std::uint32_t page_size)
    : count_(count),
      page_size_(page_size),
      frame_memory_(std::size_t{count} * sizeof(BufferFrame)),
      bytes_(std::size_t{count} * page_size),
      frames_(reinterpret_cast<BufferFrame*>(frame_memory_.data())),
      wait_latch_(executor->NewLatch("pool.wait")),
      unpinned_(executor->NewCondition("pool.unpinned")) {
  latches_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::construct_at(&frames_[i]);
    latches_.push_back(executor->NewLatch("page"));
    frames_[i].latch = latches_.back().get();
    frames_[i].bytes = bytes_.data() + std::size_t{i} * page_size;
  }
}

void FrameTable::Wake() {
  const std::unique_lock<Latch> lock(*wait_latch_);
  unpinned_->NotifyAll();
}

void FrameTable::WaitForOnlyPin(BufferFrame* frame) {
  const std::unique_lock<Latch> lock(*wait_latch_);
  // From here on whoever leaves one pin behind comes to Wake(), which waits for the latch.
  const std::uint32_t before = frame->state.fetch_or(kWaiter, std::memory_order_acq_rel);
  CHECK((before & kWaiter) == 0);  // Two would wait for each other's pin.
  while (Pins(frame->state.load(std::memory_order_acquire)) > 1) {
    MARK("pool.cleanup.waits");
    unpinned_->Wait(wait_latch_.get());
  }
  frame->state.fetch_and(~kWaiter, std::memory_order_acq_rel);
}

BufferFrame* FrameTable::Claim() {
  for (std::uint32_t pinned = 0; pinned < count_;) {
    BufferFrame* frame = &frames_[hand_.fetch_add(1, std::memory_order_relaxed) % count_];
    std::uint32_t state = frame->state.load(std::memory_order_relaxed);
    if (Pins(state) > 0) {
      ++pinned;
      continue;
    }
    pinned = 0;
    const bool used = (state & kUseMask) != 0;
    const std::uint32_t next = used ? state - kUse : state + kPin;
    // Failing, it was pinned or claimed at this moment: the hand goes on.
    const bool changed =
        frame->state.compare_exchange_strong(state, next, std::memory_order_acquire);
    if (changed && !used) return frame;
  }
  return nullptr;
}

PageTable::Entry* FrameTable::EntryOf(const BufferFrame& frame) {
  return frame.relation.load(std::memory_order_relaxed)
      ->table.Find(frame.block.load(std::memory_order_relaxed));
}

void FrameTable::Map(BufferFrame* frame, PooledRelation* relation, BlockNumber block) {
  PageTable::Entry* entry = relation->table.Make(block);
  CHECK(entry->load(std::memory_order_relaxed) == 0);
  CHECK(frame->state.load(std::memory_order_relaxed) == kPin);
  frame->relation.store(relation, std::memory_order_relaxed);
  frame->block.store(block, std::memory_order_relaxed);
  frame->state.store(kPin + kUse + kMapped, std::memory_order_release);
  entry->store(static_cast<std::uint32_t>(frame - frames_) + 1, std::memory_order_release);
}

bool FrameTable::UnmapUnused(BufferFrame* frame) {
  std::uint32_t state = frame->state.load(std::memory_order_acquire);
  PageTable::Entry* entry = EntryOf(*frame);
  do {
    if (Pins(state) != 1 || (state & kDirty) != 0) return false;
  } while (!frame->state.compare_exchange_weak(state, kPin, std::memory_order_acq_rel));
  entry->store(0, std::memory_order_release);
  return true;
}

void FrameTable::UnmapFailed(BufferFrame* frame) {
  EntryOf(*frame)->store(0, std::memory_order_release);
  frame->state.fetch_and(~(kMapped | kUseMask), std::memory_order_acq_rel);
}

}  // namespace tornleaf
