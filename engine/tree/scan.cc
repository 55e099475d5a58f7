#include "engine/tree/scan.h"

#include <utility>

#include "engine/base/mark.h"
#include "engine/tree/delete.h"
#include "engine/tree/key_compare.h"
#include "engine/tree/node.h"
#include "engine/tree/search.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

// A row that the leaf had when it was read.
struct LeafRow {
  ItemPointer tid;
  OffsetNumber slot = 0;
  bool dead = false;
};

// Slots [begin, end) of a leaf that are in the range.
struct SlotRange {
  OffsetNumber begin = 0;
  OffsetNumber end = 0;
};

// The search key of an end of the range. Searching with it finds the first item that is past the
// end: in the range for the lower one, behind it for the upper one.
SearchKey KeyOf(const ScanBound& bound, bool upper) {
  SearchKey key;
  key.values = bound.values.data();
  key.count = static_cast<std::uint32_t>(bound.values.size());
  key.next_key = bound.inclusive == upper;
  return key;
}

bool IsMarkedDead(const NbtreePage& node, OffsetNumber slot) {
  return node.page().line_pointer(slot).flags == LineFlags::kDead;
}

// Asks for the tuple of a slot some way from this one, in either direction, so that its header is
// there when its turn comes.
void FetchTuple(const NbtreePage& node, OffsetNumber slot, SlotRange range) {
  constexpr std::uint32_t kDistance = 16;
  for (const std::uint32_t other : {slot + kDistance, slot - kDistance}) {
    if (other < range.begin || other >= range.end) continue;
    const LinePointer pointer = node.page().line_pointer(static_cast<OffsetNumber>(other));
    __builtin_prefetch(node.page().data() + pointer.offset);
  }
}

std::uint32_t RowCountOf(TupleView item) {
  return KindOf(item) == TupleKind::kPosting ? nbtree::PostingCount(item) : 1;
}

}  // namespace

struct Scan::State {
  State(Tree* tree_used, ScanRequest asked)
      : tree(tree_used),
        request(std::move(asked)),
        liveness(tree->parts().liveness),
        link_use(tree->parts().transactions),
        lower_key(KeyOf(request.lower, false)),
        upper_key(KeyOf(request.upper, true)),
        lower(tree->schema(), lower_key),
        upper(tree->schema(), upper_key),
        leaves(tree) {}

  // Moves to the first leaf of the range, or the next one, and holds it shared. False at the end.
  absl::StatusOr<bool> EnterLeaf();
  absl::StatusOr<PageRef> FindFirstLeaf();
  absl::StatusOr<PageRef> FindNextLeaf();
  // What of the held leaf is in the range. Notes whether the range goes on beyond it.
  SlotRange RangeOnLeaf();
  // Copies what the cursor needs of the held leaf, and lets go of the hold.
  void ReadRows(SlotRange range);
  void AppendRows(TupleView item, OffsetNumber slot);
  // Before the leaf is left: tells it which of its items are dead.
  void LeaveRows();
  std::uint64_t CountOnLeaf(SlotRange range) const;
  std::uint64_t CountLiveRows();
  // One line of the next leaf for each row that is given.
  void FetchAhead() {
    constexpr std::size_t kLine = 64;
    const std::size_t at = position * kLine;
    if (at < tree->parts().pool->page_size()) __builtin_prefetch(ahead + at);
  }
  TupleView CurrentItem() const { return NbtreePage(PageView(copy)).tuple(rows[position].slot); }

  Tree* tree;
  ScanRequest request;
  Liveness* liveness;
  LinkUse link_use;
  SearchKey lower_key;
  SearchKey upper_key;
  KeyComparer lower;
  KeyComparer upper;

  // No leaf is met twice: pages are not used again while the scan is open.
  StepLimit leaves;
  PageRef leaf;  // pinned while its rows are given
  bool started = false;
  bool goes_on = true;   // the range is not known to end on the leaf
  BlockNumber next = 0;  // the leaf's right link when it was read
  // The leaf as it was, with_values only.
  std::vector<std::uint8_t> copy;
  std::vector<LeafRow> rows;            // in the order in which they are given
  std::size_t position = 0;             // the current row
  bool any_dead = false;                // among the rows so far
  const std::uint8_t* ahead = nullptr;  // where the next leaf probably is; only to be fetched
  bool has_values = false;              // of the current row
  Value values[kMaxAttributes];
  DeformedTuple deformed;
  std::vector<OffsetNumber> dead_slots;
};

