// PageRef: what buffer_pool.h says about one pinned page.

#include "engine/store/buffer_pool.h"
#include "engine/store/frame_table.h"

namespace tornleaf {

void PageRef::HoldShared() {
  CHECK(valid());
  CHECK(hold_ == Hold::kNone);
  frame_->latch->lock_shared();
  hold_ = Hold::kShared;
}

void PageRef::HoldExclusive() {
  CHECK(valid());
  CHECK(hold_ == Hold::kNone);
  frame_->latch->lock();
  hold_ = Hold::kExclusive;
}

bool PageRef::TryHoldExclusive() {
  CHECK(valid());
  CHECK(hold_ == Hold::kNone);
  if (!frame_->latch->try_lock()) return false;
  hold_ = Hold::kExclusive;
  return true;
}

void PageRef::HoldForCleanup() {
  for (;;) {
    HoldExclusive();
    // A pin that comes later finds the page held: it is not between two items.
    if (frame_state::Pins(frame_->state.load(std::memory_order_acquire)) == 1) return;
    Release();
    frames_->WaitForOnlyPin(frame_);
  }
}

void PageRef::HoldAs(Hold hold) {
  if (hold == Hold::kShared) HoldShared();
  if (hold == Hold::kExclusive) HoldExclusive();
}

void PageRef::Release() {
  CHECK(hold_ != Hold::kNone);
  if (hold_ == Hold::kShared) {
    frame_->latch->unlock_shared();
  } else {
    frame_->latch->unlock();
  }
  hold_ = Hold::kNone;
}

void PageRef::Drop() {
  if (!valid()) return;
  if (hold_ != Hold::kNone) Release();
  frames_->Unpin(frame_);
  frame_ = nullptr;
  bytes_ = {};
}

PageWriter PageRef::writer() {
  CHECK(hold_ == Hold::kExclusive);
  return PageWriter(bytes_);
}

void PageRef::MarkDirty() {
  CHECK(hold_ == Hold::kExclusive);
  if (frame_->has(frame_state::kDirty)) return;
  frame_->state.fetch_or(frame_state::kDirty, std::memory_order_acq_rel);
}

void PageRef::MarkDirtyHint() { MarkDirty(); }

void PageRef::set_lsn(Lsn lsn) {
  PageWriter page = writer();
  if (!page.view().is_new()) page.set_lsn(lsn);
}

void PageRef::set_unlogged_lsn() { set_lsn(frames_->NextUnloggedLsn()); }

}  // namespace tornleaf
