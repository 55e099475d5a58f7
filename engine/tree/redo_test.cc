#include "engine/tree/redo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "engine/base/prng.h"
#include "engine/format/dead_rows_v1.h"
#include "engine/tree/dead_rows.h"
#include "engine/tree/leaf_test_util.h"
#include "engine/tree/record_test_util.h"
#include "engine/tree/tree.h"
#include "engine/wal/record/dead_rows_records.h"
#include "engine/wal/record/nbtree_records.h"
#include "engine/wal/record/xlog_records.h"
#include "tests/support/test_environment.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr RelationId kIndex = kTestIndex;
constexpr RelationId kRows{1663, 5, 16385};
constexpr RelationId kOther{1663, 5, 16386};
constexpr BlockNumber kBlocks = 12;

class RedoTest : public testing::Test {
 protected:
  RedoTest() : pool_(test_.environment(), 16, 8192, nullptr), redo_(&pool_) {
    index_relation_ = OpenRelation(kIndex, "index");
    rows_relation_ = OpenRelation(kRows, "rows");
    index_ = pool_.Attach(index_relation_.get(), &guard_);
    rows_ = pool_.Attach(rows_relation_.get(), &rows_guard_);
    redo_.AddRelation(kIndex, index_);
    redo_.AddRelation(kRows, rows_);
    for (BlockNumber block = 0; block < kBlocks; ++block) CHECK(pool_.Extend(index_).ok());
  }
  std::unique_ptr<Relation> OpenRelation(RelationId id, const std::string& path) {
    RelationOptions options;
    options.id = id;
    options.path = path;
    absl::StatusOr<std::unique_ptr<Relation>> relation =
        Relation::Open(test_.environment(), options, true);
    CHECK(relation.ok());
    return *std::move(relation);
  }

  // Puts a page into the pool as if the log so far had made it.
  void Put(BlockNumber block, const PageUnderTest& page) {
    absl::StatusOr<PageRef> ref = pool_.PinForRestore(index_, block);
    CHECK(ref.ok());
    std::copy(page.bytes().begin(), page.bytes().end(), ref->writer().data());
    ref->set_lsn(100);
  }
  PageUnderTest Get(BlockNumber block) {
    absl::StatusOr<PageRef> ref = pool_.Pin(index_, block, Hold::kShared);
    CHECK(ref.ok());
    PageUnderTest page;
    std::copy(ref->bytes().begin(), ref->bytes().end(), page.writer().data());
    return page;
  }
  std::vector<TupleBytes> Items(BlockNumber block) {
    const PageUnderTest page = Get(block);
    std::vector<TupleBytes> items;
    for (OffsetNumber slot = 1; slot <= page.page().item_count(); ++slot) {
      const ByteView bytes = page.page().tuple(slot).bytes();
      items.emplace_back(bytes.begin(), bytes.end());
    }
    return items;
  }
  TupleBytes Key(std::int32_t key, BlockNumber row = 1) const {
    return Int4Tuple(schema_, {key}, {row, 1});
  }
  TupleBytes Pivot(std::int32_t key, BlockNumber child) const {
    return AsPivot(Key(key), 1, child);
  }
  PageUnderTest Leaf(const std::vector<std::int32_t>& keys, BlockNumber next = 0) const {
    PageUnderTest page;
    if (next != 0) page.AddHighKey(Pivot(1000, 0));
    nbtree::SetNext(page.writer(), next);
    for (const std::int32_t key : keys) page.Add(Key(key));
    return page;
  }
  // A rightmost parent: minus infinity, and a downlink for each child after the first.
  PageUnderTest Parent(const std::vector<BlockNumber>& children) const {
    PageUnderTest page(1);
    TupleBytes first;
    nbtree::FormMinusInfinity(children[0], &first);
    page.Add(first);
    for (std::size_t at = 1; at < children.size(); ++at) {
      page.Add(Pivot(static_cast<std::int32_t>(at) * 10, children[at]));
    }
    return page;
  }
  std::vector<BlockNumber> Children(BlockNumber block) {
    const PageUnderTest page = Get(block);
    std::vector<BlockNumber> children;
    for (OffsetNumber slot = page.page().first_data_slot(); slot < page.end(); ++slot) {
      children.push_back(nbtree::Downlink(page.page().tuple(slot)));
    }
    return children;
  }
  void Flag(PageUnderTest* page, std::uint16_t flag) const {
    nbtree::SetFlags(page->writer(), page->page().flags() | flag);
  }

