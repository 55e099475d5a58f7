// Links, levels and order that lie: every operation ends, with what it found or with DataLoss.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/format/page_guard.h"
#include "engine/tree/removal_test_util.h"

namespace tornleaf {
namespace {

std::uint8_t* SpecialOf(PageRef* page) {
  return page->writer().data() + page->view().size() - nbtree::kOpaqueSize;
}

class Damage : public testing::Test {
 protected:
  Damage() {
    index_.Fill(0, 600);
    CHECK(index_.Meta().level >= 2);
  }

  PageRef Leaf(std::int64_t number) {
    const TestRow row = NumberRow(index_.schema, number, {});
    const std::vector<Value> values = row.Values();
    SearchKey key;
    key.values = values.data();
    key.count = 1;
    absl::StatusOr<PageRef> page = FindLeaf(index_.tree.get(), key, Access::kRead, nullptr);
    CHECK(page.ok());
    page->Release();
    page->HoldExclusive();
    page->MarkDirty();
    return *std::move(page);
  }

  absl::Status ScanAll(bool backward) {
    ScanRequest request;
    request.backward = backward;
    Scan scan(index_.tree.get(), request);
    for (;;) {
      const absl::StatusOr<bool> more = scan.Next();
      if (!more.ok()) return more.status();
      if (!*more) return absl::OkStatus();
    }
  }
  absl::Status InsertNumber(std::int64_t number, OffsetNumber offset) {
    const ItemPointer tid{static_cast<BlockNumber>(number + 1), offset};
    return index_.Insert(NumberRow(index_.schema, number, tid)).status();
  }

