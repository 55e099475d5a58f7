#include "engine/tree/leaf_rows.h"

#include <vector>

#include "engine/format/nbtree_tuple.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tornleaf {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RemovalsOf, ItemsGoWithTheirLastRow) {
  const Schema schema = Schema::Parse("int4").value();
  std::vector<std::uint8_t> bytes(512);
  nbtree::InitializePage(PageWriter(bytes), 0, nbtree::kLeaf);
  const std::uint8_t stored[4] = {1, 0, 0, 0};
  const Value value = Value::Of(stored);
  std::vector<std::uint8_t> plain;
  FormTuple(schema, &value, 1, {1, 1}, &plain);
  std::vector<std::uint8_t> posting;
  const std::vector<ItemPointer> tids = {{2, 1}, {2, 2}, {3, 1}};
  nbtree::FormPosting(TupleView(plain), tids, &posting);
  for (const auto& tuple : {plain, posting, posting, plain}) PageWriter(bytes).AppendItem(tuple);
  const nbtree::NbtreePage page{PageView(bytes)};

  std::vector<LeafRow> rows;
  const auto add = [&rows](OffsetNumber slot, std::uint16_t index, bool dead) {
    LeafRow& row = rows.emplace_back();
    row.slot = slot;
    row.posting_index = index;
    row.dead = dead;
  };
  add(1, 0, true);
  for (std::uint16_t index = 0; index < 3; ++index) add(2, index, index != 1);
  for (std::uint16_t index = 0; index < 3; ++index) add(3, index, true);
  add(4, 0, false);

  const LeafRemovals removals = RemovalsOf(page, rows);
  EXPECT_THAT(removals.deleted, ElementsAre(1, 3));
  ASSERT_EQ(removals.updates.size(), 1U);
  EXPECT_EQ(removals.updates[0].slot, 2);
  EXPECT_THAT(removals.updates[0].removed, ElementsAre(0, 2));
  EXPECT_FALSE(removals.empty());
  EXPECT_TRUE(RemovalsOf(page, {}).empty());
}

}  // namespace
}  // namespace tornleaf