absl::StatusOr<PageRef> Scan::State::FindFirstLeaf() {
  const ScanBound& from = request.backward ? request.upper : request.lower;
  if (from.values.empty()) return FindEdge(tree, request.backward, 0, Hold::kShared);
  return FindLeaf(tree, request.backward ? upper_key : lower_key, Access::kRead, nullptr);
}

absl::StatusOr<PageRef> Scan::State::FindNextLeaf() {
  StepLimit limit(tree);
  if (request.backward) {
    absl::StatusOr<PageRef> page = StepLeft(tree, std::move(leaf), Hold::kShared);
    while (page.ok() && page->valid() && NodeOf(*page).is_ignorable()) {
      MARK("scan.skip_dead_page_backward");
      const absl::Status step = limit.Step(page->block());
      if (!step.ok()) return step;
      page->Release();
      page = StepLeft(tree, *std::move(page), Hold::kShared);
    }
    return page;
  }
  leaf.Drop();
  if (next == nbtree::kNoSibling) return PageRef();
  // The link is that of the moment when the leaf was read: if it has been split since, its new
  // right sibling holds rows that have been given.
  absl::StatusOr<PageRef> page = PinNode(tree, next, 0, Hold::kShared);
  while (page.ok() && NodeOf(*page).is_ignorable()) {
    MARK("scan.skip_dead_page");
    const absl::Status step = limit.Step(page->block());
    if (!step.ok()) return step;
    page = StepRight(tree, *std::move(page));
  }
  return page;
}

absl::StatusOr<bool> Scan::State::EnterLeaf() {
  absl::StatusOr<PageRef> page;
  if (!started) {
    started = true;
    page = FindFirstLeaf();
  } else {
    if (!goes_on) {
      leaf.Drop();
      return false;
    }
    page = FindNextLeaf();
  }
  if (!page.ok()) return page.status();
  leaf = *std::move(page);
  goes_on = leaf.valid();
  if (!goes_on) return false;
  const absl::Status counted = leaves.Step(leaf.block());
  if (!counted.ok()) return counted;
  return true;
}

SlotRange Scan::State::RangeOnLeaf() {
  const NbtreePage node = NodeOf(leaf);
  next = node.next();
  SlotRange range{node.first_data_slot(), static_cast<OffsetNumber>(node.item_count() + 1)};
  if (range.end <= range.begin) return {};
  // Rows that a forward scan meets after its first leaf are in the range at its lower end, and so
  // for the other direction; to look again costs little and needs no thought about splits.
  if (!request.lower.values.empty()) {
    const OffsetNumber begin = lower.Search(node, range.begin, range.end).slot;
    if (request.backward) goes_on = begin == range.begin;
    range.begin = begin;
  }
  const bool all_below_upper =
      request.upper.values.empty() || (!node.is_rightmost() && upper.IsPastHighKey(node));
  if (!all_below_upper) {
    range.end = upper.Search(node, range.begin, range.end).slot;
    if (!request.backward) goes_on = false;
  }
  return range;
}

void Scan::State::AppendRows(TupleView item, OffsetNumber slot) {
  if (KindOf(item) != TupleKind::kPosting) {
    rows.push_back({item.tid(), slot});
    return;
  }
  const std::uint32_t count = nbtree::PostingCount(item);
  for (std::uint32_t index = 0; index < count; ++index) {
    rows.push_back({nbtree::PostingTid(item, request.backward ? count - 1 - index : index), slot});
  }
}

void Scan::State::ReadRows(SlotRange range) {
  rows.clear();
  position = 0;
  any_dead = false;
  // As a whole, from its first byte to its last, a page comes out of memory faster than item by
  // item; what is read of it afterwards is in the nearest cache.
  PageView page = leaf.view();
  if (request.with_values && range.begin < range.end) {
    copy.assign(page.bytes().begin(), page.bytes().end());
    page = PageView(copy);
  }
  const NbtreePage node(page);
  const std::uint32_t count = range.end - range.begin;
  for (std::uint32_t index = 0; index < count; ++index) {
    const auto slot =
        static_cast<OffsetNumber>(request.backward ? range.end - 1 - index : range.begin + index);
    if (!request.with_values) FetchTuple(node, slot, range);
    if (!IsMarkedDead(node, slot)) AppendRows(node.tuple(slot), slot);
  }
  // The next leaf's lines are asked for while the rows of this one are given.
  const BlockNumber neighbour = request.backward ? node.prev() : next;
  leaf.Release();
  const Tree::Parts& parts = tree->parts();
  ahead = goes_on && neighbour != nbtree::kNoSibling
              ? parts.pool->AddressOf(parts.relation, neighbour)
              : nullptr;
}

