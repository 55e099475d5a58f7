// The durable list of dead rows: the companion relation of an index without a table.
//
// Pages of format/dead_rows_v1.h hold row addresses in the order in which they died; a set in
// memory answers IsDead(). VACUUM seals the pages that there are, removes the index entries of the
// rows on them, and then empties exactly these pages: rows that died meanwhile stand on later ones.

#ifndef TORNLEAF_ENGINE_TREE_DEAD_ROWS_H_
#define TORNLEAF_ENGINE_TREE_DEAD_ROWS_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/key/index_tuple.h"
#include "engine/store/buffer_pool.h"
#include "engine/tree/liveness.h"

namespace tornleaf {

class DeadRows final : public Liveness {
 public:
  DeadRows(Executor* executor, BufferPool* pool, PooledRelation* relation, RelationId id,
           wal::Log* log);
  ~DeadRows() override;

  // Reads the whole relation into the set. An empty relation is an empty list.
  absl::Status Load();

  bool IsDead(ItemPointer tid) override;
  bool AnyDead() override;

  // Records that a row is dead, and logs it. False if it was already.
  absl::StatusOr<bool> Add(ItemPointer tid);
  std::size_t size() const;

  // Rows that were dead at one moment.
  class Batch {
   public:
    bool Contains(ItemPointer tid) const { return tids_.contains(PackTid(tid)); }
    std::size_t size() const { return tids_.size(); }

   private:
    friend class DeadRows;
    absl::flat_hash_set<PackedTid> tids_;
    std::vector<BlockNumber> pages_;
  };
  // Seals the pages that hold rows now; later ones go elsewhere.
  absl::StatusOr<Batch> Seal();
  // Forgets the rows of a batch, when no index entry of them is left: their addresses may be used
  // again.
  absl::Status Clear(const Batch& batch);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DEAD_ROWS_H_
