// What the tests of deletion and VACUUM share: an index of one int4 column, or another schema,
// whose rows are killed and vacuumed, and what must be true of it afterwards.

#ifndef TORNLEAF_ENGINE_TREE_REMOVAL_TEST_UTIL_H_
#define TORNLEAF_ENGINE_TREE_REMOVAL_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/base/mark.h"
#include "engine/tree/delete.h"
#include "engine/tree/page_delete.h"
#include "engine/tree/tree_test_util.h"
#include "engine/tree/vacuum.h"

namespace tornleaf {

inline TestRow NumberRow(const Schema& schema, std::int64_t number, ItemPointer tid) {
  const std::string text = std::to_string(number);
  return RowOf(schema, {text.c_str()}, tid);
}

// How often a mark has been passed in this program.
inline std::uint64_t MarkCount(const std::string& name) {
  for (const MarkCounter* mark = FirstMark(); mark != nullptr; mark = mark->next()) {
    if (name == mark->name()) return mark->count();
  }
  ADD_FAILURE() << "no mark " << name;
  return 0;
}

// Passed since it was made.
class MarkWatch {
 public:
  explicit MarkWatch(std::string name) : name_(std::move(name)), before_(MarkCount(name_)) {}
  std::uint64_t passed() const { return MarkCount(name_) - before_; }

 private:
  std::string name_;
  std::uint64_t before_;
};

// The fewest frames there may be.
inline TestIndexOptions FewFrames(std::uint32_t page_size) {
  return {page_size, kFramesMin, TreeOptions()};
}

class RemovalIndex : public TestIndex {
 public:
  explicit RemovalIndex(std::string_view schema_text = "int4",
                        const TestIndexOptions& options = FewFrames(512))
      : TestIndex(schema_text, options) {}

  // Rows number..number + count - 1, each at address {number, 1}.
  void Fill(std::int64_t first, std::int64_t count) {
    for (std::int64_t number = first; number < first + count; ++number) {
      const ItemPointer tid{static_cast<BlockNumber>(number), 1};
      const absl::StatusOr<InsertResult> inserted = Insert(NumberRow(schema, number, tid));
      ASSERT_TRUE(inserted.ok()) << inserted.status();
      ASSERT_EQ(inserted->outcome, InsertResult::kInserted);
      rows_.insert(number);
    }
  }
  void Kill(std::int64_t first, std::int64_t count) {
    for (std::int64_t number = first; number < first + count; ++number) {
      liveness.Kill({static_cast<BlockNumber>(number), 1});
      rows_.erase(number);
    }
  }
  const std::set<std::int64_t>& rows() const { return rows_; }

  absl::StatusOr<VacuumSummary> TryVacuum() {
    VacuumRequest request;
    request.is_dead = [this](ItemPointer tid) { return liveness.IsDead(tid); };
    return tornleaf::Vacuum(tree.get(), request);
  }
  VacuumSummary Vacuum() {
    const absl::StatusOr<VacuumSummary> summary = TryVacuum();
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? *summary : VacuumSummary();
  }

  std::vector<std::int64_t> Numbers(bool backward = false) {
    ScanRequest request;
    request.backward = backward;
    std::vector<std::int64_t> numbers;
    for (const TestRow& row : Rows(request)) numbers.push_back(NumberOf(row));
    return numbers;
  }
  static std::int64_t NumberOf(const TestRow& row) {
    return LoadLittleEndian<std::int32_t>(row.columns[0]->data());
  }

  // Scans give what the model holds, and no page breaks a rule.
  void ExpectSound() {
    const std::vector<std::int64_t> expected(rows_.begin(), rows_.end());
    EXPECT_EQ(Numbers(), expected);
    const std::vector<std::int64_t> reversed(rows_.rbegin(), rows_.rend());
    EXPECT_EQ(Numbers(true), reversed);
    ExpectClean();
  }
  void ExpectClean() {
    const VerifyReport report = Verify();
    EXPECT_TRUE(report.clean()) << FindingsOf(report);
    ExpectMapIsRight();
  }

  // Every page of the map is free, and no page of the tree leads to one.
  void ExpectMapIsRight() {
    std::set<BlockNumber> free;
    while (const std::optional<BlockNumber> block = free_pages.Take()) free.insert(*block);
    for (const BlockNumber block : free) {
      free_pages.Add(block);
      const PageRef page = PinPage(block);
      EXPECT_TRUE(tree->IsFree(page)) << "block " << block;
    }
    for (BlockNumber block = 1; block < BufferPool::block_count(pooled); ++block) {
      const PageRef page = PinPage(block);
      if (page.view().is_new()) continue;
      const nbtree::NbtreePage node(page.view());
      if (node.is_deleted()) continue;
      EXPECT_FALSE(free.contains(node.prev())) << "left link of block " << block;
      EXPECT_FALSE(free.contains(node.next())) << "right link of block " << block;
      if (node.is_leaf()) continue;
      for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
        EXPECT_FALSE(free.contains(nbtree::Downlink(node.tuple(slot)))) << "block " << block;
      }
    }
  }

  PageRef PinPage(BlockNumber block, Hold hold = Hold::kShared) {
    absl::StatusOr<PageRef> page = pool.Pin(pooled, block, hold);
    CHECK(page.ok());
    return *std::move(page);
  }
  nbtree::MetaPage Meta() {
    const absl::StatusOr<nbtree::MetaPage> meta = tree->ReadMeta();
    CHECK(meta.ok());
    return *meta;
  }
  // Blocks of a level from left to right, half-dead ones included.
  std::vector<BlockNumber> Level(std::uint32_t level) {
    std::vector<BlockNumber> blocks;
    absl::StatusOr<PageRef> page = FindEdge(tree.get(), false, level, Hold::kShared);
    CHECK(page.ok());
    if (!page->valid()) return blocks;
    BlockNumber block = page->block();
    // The edge skips dead pages.
    page->Drop();
    while (block != nbtree::kNoSibling) {
      blocks.push_back(block);
      const PageRef next = PinPage(block);
      block = nbtree::NbtreePage(next.view()).next();
    }
    return blocks;
  }
  // The leaf that `number` belongs to.
  BlockNumber LeafOf(std::int64_t number) {
    const TestRow row = NumberRow(schema, number, {static_cast<BlockNumber>(number), 1});
    const std::vector<Value> values = row.Values();
    SearchKey key;
    key.values = values.data();
    key.count = 1;
    absl::StatusOr<PageRef> leaf = FindLeaf(tree.get(), key, Access::kRead, nullptr);
    CHECK(leaf.ok());
    return leaf->block();
  }
  // The number of a leaf's first row, which is also the block of its address.
  std::int64_t FirstNumberOn(BlockNumber leaf) {
    const PageRef page = PinPage(leaf);
    const nbtree::NbtreePage node(page.view());
    return node.tuple(node.first_data_slot()).tid().block;
  }
  // Removes every entry of a leaf, and leaves the page where it is.
  void EmptyLeaf(BlockNumber block) {
    PageRef page = PinPage(block, Hold::kExclusive);
    const nbtree::NbtreePage node(page.view());
    std::vector<OffsetNumber> slots;
    for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
      slots.push_back(slot);
      Kill(node.tuple(slot).tid().block, 1);
    }
    ASSERT_TRUE(RemoveFromLeaf(tree.get(), &page, Remover::kVacuum, slots, {}).ok());
  }

 private:
  std::set<std::int64_t> rows_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_REMOVAL_TEST_UTIL_H_
