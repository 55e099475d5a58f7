#include "engine/build/index_rows.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/build/index_build.h"
#include "engine/build/pages_in_memory.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kPageSize = 512;

Schema MakeSchema(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

// A three-level index of small pages, to be damaged.
class IndexRowsTest : public testing::Test {
 protected:
  IndexRowsTest() {
    std::string rows;
    for (int row = 0; row < 600; ++row) absl::StrAppend(&rows, row / 2, "\t(", row, ",1)\n");
    StringSource source(rows);
    PagesInMemory pages(kPageSize);
    BuildOptions options;
    options.page_size = kPageSize;
    BuildSummary summary;
    CHECK(BuildIndex(schema_, options, {&source}, &pages, &summary).ok());
    image_ = pages.image();
  }

  // How many rows come out, and how it ends.
  absl::Status ReadAll() {
    MemoryPages pages(image_, kPageSize);
    IndexRows rows(schema_, &pages);
    count_ = 0;
    for (;;) {
      const absl::StatusOr<bool> read = rows.Next();
      dead_ = rows.dead_rows();
      if (!read.ok() || !*read) return read.status();
      ++count_;
    }
  }

  MutableBytes page(BlockNumber block) {
    return MutableBytes(image_).subspan(std::size_t{block} * kPageSize, kPageSize);
  }

  void ExpectDamage(std::string_view what) {
    const absl::Status status = ReadAll();
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
    EXPECT_NE(std::string(status.message()).find(what), std::string::npos) << status;
  }

  const Schema schema_ = MakeSchema("int4");
  std::vector<std::uint8_t> image_;
  std::uint64_t count_ = 0;
  std::uint64_t dead_ = 0;
};

TEST_F(IndexRowsTest, GivesEveryRow) {
  EXPECT_TRUE(ReadAll().ok());
  EXPECT_EQ(count_, 600U);
  EXPECT_GE(nbtree::MetaPage::Load(PageView(page(0))).level, 2U);
}

TEST_F(IndexRowsTest, LeavesDeadItemsOutAndCountsTheirRows) {
  PageWriter leaf(page(1));
  LinePointer pointer = leaf.view().line_pointer(2);
  pointer.flags = LineFlags::kDead;
  leaf.set_line_pointer(2, pointer);
  EXPECT_TRUE(ReadAll().ok());
  EXPECT_EQ(count_, 598U);  // Rows come in pairs with one key: the item is a posting list of two.
  EXPECT_EQ(dead_, 2U);
}

TEST_F(IndexRowsTest, StopsAtACircleOfLeaves) {
  nbtree::SetNext(PageWriter(page(2)), 1);
  ExpectDamage("the leaves are linked in a circle");
}

TEST_F(IndexRowsTest, SaysWhereLinksAndPagesAreWrong) {
  const std::vector<std::uint8_t> sound = image_;
  const auto again = [&] { image_ = sound; };
  nbtree::SetNext(PageWriter(page(1)), 70000);
  ExpectDamage("block 1: points to block 70000 of ");
  again();
  nbtree::SetNext(PageWriter(page(1)), 3);
  ExpectDamage("block 3: is not of level 0");
  again();
  std::fill(page(2).begin(), page(2).end(), std::uint8_t{0});
  ExpectDamage("block 2: is a page of zeros");
  again();
  PageWriter(page(2)).set_upper(8);
  ExpectDamage("block 2: has no sound page header");
  again();
  nbtree::SetFlags(PageWriter(page(2)), nbtree::kLeaf | 0x0200);
  ExpectDamage("block 2: has a page format that is not supported");
  again();
  nbtree::SetFlags(PageWriter(page(2)), nbtree::kLeaf | nbtree::kDeleted);
  ExpectDamage("block 2: is a metapage or a deleted page");
  again();
  PageWriter(page(1)).set_line_pointer(2, {8, 16, LineFlags::kNormal});
  ExpectDamage("block 1, item 2: its line pointer does not point to a tuple");
  again();
  LinePointer pointer = PageView(page(1)).line_pointer(2);
  pointer.flags = LineFlags::kRedirect;
  PageWriter(page(1)).set_line_pointer(2, pointer);
  ExpectDamage("block 1, item 2: its line pointer is neither normal nor dead");
  again();
  Store(page(0).data(), nbtree::kMetaMagic, 7U);
  EXPECT_EQ(ReadAll().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(IndexRowsTest, StopsWhereItemsShareTheirBytes) {
  PageWriter leaf(page(1));
  const LinePointer pointer = leaf.view().line_pointer(2);
  for (OffsetNumber slot = 2; slot <= leaf.view().item_count(); ++slot) {
    leaf.set_line_pointer(slot, {pointer.offset, pointer.length, LineFlags::kNormal});
  }
  EXPECT_TRUE(ReadAll().ok()) << "together they are no larger than a page";
  const LinePointer bound = leaf.view().line_pointer(1);
  LinePointer widest = bound;
  for (OffsetNumber slot = 3; slot <= leaf.view().item_count(); ++slot) {
    // Posting lists as large as the page allows, all in one place.
    widest = {leaf.view().upper(), 160, LineFlags::kNormal};
    leaf.set_line_pointer(slot, widest);
  }
  std::uint8_t* tuple = page(1).data() + widest.offset;
  Store(tuple, index_tuple::kInfo, std::uint16_t{index_tuple::kAltTidBit | 160});
  Store(tuple, index_tuple::kOffset, std::uint16_t{nbtree::kPosting | 24});
  ExpectDamage("overlaps: with those before it, it is larger than the page");
}

TEST_F(IndexRowsTest, ALostRootIsNoEmptyIndex) {
  Store(page(0).data(), nbtree::kMetaRoot, 0U);
  ExpectDamage("block 0: has no root, but a level of one");
  Store(page(0).data(), nbtree::kMetaFastRoot, 0U);
  Store(page(0).data(), nbtree::kMetaLevel, 0U);
  ExpectDamage("block 0: has no root, but block 1 is in use");
  std::fill(image_.begin() + kPageSize, image_.end(), std::uint8_t{0});
  EXPECT_TRUE(ReadAll().ok()) << "pages that were never written";
  EXPECT_EQ(count_, 0U);
}

TEST_F(IndexRowsTest, AWrongSchemaIsSaidToBeOne) {
  MemoryPages pages(image_, kPageSize);
  const Schema wrong = MakeSchema("int4, int8");
  IndexRows rows(wrong, &pages);
  const absl::Status status = rows.Next().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_NE(std::string(status.message()).find("from column 2 on: wrong schema, or damaged"),
            std::string::npos);
}

// Every fixture, healthy ones of every history, gives as many rows as amcheck saw leaf items.
TEST(IndexRowsCorpusTest, ReadsEveryFixture) {
  std::uint64_t dead_rows = 0;
  for (const std::string& name : FixtureNames()) {
    SCOPED_TRACE(name);
    const Fixture fixture = LoadFixture(name);
    const Schema schema = MakeSchema(fixture.schema);
    MemoryPages pages(fixture.index, fixture.page_size);
    IndexRows rows(schema, &pages);
    for (;;) {
      const absl::StatusOr<bool> read = rows.Next();
      ASSERT_TRUE(read.ok()) << read.status();
      if (!*read) break;
    }
    dead_rows += rows.dead_rows();
  }
  EXPECT_GT(dead_rows, 0U);
}

// Whatever is overwritten, reading ends, and ends inside the image.
RC_GTEST_FIXTURE_PROP(IndexRowsTest, AnyDamageEndsTheWalk, ()) {
  const auto changes = *rc::gen::inRange(1, 8);
  for (int change = 0; change < changes; ++change) {
    image_[*rc::gen::inRange<std::size_t>(0, image_.size())] = *rc::gen::arbitrary<std::uint8_t>();
  }
  const absl::Status status = ReadAll();
  RC_ASSERT(status.ok() || status.code() == absl::StatusCode::kDataLoss ||
            status.code() == absl::StatusCode::kInvalidArgument);
  // A page holds at most itself of addresses, and is read once.
  RC_ASSERT(count_ <= image_.size() / index_tuple::kTidSize);
}

}  // namespace
}  // namespace tornleaf
