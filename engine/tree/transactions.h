// Transaction ids, as far as an index alone needs them: to know when a deleted page may be used
// again.
//
// The counter moves on when a page is deleted: the page gets the id at hand as its safexid, and who
// starts to look afterwards has a later one. A page is free once its safexid is before the oldest
// open scan. Checkpoints keep the counter; redo moves it past every safexid it meets.

#ifndef TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_
#define TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_

#include <cstdint>
#include <memory>
#include <set>

#include "engine/env/executor.h"

namespace tornleaf {

using FullXid = std::uint64_t;
inline constexpr FullXid kFirstXid = 3;  // Below: ids that no transaction has.

class Transactions {
 public:
  Transactions(Executor* executor, FullXid next);

  // The id at hand; the counter moves past it.
  FullXid Take();
  FullXid next() const;
  // Moves the counter so that `xid` is in the past.
  void AdvancePast(FullXid xid);

  // A scan, or whoever else follows links: ids from the returned one on are not in its past. Every
  // Begin() has its End().
  FullXid Begin();
  void End(FullXid begun);
  // The least id of which somebody may still hold a link: pages with a smaller safexid are free.
  FullXid horizon() const;

 private:
  std::unique_ptr<Latch> latch_;
  FullXid next_;
  std::multiset<FullXid> open_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_
