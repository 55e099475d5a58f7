#include "engine/verify/tree_verifier.h"

#include <algorithm>

#include "engine/page/page_check.h"
#include "engine/verify/nbtree_rules.h"

namespace tornleaf {

using nbtree::NbtreePage;
using State = CheckedPage::State;

namespace {

constexpr std::size_t kSearchAhead = 256;  // downlinks looked at when one is missing
constexpr std::uint32_t kHeightMax = 64;   // far above any tree of 2^32 pages

// Bytes of a pivot that must be the same in parent and child. The block number has different
// meanings; in versions 2 and 3 so may the rest of t_tid.
ByteView IdentityBytes(ByteView pivot, bool heap_tid_is_key) {
  return pivot.subspan(heap_tid_is_key ? index_tuple::kOffset.offset : index_tuple::kInfo.offset);
}

bool SameBytes(ByteView a, ByteView b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

TreeVerifier::TreeVerifier(PageSource* pages, VerifyContext* context, const VerifyOptions& options)
    : pages_(pages),
      context_(context),
      options_(options),
      tids_(context->limits.MaxHeapOffset()),
      items_(context, &tids_),
      page_verifier_(context, &items_),
      page_buffer_(pages->page_size()),
      parent_buffer_(pages->page_size()),
      peek_buffer_(pages->page_size()),
      visited_(context->block_count) {}

void TreeVerifier::Progress() {
  constexpr std::uint64_t kPagesPerCall = 1024;
  if (options_.progress && context_->counts().pages % kPagesPerCall == 0) {
    options_.progress(static_cast<BlockNumber>(context_->counts().pages), context_->block_count);
  }
}

bool TreeVerifier::ReadPage(BlockNumber block, std::vector<std::uint8_t>* buffer, PageView* page) {
  // The level walk goes mostly forward; parents and peeks jump.
  const ByteView bytes = buffer == &page_buffer_ ? pages_->ReadSequential(block, *buffer)
                                                 : pages_->Read(block, *buffer);
  if (bytes.empty()) {
    context_->report->unreadable_block = block;
    return false;
  }
  *page = PageView(bytes);
  return true;
}

bool TreeVerifier::Peek(BlockNumber block, NbtreePage* page) {
  if (block == nbtree::kMetaBlock || block >= context_->block_count) return false;
  PageView view;
  if (!ReadPage(block, &peek_buffer_, &view) || view.is_new()) return false;
  Findings ignored;
  if (!CheckPageHeader(view, block, nbtree::kOpaqueSize, &ignored)) return false;
  *page = NbtreePage(view);
  return true;
}

void TreeVerifier::Run() {
  std::uint32_t level = 0;
  chain_broken_ = context_->root_doubtful;
  if (context_->meta.root != 0 && FindRootLevel(&level)) {
    downlinks_.push_back({context_->meta.root, 0, 0, 0, 0, 0});
    while (!downlinks_.empty() && !context_->report->unreadable_block) {
      WalkLevel(level);
      downlinks_ = std::move(next_downlinks_);
      next_downlinks_.clear();
      downlinks_lost_ = next_downlinks_lost_;
      next_downlinks_lost_ = false;
      if (level == 0) break;
      --level;
    }
    if (!context_->report->unreadable_block) CheckFastRoot();
  }
  Sweep();
  ReportDuplicateTids();
}

void TreeVerifier::CheckPagesAlone() {
  chain_broken_ = true;
  Sweep();
  ReportDuplicateTids();
}

// The level to start with is the root page's own, if it can be read: then one wrong field in the
// metapage does not put every page on a wrong level.
bool TreeVerifier::FindRootLevel(std::uint32_t* level) {
  if (context_->meta.root >= context_->block_count) {
    chain_broken_ = true;  // META-005 has said so.
    return false;
  }
  NbtreePage root;
  *level = context_->meta.level;
  if (!Peek(context_->meta.root, &root)) return !context_->report->unreadable_block;
  const bool level_makes_sense = root.is_leaf() == (root.level() == 0);
  if (root.level() != context_->meta.level && level_makes_sense) {
    context_->reporter->Add(
        At(rules::kLevel, root.page(), context_->meta.root, 0,
           OpaqueRange(root.page(), nbtree::kLevel),
           FindingText::Format("level %u, as btm_level says", context_->meta.level),
           FindingText::Format("%u", root.level())));
    *level = root.level();
  }
  return true;
}

void TreeVerifier::WalkLevel(std::uint32_t level) {
  expected_ = 0;
  left_ = LeftSide();
  parent_buffered_ = 0;
  last_live_parent_ = 0;
  linked_pages_ = 0;
  BlockNumber block = LeftmostFrom(downlinks_[0].child);
  if (block == kInvalidBlock) Resume(&block);
  while (block != 0 && !context_->report->unreadable_block) {
    block = VisitPage(block, level);
    if (context_->report->unreadable_block) return;
    if (block == kInvalidBlock) {
      LoseDownlinks();
      Resume(&block);
    } else if (block == 0 && expected_ < downlinks_.size()) {
      const Downlink& missed = downlinks_[expected_];
      PageView parent;
      if (missed.parent != 0 && ReadPage(missed.parent, &parent_buffer_, &parent)) {
        parent_buffered_ = missed.parent;
        parent_page_ = parent;
        context_->reporter->Add(At(rules::kDownlinkChild, parent, missed.parent, missed.slot, {},
                                   Words("a child that the sibling links reach"),
                                   FindingText::Format("block %u", missed.child)));
      }
      LoseDownlinks();
      Resume(&block);
    }
  }
  if (level == context_->meta.fast_level) {
    fast_level_pages_ = linked_pages_;
    fast_level_block_ = linked_block_;
  }
}

// Half-dead pages may stand to the left of the first downlink's child. Steps left as long as links
// agree; kInvalidBlock if `block` cannot be read at all.
BlockNumber TreeVerifier::LeftmostFrom(BlockNumber block) {
  NbtreePage page;
  if (block == nbtree::kMetaBlock || block >= context_->block_count || visited_[block]) {
    return kInvalidBlock;
  }
  while (left_steps_ < context_->block_count && Peek(block, &page) && page.prev() != 0) {
    const BlockNumber left = page.prev();
    NbtreePage left_page;
    if (left >= context_->block_count || visited_[left] || !Peek(left, &left_page) ||
        left_page.next() != block || left_page.is_deleted()) {
      break;
    }
    ++left_steps_;
    block = left;
  }
  return block;
}

// Some pages of the level below will have no downlink that is known here.
void TreeVerifier::LoseDownlinks() {
  chain_broken_ = true;
  next_downlinks_lost_ = true;
  last_live_parent_ = kInvalidBlock;
}

// Goes on with the next downlink whose child has not been visited; 0 if there is none.
void TreeVerifier::Resume(BlockNumber* block) {
  left_ = LeftSide();
  for (; expected_ < downlinks_.size(); ++expected_) {
    const BlockNumber child = downlinks_[expected_].child;
    if (child != nbtree::kMetaBlock && child < context_->block_count && !visited_[child]) {
      *block = child;
      return;
    }
    context_->reporter->AddConsequences(1);
  }
  *block = 0;
}

BlockNumber TreeVerifier::VisitPage(BlockNumber block, std::uint32_t level) {
  PageView page;
  if (!ReadPage(block, &page_buffer_, &page)) return kInvalidBlock;
  visited_[block] = true;
  const CheckedPage checked = page_verifier_.Check(page, block);
  Progress();
  if (checked.state == State::kNew) {
    context_->reporter->Add(At(rules::kLinkNew, page, block, 0, {0, page.size()},
                               FindingText::Format("a page of level %u", level),
                               Words("a page of zeroes")));
  }
  if (checked.state == State::kDeleted) {
    // Its links are those that it had when it was unlinked; following them would lead astray.
    context_->reporter->Add(At(rules::kLinkDeleted, page, block, 0,
                               OpaqueRange(page, nbtree::kFlags),
                               Words("a page that is not deleted"),
                               FindingText::Format("flags 0x%04x", checked.page.flags())));
  }
  if (checked.state != State::kLive && checked.state != State::kHalfDead) {
    if (expected_ < downlinks_.size() && downlinks_[expected_].child == block) ++expected_;
    return kInvalidBlock;
  }

  doomed_top_ = 0;
  in_place_ = CheckPlace(checked, block, level);
  const Downlink* downlink = MatchDownlink(checked, block);
  if (checked.state == State::kLive) {
    CheckLeftBound(checked, block, downlink);
    if (level > 0) CollectDownlinks(checked, block);
    RememberBound(checked);
  }
  left_.block = block;

  const BlockNumber next = checked.page.next();
  if (next == nbtree::kNoSibling) {
    if (checked.page.is_ignorable()) {
      context_->reporter->Add(At(rules::kLinkEnd, page, block, 0, OpaqueRange(page, nbtree::kFlags),
                                 Words("a live page"),
                                 FindingText::Format("flags 0x%04x", checked.page.flags())));
    }
    return 0;
  }
  if (next >= context_->block_count || next == block) return kInvalidBlock;  // LINK-001 said so.
  if (visited_[next]) {
    context_->reporter->Add(At(rules::kLinkOnce, page, block, 0, OpaqueRange(page, nbtree::kNext),
                               Words("a page not met before"),
                               FindingText::Format("btpo_next %u", next)));
    return kInvalidBlock;
  }
  return next;
}

// Links, level and flags that depend on where the page stands.
// False if the page cannot be the one that belongs here; what it holds then breaks more rules.
bool TreeVerifier::CheckPlace(const CheckedPage& checked, BlockNumber block, std::uint32_t level) {
  const NbtreePage page = checked.page;
  const PageView view = page.page();
  bool in_place = true;
  if (page.level() != level && checked.kind_known) {
    in_place = false;
    context_->reporter->Add(At(rules::kLevel, view, block, 0, OpaqueRange(view, nbtree::kLevel),
                               FindingText::Format("level %u", level),
                               FindingText::Format("%u", page.level())));
  }
  if (!in_place) context_->reporter->Doubt(block);
  const bool first = left_.block == 0 && expected_ == 0;
  const bool prev_in_file = page.prev() < context_->block_count && page.prev() != block;
  if (first && page.prev() != nbtree::kNoSibling && prev_in_file) {
    context_->reporter->Add(At(rules::kLinkStart, view, block, 0, OpaqueRange(view, nbtree::kPrev),
                               Words("btpo_prev 0 on the first page of a level"),
                               FindingText::Format("%u", page.prev())));
  } else if (left_.block != 0 && page.prev() != left_.block && prev_in_file) {
    in_place = false;
    context_->reporter->Add(At(rules::kLinkBack, view, block, 0, OpaqueRange(view, nbtree::kPrev),
                               FindingText::Format("btpo_prev %u", left_.block),
                               FindingText::Format("%u", page.prev())));
    context_->reporter->Doubt(block);
  }
  CheckRootFlag(page, block, level);
  return in_place;
}

void TreeVerifier::CheckRootFlag(NbtreePage page, BlockNumber block, std::uint32_t level) {
  const bool is_root = block == context_->meta.root;
  // A split of the root clears the flag; the new root above the two halves has it.
  const bool was_split = is_root && page.is_incomplete_split();
  const bool in_doubt = was_split && page.is_rightmost();  // FLAG-009 says so.
  if (page.is_root() == (is_root && !was_split) || in_doubt) return;
  context_->reporter->Add(
      At(rules::kRootFlag, page.page(), block, 0, OpaqueRange(page.page(), nbtree::kFlags),
         was_split ? Words("no BTP_ROOT with BTP_INCOMPLETE_SPLIT")
         : is_root ? FindingText::Format("BTP_ROOT on the root, level %u", level)
                   : FindingText::Format("no BTP_ROOT: the root is block %u", context_->meta.root),
         FindingText::Format("flags 0x%04x", page.flags())));
}

const TreeVerifier::Downlink* TreeVerifier::MatchDownlink(const CheckedPage& checked,
                                                          BlockNumber block) {
  const Downlink* downlink = nullptr;
  if (expected_ < downlinks_.size() && downlinks_[expected_].child == block) {
    downlink = &downlinks_[expected_];
    ++expected_;
    doomed_top_ = downlink->doomed_top;
    left_.lacks_downlink = false;
    CheckMatched(checked, block, *downlink);
  } else {
    downlink = CheckUnmatched(checked, block);
  }
  if (doomed_top_ != 0 && checked.state == State::kLive && checked.page.is_incomplete_split()) {
    const PageView view = checked.page.page();
    context_->reporter->Add(At(rules::kNotIncomplete, view, block, 0,
                               OpaqueRange(view, nbtree::kFlags),
                               Words("no split under way in a branch that is being deleted"),
                               FindingText::Format("flags 0x%04x", checked.page.flags())));
  }
  if (checked.state == State::kHalfDead) CheckHalfDeadTop(checked.page, block, downlink);
  if (downlink != nullptr && doomed_top_ == 0) {
    ++linked_pages_;
    linked_block_ = block;
  }
  return downlink;
}

void TreeVerifier::CheckMatched(const CheckedPage& checked, BlockNumber block,
                                const Downlink& downlink) {
  const PageView view = checked.page.page();
  if (checked.state == State::kHalfDead && downlink.doomed_top == 0) {
    context_->reporter->Add(At(rules::kDownlinkDead, view, block, 0,
                               OpaqueRange(view, nbtree::kFlags),
                               FindingText::Format("no downlink, but block %u slot %u has one",
                                                   downlink.parent, downlink.slot),
                               FindingText::Format("flags 0x%04x", checked.page.flags())));
    left_.bound_known = false;  // The page took it along.
  }
  if (left_.incomplete_split && checked.state == State::kLive && doomed_top_ == 0) {
    context_->reporter->Add(
        At(rules::kNotIncomplete, view, left_.block, 0, OpaqueRange(view, nbtree::kFlags),
           FindingText::Format("no downlink to the right sibling %u", block),
           FindingText::Format("block %u slot %u has one", downlink.parent, downlink.slot)));
  }
  if (CompareSeparator(downlink) == Identity::kDifferent) {
    context_->reporter->Add(
        At(rules::kSeparator, parent_page_, downlink.separator_block, downlink.separator_slot,
           {parent_page_.line_pointer(downlink.separator_slot).offset,
            parent_page_.line_pointer(downlink.separator_slot).end()},
           FindingText::Format("the bytes of the high key before block %u", block),
           Words("other bytes")));
    last_live_parent_ = kInvalidBlock;  // That high key may be the wrong one of the two.
  }
}

// A page that the expected downlink does not lead to: legal for what splits and deletions leave
// behind; otherwise finds out whether the downlink is wrong or missing.
const TreeVerifier::Downlink* TreeVerifier::CheckUnmatched(const CheckedPage& checked,
                                                           BlockNumber block) {
  if (checked.state != State::kLive) return nullptr;
  if (left_.incomplete_split) return nullptr;
  const NbtreePage page = checked.page;
  if (!page.is_leaf() && IsTopOfDeletion(page)) {
    doomed_top_ = block;
    return nullptr;
  }
  const std::size_t end = std::min(downlinks_.size(), expected_ + kSearchAhead);
  for (std::size_t index = expected_; index < end; ++index) {
    if (downlinks_[index].child == block) return SkipDownlinks(page, block, index);
  }
  const bool separator_says_so =
      expected_ < downlinks_.size() && CompareSeparator(downlinks_[expected_]) == Identity::kSame;
  if (separator_says_so ||
      (expected_ < downlinks_.size() && downlinks_[expected_].separator_block == 0)) {
    // The block number is what is wrong.
    const Downlink& wrong = downlinks_[expected_++];
    context_->reporter->Add(
        At(rules::kDownlinkChild, page.page(), wrong.parent, wrong.slot, {},
           FindingText::Format("block %u, the page behind the separator", block),
           FindingText::Format("a downlink to block %u", wrong.child)));
    doomed_top_ = wrong.doomed_top;
    downlinks_lost_ = true;
    return &wrong;
  }
  if (downlinks_lost_ || !in_place_ || left_.lacks_downlink) {
    context_->reporter->AddConsequences(1);
    return nullptr;
  }
  left_.lacks_downlink = true;
  context_->reporter->Add(At(rules::kDownlinkMissing, page.page(), block, 0, {},
                             Words("a downlink, or BTP_INCOMPLETE_SPLIT on its left sibling"),
                             Words("neither")));
  return nullptr;
}

// The downlink to the page is not the next one: those before it lead to pages that the sibling
// links pass by, unless a broken link or lost downlinks explain it.
const TreeVerifier::Downlink* TreeVerifier::SkipDownlinks(NbtreePage page, BlockNumber block,
                                                          std::size_t index) {
  const Downlink& skipped = downlinks_[expected_];
  if (in_place_) {
    context_->reporter->Add(At(rules::kDownlinkChild, page.page(), skipped.parent, skipped.slot, {},
                               FindingText::Format("the next page of the level, %u", block),
                               FindingText::Format("a downlink to block %u", skipped.child)));
  }
  context_->reporter->AddConsequences(index - expected_);
  LoseDownlinks();
  downlinks_lost_ = true;
  expected_ = index + 1;
  doomed_top_ = downlinks_[index].doomed_top;
  return &downlinks_[index];
}

void TreeVerifier::CheckHalfDeadTop(NbtreePage page, BlockNumber block, const Downlink* downlink) {
  if (page.item_count() != 1 || !IsReadable(page.page(), page.page().line_pointer(1))) return;
  const BlockNumber named = nbtree::Downlink(page.tuple(1));
  const BlockNumber wanted =
      downlink == nullptr || downlink->doomed_top == 0 ? kInvalidBlock : downlink->doomed_top;
  if (named == wanted) return;
  context_->reporter->Add(
      At(rules::kTopParent, page.page(), block, 1,
         {page.page().line_pointer(1).offset, page.page().line_pointer(1).offset + 4},
         FindingText::Format("%u", wanted), FindingText::Format("%u", named)));
}

// Whether the page heads a branch whose deletion was interrupted: one downlink on each page, down
// to a half-dead leaf. Whether that leaf names the page is checked where the leaf is met.
bool TreeVerifier::IsTopOfDeletion(NbtreePage page) {
  for (std::uint32_t height = 0; height < kHeightMax && !page.is_leaf(); ++height) {
    const OffsetNumber slot = page.first_data_slot();
    if (slot != page.item_count()) return false;
    const LinePointer pointer = page.page().line_pointer(slot);
    if (!IsReadable(page.page(), pointer)) return false;
    const std::uint32_t level = page.level();
    if (!Peek(nbtree::Downlink(page.tuple(slot)), &page) || page.level() >= level) return false;
  }
  return page.is_half_dead();
}

bool TreeVerifier::ReadSeparator(const Downlink& downlink, TupleView* separator) {
  if (downlink.separator_block == 0 || downlink.separator_block == kInvalidBlock) return false;
  if (parent_buffered_ != downlink.separator_block) {
    parent_buffered_ = 0;
    if (!ReadPage(downlink.separator_block, &parent_buffer_, &parent_page_)) return false;
    parent_buffered_ = downlink.separator_block;
  }
  if (downlink.separator_slot > parent_page_.item_count()) return false;
  const LinePointer pointer = parent_page_.line_pointer(downlink.separator_slot);
  if (!IsReadable(parent_page_, pointer)) return false;
  *separator = TupleView(parent_page_.bytes().subspan(pointer.offset, pointer.length));
  return true;
}

TreeVerifier::Identity TreeVerifier::CompareSeparator(const Downlink& downlink) {
  TupleView separator;
  if (!left_.bound_known || !ReadSeparator(downlink, &separator)) return Identity::kUnknown;
  const bool v4 = context_->heap_tid_is_key();
  return SameBytes(IdentityBytes(left_.high_key, v4), IdentityBytes(separator.bytes(), v4))
             ? Identity::kSame
             : Identity::kDifferent;
}

// Items must be above the high key of the live page before; where that is not known, above the
// separator that led here.
void TreeVerifier::CheckLeftBound(const CheckedPage& checked, BlockNumber block,
                                  const Downlink* downlink) {
  if (!context_->check_order) return;
  const NbtreePage page = checked.page;
  if (!checked.kind_known) return;
  KeyPosition first;
  OffsetNumber slot = page.first_data_slot() + (page.is_leaf() ? 0 : 1);
  while (slot <= page.item_count() && !items_.ReadPosition(page, slot, &first)) ++slot;
  if (slot > page.item_count()) {
    // Nothing but a bound of its own: that is above the bound on the left, too.
    slot = 1;
    if (page.is_rightmost() || !items_.ReadPosition(page, slot, &first)) return;
  }

  KeyPosition separator_position;
  const KeyPosition* bound = nullptr;
  if (left_.bound_known) {
    if (!left_.position.readable) return;
    bound = &left_.position;
  } else {
    TupleView separator;
    if (downlink == nullptr || !ReadSeparator(*downlink, &separator)) return;
    if (nbtree::KindOf(separator) != nbtree::TupleKind::kPivot ||
        nbtree::PivotAttributeCount(separator) > context_->schema->key_count() ||
        separator.stored_size() < 2 * index_tuple::kHeaderSize ||
        !ReadKeyPosition(*context_, separator, true, &separator_position).ok()) {
      return;
    }
    bound = &separator_position;
  }
  ++context_->counts().key_comparisons;
  const int order = ComparePositions(*context_, *bound, first);
  if (order < 0 || (order == 0 && !context_->heap_tid_is_key())) return;
  const LinePointer pointer = page.page().line_pointer(slot);
  const PositionText bound_text = TextOf(*context_, *bound);
  context_->reporter->Add(At(
      rules::kLeftBound, page.page(), block, slot, {pointer.offset, pointer.end()},
      left_.bound_known
          ? FindingText::Format("above the bound from the left, %s", bound_text.c_str())
          : FindingText::Format("above the key at block %u slot %u, %s", downlink->separator_block,
                                downlink->separator_slot, bound_text.c_str()),
      FindingText::Format("%s", TextOf(*context_, first).c_str())));
}

// The high key of a live page is the bound of what follows. A page that is being deleted has given
// its key space to the right: the bound before it stays.
void TreeVerifier::RememberBound(const CheckedPage& checked) {
  if (doomed_top_ != 0) return;
  const NbtreePage page = checked.page;
  left_.incomplete_split = page.is_incomplete_split();
  left_.bound_known = false;
  left_.position.readable = false;
  if (page.is_rightmost() || !checked.kind_known || !items_.usable(1)) return;
  const TupleView high_key = page.tuple(1);
  left_.high_key.assign(high_key.bytes().begin(), high_key.bytes().end());
  left_.bound_known = true;
  if (context_->schema == nullptr) return;
  ReadKeyPosition(*context_, TupleView(left_.high_key), true, &left_.position);
}

void TreeVerifier::CollectDownlinks(const CheckedPage& checked, BlockNumber block) {
  const NbtreePage page = checked.page;
  const OffsetNumber first = page.first_data_slot();
  if (!checked.kind_known || page.is_leaf() || page.item_count() < first) {
    LoseDownlinks();
    return;
  }
  for (OffsetNumber slot = first; slot <= page.item_count(); ++slot) {
    if (!items_.usable(slot)) {
      LoseDownlinks();
      continue;
    }
    Downlink downlink{nbtree::Downlink(page.tuple(slot)), block, block, slot, slot, doomed_top_};
    if (slot == first) {
      downlink.separator_block = last_live_parent_;
      downlink.separator_slot = 1;
    }
    next_downlinks_.push_back(downlink);
  }
  if (doomed_top_ == 0) last_live_parent_ = block;
}

void TreeVerifier::CheckFastRoot() {
  const nbtree::MetaPage& meta = context_->meta;
  if (chain_broken_ || meta.fast_root == 0) return;
  if (fast_level_pages_ == 1 && fast_level_block_ == meta.fast_root) return;
  PageView page;
  if (!ReadPage(nbtree::kMetaBlock, &page_buffer_, &page)) return;
  context_->reporter->Add(
      At(rules::kFastRoot, page, nbtree::kMetaBlock, 0, {nbtree::kMetaFastRoot.offset, 48},
         FindingText::Format("the only page with a downlink on level %u", meta.fast_level),
         FindingText::Format("block %u; that level has %llu", meta.fast_root,
                             static_cast<unsigned long long>(fast_level_pages_))));
}

// Pages that the tree did not reach: deleted or new ones, or lost ones.
void TreeVerifier::Sweep() {
  for (BlockNumber block = 1; block < context_->block_count; ++block) {
    if (visited_[block]) continue;
    if (context_->report->unreadable_block) return;
    PageView page;
    if (!ReadPage(block, &page_buffer_, &page)) return;
    visited_[block] = true;
    CheckReachable(page, block);
    page_verifier_.Check(page, block);
    Progress();
  }
}

// Live pages that the tree did not reach. What they hold was elsewhere before or is elsewhere now,
// so what it breaks follows.
void TreeVerifier::CheckReachable(PageView view, BlockNumber block) {
  Findings ignored;
  if (view.is_new() || !CheckPageHeader(view, block, nbtree::kOpaqueSize, &ignored)) return;
  const NbtreePage page(view);
  if (page.is_deleted() || page.is_meta()) return;
  if (chain_broken_) {
    context_->reporter->AddConsequences(1);
    return;
  }
  context_->reporter->Add(At(rules::kReachable, view, block, 0, {},
                             Words("a downlink or sibling link to it, or BTP_DELETED"),
                             FindingText::Format("unreachable, flags 0x%04x, level %u, %u items",
                                                 page.flags(), page.level(), page.item_count())));
  context_->reporter->Doubt(block);
  // One lost metapage write makes every page unreachable.
  if (context_->meta.root == nbtree::kNoSibling) chain_broken_ = true;
}

void TreeVerifier::ReportDuplicateTids() {
  for (const TidSet::Place& place : tids_.Finish()) {
    Finding finding;
    finding.invariant = &rules::kTidOnce;
    finding.block = place.block;
    finding.slot = place.slot;
    finding.expected = Words("a row address that occurs once");
    finding.actual = FindingText::Format("(%u,%u)", place.tid.block, place.tid.offset);
    context_->reporter->AddLast(finding);
  }
  // A page where another belongs has its rows twice.
  context_->reporter->AddHeldBack(context_->reporter->any_doubt());
}

}  // namespace tornleaf
