// Page deletion among damaged links.

#include <string>
#include <vector>

#include "engine/tree/page_delete.h"
#include "engine/tree/page_delete_test_util.h"
#include "gmock/gmock.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Damage that deletion meets: each ends in DataLoss, in finite time, and with nothing logged.
class DamagedNeighbours : public PageDeletion {
 protected:
  void SetUp() override {
    index_.Fill(0, 2000);
    leaves_ = index_.Level(0);
    number_ = NumberOn(leaves_[3]);
    ASSERT_NO_FATAL_FAILURE(Empty(leaves_[3]));
  }
  PageRef Page(BlockNumber block) {
    PageRef page = index_.PinPage(block, Hold::kExclusive);
    page.MarkDirty();
    return page;
  }
  void SetNext(BlockNumber block, BlockNumber next) { nbtree::SetNext(Page(block).writer(), next); }
  void SetPrev(BlockNumber block, BlockNumber prev) { nbtree::SetPrev(Page(block).writer(), prev); }
  // Lets the leaf lose its downlink, and makes its branch end at `top`.
  void MakeHalfDead(BlockNumber top) {
    Descent descent = WayTo(number_);
    PageRef leaf = Page(leaves_[3]);
    ASSERT_TRUE(MarkHalfDead(index_.tree.get(), &leaf, &descent).value());
    const LinePointer pointer = leaf.view().line_pointer(1);
    nbtree::SetDownlink(leaf.writer().data() + pointer.offset, top);
  }
  void ExpectDataLoss(const char* what) {
    const std::size_t records = index_.log.records().size();
    std::vector<DeletedPage> deleted;
    const absl::Status status = DeletePage(index_.tree.get(), leaves_[3], &deleted);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr(what));
    EXPECT_EQ(index_.log.records().size(), records);
    EXPECT_THAT(deleted, IsEmpty());
  }

  std::vector<BlockNumber> leaves_;
  std::int64_t number_ = 0;
};

TEST_F(DamagedNeighbours, RightLinkToThePageItself) {
  SetNext(leaves_[3], leaves_[3]);
  ExpectDataLoss("lead back to it");
}
TEST_F(DamagedNeighbours, RightLinkToAnotherChild) {
  SetNext(leaves_[3], leaves_[5]);
  ExpectDataLoss("neighbouring downlinks do not lead to neighbours");
}
TEST_F(DamagedNeighbours, RightLinkToTheMetapage) {
  MakeHalfDead(kInvalidBlock);
  SetNext(leaves_[3], nbtree::kMetaBlock);
  ExpectDataLoss("other items than its high key");
}
TEST_F(DamagedNeighbours, LeftLinkOfTheRightSibling) {
  MakeHalfDead(kInvalidBlock);
  SetPrev(leaves_[4], leaves_[1]);
  ExpectDataLoss("does not lead to its left neighbour");
}
TEST_F(DamagedNeighbours, LeftLinkToAPageOnTheRight) {
  MakeHalfDead(kInvalidBlock);
  SetPrev(leaves_[3], leaves_[6]);
  ExpectDataLoss("none of its left siblings has a link to it");
}
TEST_F(DamagedNeighbours, LeftLinkIntoACircle) {
  MakeHalfDead(kInvalidBlock);
  SetPrev(leaves_[3], leaves_[6]);
  SetNext(leaves_[7], leaves_[6]);
  ExpectDataLoss("in a circle");
}
TEST_F(DamagedNeighbours, LeftLinkFartherThanOnePage) {
  MakeHalfDead(kInvalidBlock);
  SetPrev(leaves_[3], leaves_[1]);
  ExpectDataLoss("cannot be unlinked from these neighbours");
}
TEST_F(DamagedNeighbours, BranchThatBeginsWithTheLeafItself) {
  MakeHalfDead(leaves_[3]);
  ExpectDataLoss("the top of its branch is the page itself");
}
TEST_F(DamagedNeighbours, BranchThatBeginsWithALeaf) {
  MakeHalfDead(leaves_[8]);
  ExpectDataLoss("no internal page");
}
TEST_F(DamagedNeighbours, BranchWithOtherChildren) {
  MakeHalfDead(index_.Level(1)[1]);
  ExpectDataLoss("has children");
}
TEST_F(DamagedNeighbours, BranchThatBeginsWithTheRoot) {
  MakeHalfDead(index_.Meta().root);
  ExpectDataLoss("cannot be unlinked from these neighbours");
}
TEST_F(DamagedNeighbours, NoDownlink) {
  const BlockNumber parent = index_.Level(1)[0];
  PageRef page = Page(parent);
  const nbtree::NbtreePage node(page.view());
  for (OffsetNumber slot = node.first_data_slot(); slot <= node.item_count(); ++slot) {
    if (nbtree::Downlink(node.tuple(slot)) != leaves_[3]) continue;
    ASSERT_EQ(nbtree::DeleteItem(page.writer(), slot), nbtree::EditError::kNone);
    break;
  }
  page.Drop();
  ExpectDataLoss("no page above has a downlink to it");
}

}  // namespace
}  // namespace tornleaf
