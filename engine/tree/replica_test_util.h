// The second index of a crash test: pages redone from the records of another one, and an index
// opened on them.

#ifndef TORNLEAF_ENGINE_TREE_REPLICA_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_REPLICA_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/format/nbtree_mask.h"
#include "engine/tree/dead_rows.h"
#include "engine/tree/tree_test_util.h"

namespace tornleaf {

inline constexpr RelationId kDeadRowsId{1663, 5, 16385};

inline std::unique_ptr<Relation> OpenRelation(TestEnvironment* test, const RelationId& id,
                                              const std::string& path, std::uint32_t page_size) {
  RelationOptions options;
  options.id = id;
  options.path = path;
  options.page_size = page_size;
  absl::StatusOr<std::unique_ptr<Relation>> opened =
      Relation::Open(test->environment(), options, true);
  CHECK(opened.ok());
  return *std::move(opened);
}

inline std::vector<std::uint8_t> ImageOf(BufferPool* pool, PooledRelation* relation) {
  std::vector<std::uint8_t> image;
  for (BlockNumber block = 0; block < BufferPool::block_count(relation); ++block) {
    absl::StatusOr<PageRef> page = pool->Pin(relation, block, Hold::kShared);
    CHECK(page.ok());
    image.insert(image.end(), page->bytes().begin(), page->bytes().end());
  }
  return image;
}

// An index and its list of dead rows as redo makes them, record by record.
class Replica {
 public:
  explicit Replica(std::uint32_t page_size)
      : page_size_(page_size),
        index_(OpenRelation(&test_, TestIndex::kId, "index", page_size)),
        dead_rows_(OpenRelation(&test_, kDeadRowsId, "dead_rows", page_size)),
        guard_(nullptr),
        pool_(test_.environment(), 16, page_size, nullptr),
        redo_(&pool_) {
    pooled_index_ = pool_.Attach(index_.get(), &guard_);
    pooled_dead_rows_ = pool_.Attach(dead_rows_.get(), &dead_rows_guard_);
    redo_.AddRelation(TestIndex::kId, pooled_index_);
    redo_.AddRelation(kDeadRowsId, pooled_dead_rows_);
  }

  absl::Status Apply(const RecordingLog::Record& record) {
    const auto decoded = std::make_unique<wal::DecodedRecord>();
    const wal::RecordError error = wal::DecodeRecord(record.bytes, decoded.get());
    if (error != wal::RecordError::kNone) {
      return absl::DataLossError(wal::RecordErrorText(error));
    }
    return redo_.Apply(*decoded, record.end);
  }
  void Write() { CHECK(pool_.WriteAll().ok()); }

  std::uint32_t page_size() const { return page_size_; }
  FullXid next_xid() const { return redo_.summary().next_xid; }
  std::vector<std::uint8_t> Index() { return ImageOf(&pool_, pooled_index_); }
  // After Write(): the file as a start finds it.
  std::vector<std::uint8_t> File(const std::string& path) {
    return test_.device.Get(path).value_or(std::vector<std::uint8_t>());
  }

 private:
  std::uint32_t page_size_;
  TestEnvironment test_;
  std::unique_ptr<Relation> index_;
  std::unique_ptr<Relation> dead_rows_;
  TreePageGuard guard_;
  DeadRowsPageGuard dead_rows_guard_;
  BufferPool pool_;
  Redo redo_;
  PooledRelation* pooled_index_ = nullptr;
  PooledRelation* pooled_dead_rows_ = nullptr;
};

// The log of `index`, replayed from the beginning, gives the pages that it has.
inline void ExpectRedoGivesItsPages(TestIndex* index) {
  Replica replica(index->pool.page_size());
  for (const RecordingLog::Record& record : index->log.records()) {
    const absl::Status applied = replica.Apply(record);
    ASSERT_TRUE(applied.ok()) << applied;
  }
  std::vector<std::uint8_t> live = index->Image();
  std::vector<std::uint8_t> redone = replica.Index();
  // Pages that were added and never logged are zero.
  redone.resize(live.size());
  const std::uint32_t size = index->pool.page_size();
  for (std::size_t at = 0; at < live.size(); at += size) {
    const MutableBytes live_page = MutableBytes(live).subspan(at, size);
    const MutableBytes redone_page = MutableBytes(redone).subspan(at, size);
    nbtree::MaskForRedo(live_page);
    nbtree::MaskForRedo(redone_page);
    EXPECT_TRUE(std::equal(live_page.begin(), live_page.end(), redone_page.begin()))
        << "block " << at / size;
  }
}

// An index that is opened on what a crash has left.
class ReopenedIndex {
 public:
  // `liveness` may be null: then the list of dead rows is read.
  ReopenedIndex(Replica* from, const Schema* schema, Liveness* liveness)
      : guard_(schema),
        pool_(test_.environment(), kFramesMin, from->page_size(), &log),
        transactions(&test_.executor, from->next_xid()),
        free_pages(&test_.executor) {
    from->Write();
    test_.device.Put("index", from->File("index"));
    test_.device.Put("dead_rows", from->File("dead_rows"));
    index_ = OpenRelation(&test_, TestIndex::kId, "index", from->page_size());
    list_ = OpenRelation(&test_, kDeadRowsId, "dead_rows", from->page_size());
    pooled_ = pool_.Attach(index_.get(), &guard_);
    dead_rows = std::make_unique<DeadRows>(
        &test_.executor, &pool_, pool_.Attach(list_.get(), &dead_rows_guard_), kDeadRowsId, &log);
    Tree::Parts parts;
    parts.schema = schema;
    parts.executor = &test_.executor;
    parts.pool = &pool_;
    parts.relation = pooled_;
    parts.relation_id = TestIndex::kId;
    parts.log = &log;
    parts.liveness = liveness != nullptr ? liveness : dead_rows.get();
    parts.transactions = &transactions;
    parts.free_pages = &free_pages;
    tree = std::make_unique<Tree>(parts, TreeOptions());
  }

  absl::Status Open() {
    const absl::Status loaded = dead_rows->Load();
    return loaded.ok() ? tree->Open() : loaded;
  }
  // Row addresses in index order, without dead rows.
  std::vector<ItemPointer> Rows() {
    ScanRequest request;
    request.with_values = false;
    Scan scan(tree.get(), request);
    std::vector<ItemPointer> rows;
    while (true) {
      const absl::StatusOr<bool> more = scan.Next();
      EXPECT_TRUE(more.ok()) << more.status();
      if (!more.ok() || !*more) return rows;
      rows.push_back(scan.tid());
    }
  }
  VerifyReport Verify() {
    const std::vector<std::uint8_t> image = ImageOf(&pool_, pooled_);
    MemoryPages pages(image, pool_.page_size());
    VerifyOptions options;
    options.schema = &tree->schema();
    return tornleaf::Verify(&pages, options);
  }

 private:
  TestEnvironment test_;
  TreePageGuard guard_;
  DeadRowsPageGuard dead_rows_guard_;

 public:
  RecordingLog log;

 private:
  BufferPool pool_;

 public:
  Transactions transactions;
  FreeSpaceMap free_pages;
  std::unique_ptr<DeadRows> dead_rows;
  std::unique_ptr<Tree> tree;

 private:
  std::unique_ptr<Relation> index_;
  std::unique_ptr<Relation> list_;
  PooledRelation* pooled_ = nullptr;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_REPLICA_TEST_UTIL_H_
