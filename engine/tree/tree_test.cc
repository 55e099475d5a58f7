#include "engine/tree/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/tree/removal_test_util.h"
#include "engine/tree/tree_test_util.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

class TreeTest : public testing::Test {
 protected:
  // Adds a page that the function lays out, and drops it.
  template <typename Function>
  BlockNumber AddPage(Function function) {
    absl::StatusOr<PageRef> page = index_.pool.Extend(index_.pooled);
    CHECK(page.ok());
    function(page->writer());
    page->MarkDirty();
    return page->block();
  }
  BlockNumber AddDeletedPage(FullXid safe_xid) {
    return AddPage([safe_xid](PageWriter page) {
      nbtree::InitializePage(page, 0, nbtree::kLeaf | nbtree::kDeleted | nbtree::kHasFullXid);
      page.set_lower(nbtree::kDeletedLower);
      Store(page.data(), nbtree::kSafeXid, std::uint64_t{safe_xid});
    });
  }
  BlockNumber Allocate() {
    const absl::StatusOr<PageRef> page = index_.tree->AllocatePage();
    CHECK(page.ok());
    CHECK(page->hold() == Hold::kExclusive);
    return page->block();
  }
  void ChangeMeta(const nbtree::MetaPage& meta) {
    absl::StatusOr<PageRef> page = index_.tree->Pin(nbtree::kMetaBlock, Hold::kExclusive);
    CHECK(page.ok());
    nbtree::InitializeMetaPage(page->writer(), meta);
    page->MarkDirty();
  }

  TestIndex index_{"int4"};
};

TEST_F(TreeTest, IsCreatedWithAMetapageThatIsLogged) {
  const absl::StatusOr<nbtree::MetaPage> meta = index_.tree->ReadMeta();
  ASSERT_TRUE(meta.ok());
  EXPECT_EQ(meta->version, 4U);
  EXPECT_EQ(meta->root, 0U);
  EXPECT_TRUE(meta->all_equal_image);
  EXPECT_TRUE(index_.tree->deduplicates());
  ASSERT_EQ(index_.log.records().size(), 1U);
  EXPECT_TRUE(index_.tree->Open().ok());
  EXPECT_TRUE(absl::IsAlreadyExists(index_.tree->Create()));
  EXPECT_EQ(FindingsOf(index_.Verify()), "");
}

TEST_F(TreeTest, IsCreatedOverThePageOfZerosThatACrashLeft) {
  {
    absl::StatusOr<PageRef> page = index_.tree->Pin(0, Hold::kExclusive);
    ASSERT_TRUE(page.ok());
    const MutableBytes bytes = page->writer().bytes();
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  }
  EXPECT_EQ(Message(index_.tree->Open()), "index: block 0: no metapage");
  EXPECT_TRUE(index_.tree->Create().ok());
  EXPECT_TRUE(index_.tree->Open().ok());
  EXPECT_EQ(BufferPool::block_count(index_.pooled), 1U);
}

TEST_F(TreeTest, OpensOnlyWhatItKnows) {
  nbtree::MetaPage meta = *index_.tree->ReadMeta();
  meta.version = 3;
  ChangeMeta(meta);
  EXPECT_TRUE(absl::IsUnimplemented(index_.tree->Open()));
  EXPECT_THAT(Message(index_.tree->Open()), HasSubstr("version 3"));
  meta.version = 5;
  ChangeMeta(meta);
  EXPECT_EQ(Message(index_.tree->Open()), "index: block 0: no format has the version 5");
  meta.version = 4;
  meta.magic = 7;
  ChangeMeta(meta);
  EXPECT_EQ(Message(index_.tree->Open()), "index: block 0: not the metapage of a B-tree");
  meta.magic = nbtree::kMagicNumber;
  meta.all_equal_image = false;
  ChangeMeta(meta);
  ASSERT_TRUE(index_.tree->Open().ok());
  EXPECT_FALSE(index_.tree->deduplicates());
}