  absl::Status Apply(RecordMaker& record, Lsn end = 200) { return redo_.Apply(record.Make(), end); }
  void ExpectApplied(RecordMaker& record, Lsn end = 200) {
    const absl::Status status = Apply(record, end);
    EXPECT_TRUE(status.ok()) << status;
  }
  // The record is rejected, for the reason given, and leaves block 1 as it was.
  void ExpectRejected(RecordMaker& record, const std::string& reason) {
    const TupleBytes before = Get(1).bytes();
    const absl::Status status = Apply(record);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(reason));
    EXPECT_EQ(Get(1).bytes(), before) << reason;
  }

  const Schema schema_ = SchemaFor("int4");
  TestEnvironment test_;
  TreePageGuard guard_{nullptr};
  DeadRowsPageGuard rows_guard_;
  std::unique_ptr<Relation> index_relation_;
  std::unique_ptr<Relation> rows_relation_;
  BufferPool pool_;
  PooledRelation* index_ = nullptr;
  PooledRelation* rows_ = nullptr;
  Redo redo_;
};

RecordMaker InsertOf(wal::BtreeOperation operation, OffsetNumber slot, const TupleBytes& data) {
  RecordMaker record(operation);
  wal::InsertRecord{slot}.Encode(record.Main());
  record.Block(0, 1).Data(data);
  return record;
}

TEST_F(RedoTest, AnInsertionOnALeaf) {
  Put(1, Leaf({1, 3}));
  RecordMaker record = InsertOf(wal::kInsertLeaf, 2, Key(2));
  ExpectApplied(record);
  EXPECT_THAT(Items(1), ElementsAre(Key(1), Key(2), Key(3)));
  EXPECT_EQ(Get(1).page().page().lsn(), 200U);
  ExpectApplied(record);
  EXPECT_EQ(Items(1).size(), 3U) << "the page already has it";
  EXPECT_EQ(redo_.summary().pages_skipped, 1U);
  EXPECT_EQ(redo_.summary().pages_changed, 1U);
  EXPECT_EQ((redo_.summary().applied.at({11, wal::kInsertLeaf})), 2U);
}

