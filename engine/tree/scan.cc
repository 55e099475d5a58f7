#include "engine/tree/scan.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/fixed_vector.h"
#include "engine/base/mark.h"
#include "engine/tree/delete.h"
#include "engine/tree/key_compare.h"
#include "engine/tree/leaf_copy.h"
#include "engine/tree/node.h"
#include "engine/tree/search.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

namespace {

// The search key of an end of the range. Searching with it finds the first item that is past the
// end: in the range for the lower one, behind it for the upper one.
SearchKey KeyOf(const ScanBound& bound, bool upper) {
  SearchKey key;
  key.values = bound.values.data();
  key.count = static_cast<std::uint32_t>(bound.values.size());
  key.next_key = bound.inclusive == upper;
  return key;
}

// A posting list without a byte of a key.
constexpr std::uint32_t kPostingSizeMin =
    index_tuple::kDataOffset + nbtree::kPostingMinTids * index_tuple::kTidSize;

constexpr std::uint32_t kCacheLine = 64;

// Asks for the tuple of a slot some way from this one, so that its header is there when its turn
// comes.
void FetchTuple(const NbtreePage& node, OffsetNumber slot, SlotRange range) {
  constexpr std::uint32_t kDistance = 16;
  const std::uint32_t other = slot + kDistance;
  if (other >= range.end) return;
  const LinePointer pointer = node.page().line_pointer(static_cast<OffsetNumber>(other));
  __builtin_prefetch(node.page().data() + pointer.offset);
}

std::uint32_t RowCountOf(TupleView item) {
  return KindOf(item) == TupleKind::kPosting ? nbtree::PostingCount(item) : 1;
}

}  // namespace

struct Scan::State {
  State(Tree* tree_used, ScanRequest asked)
      : tree(tree_used),
        request(std::move(asked)),
        attribute_count(tree->schema().attribute_count()),
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
  // Copies the held leaf, and lets go of the hold.
  void ReadRows(SlotRange range);
  // One line of the next leaf for each row that is given.
  void FetchAhead() {
    if (lines_ahead > 0) __builtin_prefetch(ahead + std::size_t{--lines_ahead} * kCacheLine);
  }
  // Moves to the next row of the leaf that is not dead; false at the end.
  bool NextLiveRow();
  // Before the leaf is left: tells it which of its items are dead.
  void LeaveRows();
  std::uint64_t CountOnLeaf(SlotRange range) const;

  Tree* tree;
  ScanRequest request;
  std::uint32_t attribute_count;
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
  // Where the range begins on the first leaf, as the search for it has found out; forward only.
  std::optional<PagePlace> first_place;
  LeafCopy rows;
  const std::uint8_t* ahead = nullptr;   // where the next leaf probably is; only to be fetched
  std::uint32_t lines_ahead = 0;         // of it that have not been asked for
  bool item_dead = false;                // all rows of the current item so far
  std::vector<OffsetNumber> dead_slots;  // of items on the leaf of which every row was found dead
  // Of the current row; empty until somebody asks.
  FixedVector<Value, kMaxAttributes> values;
  std::unique_ptr<DeformedTuple> deformed;
};

