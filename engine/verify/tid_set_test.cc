#include "engine/verify/tid_set.h"

#include <gtest/gtest.h>

namespace tornleaf {
namespace {

constexpr std::uint32_t kMaxOffset = 291;

// Adds the address; true if a duplicate was seen at once.
bool AddSeesDuplicate(TidSet* tids, ItemPointer tid, BlockNumber block = 1) {
  bool duplicate = false;
  const PackedTid packed = PackTid(tid);
  tids->Add({&packed, 1}, block, 1, [&](OffsetNumber, PackedTid) { duplicate = true; });
  return duplicate;
}

TEST(TidSet, FewAddressesAreComparedAtTheEnd) {
  TidSet tids(kMaxOffset);
  EXPECT_FALSE(AddSeesDuplicate(&tids, {7, 3}));
  EXPECT_FALSE(AddSeesDuplicate(&tids, {7, 4}));
  EXPECT_FALSE(AddSeesDuplicate(&tids, {7, 3}, 9));
  const std::vector<TidSet::Place> duplicates = tids.Finish();
  ASSERT_EQ(duplicates.size(), 1U);
  EXPECT_EQ(duplicates[0].tid, (ItemPointer{7, 3}));
  EXPECT_EQ(duplicates[0].block, 9U);
}

TEST(TidSet, ManyAddressesAreComparedAtOnce) {
  TidSet tids(kMaxOffset);
  for (BlockNumber block = 0; block < 1000; ++block) {
    for (OffsetNumber offset = 1; offset <= kMaxOffset; ++offset) {
      ASSERT_FALSE(AddSeesDuplicate(&tids, {block, offset}));
    }
  }
  EXPECT_TRUE(AddSeesDuplicate(&tids, {999, 291}));
  EXPECT_TRUE(AddSeesDuplicate(&tids, {500, 1}));
  EXPECT_FALSE(AddSeesDuplicate(&tids, {1000, 1}));
  EXPECT_TRUE(tids.Finish().empty());
  EXPECT_EQ(tids.count(), 291003U);
}

// The first of the two came before its chunk existed, the second after.
TEST(TidSet, SeesDuplicatesAcrossListAndBitmap) {
  TidSet tids(kMaxOffset);
  AddSeesDuplicate(&tids, {5, 5}, 2);
  for (BlockNumber block = 6; block < 200; ++block) {
    for (OffsetNumber offset = 1; offset <= kMaxOffset; ++offset) {
      ASSERT_FALSE(AddSeesDuplicate(&tids, {block, offset}));
    }
  }
  EXPECT_FALSE(AddSeesDuplicate(&tids, {5, 5}, 77));
  const std::vector<TidSet::Place> duplicates = tids.Finish();
  ASSERT_EQ(duplicates.size(), 1U);
  EXPECT_EQ(duplicates[0].tid, (ItemPointer{5, 5}));
}

// Addresses spread as far as damage can spread them must neither be lost nor cost a chunk each.
TEST(TidSet, SpreadAddressesAreAllKept) {
  TidSet tids(kMaxOffset);
  constexpr BlockNumber kStep = 0x10001;
  for (std::uint32_t index = 0; index < 60000; ++index) {
    ASSERT_FALSE(AddSeesDuplicate(&tids, {index * kStep, 1}));
  }
  for (std::uint32_t index = 0; index < 60000; index += 6000) {
    AddSeesDuplicate(&tids, {index * kStep, 1});
  }
  std::size_t found = tids.Finish().size();
  // Those that lie in a chunk by now are seen at once instead.
  TidSet again(kMaxOffset);
  std::size_t at_once = 0;
  for (std::uint32_t index = 0; index < 60000; ++index) {
    AddSeesDuplicate(&again, {index * kStep, 1});
  }
  for (std::uint32_t index = 0; index < 60000; index += 6000) {
    at_once += AddSeesDuplicate(&again, {index * kStep, 1}) ? 1 : 0;
  }
  found += at_once;
  EXPECT_EQ(found, 10U);
}

}  // namespace
}  // namespace tornleaf
