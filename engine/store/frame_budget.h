// How many frames may be pinned by the operations under way: keeps a small pool from being pinned
// full by several operations, each of which waits for one more.
//
// An operation that will pin pages while it has others pinned takes the most it needs at once,
// before its first pin, and gives it back after its last:
//
//   const FrameBudget::Share share(pool->budget(), 6);
//
// Shares are given in the order in which they were asked for. An operation has one share: who asks
// for a second one may wait for ever.

#ifndef TORNLEAF_ENGINE_STORE_FRAME_BUDGET_H_
#define TORNLEAF_ENGINE_STORE_FRAME_BUDGET_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/env/executor.h"

namespace tornleaf {

class FrameBudget {
 public:
  FrameBudget(Executor* executor, std::uint32_t frames);

  // Waits until `frames` are left, and has them until it dies. At most capacity().
  class Share {
   public:
    Share(FrameBudget* budget, std::uint32_t frames) : budget_(budget), frames_(frames) {
      budget_->Take(frames_);
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share() { budget_->GiveBack(frames_); }

   private:
    FrameBudget* budget_;
    std::uint32_t frames_;
  };

  std::uint32_t capacity() const { return capacity_; }

 private:
  void Take(std::uint32_t frames);
  void GiveBack(std::uint32_t frames);
  bool TryTake(std::uint32_t frames);

  std::uint32_t capacity_;
  std::atomic<std::uint32_t> left_;
  std::atomic<std::uint32_t> waiting_{0};

  std::unique_ptr<Latch> latch_;
  std::unique_ptr<Condition> changed_;
  // Under latch_: who waits draws a ticket.
  std::uint64_t next_ticket_ = 0;
  std::uint64_t serving_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_FRAME_BUDGET_H_