void Scan::State::LeaveRows() {
  if (!any_dead) return;
  dead_slots.clear();
  for (std::size_t row = 0; row < rows.size();) {
    const OffsetNumber slot = rows[row].slot;
    bool all_dead = true;
    for (; row < rows.size() && rows[row].slot == slot; ++row) all_dead &= rows[row].dead;
    if (all_dead) dead_slots.push_back(slot);
  }
  any_dead = false;
  if (dead_slots.empty() || !leaf.valid() || !leaf.TryHoldExclusive()) return;
  MARK("scan.tells_leaf_of_dead_items");
  // Items may have moved: MarkItemsDead() asks about each of them again.
  const auto end = static_cast<OffsetNumber>(NodeOf(leaf).item_count() + 1);
  std::erase_if(dead_slots, [end](OffsetNumber slot) { return slot >= end; });
  if (!NodeOf(leaf).is_ignorable()) MarkItemsDead(tree, &leaf, dead_slots);
  leaf.Release();
}

std::uint64_t Scan::State::CountOnLeaf(SlotRange range) const {
  const NbtreePage node = NodeOf(leaf);
  // Without equal images there are no posting lists, and no tuple need be touched.
  const bool posting_lists = tree->schema().all_equal_image();
  std::uint64_t count = 0;
  for (OffsetNumber slot = range.begin; slot < range.end; ++slot) {
    if (posting_lists) FetchTuple(node, slot, range);
    if (IsMarkedDead(node, slot)) continue;
    count += posting_lists ? RowCountOf(node.tuple(slot)) : 1;
  }
  return count;
}

std::uint64_t Scan::State::CountLiveRows() {
  std::uint64_t count = 0;
  for (; position < rows.size(); ++position) {
    if (liveness->IsDead(rows[position].tid)) {
      rows[position].dead = any_dead = true;
    } else {
      ++count;
    }
  }
  return count;
}

Scan::Scan(Tree* tree, ScanRequest request)
    : state_(std::make_unique<State>(tree, std::move(request))) {}

Scan::~Scan() { state_->LeaveRows(); }

absl::StatusOr<bool> Scan::Next() {
  State& state = *state_;
  state.has_values = false;
  if (state.started) ++state.position;
  if (state.ahead != nullptr) state.FetchAhead();
  for (;;) {
    // Asked for each row, since rows may die while the leaf's are given.
    const bool may_be_dead = state.liveness->AnyDead();
    for (; state.position < state.rows.size(); ++state.position) {
      LeafRow& row = state.rows[state.position];
      if (!may_be_dead || !state.liveness->IsDead(row.tid)) return true;
      row.dead = state.any_dead = true;
    }
    state.LeaveRows();
    state.rows.clear();
    state.position = 0;
    state.ahead = nullptr;
    const absl::StatusOr<bool> entered = state.EnterLeaf();
    if (!entered.ok() || !*entered) {
      state.goes_on = false;
      return entered;
    }
    state.ReadRows(state.RangeOnLeaf());
  }
}

ItemPointer Scan::tid() const {
  CHECK(state_->position < state_->rows.size());
  return state_->rows[state_->position].tid;
}

const Value* Scan::values() {
  State& state = *state_;
  CHECK(state.request.with_values);
  CHECK(state.position < state.rows.size());
  if (state.has_values) return state.values;
  const TupleView item = state.CurrentItem();
  const Schema& schema = state.tree->schema();
  const std::uint32_t count = schema.attribute_count();
  AttributeReader reader(schema, item);
  state.has_values = true;
  for (std::uint32_t index = 0; index < count; ++index) {
    if (reader.Next(&state.values[index])) continue;
    MARK("scan.compressed_value");
    CHECK(state.deformed.Deform(schema, item, count, nbtree::KeyEnd(item)).ok());
    std::copy_n(state.deformed.values(), count, state.values);
    break;
  }
  return state.values;
}

absl::StatusOr<std::uint64_t> Scan::CountRest() {
  State& state = *state_;
  std::uint64_t count = 0;
  if (state.started) ++state.position;
  count += state.CountLiveRows();
  for (;;) {
    state.LeaveRows();
    state.rows.clear();
    state.position = 0;
    const absl::StatusOr<bool> entered = state.EnterLeaf();
    if (!entered.ok()) return entered.status();
    if (!*entered) return count;
    const SlotRange range = state.RangeOnLeaf();
    if (state.liveness->AnyDead()) {
      state.ReadRows(range);
      count += state.CountLiveRows();
    } else {
      count += state.CountOnLeaf(range);
      state.leaf.Release();
    }
  }
}

}  // namespace tornleaf
