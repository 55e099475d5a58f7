#include "engine/tree/transactions.h"

#include <mutex>

#include "engine/base/check.h"
#include "engine/base/mark.h"

namespace tornleaf {

Transactions::Transactions(Executor* executor, FullXid next)
    : base_(next), latch_(executor->NewLatch("transactions")) {
  CHECK(next >= kFirstXid);
  CHECK(next <= kXidMax);
}

FullXid Transactions::Take() {
  const std::unique_lock<Latch> lock(*latch_);
  std::uint64_t current = current_.load();
  while (!current_.compare_exchange_weak(current, ((current >> kOpenBits) + 1) << kOpenBits)) {
  }
  const FullXid taken = base_ + (current >> kOpenBits);
  const std::uint64_t open = current & kOpenMask;
  if (open > 0) open_[taken] = open;
  return taken;
}

FullXid Transactions::next() const { return base_ + (current_.load() >> kOpenBits); }

void Transactions::AdvancePast(FullXid xid) {
  const std::unique_lock<Latch> lock(*latch_);
  CHECK(open_.empty());
  CHECK((current_.load() & kOpenMask) == 0);
  if (xid < next() || xid >= kXidMax) return;
  base_ = xid + 1;
  current_ = 0;
}

FullXid Transactions::Begin() { return base_ + (current_.fetch_add(kOneOpen) >> kOpenBits); }

void Transactions::End(FullXid begun) {
  std::uint64_t current = current_.load();
  while (base_ + (current >> kOpenBits) == begun) {
    CHECK((current & kOpenMask) > 0);
    if (current_.compare_exchange_weak(current, current - kOneOpen)) return;
  }
  MARK("transactions.end_after_deletion");
  const std::unique_lock<Latch> lock(*latch_);
  const auto found = open_.find(begun);
  CHECK(found != open_.end());
  if (--found->second == 0) open_.erase(found);
}

FullXid Transactions::horizon() const {
  const std::unique_lock<Latch> lock(*latch_);
  // Who begins from now on begins at next() or later.
  return open_.empty() ? next() : open_.begin()->first;
}

}  // namespace tornleaf
