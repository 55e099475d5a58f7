#include "engine/format/page_guard.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/base/prng.h"
#include "engine/format/edit_test_util.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace nbtree {
namespace {

TEST(PageGuardTest, EveryPageOfAServerPasses) {
  std::uint64_t pages = 0;
  for (const std::string& name : FixtureNames()) {
    const Fixture fixture = LoadFixture(name);
    const absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
    ASSERT_TRUE(schema.ok()) << schema.status();
    for (BlockNumber block = 0; block < fixture.page_count(); ++block) {
      const ByteView page = fixture.page(block);
      if (AllZero(page)) continue;
      const GuardVerdict verdict = GuardPage(page, block == 0, &*schema);
      ASSERT_TRUE(verdict.ok()) << name << " block " << block << " slot " << verdict.slot << ": "
                                << verdict.rule;
      ASSERT_TRUE(GuardPage(page, block == 0, nullptr).ok());
      ++pages;
    }
  }
  EXPECT_GT(pages, 2000U);
}

// A leaf with a high key, a plain item and a posting list.
TestPage Leaf() {
  TestPage page;
  page.Add(PivotTuple(16, 1, 1, 0));
  page.Add(PlainTuple(16, 1, {1, 1}));
  page.Add(PostingTuple(16, 1, {{2, 1}, {2, 2}}));
  SetNext(page.writer(), 5);
  return page;
}

void ExpectRule(const TestPage& page, const char* rule, OffsetNumber slot) {
  const GuardVerdict verdict = GuardPage(page.bytes, false, nullptr);
  ASSERT_FALSE(verdict.ok()) << rule;
  EXPECT_STREQ(verdict.rule, rule);
  EXPECT_EQ(verdict.slot, slot);
}

template <typename T>
TestPage With(const FieldOf<T>& field, T value) {
  TestPage page = Leaf();
  Store(page.bytes.data(), field, value);
  return page;
}

TEST(PageGuardTest, HeadersOutOfOrderAreRefused) {
  EXPECT_STREQ(Leaf().rule(), "");
  ExpectRule(With(slotted_v4::kPageSizeVersion, std::uint16_t{8192 | 5}),
             "page size or layout version", 0);
  ExpectRule(With(slotted_v4::kFlags, std::uint16_t{8}), "unknown page flags", 0);
  ExpectRule(With(slotted_v4::kLower, std::uint16_t{23}), "page regions out of order", 0);
  ExpectRule(With(slotted_v4::kLower, std::uint16_t{38}), "part of a line pointer", 0);
  ExpectRule(With(slotted_v4::kUpper, std::uint16_t{8184}), "page regions out of order", 0);
  ExpectRule(With(slotted_v4::kUpper, std::uint16_t{4097}), "pd_upper not aligned", 0);
  ExpectRule(With(slotted_v4::kSpecial, std::uint16_t{8184}), "size of the special area", 0);
  ExpectRule(With(slotted_v4::kSpecial, std::uint16_t{8192}), "size of the special area", 0);
}

TEST(PageGuardTest, PagesOfAnotherKindThanTheirPlaceAreRefused) {
  TestPage page = Leaf();
  SetFlags(page.writer(), 0x0200 | kLeaf);
  ExpectRule(page, "unknown B-tree page flags", 0);
  SetFlags(page.writer(), kMeta);
  ExpectRule(page, "metapage in the wrong place", 0);
  SetFlags(page.writer(), 0);
  ExpectRule(page, "level of a leaf", 0);
  EXPECT_STREQ(GuardPage(Leaf().bytes, true, nullptr).rule, "no metapage");

  TestPage half_dead;
  SetFlags(half_dead.writer(), kLeaf | kHalfDead);
  ExpectRule(half_dead, "half-dead page that cannot be deleted", 0);
  SetNext(half_dead.writer(), 5);
  ExpectRule(half_dead, "no high key, or no downlink", 0);
  ExpectRule(TestPage(1), "no high key, or no downlink", 0);
  TestPage deleted;
  SetFlags(deleted.writer(), kLeaf | kDeleted | kHasFullXid);
  ExpectRule(deleted, "deleted page without its transaction id", 0);
  SetFlags(deleted.writer(), kLeaf | kDeleted);
  EXPECT_STREQ(deleted.rule(), "") << "as before 14";
}

TEST(PageGuardTest, AMetapageIsKnownByItsMagicAndVersion) {
  TestPage page;
  MetaPage meta;
  meta.magic = kMagicNumber;
  meta.version = 4;
  InitializeMetaPage(page.writer(), meta);
  EXPECT_TRUE(GuardPage(page.bytes, true, nullptr).ok());
  Store(page.bytes.data(), kMetaVersion, 5U);
  EXPECT_STREQ(GuardPage(page.bytes, true, nullptr).rule, "unknown B-tree version");
  Store(page.bytes.data(), kMetaMagic, 5U);
  EXPECT_STREQ(GuardPage(page.bytes, true, nullptr).rule, "not the metapage of a B-tree");
  page.writer().set_lower(44);
  EXPECT_STREQ(GuardPage(page.bytes, true, nullptr).rule, "metapage cut short");
}

TestPage WithPointer(OffsetNumber slot, LinePointer pointer) {
  TestPage page = Leaf();
  page.writer().set_line_pointer(slot, pointer);
  return page;
}

TEST(PageGuardTest, LinePointersLeadToDisjointTuples) {
  const std::uint32_t upper = Leaf().page().page().upper();
  ExpectRule(WithPointer(2, {upper, 16, LineFlags::kUnused}), "line pointer without an item", 2);
  ExpectRule(WithPointer(2, {upper - 8, 16, LineFlags::kNormal}), "line pointer outside the tuples",
             2);
  ExpectRule(WithPointer(2, {upper + 4, 16, LineFlags::kNormal}), "line pointer outside the tuples",
             2);
  ExpectRule(WithPointer(2, {8168, 16, LineFlags::kNormal}), "line pointer outside the tuples", 2);
  ExpectRule(WithPointer(2, {8160, 12, LineFlags::kNormal}), "length of an item not aligned", 2);
  ExpectRule(WithPointer(2, {8160, 16, LineFlags::kNormal}), "items overlap", 2);
  ExpectRule(WithPointer(2, {8144, 8, LineFlags::kNormal}), "size of a tuple", 2);
  TestPage large;
  large.Add(PlainTuple(2720, 1, {1, 1}));
  ExpectRule(large, "item too large", 1);
  TestPage largest;
  largest.Add(PlainTuple(2712, 1, {1, 1}));
  largest.Add(PlainTuple(2704, 1, {1, 1}));
  EXPECT_STREQ(largest.rule(), "");
}

TestPage WithTuple(OffsetNumber slot, const Bytes& tuple) {
  TestPage page = Leaf();
  CHECK(OverwriteItem(page.writer(), slot, tuple) == EditError::kNone);
  return page;
}

TEST(PageGuardTest, TuplesAreOfAKindThatSuitsTheirPlace) {
  const Bytes posting = PostingTuple(16, 1, {{2, 1}, {2, 2}});
  ExpectRule(WithTuple(1, PlainTuple(16, 1, {1, 1})), "no pivot tuple", 1);
  ExpectRule(WithTuple(1, posting), "no pivot tuple", 1);
  ExpectRule(WithTuple(2, PivotTuple(16, 1, 1, 1)), "pivot tuple among a leaf's data", 2);
  Bytes damaged = posting;
  StoreTid(damaged.data() + 16, {9, 9});
  ExpectRule(WithTuple(2, damaged), "posting list", 2);
  damaged = posting;
  StoreTid(damaged.data(), {16, kPosting | 0x4000 | 2});
  ExpectRule(WithTuple(2, damaged), "unknown posting flags", 2);
  damaged = PivotTuple(16, 1, 1, 1);
  StoreTid(damaged.data(), {1, 0x4001});
  ExpectRule(WithTuple(1, damaged), "unknown pivot flags", 1);
  StoreTid(damaged.data(), {1, 33});
  ExpectRule(WithTuple(1, damaged), "too many attributes in a pivot", 1);
  damaged = PivotTuple(8, 1, 1, 1);
  SetPivotAttributes(damaged.data(), 1, true);
  ExpectRule(WithTuple(1, damaged), "pivot too short for a row address", 1);
}

TEST(PageGuardTest, ASchemaSaysWhatItemsHold) {
  const absl::StatusOr<Schema> one = Schema::Parse("int4");
  const absl::StatusOr<Schema> two = Schema::Parse("int4,int4,int4");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_TRUE(two.ok()) << two.status();
  TestPage page;
  page.Add(PlainTuple(16, 0, {1, 1}));
  EXPECT_TRUE(GuardPage(page.bytes, false, &*one).ok());
  EXPECT_STREQ(GuardPage(page.bytes, false, &*two).rule, "attributes cannot be read");
  page = TestPage();
  page.Add(PivotTuple(16, 0, 2, 0));
  SetNext(page.writer(), 5);
  EXPECT_STREQ(GuardPage(page.bytes, false, &*one).rule, "too many attributes in a pivot");
  Bytes pivot = PivotTuple(24, 0, 1, 0);
  SetPivotAttributes(pivot.data(), 1, true);
  CHECK(OverwriteItem(page.writer(), 1, pivot) == EditError::kNone);
  EXPECT_TRUE(GuardPage(page.bytes, false, &*one).ok());
  EXPECT_STREQ(GuardPage(page.bytes, false, &*two).rule, "row address after a cut key");
}

// Whatever the bytes: the guard stays inside them, and what it lets pass can be edited.
TEST(PageGuardTest, EditsOfWhatPassesStayInsideThePage) {
  Prng prng(1, "guard");
  std::uint64_t passed = 0;
  for (int round = 0; round < 20000; ++round) {
    TestPage page = Leaf();
    for (std::uint64_t change = prng.Between(1, 3); change > 0; --change) {
      const std::uint64_t at = prng.Chance(1, 2) ? prng.Below(40) : 8080 + prng.Below(112);
      page.bytes[at] = static_cast<std::uint8_t>(prng.Next());
    }
    if (!GuardPage(page.bytes, false, nullptr).ok() || page.page().is_deleted()) continue;
    ++passed;
    const auto slot = static_cast<OffsetNumber>(prng.Below(6));
    const Bytes tuple = PlainTuple(16, 1, {2, 1});
    const OffsetNumber slots[] = {1, slot, static_cast<OffsetNumber>(slot + 1)};
    const PostingUpdate updates[] = {{slot, {static_cast<std::uint16_t>(prng.Below(3))}}};
    const DedupInterval intervals[] = {{slot, static_cast<std::uint16_t>(prng.Below(4))}};
    InsertIntoPosting(page.writer(), slot, TupleView(tuple),
                      static_cast<std::uint32_t>(prng.Below(3)));
    DeleteAndUpdate(page.writer(), {}, updates);
    ApplyDedup(page.writer(), intervals);
    OverwriteItem(page.writer(), slot, tuple);
    InsertItem(page.writer(), slot, tuple);
    DeleteItems(page.writer(), slots);
    ASSERT_LE(page.page().page().lower(), page.page().page().upper());
  }
  EXPECT_GT(passed, 1000U);
}

}  // namespace
}  // namespace nbtree
}  // namespace tornleaf