  RemovalIndex index_;
};

TEST_F(Damage, ARightLinkToItselfEndsAScan) {
  {
    PageRef leaf = Leaf(300);
    nbtree::SetNext(leaf.writer(), leaf.block());
  }
  EXPECT_EQ(ScanAll(false).code(), absl::StatusCode::kDataLoss);
}

TEST_F(Damage, ALeftLinkThatIsNotLinkedBackEndsABackwardScan) {
  {
    PageRef leaf = Leaf(300);
    nbtree::SetPrev(leaf.writer(), leaf.block());
  }
  EXPECT_EQ(ScanAll(true).code(), absl::StatusCode::kDataLoss);
}

TEST_F(Damage, ALinkToTheMetapageOrToZerosIsRefused) {
  BlockNumber zeros = 0;
  {
    absl::StatusOr<PageRef> page = index_.pool.Extend(index_.pooled);
    ASSERT_TRUE(page.ok());
    zeros = page->block();
  }
  for (const BlockNumber target : {nbtree::kMetaBlock, zeros, zeros + 100}) {
    BlockNumber block = 0;
    BlockNumber next = 0;
    {
      // The parent's downlink.
      absl::StatusOr<PageRef> parent = FindEdge(index_.tree.get(), false, 1, Hold::kExclusive);
      ASSERT_TRUE(parent.ok());
      parent->MarkDirty();
      const nbtree::NbtreePage node(parent->view());
      const OffsetNumber slot = node.first_data_slot();
      block = parent->block();
      next = nbtree::Downlink(node.tuple(slot));
      nbtree::SetDownlink(parent->writer().data() + parent->view().line_pointer(slot).offset,
                          target);
    }
    EXPECT_EQ(ScanAll(false).code(), absl::StatusCode::kDataLoss);
    EXPECT_EQ(InsertNumber(-1, 2).code(), absl::StatusCode::kDataLoss);
    PageRef parent = index_.PinPage(block, Hold::kExclusive);
    parent.MarkDirty();
    const OffsetNumber slot = nbtree::NbtreePage(parent.view()).first_data_slot();
    nbtree::SetDownlink(parent.writer().data() + parent.view().line_pointer(slot).offset, next);
  }
  EXPECT_TRUE(ScanAll(false).ok());
}

TEST_F(Damage, APageOfAnotherLevelIsRefused) {
  {
    PageRef leaf = Leaf(300);
    Store(SpecialOf(&leaf), nbtree::kLevel, std::uint32_t{7});
  }
  EXPECT_EQ(ScanAll(false).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(InsertNumber(300, 2).code(), absl::StatusCode::kDataLoss);
}

TEST_F(Damage, ASiblingThatDoesNotLinkBackStopsASplitBeforeItBegins) {
  {
    PageRef leaf = Leaf(300);
    PageRef next = index_.PinPage(nbtree::NbtreePage(leaf.view()).next(), Hold::kExclusive);
    next.MarkDirty();
    nbtree::SetPrev(next.writer(), leaf.block() + 1);
  }
  MarkWatch refused("split.sibling_does_not_link_back");
  const std::vector<std::int64_t> before = index_.Numbers();
  std::uint32_t inserted = 0;
  absl::Status status;
  for (OffsetNumber offset = 2; offset < 15 && status.ok(); ++offset) {
    status = InsertNumber(299, offset);
    if (status.ok()) ++inserted;
    if (status.ok()) status = InsertNumber(300, offset);
    if (status.ok()) ++inserted;
  }
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(refused.passed(), 1U);
  EXPECT_EQ(index_.Numbers().size(), before.size() + inserted);
}

// Changes one of the first `blocks` pages, as far as the guard lets it be read afterwards.
void DamageAPage(BlockNumber blocks, Prng* prng, RemovalIndex* index) {
  PageRef page = index->PinPage(static_cast<BlockNumber>(prng->Below(blocks)), Hold::kExclusive);
  const std::vector<std::uint8_t> before(page.bytes().begin(), page.bytes().end());
  const auto somewhere = static_cast<BlockNumber>(prng->Below(blocks + 1));
  const nbtree::NbtreePage node(page.view());
  switch (prng->Below(6)) {
    case 0:
      nbtree::SetNext(page.writer(), somewhere);
      break;
    case 1:
      nbtree::SetPrev(page.writer(), somewhere);
      break;
    case 2:
      Store(SpecialOf(&page), nbtree::kLevel, static_cast<std::uint32_t>(prng->Below(4)));
      break;
    case 3:
      nbtree::SetFlags(page.writer(),
                       static_cast<std::uint16_t>(node.flags() ^ 1U << prng->Below(9)));
      break;
    case 4:
      // A metapage field, a downlink or a row address.
      if (node.item_count() > 0 && !node.is_meta()) {
        const auto slot = static_cast<OffsetNumber>(1 + prng->Below(node.item_count()));
        nbtree::SetDownlink(page.writer().data() + page.view().line_pointer(slot).offset,
                            somewhere);
      } else {
        Store(page.writer().data(), nbtree::kMetaFastRoot, somewhere);
      }
      break;
    default:
      // Items change places.
      if (node.item_count() > 3 && !node.is_meta()) {
        const auto slot = static_cast<OffsetNumber>(2 + prng->Below(node.item_count() - 2U));
        const LinePointer pointer = page.view().line_pointer(slot);
        const auto next = static_cast<OffsetNumber>(slot + 1);
        page.writer().set_line_pointer(slot, page.view().line_pointer(next));
        page.writer().set_line_pointer(next, pointer);
      }
      break;
  }
  // What the guard refuses would not have been read.
  if (!nbtree::GuardPage(page.bytes(), page.block() == 0, &index->schema).ok()) {
    std::copy(before.begin(), before.end(), page.writer().data());
  }
}

// Whatever the structure says, as long as each page passes the guard.
class AnyDamage : public testing::TestWithParam<std::uint64_t> {};

TEST_P(AnyDamage, EndsInAnAnswerOrDataLoss) {
  Prng prng(GetParam(), "damage");
  RemovalIndex index(prng.Chance(1, 2) ? "int4" : "int4, int4");
  const bool two = index.schema.key_count() == 2;
  const auto row = [&](std::uint64_t number, ItemPointer tid) {
    const std::string key = std::to_string(two ? number % 40 : number % 300);
    return RowOf(index.schema, {key.c_str(), key.c_str()}, tid);
  };
  for (std::uint32_t number = 0; number < 700; ++number) {
    ASSERT_TRUE(index.Insert(row(prng.Below(1000), {number, 1})).ok());
  }
  const BlockNumber blocks = BufferPool::block_count(index.pooled);
  for (int change = 0; change < 3; ++change) DamageAPage(blocks, &prng, &index);
  index.tree->set_cached_fast_root({});

  const auto may_be = [](const absl::Status& status) {
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kDataLoss) << status;
  };
  for (std::uint32_t number = 0; number < 300; ++number) {
    may_be(index.Insert(row(prng.Below(1000), {number, 2})).status());
  }
  for (std::uint64_t number = 0; number < 100; ++number) {
    const TestRow looked_up = row(number * 10, {});
    const std::vector<Value> values = looked_up.Values();
    std::vector<ItemPointer> tids;
    may_be(Lookup(index.tree.get(), values.data(), 1, &tids));
  }
  for (const bool backward : {false, true}) {
    ScanRequest request;
    request.backward = backward;
    Scan scan(index.tree.get(), request);
    for (;;) {
      const absl::StatusOr<bool> more = scan.Next();
      may_be(more.status());
      if (!more.ok() || !*more) break;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyDamage, testing::Range(std::uint64_t{0}, std::uint64_t{150}));

}  // namespace
}  // namespace tornleaf
