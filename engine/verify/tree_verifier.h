// Checks across pages: sibling links, levels, downlinks and separators, bounds, reachability.
//
// The tree is walked level by level from the root, each level from left to right along its right
// links, side by side with the downlinks that the level above holds in the same order. So every
// page is read once as a member of its level; the separators are read again from the parents. Where
// a chain of links is broken, the walk goes on from the next downlink, and what that costs in
// missed checks is counted as a consequence of the break.

#ifndef TORNLEAF_ENGINE_VERIFY_TREE_VERIFIER_H_
#define TORNLEAF_ENGINE_VERIFY_TREE_VERIFIER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "engine/page/page_source.h"
#include "engine/verify/context.h"
#include "engine/verify/item_verifier.h"
#include "engine/verify/page_verifier.h"

namespace tornleaf {

class TreeVerifier {
 public:
  TreeVerifier(PageSource* pages, VerifyContext* context, const VerifyOptions& options);

  // Walks the tree whose metapage the context holds, then looks at every page that it did not
  // reach. Stops early if the environment cannot read a page.
  void Run();
  // Without a metapage to believe: every page on its own.
  void CheckPagesAlone();

 private:
  // One downlink of the level above, and the separator on its left.
  struct Downlink {
    BlockNumber child;
    BlockNumber parent;
    // The parent, or its left neighbour; 0: nothing on the left; kInvalidBlock: not known.
    BlockNumber separator_block;
    OffsetNumber slot;
    OffsetNumber separator_slot;
    BlockNumber doomed_top;  // top of the branch being deleted that the parent belongs to, or 0
  };

  // What the walk remembers of the pages before the current one.
  struct LeftSide {
    BlockNumber block = 0;          // the page before, whatever its state; 0: none, or not known
    bool incomplete_split = false;  // the live page before says so
    bool lacks_downlink = false;    // it has none, and that has been said
    bool bound_known = false;       // the high key of the live page before could be read
    std::vector<std::uint8_t> high_key;
    KeyPosition position;  // of high_key
  };

  bool ReadPage(BlockNumber block, std::vector<std::uint8_t>* buffer, PageView* page);
  // Reads a page without reporting anything about it. False if its special area cannot be used.
  bool Peek(BlockNumber block, nbtree::NbtreePage* page);

  bool FindRootLevel(std::uint32_t* level);
  void WalkLevel(std::uint32_t level);
  BlockNumber LeftmostFrom(BlockNumber block);
  // Visits one page. Returns the block to go on with: 0 at the end of the level, kInvalidBlock if
  // the chain is broken here.
  BlockNumber VisitPage(BlockNumber block, std::uint32_t level);
  void Resume(BlockNumber* block);
  void LoseDownlinks();
  bool CheckPlace(const CheckedPage& checked, BlockNumber block, std::uint32_t level);
  void CheckRootFlag(nbtree::NbtreePage page, BlockNumber block, std::uint32_t level);

  // Finds out which downlink, if any, leads to the page. Sets doomed_top_ if the page belongs to a
  // branch that is being deleted.
  const Downlink* MatchDownlink(const CheckedPage& checked, BlockNumber block);
  void CheckMatched(const CheckedPage& checked, BlockNumber block, const Downlink& downlink);
  const Downlink* CheckUnmatched(const CheckedPage& checked, BlockNumber block);
  const Downlink* SkipDownlinks(nbtree::NbtreePage page, BlockNumber block, std::size_t index);
  void CheckHalfDeadTop(nbtree::NbtreePage page, BlockNumber block, const Downlink* downlink);
  bool IsTopOfDeletion(nbtree::NbtreePage page);
  enum class Identity : std::uint8_t { kSame, kDifferent, kUnknown };
  Identity CompareSeparator(const Downlink& downlink);
  bool ReadSeparator(const Downlink& downlink, TupleView* separator);

  void CheckLeftBound(const CheckedPage& checked, BlockNumber block, const Downlink* downlink);
  void RememberBound(const CheckedPage& checked);
  void CollectDownlinks(const CheckedPage& checked, BlockNumber block);

  void CheckFastRoot();
  void Sweep();
  void CheckReachable(PageView view, BlockNumber block);
  void ReportDuplicateTids();
  void Progress();

  PageSource* pages_;
  VerifyContext* context_;
  const VerifyOptions& options_;
  TidSet tids_;
  ItemVerifier items_;
  PageVerifier page_verifier_;

  std::vector<std::uint8_t> page_buffer_;
  std::vector<std::uint8_t> parent_buffer_;
  std::vector<std::uint8_t> peek_buffer_;
  BlockNumber parent_buffered_ = 0;  // what parent_buffer_ holds; 0: nothing
  PageView parent_page_;

  std::vector<bool> visited_;
  bool chain_broken_ = false;             // some pages may not have been reached because of it
  bool downlinks_lost_ = false;           // pages of this level may lack a downlink because of it
  bool next_downlinks_lost_ = false;      // the same for the level below
  std::uint64_t left_steps_ = 0;          // bounds LeftmostFrom over the whole run
  std::vector<Downlink> downlinks_;       // to the level being walked
  std::vector<Downlink> next_downlinks_;  // from it
  std::size_t expected_ = 0;              // the first downlink not met yet
  LeftSide left_;
  bool in_place_ = true;                // the current page can be the one that belongs here
  BlockNumber doomed_top_ = 0;          // of the current page
  BlockNumber last_live_parent_ = 0;    // while collecting downlinks
  std::uint64_t linked_pages_ = 0;      // pages of the current level with a downlink
  BlockNumber linked_block_ = 0;        // the last of them
  std::uint64_t fast_level_pages_ = 0;  // the same for the fast root's level
  BlockNumber fast_level_block_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_TREE_VERIFIER_H_
