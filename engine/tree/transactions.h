// Transaction ids, as far as an index alone needs them: to know when a deleted page may be used
// again.
//
// The counter moves on when a page is deleted: the page gets the id at hand as its safexid, and who
// starts to look afterwards has a later one. A page is free once its safexid is before the oldest
// id of those who look. Checkpoints keep the counter; redo moves it past every safexid it meets.
//
// Every operation begins and ends, so both are one atomic addition as long as no page has been
// deleted in between.

#ifndef TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_
#define TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "engine/env/executor.h"

namespace tornleaf {

using FullXid = std::uint64_t;
inline constexpr FullXid kFirstXid = 3;  // Below: ids that no transaction has.
// Above: ids that no server will ever come to. A page that has one is damaged, and never free.
inline constexpr FullXid kXidMax = FullXid{1} << 48;

class Transactions {
 public:
  // `next` is from kFirstXid to kXidMax.
  Transactions(Executor* executor, FullXid next);

  // The id at hand; the counter moves past it. Who deletes a page takes its safexid while it holds
  // the pages that have links to it, so that later ids cannot have seen them.
  FullXid Take();
  FullXid next() const;
  // Moves the counter so that `xid` is in the past; nothing for an id above kXidMax. Before anybody
  // has begun.
  void AdvancePast(FullXid xid);

  // A scan, or whoever else follows links: ids from the returned one on are not in its past. Every
  // Begin() has its End().
  FullXid Begin();
  void End(FullXid begun);
  // The least id of which somebody may still hold a link: pages with a smaller safexid are free.
  FullXid horizon() const;

 private:
  // The counter, as its distance from base_, and below it how many have begun at this id.
  static constexpr std::uint64_t kOneOpen = 1;
  static constexpr unsigned kOpenBits = 24;
  static constexpr std::uint64_t kOpenMask = (std::uint64_t{1} << kOpenBits) - 1;

  FullXid base_;
  std::atomic<std::uint64_t> current_{0};
  std::unique_ptr<Latch> latch_;
  std::map<FullXid, std::uint64_t> open_;  // how many have begun at which earlier id
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_TRANSACTIONS_H_
