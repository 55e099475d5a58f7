#include "engine/store/frame_budget.h"

#include <mutex>

#include "engine/base/check.h"
#include "engine/base/mark.h"

namespace tornleaf {

FrameBudget::FrameBudget(Executor* executor, std::uint32_t frames)
    : capacity_(frames),
      left_(frames),
      latch_(executor->NewLatch("pool.budget")),
      changed_(executor->NewCondition("pool.budget")) {}

bool FrameBudget::TryTake(std::uint32_t frames) {
  std::uint32_t left = left_.load();
  do {
    if (left < frames) return false;
  } while (!left_.compare_exchange_weak(left, left - frames));
  return true;
}

void FrameBudget::Take(std::uint32_t frames) {
  CHECK(frames <= capacity_);
  // Behind those who wait, or a large share would never come.
  if (waiting_.load() == 0 && TryTake(frames)) return;
  MARK("pool.budget.waits");
  const std::unique_lock<Latch> lock(*latch_);
  const std::uint64_t ticket = next_ticket_++;
  // Before the next look at what is left: who gives back afterwards sees it and notifies.
  ++waiting_;
  while (serving_ != ticket || !TryTake(frames)) changed_->Wait(latch_.get());
  --waiting_;
  ++serving_;
  changed_->NotifyAll();
}

void FrameBudget::GiveBack(std::uint32_t frames) {
  left_ += frames;
  if (waiting_.load() == 0) return;
  const std::unique_lock<Latch> lock(*latch_);
  changed_->NotifyAll();
}

}  // namespace tornleaf
