// What the tests of this layer share: an index on files in memory whose log is kept record by
// record, rows as the tests see them, and a model of what the index should hold.

#ifndef TORNLEAF_ENGINE_TREE_TREE_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_TREE_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/prng.h"
#include "engine/key/compare.h"
#include "engine/key/key_test_util.h"
#include "engine/tree/insert.h"
#include "engine/tree/redo.h"
#include "engine/tree/scan.h"
#include "engine/tree/tree.h"
#include "engine/verify/verifier.h"
#include "engine/wal/record/nbtree_records.h"
#include "tests/support/test_environment.h"

namespace tornleaf {

// A log that keeps its records in memory, each as its bytes.
class RecordingLog final : public wal::Log {
 public:
  struct Record {
    std::vector<std::uint8_t> bytes;
    Lsn end = 0;
  };

  using Log::Insert;
  Lsn Insert(const wal::RecordDraft& draft, Lsn* start) override {
    const std::lock_guard lock(mutex_);
    std::uint64_t images = 0;
    for (std::size_t index = 0; index < draft.blocks.size(); ++index) {
      const wal::BlockChange& block = draft.blocks[index];
      const bool due = full_page_images && PageView(block.page).lsn() <= redo_;
      const bool never = (block.flags & (wal::kWillInit | wal::kNoImage)) != 0;
      if ((block.flags & wal::kForceImage) != 0 || (due && !never)) {
        images |= std::uint64_t{1} << index;
      }
    }
    Record& record = records_.emplace_back();
    *start = inserted_;
    inserted_ += MaxAlign(wal::EncodeRecord(draft, last_, images, &record.bytes));
    record.end = inserted_;
    last_ = *start;
    ++counts_[{static_cast<std::uint8_t>(draft.manager), draft.info}];
    return inserted_;
  }
  absl::Status Flush(Lsn) override { return absl::OkStatus(); }
  absl::Status Sync() override { return absl::OkStatus(); }
  absl::Status status() const override { return absl::OkStatus(); }
  Lsn inserted() const override {
    const std::lock_guard lock(mutex_);
    return inserted_;
  }
  Lsn durable() const override { return inserted(); }
  Lsn redo() const override { return redo_; }
  Lsn BeginCheckpoint() override { return redo_ = inserted(); }
  Lsn last_record() const override { return last_; }
  absl::Status Recycle(Lsn) override { return absl::OkStatus(); }
  wal::RecordCounts counts() const override {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

  const std::vector<Record>& records() const { return records_; }
  std::uint64_t count(std::uint8_t btree_operation) const {
    const auto counts_now = counts();
    const auto found =
        counts_now.find({static_cast<std::uint8_t>(wal::ResourceManager::kBtree), btree_operation});
    return found == counts_now.end() ? 0 : found->second;
  }

  bool full_page_images = false;

 private:
  mutable std::mutex mutex_;
  std::vector<Record> records_;
  Lsn inserted_ = 0x1000028;
  Lsn last_ = 0;
  std::atomic<Lsn> redo_{0};
  wal::RecordCounts counts_;
};

// Rows that a test has declared dead.
class TestLiveness final : public Liveness {
 public:
  bool IsDead(ItemPointer tid) override {
    const std::lock_guard lock(mutex_);
    return dead_.contains(tid);
  }
  bool AnyDead() override {
    const std::lock_guard lock(mutex_);
    return !dead_.empty();
  }
  void Kill(ItemPointer tid) {
    const std::lock_guard lock(mutex_);
    dead_.insert(tid);
  }

 private:
  std::mutex mutex_;
  std::set<ItemPointer> dead_;
};

// A row with its own bytes: nullopt is null.
struct TestRow {
  std::vector<std::optional<std::vector<std::uint8_t>>> columns;
  ItemPointer tid;

  std::vector<Value> Values() const {
    std::vector<Value> values;
    for (const auto& column : columns) {
      values.push_back(column.has_value() ? Value::Of(*column) : Value());
    }
    return values;
  }
  friend bool operator==(const TestRow&, const TestRow&) = default;
};

// A row from the text forms of its columns; null pointers are nulls.
inline TestRow RowOf(const Schema& schema, const std::vector<const char*>& texts, ItemPointer tid) {
  TestRow row;
  row.tid = tid;
  for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
    if (texts[index] == nullptr) {
      row.columns.emplace_back();
    } else {
      row.columns.emplace_back(Stored(schema.attribute(index).type, texts[index]));
    }
  }
  return row;
}

// Rows in index order.
struct RowLess {
  const Schema* schema;
  bool operator()(const TestRow& a, const TestRow& b) const {
    const int order =
        CompareKeys(*schema, a.Values().data(), b.Values().data(), schema->key_count());
    return order != 0 ? order < 0 : a.tid < b.tid;
  }
};
using RowModel = std::set<TestRow, RowLess>;

struct TestIndexOptions {
  std::uint32_t page_size = 8192;
  std::uint32_t frames = 64;
  TreeOptions tree;
};

class TestIndex {
 public:
  static constexpr RelationId kId{1663, 5, 16384};

