// The durable list of dead rows: the companion relation of an index without a table.
//
// Pages of format/dead_rows_v1.h hold row addresses in the order in which they died; a table in
// memory answers IsDead(). VACUUM seals the pages that there are, removes the index entries of the
// rows on them, and then empties exactly these pages: rows that died meanwhile stand on later ones.
// An address may be used again as soon as its page is empty, and the log has these steps in this
// order, so a crash between any two of them leaves at worst addresses without entries.

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
#include "engine/wal/record/record.h"

namespace tornleaf {

// Checks pages of the list as they come from disk.
class DeadRowsPageGuard final : public PageGuard {
 public:
  absl::Status Check(ByteView page, BlockNumber block) override;
};

class DeadRows final : public Liveness {
 public:
  // All outlive it; `log` may be null.
  DeadRows(Executor* executor, BufferPool* pool, PooledRelation* relation, RelationId id,
           wal::Log* log);
  ~DeadRows() override;

  // Reads the whole relation; before anything else. An empty relation is an empty list. DataLoss if
  // a page is damaged or a row is listed twice.
  absl::Status Load();

  bool IsDead(ItemPointer tid) override;
  bool IsSafelyDead(ItemPointer tid) override;
  bool AnyDead() override;

  // Records that a row is dead, and logs it. False if it was already. After an error it is not.
  // InvalidArgument for offset number 0, which no row has.
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
    std::uint64_t seal_ = 0;
  };
  // Seals the pages that hold rows now; later rows go elsewhere. A page belongs to the batch that
  // sealed it last.
  absl::StatusOr<Batch> Seal();
  // Forgets the rows of a batch, when no index entry of them is left: their addresses may be used
  // again. After an error some are forgotten; the others are in the next batch.
  absl::Status Clear(const Batch& batch);

 private:
  struct State;

  bool Knows(ItemPointer tid);
  absl::Status LoadPage(BlockNumber block);
  // The page that the next row goes to, held exclusively.
  absl::StatusOr<PageRef> PageWithRoom();
  Lsn Append(PageRef* page, ItemPointer tid);
  absl::Status EmptyPage(BlockNumber block);

  std::unique_ptr<State> state_;
};

// What a record of the list does to its page, block 0: read as it is, or anything at all if the
// block is will_init. False, and nothing done, if the record cannot be one of this page.
bool RedoDeadRows(const wal::DecodedRecord& record, PageWriter page);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_DEAD_ROWS_H_
