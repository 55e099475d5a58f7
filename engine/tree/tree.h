// A Lehman-Yao B-tree in PostgreSQL's nbtree format, version 4: what nbtree does, on the same
// bytes, with the same log records. engine/tree/README.md explains it.
//
//   Tree            what all operations share: pages, log, schema, who is dead
//   search.h        from a key to a leaf: descent, moving right, search within a page
//   insert.h        insertion with its unique check; split.h, split_point.h, dedup.h behind it
//   scan.h          cursors in both directions
//   delete.h        LP_DEAD, simple and bottom-up deletion
//   vacuum.h        VACUUM; page_delete.h behind it
//   dead_rows.h     the durable answer to "who is dead" (liveness.h)
//   bulk_load.h     filling an empty index from sorted rows
//   redo.h          what a log record does to pages; redo_*.cc by kind of record
//   key_compare.h   how a search key compares with an item; node.h, a page of the tree in the pool
//
// Errors, everywhere in this layer: DataLoss for bytes that cannot be (damaged page, links that
// lead nowhere), with block and reason; else the environment's status as it is. After a status
// nothing of the operation has happened, unless its name says that it goes in steps; a page split
// that was begun and not finished is legal and the next insertion finishes it.

#ifndef TORNLEAF_ENGINE_TREE_TREE_H_
#define TORNLEAF_ENGINE_TREE_TREE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"
#include "engine/store/buffer_pool.h"
#include "engine/store/free_space_map.h"
#include "engine/store/logged_change.h"
#include "engine/tree/liveness.h"
#include "engine/tree/transactions.h"

namespace tornleaf {

struct TreeOptions {
  std::uint32_t fillfactor = nbtree::kFillFactorDefault;  // percent, of leaves, 10 to 100
  bool deduplicate = true;                                // where the schema allows it
  // With checksums: the first hint on a page since a checkpoint logs an image.
  bool log_hints = true;
};

class VacuumCycle;

// Checks nbtree pages as they come from disk.
class TreePageGuard final : public PageGuard {
 public:
  // `schema` may be null: geometry alone.
  explicit TreePageGuard(const Schema* schema) : schema_(schema) {}
  absl::Status Check(ByteView page, BlockNumber block) override;

 private:
  const Schema* schema_;
};

// One index. All pointers outlive it; all are used by many tasks at once.
class Tree {
 public:
  struct Parts {
    const Schema* schema = nullptr;  // order_known(): libc collations cannot be searched
    Executor* executor = nullptr;
    BufferPool* pool = nullptr;
    PooledRelation* relation = nullptr;
    RelationId relation_id;
    wal::Log* log = nullptr;  // null: nothing is logged
    Liveness* liveness = nullptr;
    Transactions* transactions = nullptr;
    FreeSpaceMap* free_pages = nullptr;
  };

  Tree(const Parts& parts, const TreeOptions& options);
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  // Writes the metapage of an empty index as page 0 of an empty relation, and logs its image.
  // AlreadyExists if there is something on that page.
  absl::Status Create();
  // Reads the metapage. DataLoss if it is none; Unimplemented for versions before 4, which must be
  // rebuilt.
  absl::Status Open();

  const Parts& parts() const { return parts_; }
  const TreeOptions& options() const { return options_; }
  const Schema& schema() const { return *parts_.schema; }
  // Whether new posting lists may be made: by the metapage, the schema and the options.
  bool deduplicates() const { return deduplicates_; }
  nbtree::Limits limits() const { return nbtree::Limits{parts_.pool->page_size()}; }

  // The metapage as it is now.
  absl::StatusOr<nbtree::MetaPage> ReadMeta();

  // Pages. `what` is for messages.
  absl::StatusOr<PageRef> Pin(BlockNumber block, Hold hold);
  // A page to build on, held exclusively, of unknown contents: a free one if it is really free
  // (logged as reuse), else a new one at the end.
  absl::StatusOr<PageRef> AllocatePage();

  // Whether the page, which is held, may be built on: it is all zero, or was deleted before anybody
  // began who may still hold a link to it.
  bool IsFree(const PageRef& page) const;

  // "block 7: ..." as DataLoss.
  static absl::Status Damage(BlockNumber block, std::string_view what);

  // The root that searches start from, cached: a hint. 0: read the metapage.
  struct FastRoot {
    BlockNumber block = 0;
    std::uint32_t level = 0;
  };
  FastRoot cached_fast_root() const;
  void set_cached_fast_root(FastRoot root);

  // The running VACUUM's cycle id, 0 if none: pages that are split now are marked with it.
  std::uint16_t cycle_id() const { return cycle_id_.load(std::memory_order_acquire); }

 private:
  friend class VacuumCycle;

  void LogReuse(const PageRef& page);

  Parts parts_;
  TreeOptions options_;
  bool deduplicates_ = false;
  std::atomic<std::uint64_t> fast_root_{0};  // level and block in one
  std::atomic<std::uint16_t> cycle_id_{0};
  std::atomic<std::uint16_t> last_cycle_id_{0};
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_TREE_H_
