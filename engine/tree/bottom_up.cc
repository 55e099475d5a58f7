#include "engine/tree/bottom_up.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <tuple>

#include "engine/base/bytes.h"
#include "engine/base/mark.h"
#include "engine/tree/key_image.h"

namespace tornleaf {

namespace {

constexpr std::uint32_t kBlocksMax = 6;
constexpr std::uint32_t kBlockTolerance = 3;
// Counts below are too noisy to tell blocks apart.
constexpr std::uint32_t kPromisingMin = 4;

// A run of items with equal keys that is being collected. It ends when another key comes, or when
// one posting list of the whole run would be larger than a page.
class Run {
 public:
  void Start(OffsetNumber slot, TupleView item) {
    first_ = slot;
    items_ = 1;
    rows_ = RowCountOf(item);
    key_size_ = nbtree::KindOf(item) == nbtree::TupleKind::kPosting ? nbtree::PostingOffset(item)
                                                                    : item.size();
  }
  bool Take(TupleView item, std::uint32_t page_size) {
    const std::uint32_t rows = rows_ + RowCountOf(item);
    if (MaxAlign(key_size_ + rows * index_tuple::kTidSize) > page_size) return false;
    rows_ = rows;
    ++items_;
    return true;
  }
  OffsetNumber first() const { return first_; }
  OffsetNumber end() const { return static_cast<OffsetNumber>(first_ + items_); }
  bool has_duplicates() const { return items_ > 1; }

 private:
  OffsetNumber first_ = 0;
  OffsetNumber items_ = 0;
  std::uint32_t rows_ = 0;
  std::uint32_t key_size_ = 0;
};

// The row of a posting list that may be an old version, if any is: the list is taken for versions
// of one row at most, which stand in the block that most of it is in. `count` if none is.
std::uint32_t PromisingIndex(TupleView posting) {
  const std::uint32_t count = nbtree::PostingCount(posting);
  const BlockNumber first = nbtree::PostingTid(posting, 0).block;
  const BlockNumber middle = nbtree::PostingTid(posting, count / 2).block;
  const BlockNumber last = nbtree::PostingTid(posting, count - 1).block;
  if (first == middle) return 0;
  if (middle == last) return count - 1;
  return count;
}

void AppendItemRows(const nbtree::NbtreePage& page, OffsetNumber slot, bool duplicates,
                    std::vector<LeafRow>* rows) {
  const TupleView item = page.tuple(slot);
  LeafRow row;
  row.slot = slot;
  if (nbtree::KindOf(item) != nbtree::TupleKind::kPosting) {
    row.tid = item.tid();
    row.promising = duplicates;
    row.free_space = static_cast<std::uint16_t>(page.page().line_pointer(slot).length +
                                                slotted_v4::kLinePointerSize);
    rows->push_back(row);
    return;
  }
  const std::uint32_t promising = duplicates ? PromisingIndex(item) : nbtree::PostingCount(item);
  row.free_space = index_tuple::kTidSize;  // unless the whole list goes
  for (std::uint32_t index = 0; index < nbtree::PostingCount(item); ++index) {
    row.tid = nbtree::PostingTid(item, index);
    row.posting_index = static_cast<std::uint16_t>(index);
    row.promising = index == promising;
    rows->push_back(row);
  }
}

void FinishRun(const nbtree::NbtreePage& page, const Run& run, BottomUpRows* collected) {
  collected->any_duplicates |= run.has_duplicates();
  for (OffsetNumber slot = run.first(); slot < run.end(); ++slot) {
    AppendItemRows(page, slot, run.has_duplicates(), &collected->rows);
  }
}

// Rows of one table block: a range of the rows ordered by address.
struct BlockGroup {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t promising = 0;
};

std::vector<BlockGroup> GroupByBlock(const std::vector<LeafRow*>& by_tid) {
  std::vector<BlockGroup> groups;
  for (std::size_t at = 0; at < by_tid.size(); ++at) {
    const bool new_block = at == 0 || by_tid[at]->tid.block != by_tid[at - 1]->tid.block;
    if (new_block) groups.push_back({at, at, 0});
    groups.back().end = at + 1;
    if (by_tid[at]->promising) ++groups.back().promising;
  }
  for (BlockGroup& group : groups) {
    group.promising = std::bit_ceil(std::max(group.promising, kPromisingMin));
  }
  return groups;
}

// Most promising first, then the one with more rows, each about equal within a power of two; then
// by block number.
bool ComesBefore(const BlockGroup& a, const BlockGroup& b) {
  if (a.promising != b.promising) return a.promising > b.promising;
  const std::size_t rows_a = std::bit_ceil(a.end - a.begin);
  const std::size_t rows_b = std::bit_ceil(b.end - b.begin);
  if (rows_a != rows_b) return rows_a > rows_b;
  return a.begin < b.begin;
}

// How many blocks from the first on are neighbours: the more, the more patience.
std::uint32_t CountNeighbours(const std::vector<BlockGroup>& groups,
                              const std::vector<LeafRow*>& by_tid) {
  std::uint32_t count = 1;
  for (; count < groups.size(); ++count) {
    const std::uint64_t last = by_tid[groups[count - 1].begin]->tid.block;
    const std::uint64_t block = by_tid[groups[count].begin]->tid.block;
    if (block + kBlockTolerance < last || block > last + kBlockTolerance) break;
  }
  return count;
}

}  // namespace

BottomUpRows CollectBottomUpRows(const Schema& schema, const nbtree::NbtreePage& page) {
  BottomUpRows collected;
  KeyImages images(schema);
  Run run;
  const OffsetNumber first = page.first_data_slot();
  for (OffsetNumber slot = first; slot <= page.item_count(); ++slot) {
    const TupleView item = page.tuple(slot);
    if (slot != first) {
      if (images.Equal(page.tuple(run.first()), item) && run.Take(item, page.page().size())) {
        continue;
      }
      FinishRun(page, run, &collected);
    }
    run.Start(slot, item);
  }
  if (first <= page.item_count()) FinishRun(page, run, &collected);
  return collected;
}

void AskBottomUp(std::vector<LeafRow>* rows, std::uint32_t target,
                 const std::function<bool(ItemPointer)>& is_dead) {
  if (rows->empty()) return;
  std::vector<LeafRow*> by_tid;
  for (LeafRow& row : *rows) by_tid.push_back(&row);
  std::sort(by_tid.begin(), by_tid.end(), [](const LeafRow* a, const LeafRow* b) {
    return std::tie(a->tid, a->slot, a->posting_index) <
           std::tie(b->tid, b->slot, b->posting_index);
  });
  std::vector<BlockGroup> groups = GroupByBlock(by_tid);
  std::sort(groups.begin(), groups.end(), ComesBefore);
  if (groups.size() > kBlocksMax) groups.resize(kBlocksMax);

  std::uint32_t patience = CountNeighbours(groups, by_tid);
  std::uint32_t freed = 0;
  std::uint32_t freed_before = 0;
  for (std::size_t index = 0; index < groups.size(); ++index) {
    if (index > 0 && freed == freed_before) {
      MARK("bottom_up.gave_up");
      return;
    }
    freed_before = freed;
    if (patience > 0) {
      --patience;
    } else {
      MARK("bottom_up.target_halved");
      target /= 2;
    }
    bool enough = false;
    for (std::size_t at = groups[index].begin; at < groups[index].end; ++at) {
      LeafRow* row = by_tid[at];
      if (!is_dead(row->tid)) continue;
      row->dead = true;
      freed += row->free_space;
      enough = enough || freed >= target;
    }
    if (enough) return;
  }
}

}  // namespace tornleaf