absl::StatusOr<PageRef> Scan::State::FindFirstLeaf() {
  const ScanBound& from = request.backward ? request.upper : request.lower;
  if (from.values.empty()) return FindEdge(tree, request.backward, 0, Hold::kShared);
  if (request.backward) return FindLeaf(tree, upper_key, Access::kRead, nullptr);
  return FindLeaf(tree, lower_key, Access::kRead, nullptr, &first_place.emplace());
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
  // Of this leaf, be it empty: the next one has other places.
  const std::optional<PagePlace> place = std::exchange(first_place, std::nullopt);
  if (range.end <= range.begin) return {};
  // Rows that a forward scan meets after its first leaf are in the range at its lower end, and so
  // for the other direction; to look again costs little and needs no thought about splits.
  if (place.has_value()) {
    range.begin = place->slot;
  } else if (!request.lower.values.empty()) {
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

void Scan::State::ReadRows(SlotRange range) {
  rows.Read(leaf.view(), range, request.backward);
  // The next leaf's lines are asked for while the rows of this one are given.
  const BlockNumber neighbour = request.backward ? NodeOf(leaf).prev() : next;
  leaf.Release();
  const Tree::Parts& parts = tree->parts();
  ahead = goes_on && neighbour != nbtree::kNoSibling
              ? parts.pool->AddressOf(parts.relation, neighbour)
              : nullptr;
  lines_ahead = ahead == nullptr ? 0 : parts.pool->page_size() / kCacheLine;
}

bool Scan::State::NextLiveRow() {
  // Asked for each row, since rows may die while the leaf's are given.
  const bool may_be_dead = liveness->AnyDead();
  while (rows.Next()) {
    if (!may_be_dead || !liveness->IsDead(rows.tid())) {
      item_dead = false;
      return true;
    }
    item_dead = item_dead || rows.is_first_of_item();
    if (item_dead && rows.is_last_of_item()) dead_slots.push_back(rows.slot());
  }
  return false;
}

void Scan::State::LeaveRows() {
  rows.Clear();
  if (dead_slots.empty()) return;
  if (leaf.valid() && leaf.TryHoldExclusive()) {
    MARK("scan.tells_leaf_of_dead_items");
    // Items may have moved: MarkItemsDead() asks about each of them again.
    const auto end = static_cast<OffsetNumber>(NodeOf(leaf).item_count() + 1);
    std::erase_if(dead_slots, [end](OffsetNumber slot) { return slot >= end; });
    if (!NodeOf(leaf).is_ignorable()) MarkItemsDead(tree, &leaf, dead_slots);
    leaf.Release();
  }
  dead_slots.clear();
}

std::uint64_t Scan::State::CountOnLeaf(SlotRange range) const {
  const NbtreePage node = NodeOf(leaf);
  // Where no posting list can be, tuples need not be touched: without equal images, and among
  // tuples that are shorter than any of them.
  const std::uint32_t posting_size =
      tree->schema().all_equal_image() ? kPostingSizeMin : UINT32_MAX;
  std::uint64_t count = 0;
  for (OffsetNumber slot = range.begin; slot < range.end; ++slot) {
    const LinePointer pointer = node.page().line_pointer(slot);
    if (pointer.flags == LineFlags::kDead) continue;
    if (pointer.length < posting_size) {
      ++count;
      continue;
    }
    FetchTuple(node, slot, range);
    count += RowCountOf(node.tuple(slot));
  }
  return count;
}

Scan::Scan(Tree* tree, ScanRequest request)
    : state_(std::make_unique<State>(tree, std::move(request))) {}

Scan::~Scan() { state_->LeaveRows(); }

absl::StatusOr<bool> Scan::Next() {
  State& state = *state_;
  state.values.clear();
  state.FetchAhead();
  while (!state.NextLiveRow()) {
    state.LeaveRows();
    absl::StatusOr<bool> entered = state.EnterLeaf();
    if (!entered.ok() || !*entered) {
      state.goes_on = false;
      return entered;
    }
    state.ReadRows(state.RangeOnLeaf());
  }
  return true;
}

ItemPointer Scan::tid() const {
  CHECK(state_->rows.has_row());
  return state_->rows.tid();
}

const Value* Scan::values() {
  State& state = *state_;
  CHECK(state.request.with_values);
  CHECK(state.rows.has_row());
  if (!state.values.empty()) return state.values.begin();
  const TupleView item = state.rows.item();
  const Schema& schema = state.tree->schema();
  const std::uint32_t count = state.attribute_count;
  AttributeReader reader(schema, item);
  for (std::uint32_t index = 0; index < count; ++index) {
    if (reader.Next(&state.values.emplace_back())) continue;
    MARK("scan.compressed_value");
    if (state.deformed == nullptr) state.deformed = std::make_unique<DeformedTuple>();
    CHECK(state.deformed->Deform(schema, item, count, nbtree::KeyEnd(item)).ok());
    return state.deformed->values();
  }
  return state.values.begin();
}

absl::StatusOr<std::uint64_t> Scan::CountRest() {
  State& state = *state_;
  state.values.clear();
  std::uint64_t count = 0;
  for (;;) {
    while (state.NextLiveRow()) ++count;
    state.LeaveRows();
    const absl::StatusOr<bool> entered = state.EnterLeaf();
    if (!entered.ok()) return entered.status();
    if (!*entered) return count;
    const SlotRange range = state.RangeOnLeaf();
    if (state.liveness->AnyDead()) {
      state.ReadRows(range);
    } else {
      count += state.CountOnLeaf(range);
      state.leaf.Release();
    }
  }
}

}  // namespace tornleaf
