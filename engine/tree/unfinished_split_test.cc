// Every split that a crash can leave unfinished: the index is sound and whole without the missing
// downlink, and whoever writes there next adds it.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/tree/removal_test_util.h"
#include "engine/tree/replica_test_util.h"

namespace tornleaf {
namespace {

struct Growth {
  const char* name;
  const char* schema;
  std::uint32_t rows;
  // Text form of the key of row `number`.
  std::string (*key)(std::uint32_t number);
};

std::string Ascending(std::uint32_t number) { return std::to_string(number); }
std::string Descending(std::uint32_t number) { return std::to_string(100000 - number); }
std::string Scattered(std::uint32_t number) { return std::to_string(number * 7919 % 10007); }
std::string Wide(std::uint32_t number) {
  return std::string(90, 'w') + std::to_string(number * 7919 % 10007);
}

class UnfinishedSplit : public testing::TestWithParam<Growth> {
 protected:
  UnfinishedSplit() : index_(GetParam().schema, FewFrames(512)), model_(RowLess{&index_.schema}) {}

  TestRow Row(std::uint32_t number) const {
    const std::string key = GetParam().key(number);
    return RowOf(index_.schema, {key.c_str()}, {number, 1});
  }
  static std::vector<ItemPointer> AddressesOf(const RowModel& model) {
    std::vector<ItemPointer> tids;
    for (const TestRow& row : model) tids.push_back(row.tid);
    return tids;
  }

  // Opens what the log so far gives, and goes on with it.
  void GoOnFrom(Replica* replica) {
    AllLive liveness;
    ReopenedIndex reopened(replica, &index_.schema, &liveness);
    ASSERT_TRUE(reopened.Open().ok());
    const VerifyReport before = reopened.Verify();
    ASSERT_TRUE(before.clean()) << FindingsOf(before);
    ASSERT_EQ(before.counts.incomplete_splits, 1U);
    ASSERT_EQ(reopened.Rows(), AddressesOf(model_));

    MarkWatch finished("split.finish");
    RowModel grown = model_;
    // Everywhere in the key space, so that each page of each level is met.
    for (std::uint32_t number = 0; number < GetParam().rows; ++number) {
      TestRow row = Row(number);
      row.tid.offset = 2;
      const std::vector<Value> values = row.Values();
      InsertRequest request;
      request.values = values.data();
      request.tid = row.tid;
      const absl::StatusOr<InsertResult> inserted = Insert(reopened.tree.get(), request);
      ASSERT_TRUE(inserted.ok()) << inserted.status();
      grown.insert(row);
    }
    ASSERT_GT(finished.passed(), 0U);
    const VerifyReport after = reopened.Verify();
    ASSERT_TRUE(after.clean()) << FindingsOf(after);
    ASSERT_EQ(after.counts.incomplete_splits, 0U);
    ASSERT_EQ(reopened.Rows(), AddressesOf(grown));
  }

  TestIndex index_;
  RowModel model_;
};

bool IsSplit(const RecordingLog::Record& record) {
  wal::DecodedRecord decoded;
  CHECK(wal::DecodeRecord(record.bytes, &decoded) == wal::RecordError::kNone);
  return decoded.manager == static_cast<std::uint8_t>(wal::ResourceManager::kBtree) &&
         (decoded.info == wal::kSplitLeft || decoded.info == wal::kSplitRight);
}

TEST_P(UnfinishedSplit, IsFinishedByTheNextInsertion) {
  Replica replica(512);
  std::size_t applied = 0;
  std::uint32_t splits = 0;
  for (std::uint32_t number = 0; number < GetParam().rows; ++number) {
    const TestRow row = Row(number);
    ASSERT_TRUE(index_.Insert(row).ok());
    model_.insert(row);
    const std::vector<RecordingLog::Record>& records = index_.log.records();
    for (; applied < records.size(); ++applied) {
      ASSERT_TRUE(replica.Apply(records[applied]).ok());
      if (!IsSplit(records[applied])) continue;
      ++splits;
      ASSERT_NO_FATAL_FAILURE(GoOnFrom(&replica)) << "after row " << number;
    }
  }
  EXPECT_GT(splits, 10U);
}

INSTANTIATE_TEST_SUITE_P(Growths, UnfinishedSplit,
                         testing::Values(Growth{"ascending", "int4", 500, Ascending},
                                         Growth{"descending", "int4", 500, Descending},
                                         Growth{"scattered", "int8", 500, Scattered},
                                         Growth{"wide", "text", 120, Wide}),
                         [](const testing::TestParamInfo<Growth>& growth) {
                           return std::string(growth.param.name);
                         });

// The parent is split and unfinished itself when its child's split comes to be finished.
TEST(UnfinishedSplits, OfAParentAreFinishedBeforeAChilds) {
  TestIndex index("text", FewFrames(512));
  Replica replica(512);
  std::size_t applied = 0;
  std::uint32_t met = 0;
  for (std::uint32_t number = 0; number < 120; ++number) {
    const std::string key = Wide(number);
    ASSERT_TRUE(index.Insert(RowOf(index.schema, {key.c_str()}, {number, 1})).ok());
    const std::vector<RecordingLog::Record>& records = index.log.records();
    for (; applied < records.size(); ++applied) {
      ASSERT_TRUE(replica.Apply(records[applied]).ok());
      if (!IsSplit(records[applied])) continue;
      AllLive liveness;
      ReopenedIndex reopened(&replica, &index.schema, &liveness);
      ASSERT_TRUE(reopened.Open().ok());
      Tree* tree = reopened.tree.get();
      const absl::StatusOr<nbtree::MetaPage> meta = tree->ReadMeta();
      ASSERT_TRUE(meta.ok());
      if (meta->level == 0) continue;
      absl::StatusOr<PageRef> page = FindEdge(tree, false, 1, Hold::kShared);
      ASSERT_TRUE(page.ok()) << page.status();
      while (!nbtree::NbtreePage(page->view()).is_incomplete_split() &&
             !nbtree::NbtreePage(page->view()).is_rightmost()) {
        const BlockNumber next = nbtree::NbtreePage(page->view()).next();
        page->Drop();
        page = tree->Pin(next, Hold::kShared);
        ASSERT_TRUE(page.ok());
      }
      const nbtree::NbtreePage node(page->view());
      if (!node.is_incomplete_split()) continue;
      ++met;
      const OffsetNumber slot = node.first_data_slot();
      const BlockNumber child = nbtree::Downlink(node.tuple(slot));
      Descent descent = {{page->block(), 1, 0}};
      page->Drop();
      MarkWatch finished("search.finish_split_of_parent");
      absl::StatusOr<ParentPlace> parent = FindParent(tree, &descent, child, 0);
      ASSERT_TRUE(parent.ok()) << parent.status();
      EXPECT_EQ(finished.passed(), 1U);
      EXPECT_EQ(nbtree::Downlink(nbtree::NbtreePage(parent->page.view()).tuple(parent->slot)),
                child);
      parent->page.Drop();
      const VerifyReport report = reopened.Verify();
      EXPECT_TRUE(report.clean()) << FindingsOf(report);
    }
  }
  EXPECT_GT(met, 0U);
}

}  // namespace
}  // namespace tornleaf
