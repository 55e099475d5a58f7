// Redo: what a log record does to pages. Works without a schema: records are byte-deterministic.
//
// Order and locking are those of PostgreSQL (nbtree/README, nbtxlog.c): pages of one level
// are held together, from left to right, until the last one is done; nothing is held across levels.
// A page that a record describes whole, or has an image of, is restored whatever it held before;
// any other page is changed if its LSN is behind the record.

#ifndef TORNLEAF_ENGINE_TREE_REDO_H_
#define TORNLEAF_ENGINE_TREE_REDO_H_

#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "engine/store/buffer_pool.h"
#include "engine/tree/transactions.h"
#include "engine/wal/record/record.h"

namespace tornleaf {

// What became of records while a log was replayed.
struct RedoSummary {
  // By (resource manager, operation): records that concern a relation of ours.
  std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint64_t> applied;
  std::uint64_t images_restored = 0;
  std::uint64_t pages_changed = 0;
  std::uint64_t pages_skipped = 0;      // already had the change: LSN not behind the record
  std::uint64_t records_elsewhere = 0;  // of other relations or resource managers
  FullXid next_xid = kFirstXid;         // past every safexid that was met
};

// Applies records to the relations it knows; others are counted and passed over.
class Redo {
 public:
  explicit Redo(BufferPool* pool) : pool_(pool) {}

  void AddRelation(const RelationId& id, PooledRelation* relation) { relations_[id] = relation; }

  // `end` is the position after the record: the LSN that its pages get. DataLoss if the record
  // cannot be applied to the page as it is, or is not one; no page has then been changed by the
  // part that failed.
  absl::Status Apply(const wal::DecodedRecord& record, Lsn end);

  const RedoSummary& summary() const { return summary_; }

 private:
  bool Concerns(const wal::DecodedRecord& record) const;

  BufferPool* pool_;
  std::map<RelationId, PooledRelation*> relations_;
  RedoSummary summary_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_REDO_H_