  explicit TestIndex(std::string_view schema_text, const TestIndexOptions& options = {})
      : schema(SchemaOf(schema_text)),
        pool(environment.environment(), options.frames, options.page_size, &log),
        transactions(&environment.executor, kFirstXid),
        free_pages(&environment.executor),
        guard(&schema) {
    RelationOptions relation_options;
    relation_options.id = kId;
    relation_options.path = "index";
    relation_options.page_size = options.page_size;
    absl::StatusOr<std::unique_ptr<Relation>> opened =
        Relation::Open(environment.environment(), relation_options, true);
    CHECK(opened.ok());
    relation = *std::move(opened);
    pooled = pool.Attach(relation.get(), &guard);
    Tree::Parts parts;
    parts.schema = &schema;
    parts.executor = &environment.executor;
    parts.pool = &pool;
    parts.relation = pooled;
    parts.relation_id = kId;
    parts.log = &log;
    parts.liveness = &liveness;
    parts.transactions = &transactions;
    parts.free_pages = &free_pages;
    tree = std::make_unique<Tree>(parts, options.tree);
    CHECK(tree->Create().ok());
  }

  absl::StatusOr<InsertResult> Insert(const TestRow& row, UniqueCheck unique = UniqueCheck::kNone,
                                      bool key_unchanged = false) {
    const std::vector<Value> values = row.Values();
    InsertRequest request;
    request.values = values.data();
    request.tid = row.tid;
    request.unique = unique;
    request.key_unchanged = key_unchanged;
    return tornleaf::Insert(tree.get(), request);
  }

  // Rows of a scan, copied.
  std::vector<TestRow> Rows(ScanRequest request = {}) {
    std::vector<TestRow> rows;
    const bool with_values = request.with_values;
    Scan scan(tree.get(), std::move(request));
    for (;;) {
      const absl::StatusOr<bool> more = scan.Next();
      EXPECT_TRUE(more.ok()) << more.status();
      if (!more.ok() || !*more) return rows;
      TestRow& row = rows.emplace_back();
      row.tid = scan.tid();
      if (!with_values) continue;
      const Value* values = scan.values();
      for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
        const Value& value = values[index];
        if (value.is_null) {
          row.columns.emplace_back();
        } else {
          row.columns.emplace_back(std::vector<std::uint8_t>(value.data, value.data + value.size));
        }
      }
    }
  }

  // All pages as they are in memory.
  std::vector<std::uint8_t> Image() {
    std::vector<std::uint8_t> image;
    for (BlockNumber block = 0; block < BufferPool::block_count(pooled); ++block) {
      absl::StatusOr<PageRef> page = pool.Pin(pooled, block, Hold::kShared);
      CHECK(page.ok());
      image.insert(image.end(), page->bytes().begin(), page->bytes().end());
    }
    return image;
  }

  VerifyReport Verify() {
    const std::vector<std::uint8_t> image = Image();
    MemoryPages pages(image, pool.page_size());
    VerifyOptions options;
    options.schema = &schema;
    return tornleaf::Verify(&pages, options);
  }

  TestEnvironment environment;
  Schema schema;
  RecordingLog log;
  BufferPool pool;
  Transactions transactions;
  FreeSpaceMap free_pages;
  TestLiveness liveness;
  TreePageGuard guard;
  std::unique_ptr<Relation> relation;
  PooledRelation* pooled = nullptr;
  std::unique_ptr<Tree> tree;
};

// The first findings as text, for messages.
inline std::string FindingsOf(const VerifyReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.findings.size() && index < 5; ++index) {
    const Finding& finding = report.findings[index];
    text += std::string(finding.invariant->id) + " block " + std::to_string(finding.block) +
            " slot " + std::to_string(finding.slot) + ": expected " + finding.expected.c_str() +
            ", actual " + finding.actual.c_str() + "\n";
  }
  return text;
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_TREE_TEST_UTIL_H_
