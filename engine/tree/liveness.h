// What is dead. PostgreSQL's nbtree is told by its table; here it is this interface.

#ifndef TORNLEAF_ENGINE_TREE_LIVENESS_H_
#define TORNLEAF_ENGINE_TREE_LIVENESS_H_

#include "engine/base/finding.h"

namespace tornleaf {

class Liveness {
 public:
  virtual ~Liveness() = default;

  // Whether the row at this address has been deleted for everybody: scans and unique checks do not
  // see it, and its index entries may go. Once true it stays true until no index entry with this
  // address is left. Cheap; may be asked while pages are held.
  virtual bool IsDead(ItemPointer tid) = 0;
  // Whether the row is dead and stays so after a crash: the log is durable up to its deletion. Only
  // then may a hint say so on a page, since no record makes the page wait for the log.
  virtual bool IsSafelyDead(ItemPointer tid) { return IsDead(tid); }
  // Whether anything at all is dead: lets a scan skip the question.
  virtual bool AnyDead() = 0;
};

// Nothing is ever dead: a tree without deletes.
class AllLive final : public Liveness {
 public:
  bool IsDead(ItemPointer) override { return false; }
  bool AnyDead() override { return false; }
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_LIVENESS_H_
