#include "engine/format/nbtree_mask.h"

#include <gtest/gtest.h>

#include "engine/format/edit_test_util.h"

namespace tornleaf {
namespace nbtree {
namespace {

TestPage Masked(TestPage page) {
  MaskForRedo(page.bytes);
  return page;
}

TEST(NbtreeMaskTest, HintsAreMaskedOnLeaves) {
  TestPage page;
  page.Add(PlainTuple(16, 1, {1, 1}));
  TestPage hinted = page;
  hinted.writer().set_line_pointer(
      1, {hinted.page().page().line_pointer(1).offset, 16, LineFlags::kDead});
  SetFlags(hinted.writer(), kLeaf | kHasGarbage | kSplitEnd);
  SetCycleId(hinted.writer(), 77);
  hinted.writer().set_lsn(0x12345);
  Store(hinted.bytes.data(), slotted_v4::kFlags, std::uint16_t{4});
  Store(hinted.bytes.data(), slotted_v4::kPruneXid, 9U);
  hinted.bytes[4000] = 1;  // in the hole
  EXPECT_EQ(Masked(hinted).bytes, Masked(page).bytes);
}

TEST(NbtreeMaskTest, WhatIsLoggedIsNotMasked) {
  TestPage page;
  page.Add(PlainTuple(16, 1, {1, 1}));
  const Bytes masked = Masked(page).bytes;
  const std::uint32_t upper = page.page().page().upper();
  // Bounds, the line pointer's offset, a tuple's byte, links, level, the other flags.
  for (const std::uint32_t at : {12U, 14U, 24U, upper + 8, 8176U, 8180U, 8184U, 8188U}) {
    TestPage other = page;
    other.bytes[at] ^= at == 8188 ? kIncompleteSplit : 8;
    EXPECT_NE(Masked(other).bytes, masked) << at;
  }
  TestPage parent(1);
  parent.Add(PivotTuple(16, 1, 1, 1));
  TestPage dead = parent;
  dead.writer().set_line_pointer(1,
                                 {dead.page().page().line_pointer(1).offset, 16, LineFlags::kDead});
  EXPECT_NE(Masked(dead).bytes, Masked(parent).bytes) << "no hints on internal pages";
}

TEST(NbtreeMaskTest, OtherPagesKeepWhatStandsInPlaceOfLinePointers) {
  TestPage deleted;
  SetFlags(deleted.writer(), kLeaf | kDeleted | kHasFullXid);
  deleted.writer().set_lower(kDeletedLower);
  Store(deleted.bytes.data(), kSafeXid, ~std::uint64_t{0});
  EXPECT_EQ(Masked(deleted).page().safe_xid(), ~std::uint64_t{0});
  Bytes strange(8192, 0xFF);
  MaskForRedo(strange);
  EXPECT_EQ(strange[8191], 0xFF);
}

}  // namespace
}  // namespace nbtree
}  // namespace tornleaf