TEST_F(RedoTest, InsertionsThatCannotBe) {
  Put(1, Leaf({1, 3}, 2));
  RecordMaker records[] = {InsertOf(wal::kInsertLeaf, 1, Key(2)),
                           InsertOf(wal::kInsertLeaf, 9, Key(2)),
                           InsertOf(wal::kInsertLeaf, 2, Pivot(2, 1)),
                           InsertOf(wal::kInsertLeaf, 2, TupleBytes(4)),
                           InsertOf(wal::kInsertPosting, 3, {1, 0, 0}),
                           InsertOf(wal::kInsertPosting, 3, TupleBytes(18))};
  const char* reasons[] = {"no item can stand there", "no such item",      "pivot tuple among",
                           "without its tuple",       "without its tuple", "no posting list"};
  for (std::size_t at = 0; at < std::size(records); ++at) ExpectRejected(records[at], reasons[at]);
  RecordMaker cut(wal::kInsertLeaf);
  cut.Block(0, 1).Data(Key(2));
  ExpectRejected(cut, "main data");
  RecordMaker elsewhere(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(elsewhere.Main());
  elsewhere.Block(0, 1, wal::kStandardPage, kOther).Data(Key(2)).Block(1, 1);
  ExpectRejected(elsewhere, "of another relation");
  RecordMaker nowhere(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(nowhere.Main());
  nowhere.Block(1, 1);
  ExpectRejected(nowhere, "no reference to its block 0");

  Put(1, Parent({2, 3}));
  RecordMaker on_parent = InsertOf(wal::kInsertLeaf, 2, Key(2));
  ExpectRejected(on_parent, "another level");
  PageUnderTest half_dead = Leaf({}, 2);
  Flag(&half_dead, nbtree::kHalfDead);
  Put(1, half_dead);
  ExpectRejected(on_parent, "without items");
  RecordMaker unused(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(unused.Main());
  unused.Block(0, 7).Data(Key(2));
  ExpectRejected(unused, "never been used");
  RecordMaker beyond(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(beyond.Main());
  beyond.Block(0, 70000).Data(Key(2));
  EXPECT_EQ(Apply(beyond).code(), absl::StatusCode::kDataLoss);
}

TEST_F(RedoTest, AnInsertionIntoAPostingList) {
  PageUnderTest leaf;
  leaf.Add(WithPostings(Key(1), {5, 1}, 4));
  Put(1, leaf);
  TupleBytes data = {2, 0};
  TupleBytes incoming = Key(1, 6);
  StoreTid(incoming.data(), {6, 9});
  data.insert(data.end(), incoming.begin(), incoming.end());
  RecordMaker record = InsertOf(wal::kInsertPosting, 2, data);
  ExpectApplied(record);
  const std::vector<TupleBytes> items = Items(1);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(nbtree::PostingTid(TupleView(items[0]), 2), (ItemPointer{6, 9}));
  EXPECT_EQ(TupleView(items[1]).tid(), (ItemPointer{8, 1}));
}

TupleBytes MetaOf(BlockNumber root, std::uint32_t level) {
  nbtree::MetaPage meta;
  meta.magic = nbtree::kMagicNumber;
  meta.version = 4;
  meta.root = root;
  meta.level = level;
  meta.fast_root = root;
  meta.fast_level = level;
  TupleBytes bytes;
  wal::EncodeMeta(meta, &bytes);
  return bytes;
}

TEST_F(RedoTest, ADownlinkFinishesTheSplitBelow) {
  PageUnderTest child = Leaf({1}, 3);
  Flag(&child, nbtree::kIncompleteSplit);
  Put(2, child);
  Put(1, Parent({2}));
  RecordMaker record = InsertOf(wal::kInsertMeta, 2, Pivot(5, 3));
  record.Block(1, 2).Block(2, 0, wal::kWillInit).Data(MetaOf(4, 2));
  ExpectApplied(record);
  EXPECT_THAT(Children(1), ElementsAre(2, 3));
  EXPECT_FALSE(Get(2).page().is_incomplete_split());
  EXPECT_EQ(nbtree::MetaPage::Load(Get(0).page().page()).root, 4U);
  EXPECT_EQ(Get(0).page().page().lsn(), 200U);
}

TEST_F(RedoTest, DownlinksThatCannotBe) {
  Put(2, Leaf({1}, 3));
  Put(1, Parent({2}));
  RecordMaker complete = InsertOf(wal::kInsertUpper, 2, Pivot(5, 3));
  complete.Block(1, 2);
  ExpectRejected(complete, "no split of it is incomplete");
  RecordMaker childless = InsertOf(wal::kInsertUpper, 2, Pivot(5, 3));
  ExpectRejected(childless, "no reference to its block 1");
  PageUnderTest child = Leaf({1}, 3);
  Flag(&child, nbtree::kIncompleteSplit);
  Put(2, child);
  RecordMaker first = InsertOf(wal::kInsertUpper, 1, Pivot(5, 3));
  first.Block(1, 2);
  ExpectRejected(first, "no item can stand there");
  Put(2, child);
  Put(1, Leaf({1, 2}));
  RecordMaker on_leaf = InsertOf(wal::kInsertUpper, 2, Pivot(5, 3));
  on_leaf.Block(1, 2);
  ExpectRejected(on_leaf, "a leaf instead of a parent");
  Put(2, child);
  Put(1, Parent({2}));
  RecordMaker meta = InsertOf(wal::kInsertMeta, 2, Pivot(5, 3));
  meta.Block(1, 2);
  EXPECT_THAT(std::string(Apply(meta).message()), HasSubstr("no metapage"));
  RecordMaker cleanup(wal::kMetaCleanup);
  cleanup.Block(0, 0, wal::kWillInit).Data({1, 2, 3});
  EXPECT_THAT(std::string(Apply(cleanup).message()), HasSubstr("contents of the metapage"));
}

struct SplitCase {
  bool leaf = true;
  wal::BtreeOperation operation = wal::kSplitRight;
  wal::SplitRecord main;
  std::vector<TupleBytes> left_data;
  TupleBytes right_data;
};

RecordMaker SplitOf(const SplitCase& split) {
  RecordMaker record(split.operation);
  split.main.Encode(record.Main());
  record.Block(0, 1);
  for (const TupleBytes& tuple : split.left_data) record.Data(tuple);
  record.Block(1, 5, wal::kWillInit).Data(split.right_data).Block(2, 2);
  return record;
}

TupleBytes Joined(const std::vector<TupleBytes>& last_first) {
  TupleBytes all;
  for (const TupleBytes& tuple : last_first) all.insert(all.end(), tuple.begin(), tuple.end());
  return all;
}

TEST_F(RedoTest, ASplitOfALeaf) {
  Put(1, Leaf({1, 2, 3, 4}, 2));
  PageUnderTest old_right = Leaf({1001});
  nbtree::SetPrev(old_right.writer(), 1);
  Put(2, old_right);
  SplitCase split;
  split.main = {0, 4, 5, 0};
  split.left_data = {Pivot(3, 0)};
  split.right_data = Joined({Key(4), Key(9), Key(3), Pivot(1000, 0)});
  RecordMaker record = SplitOf(split);
  ExpectApplied(record);
  EXPECT_THAT(Items(1), ElementsAre(Pivot(3, 0), Key(1), Key(2)));
  EXPECT_THAT(Items(5), ElementsAre(Pivot(1000, 0), Key(3), Key(9), Key(4)));
  const PageUnderTest left = Get(1);
  const PageUnderTest right = Get(5);
  EXPECT_EQ(left.page().flags(), nbtree::kLeaf | nbtree::kIncompleteSplit);
  EXPECT_EQ(left.page().next(), 5U);
  EXPECT_EQ(right.page().flags(), nbtree::kLeaf);
  EXPECT_EQ(right.page().prev(), 1U);
  EXPECT_EQ(right.page().next(), 2U);
  EXPECT_EQ(Get(2).page().prev(), 5U);
  for (const BlockNumber block : {1, 2, 5}) EXPECT_EQ(Get(block).page().page().lsn(), 200U);

  split.operation = wal::kSplitLeft;
  split.main = {0, 3, 3, 0};
  split.left_data = {Key(2, 7), Pivot(2, 0)};
  Put(1, Leaf({1, 2}, 2));
  RecordMaker left_split = SplitOf(split);
  ExpectApplied(left_split, 300);
  EXPECT_THAT(Items(1), ElementsAre(Pivot(2, 0), Key(1), Key(2, 7)));
}

TEST_F(RedoTest, SplitsThatCannotBe) {
  Put(1, Leaf({1, 2, 3, 4}, 2));
  Put(2, Leaf({1001}));
  SplitCase split;
  split.main = {0, 4, 5, 0};
  split.right_data = Joined({Key(4), Key(3), Pivot(1000, 0)});
  RecordMaker no_high_key = SplitOf(split);
  ExpectRejected(no_high_key, "no new high key");
  split.left_data = {Pivot(3, 0), Key(1)};
  RecordMaker too_much = SplitOf(split);
  ExpectRejected(too_much, "no new high key");
  split.left_data = {Key(3)};
  RecordMaker no_pivot = SplitOf(split);
  ExpectRejected(no_pivot, "no pivot tuple");
  split.left_data = {Pivot(3, 0)};
  split.right_data = {1, 2, 3};
  RecordMaker torn_right = SplitOf(split);
  ExpectRejected(torn_right, "size or kind");
  split.right_data = Joined({Key(4), Key(3)});
  RecordMaker no_right_high_key = SplitOf(split);
  ExpectRejected(no_right_high_key, "no pivot tuple");
  split.right_data = Joined({Key(4), Pivot(1000, 0)});
  split.main.first_right = 9;
  RecordMaker no_slot = SplitOf(split);
  ExpectRejected(no_slot, "no such item");
  split.main = {0, 4, 5, 1};
  RecordMaker no_posting = SplitOf(split);
  ExpectRejected(no_posting, "no new high key");
  split.operation = wal::kSplitLeft;
  split.left_data = {};
  RecordMaker no_item = SplitOf(split);
  ExpectRejected(no_item, "no new item");
  RecordMaker no_halves(wal::kSplitLeft);
  wal::SplitRecord{}.Encode(no_halves.Main());
  no_halves.Block(0, 1);
  ExpectRejected(no_halves, "no two halves");
  RecordMaker no_main(wal::kSplitLeft);
  no_main.Block(0, 1);
  ExpectRejected(no_main, "main data");
  EXPECT_TRUE(PageView(Get(5).bytes()).is_new()) << "no right half was made for nothing";
}

TEST_F(RedoTest, ARecordNamesAPageOnce) {
  Put(1, Leaf({1, 2, 3, 4}, 2));
  RecordMaker record(wal::kSplitRight);
  wal::SplitRecord{0, 4, 5, 0}.Encode(record.Main());
  record.Block(0, 1).Data(Pivot(3, 0)).Block(1, 1, wal::kWillInit).Data(Key(4));
  ExpectRejected(record, "names a page twice");
}

TEST_F(RedoTest, ASplitOfAParent) {
  PageUnderTest child = Leaf({1}, 9);
  Flag(&child, nbtree::kIncompleteSplit);
  Put(8, child);
  Put(1, Parent({6, 7, 8}));
  TupleBytes first;
  nbtree::FormMinusInfinity(8, &first);
  RecordMaker record(wal::kSplitRight);
  wal::SplitRecord{1, 3, 4, 0}.Encode(record.Main());
  record.Block(0, 1).Data(Pivot(20, 8)).Block(1, 5, wal::kWillInit);
  record.Data(Joined({Pivot(30, 9), first})).Block(3, 8);
  ExpectApplied(record);
  EXPECT_THAT(Children(1), ElementsAre(6, 7));
  EXPECT_THAT(Children(5), ElementsAre(8, 9));
  EXPECT_EQ(Get(5).page().level(), 1U);
  EXPECT_EQ(Get(1).page().flags(), nbtree::kIncompleteSplit);
  EXPECT_FALSE(Get(8).page().is_incomplete_split());
}

TEST_F(RedoTest, RootsOfBothKinds) {
  RecordMaker first(wal::kNewRoot);
  wal::NewRootRecord{1, 0}.Encode(first.Main());
  first.Block(0, 1, wal::kWillInit).Block(2, 0, wal::kWillInit).Data(MetaOf(1, 0));
  ExpectApplied(first);
  EXPECT_EQ(Get(1).page().flags(), nbtree::kLeaf | nbtree::kRoot);
  EXPECT_EQ(nbtree::MetaPage::Load(Get(0).page().page()).root, 1U);

  PageUnderTest left = Leaf({1}, 2);
  Flag(&left, nbtree::kIncompleteSplit);
  Put(1, left);
  TupleBytes minus_infinity;
  nbtree::FormMinusInfinity(1, &minus_infinity);
  RecordMaker second(wal::kNewRoot);
  wal::NewRootRecord{3, 1}.Encode(second.Main());
  second.Block(0, 3, wal::kWillInit).Data(Joined({Pivot(5, 2), minus_infinity}));
  second.Block(1, 1).Block(2, 0, wal::kWillInit).Data(MetaOf(3, 1));
  ExpectApplied(second);
  EXPECT_THAT(Children(3), ElementsAre(1, 2));
  EXPECT_EQ(Get(3).page().flags(), nbtree::kRoot);
  EXPECT_EQ(Get(3).page().level(), 1U);
  EXPECT_FALSE(Get(1).page().is_incomplete_split());
  EXPECT_EQ(nbtree::MetaPage::Load(Get(0).page().page()).level, 1U);

  RecordMaker empty(wal::kNewRoot);
  wal::NewRootRecord{1, 1}.Encode(empty.Main());
  empty.Block(0, 1, wal::kWillInit).Block(2, 0, wal::kWillInit).Data(MetaOf(1, 0));
  ExpectRejected(empty, "no downlink");
  RecordMaker rootless(wal::kNewRoot);
  wal::NewRootRecord{1, 1}.Encode(rootless.Main());
  rootless.Block(1, 1);
  ExpectRejected(rootless, "no root");
  RecordMaker no_main(wal::kNewRoot);
  no_main.Block(0, 1, wal::kWillInit);
  ExpectRejected(no_main, "main data");
}

TEST_F(RedoTest, ADeduplicationPass) {
  PageUnderTest leaf;
  for (BlockNumber row = 1; row <= 3; ++row) leaf.Add(Key(1, row));
  Put(1, leaf);
  RecordMaker record(wal::kDedup);
  wal::DedupRecord{1}.Encode(record.Main());
  TupleBytes intervals;
  const nbtree::DedupInterval interval[] = {{1, 3}};
  wal::EncodeIntervals(interval, &intervals);
  record.Block(0, 1).Data(intervals);
  ExpectApplied(record);
  EXPECT_THAT(Items(1), ElementsAre(WithPostings(Key(1), {1, 1}, 3)));

  Put(1, leaf);
  RecordMaker miscounted(wal::kDedup);
  wal::DedupRecord{2}.Encode(miscounted.Main());
  miscounted.Block(0, 1).Data(intervals);
  ExpectRejected(miscounted, "intervals");
  RecordMaker misfit(wal::kDedup);
  wal::DedupRecord{1}.Encode(misfit.Main());
  TupleBytes too_many;
  const nbtree::DedupInterval nine[] = {{1, 9}};
  wal::EncodeIntervals(nine, &too_many);
  misfit.Block(0, 1).Data(too_many);
  ExpectRejected(misfit, "no such item");
  RecordMaker no_main(wal::kDedup);
  no_main.Block(0, 1).Data(intervals);
  ExpectRejected(no_main, "main data");
}

RecordMaker DeletionOf(wal::BtreeOperation operation, const wal::DeletePayload& payload) {
  RecordMaker record(operation);
  wal::DeleteRecord main;
  main.deleted_count = static_cast<std::uint16_t>(payload.deleted.size());
  main.updated_count = static_cast<std::uint16_t>(payload.updates.size());
  main.Encode(operation == wal::kDelete, record.Main());
  TupleBytes bytes;
  payload.Encode(&bytes);
  record.Block(0, 1).Data(bytes);
  return record;
}

TEST_F(RedoTest, DeletionsOfBothKinds) {
  PageUnderTest leaf = Leaf({1, 2}, 2);
  leaf.Add(WithPostings(Key(3), {1, 1}, 3));
  Flag(&leaf, nbtree::kHasGarbage);
  nbtree::SetCycleId(leaf.writer(), 7);
  const wal::DeletePayload payload{{2}, {{4, {0, 2}}}};
  for (const wal::BtreeOperation operation : {wal::kDelete, wal::kVacuum}) {
    Put(1, leaf);
    RecordMaker record = DeletionOf(operation, payload);
    ExpectApplied(record);
    EXPECT_THAT(Items(1), ElementsAre(Pivot(1000, 0), Key(2), Key(3, 2)));
    EXPECT_EQ(Get(1).page().flags(), nbtree::kLeaf);
    EXPECT_EQ(Get(1).page().cycle_id(), operation == wal::kVacuum ? 0 : 7);
  }
  Put(1, leaf);
  RecordMaker high_key = DeletionOf(wal::kVacuum, {{1}, {}});
  ExpectRejected(high_key, "would delete a high key");
  RecordMaker updated = DeletionOf(wal::kDelete, {{}, {{1, {0}}}});
  ExpectRejected(updated, "would delete a high key");
  RecordMaker plain = DeletionOf(wal::kDelete, {{}, {{2, {0}}}});
  ExpectRejected(plain, "no posting list");
  RecordMaker cut(wal::kVacuum);
  wal::DeleteRecord{0, 3, 0}.Encode(false, cut.Main());
  cut.Block(0, 1).Data({2, 0});
  ExpectRejected(cut, "lists of items");
  RecordMaker no_main(wal::kVacuum);
  no_main.Block(0, 1);
  ExpectRejected(no_main, "main data");
}

RecordMaker HalfDeadOf(OffsetNumber slot) {
  RecordMaker record(wal::kMarkPageHalfDead);
  wal::MarkHalfDeadRecord{slot, 3, 2, 4, kInvalidBlock}.Encode(record.Main());
  record.Block(0, 3, wal::kWillInit).Block(1, 1);
  return record;
}

TEST_F(RedoTest, ALeafLosesItsDownlink) {
  Put(1, Parent({2, 3, 4}));
  Put(3, Leaf({}, 4));
  RecordMaker record = HalfDeadOf(2);
  ExpectApplied(record);
  EXPECT_THAT(Children(1), ElementsAre(2, 4));
  EXPECT_EQ(Items(1)[1], Pivot(10, 4)) << "the key of the page that goes, the block of its sibling";
  const PageUnderTest leaf = Get(3);
  EXPECT_EQ(leaf.page().flags(), nbtree::kLeaf | nbtree::kHalfDead);
  EXPECT_EQ(leaf.page().prev(), 2U);
  EXPECT_EQ(leaf.page().next(), 4U);
  ASSERT_EQ(leaf.page().item_count(), 1);
  EXPECT_EQ(nbtree::Downlink(leaf.page().tuple(1)), kInvalidBlock);
  EXPECT_EQ(nbtree::PivotAttributeCount(leaf.page().tuple(1)), 0U);

  Put(1, Parent({2, 3, 4}));
  RecordMaker last = HalfDeadOf(3);
  ExpectRejected(last, "no such downlink");
  RecordMaker none = HalfDeadOf(0);
  ExpectRejected(none, "no such downlink");
  Put(1, Leaf({1, 2, 3}));
  ExpectRejected(record, "a leaf instead of a parent");
  RecordMaker no_main(wal::kMarkPageHalfDead);
  no_main.Block(1, 1);
  ExpectRejected(no_main, "main data");
}

RecordMaker UnlinkOf(wal::BtreeOperation operation, const wal::UnlinkRecord& main) {
  RecordMaker record(operation);
  main.Encode(record.Main());
  record.Block(0, 3, wal::kWillInit);
  if (main.left != 0) record.Block(1, main.left);
  record.Block(2, main.right);
  return record;
}

TEST_F(RedoTest, APageIsUnlinkedFromItsSiblings) {
  Put(2, Leaf({1}, 3));
  Put(4, Leaf({9}));
  wal::UnlinkRecord main;
  main.left = 2;
  main.right = 4;
  main.safe_xid = 700;
  main.leaf_top_parent = kInvalidBlock;
  RecordMaker record = UnlinkOf(wal::kUnlinkPage, main);
  ExpectApplied(record);
  EXPECT_EQ(Get(2).page().next(), 4U);
  EXPECT_EQ(Get(4).page().prev(), 2U);
  const PageUnderTest target = Get(3);
  EXPECT_EQ(target.page().flags(), nbtree::kLeaf | nbtree::kDeleted | nbtree::kHasFullXid);
  EXPECT_EQ(target.page().safe_xid(), 700U);
  EXPECT_EQ(target.page().page().lower(), 32U);
  EXPECT_EQ(target.page().prev(), 2U);
  EXPECT_EQ(target.page().next(), 4U);
  EXPECT_EQ(redo_.summary().next_xid, 701U);

  main.safe_xid = ~0ULL;
  RecordMaker impossible_xid = UnlinkOf(wal::kUnlinkPage, main);
  ExpectApplied(impossible_xid, 300);
  EXPECT_EQ(redo_.summary().next_xid, 701U) << "no transaction can have that id";
}

TEST_F(RedoTest, ABranchLosesItsTop) {
  Put(4, Parent({7, 8}));
  Put(6, Leaf({}, 9));
  wal::UnlinkRecord main;
  main.right = 4;
  main.level = 1;
  main.safe_xid = 700;
  main.leaf_left = 5;
  main.leaf_right = 9;
  main.leaf_top_parent = 11;
  RecordMaker record = UnlinkOf(wal::kUnlinkPageMeta, main);
  record.Block(3, 6, wal::kWillInit).Block(4, 0, wal::kWillInit).Data(MetaOf(4, 1));
  ExpectApplied(record);
  EXPECT_EQ(Get(3).page().flags(), nbtree::kDeleted | nbtree::kHasFullXid);
  EXPECT_EQ(Get(3).page().level(), 1U);
  EXPECT_EQ(Get(4).page().prev(), 0U);
  const PageUnderTest leaf = Get(6);
  EXPECT_TRUE(leaf.page().is_half_dead());
  EXPECT_EQ(nbtree::Downlink(leaf.page().tuple(1)), 11U);
  EXPECT_EQ(leaf.page().prev(), 5U);
  EXPECT_EQ(leaf.page().next(), 9U);
  EXPECT_EQ(nbtree::MetaPage::Load(Get(0).page().page()).fast_root, 4U);

  main.right = 0;
  RecordMaker to_meta = UnlinkOf(wal::kUnlinkPage, main);
  EXPECT_THAT(std::string(Apply(to_meta, 300).message()), HasSubstr("no sibling"));
  main.right = 9;
  RecordMaker misnamed(wal::kUnlinkPage);
  main.Encode(misnamed.Main());
  misnamed.Block(0, 3, wal::kWillInit).Block(2, 4);
  EXPECT_THAT(std::string(Apply(misnamed, 300).message()), HasSubstr("not the sibling"));
  RecordMaker no_main(wal::kUnlinkPage);
  no_main.Block(0, 1, wal::kWillInit);
  ExpectRejected(no_main, "main data");
}

TEST_F(RedoTest, AReusedPageIsOnlyToldOf) {
  RecordMaker record(wal::kReusePage);
  wal::ReusePageRecord{kIndex, 3, 900}.Encode(record.Main());
  ExpectApplied(record);
  EXPECT_EQ(redo_.summary().next_xid, 901U);
  EXPECT_EQ((redo_.summary().applied.at({11, wal::kReusePage})), 1U);
  RecordMaker other(wal::kReusePage);
  wal::ReusePageRecord{kOther, 3, 950}.Encode(other.Main());
  ExpectApplied(other);
  EXPECT_EQ(redo_.summary().next_xid, 901U);
  EXPECT_EQ(redo_.summary().records_elsewhere, 1U);
}

TEST_F(RedoTest, ImagesAreRestoredWhateverThePageHolds) {
  Put(1, Leaf({1}));
  PageUnderTest image = Leaf({4, 5});
  image.writer().set_lsn(50);
  RecordMaker record(wal::ResourceManager::kXlog, wal::kFpi);
  record.Block(0, 1).Image(image.bytes()).Block(1, 4, wal::kStandardPage, kOther);
  record.Image(image.bytes()).Block(2, 9).Image(image.bytes());
  ExpectApplied(record, 60);
  EXPECT_THAT(Items(1), ElementsAre(Key(4), Key(5)));
  EXPECT_THAT(Items(9), ElementsAre(Key(4), Key(5)));
  EXPECT_EQ(Get(1).page().page().lsn(), 60U);
  EXPECT_EQ(redo_.summary().images_restored, 2U);
  EXPECT_EQ(redo_.summary().pages_changed, 0U);

  // An image in place of a change.
  RecordMaker insertion(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(insertion.Main());
  insertion.Block(0, 1).Image(Leaf({7}).bytes()).Data(Key(2));
  ExpectApplied(insertion);
  EXPECT_THAT(Items(1), ElementsAre(Key(7)));
  EXPECT_EQ(redo_.summary().images_restored, 3U);

  PageUnderTest damaged = Leaf({4, 5});
  nbtree::SetFlags(damaged.writer(), 0x8000);
  RecordMaker bad(wal::ResourceManager::kXlog, wal::kFpiForHint);
  bad.Block(0, 1).Image(damaged.bytes());
  ExpectRejected(bad, "unknown B-tree page flags");
  RecordMaker imageless(wal::ResourceManager::kXlog, wal::kFpi);
  imageless.Block(0, 1).Data({1});
  ExpectRejected(imageless, "its image cannot be restored");
}

TEST_F(RedoTest, RecordsOfOthersArePassedOver) {
  RecordMaker other(wal::kInsertLeaf);
  wal::InsertRecord{2}.Encode(other.Main());
  other.Block(0, 1, wal::kStandardPage, kOther).Data(Key(1));
  ExpectApplied(other);
  RecordMaker checkpoint(wal::ResourceManager::kXlog, wal::kCheckpointOnline);
  wal::CheckpointRecord().Encode(checkpoint.Main());
  ExpectApplied(checkpoint);
  EXPECT_EQ(redo_.summary().records_elsewhere, 2U);
  EXPECT_TRUE(redo_.summary().applied.empty());

  Put(1, Leaf({1}));
  RecordMaker heap(static_cast<wal::ResourceManager>(10), 0);
  heap.Block(0, 1);
  ExpectRejected(heap, "in a way that is not known here");
  RecordMaker unknown(static_cast<wal::BtreeOperation>(0xF0));
  unknown.Block(0, 1);
  ExpectRejected(unknown, "unknown operation");
  RecordMaker log(wal::ResourceManager::kXlog, wal::kNoop);
  log.Block(0, 1);
  ExpectRejected(log, "that has pages");
}

RecordMaker RowsOf(std::uint16_t first, const std::vector<ItemPointer>& rows) {
  RecordMaker record(wal::ResourceManager::kTornleaf, wal::kAddDeadRows);
  wal::AddDeadRowsRecord{first, static_cast<std::uint16_t>(rows.size())}.Encode(record.Main());
  record.Block(0, 0, first == 0 ? wal::kWillInit : wal::kStandardPage, kRows);
  TupleBytes data(rows.size() * 6);
  for (std::size_t at = 0; at < rows.size(); ++at) StoreTid(data.data() + at * 6, rows[at]);
  record.Data(data);
  return record;
}

TEST_F(RedoTest, TheListOfDeadRows) {
  RecordMaker first = RowsOf(0, {{1, 1}});
  RecordMaker second = RowsOf(1, {{2, 1}, {3, 1}});
  ExpectApplied(first, 200);
  ExpectApplied(second, 300);
  ExpectApplied(second, 300);
  {
    const absl::StatusOr<PageRef> page = pool_.Pin(rows_, 0, Hold::kShared);
    ASSERT_TRUE(page.ok()) << page.status();
    EXPECT_EQ(dead_rows_v1::RowCount(page->view()), 3U);
  }
  EXPECT_EQ(Apply(second, 400).code(), absl::StatusCode::kDataLoss) << "three rows, not one";
  RecordMaker reset(wal::ResourceManager::kTornleaf, wal::kResetDeadRows);
  reset.Block(0, 0, wal::kWillInit, kRows);
  ExpectApplied(reset, 400);
  const absl::StatusOr<PageRef> page = pool_.Pin(rows_, 0, Hold::kShared);
  EXPECT_EQ(dead_rows_v1::RowCount(page->view()), 0U);
  RecordMaker unknown(wal::ResourceManager::kTornleaf, 0x70);
  unknown.Block(0, 0, wal::kWillInit, kRows);
  EXPECT_EQ(Apply(unknown, 500).code(), absl::StatusCode::kDataLoss);
  RecordMaker nowhere(wal::ResourceManager::kTornleaf, wal::kResetDeadRows);
  nowhere.Block(1, 0, wal::kWillInit, kRows);
  EXPECT_EQ(Apply(nowhere, 500).code(), absl::StatusCode::kDataLoss);
}

std::size_t MainSize(wal::BtreeOperation operation) {
  TupleBytes bytes;
  if (operation <= wal::kInsertMeta || operation == wal::kInsertPosting) {
    wal::InsertRecord().Encode(&bytes);
  } else if (operation == wal::kSplitLeft || operation == wal::kSplitRight) {
    wal::SplitRecord().Encode(&bytes);
  } else if (operation == wal::kDedup) {
    wal::DedupRecord().Encode(&bytes);
  } else if (operation == wal::kDelete || operation == wal::kVacuum) {
    wal::DeleteRecord().Encode(operation == wal::kDelete, &bytes);
  } else if (operation == wal::kMarkPageHalfDead) {
    wal::MarkHalfDeadRecord().Encode(&bytes);
  } else if (operation == wal::kUnlinkPage || operation == wal::kUnlinkPageMeta) {
    wal::UnlinkRecord().Encode(&bytes);
  } else if (operation == wal::kNewRoot) {
    wal::NewRootRecord().Encode(&bytes);
  }
  return bytes.size();
}

// Whatever a record says: pages that passed the guard before pass it afterwards.
TEST_F(RedoTest, DamagedRecordsLeavePagesThatCanBeUsed) {
  Prng prng(1, "redo");
  PageUnderTest lists = Leaf({1, 2}, 2);
  lists.Add(WithPostings(Key(3), {1, 1}, 3));
  Flag(&lists, nbtree::kIncompleteSplit);
  std::uint64_t applied = 0;
  for (int round = 0; round < 20000; ++round) {
    Put(1, prng.Chance(1, 2) ? lists : Parent({2, 3, 4}));
    Put(2, lists);
    Put(3, prng.Chance(1, 2) ? lists : Parent({2, 3, 4}));
    const auto operation = static_cast<wal::BtreeOperation>(prng.Below(16) << 4);
    RecordMaker record(operation);
    TupleBytes* main = record.Main();
    const std::size_t size = prng.Chance(1, 20) ? prng.Below(40) : MainSize(operation);
    while (main->size() < size) {
      main->push_back(static_cast<std::uint8_t>(main->size() % 2 == 0 ? prng.Below(6) : 0));
    }
    for (std::uint8_t id = 0; id < 4; ++id) {
      if (prng.Chance(1, 4)) continue;
      record.Block(id, static_cast<BlockNumber>(prng.Between(0, 5)),
                   prng.Chance(1, 2) ? wal::kWillInit : wal::kStandardPage);
      TupleBytes data;
      for (std::uint64_t left = prng.Below(4); left > 0; --left) {
        const TupleBytes more = prng.Chance(1, 2) ? Key(5) : Pivot(5, 3);
        data.insert(data.end(), more.begin(), more.end());
      }
      for (std::uint64_t left = prng.Below(4); left > 0; --left) {
        data.insert(data.begin(), {static_cast<std::uint8_t>(prng.Below(5)), 0});
      }
      record.Data(data);
    }
    applied += Apply(record).ok() ? 1U : 0U;
    for (BlockNumber block = 0; block < 6; ++block) {
      const PageUnderTest page = Get(block);
      if (PageView(page.bytes()).is_new()) continue;
      ASSERT_TRUE(guard_.Check(page.bytes(), block).ok())
          << round << " " << guard_.Check(page.bytes(), block);
    }
  }
  EXPECT_GT(applied, 500U);
}

}  // namespace
}  // namespace tornleaf