TEST_F(TreeTest, TakesFreePagesFirst) {
  const BlockNumber free = AddDeletedPage(kFirstXid);
  const BlockNumber zeros = AddPage([](PageWriter) {});
  const BlockNumber old = AddPage([](PageWriter page) {
    // As PostgreSQL before 14 left it: a short id in place of the level.
    nbtree::InitializePage(page, 1234, nbtree::kLeaf | nbtree::kDeleted);
  });
  index_.transactions.AdvancePast(kFirstXid);
  for (const BlockNumber block : {free, zeros, old}) index_.free_pages.Add(block);
  const std::uint64_t reuses = index_.log.count(wal::kReusePage);
  const MarkWatch zeros_taken("allocate.page_of_zeros");
  const MarkWatch reused("allocate.page_reused");
  EXPECT_EQ(Allocate(), free);
  EXPECT_EQ(Allocate(), zeros);
  EXPECT_EQ(Allocate(), old);
  EXPECT_EQ(zeros_taken.passed(), 1U);
  EXPECT_EQ(reused.passed(), 2U);
  EXPECT_EQ(index_.log.count(wal::kReusePage), reuses + 2);
  EXPECT_EQ(Allocate(), old + 1);
}

TEST_F(TreeTest, DoesNotTakeWhatIsInUseOrNotFreeYet) {
  const BlockNumber live =
      AddPage([](PageWriter page) { nbtree::InitializePage(page, 0, nbtree::kLeaf); });
  const BlockNumber recent = AddDeletedPage(50);
  const BlockNumber held = AddDeletedPage(kFirstXid);
  index_.transactions.AdvancePast(49);
  const FullXid scan = index_.transactions.Begin();
  EXPECT_EQ(scan, 50U);
  EXPECT_EQ(index_.transactions.Take(), 50U);
  for (const BlockNumber block : {live, recent, held}) index_.free_pages.Add(block);
  absl::StatusOr<PageRef> page = index_.tree->Pin(held, Hold::kShared);
  ASSERT_TRUE(page.ok());
  const MarkWatch not_free("allocate.page_not_free");
  const MarkWatch page_held("allocate.page_held");
  EXPECT_EQ(Allocate(), held + 1);
  EXPECT_EQ(not_free.passed(), 2U);
  EXPECT_EQ(page_held.passed(), 1U);
  EXPECT_EQ(index_.free_pages.size(), 0U);

  index_.transactions.End(scan);
  index_.free_pages.Add(recent);
  EXPECT_EQ(Allocate(), recent);
}

TEST_F(TreeTest, TheGuardNamesBlockAndItem) {
  TreePageGuard guard(&index_.schema);
  std::vector<std::uint8_t> bytes(8192);
  const PageWriter page(bytes);
  nbtree::InitializePage(page, 0, nbtree::kLeaf);
  EXPECT_TRUE(guard.Check(bytes, 7).ok());
  EXPECT_TRUE(absl::IsDataLoss(guard.Check(bytes, 0)));  // no metapage
  const std::vector<std::uint8_t> tuple(16, 0xFF);
  PageWriter(page).AppendItem(tuple);
  const absl::Status status = guard.Check(bytes, 7);
  EXPECT_TRUE(absl::IsDataLoss(status));
  EXPECT_THAT(Message(status), HasSubstr("block 7: item 1: "));
}

TEST_F(TreeTest, RemembersTheFastRoot) {
  EXPECT_EQ(index_.tree->cached_fast_root().block, 0U);
  index_.tree->set_cached_fast_root({.block = 0xFFFFFFF0, .level = 3});
  EXPECT_EQ(index_.tree->cached_fast_root().block, 0xFFFFFFF0);
  EXPECT_EQ(index_.tree->cached_fast_root().level, 3U);
}

}  // namespace
}  // namespace tornleaf
