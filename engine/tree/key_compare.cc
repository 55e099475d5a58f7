#include "engine/tree/key_compare.h"

#include <algorithm>

#include "engine/base/mark.h"
#include "engine/key/compare.h"
#include "engine/tree/key_columns.h"

namespace tornleaf {

using nbtree::KindOf;
using nbtree::NbtreePage;
using nbtree::TupleKind;

using key_columns::Sign;

namespace {

// Whether the first column stands at the beginning of the data: no column is null, and this one has
// not been truncated away. What is left of a pivot, and the length of a posting list, are counted
// at the same place; no posting list is empty.
bool HasFirstColumn(TupleView tuple) {
  const std::uint16_t info = tuple.info();
  if ((info & (index_tuple::kNullsBit | index_tuple::kAltTidBit)) == 0) return true;
  if ((info & index_tuple::kNullsBit) != 0) return false;
  return (tuple.tid().offset & nbtree::kOffsetMask) != 0;
}

}  // namespace

KeyComparer::First KeyComparer::FirstOf(const Schema& schema, const SearchKey& key) {
  if (key.count == 0 || key.values[0].is_null) return First::kGeneral;
  const Attribute& attribute = schema.attribute(0);
  switch (attribute.type) {
    case TypeId::kInt2:
      return First::kInt2;
    case TypeId::kInt4:
    case TypeId::kDate:
      return First::kInt4;
    case TypeId::kInt8:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return First::kInt8;
    case TypeId::kOid:
      return First::kOid;
    case TypeId::kUuid:
      return First::kUuid;
    case TypeId::kBytea:
      return First::kBytes;
    case TypeId::kText:
    case TypeId::kVarchar:
      return attribute.collation == CollationKind::kC ? First::kBytes : First::kGeneral;
    case TypeId::kBool:
    case TypeId::kFloat4:
    case TypeId::kFloat8:
    case TypeId::kName:
    case TypeId::kNumeric:
      break;
  }
  return First::kGeneral;
}

KeyComparer::KeyComparer(const Schema& schema, const SearchKey& key)
    : schema_(schema),
      key_(key),
      first_(FirstOf(schema, key)),
      sign_(schema.attribute(0).descending ? -1 : 1) {
  CHECK(key.count <= schema.key_count());
  CHECK(!key.tid.has_value() || key.count == schema.key_count());
}

std::uint32_t KeyComparer::AttributeCountOf(TupleView tuple) const {
  return KindOf(tuple) == TupleKind::kPivot ? nbtree::PivotAttributeCount(tuple)
                                            : schema_.attribute_count();
}

// The inside of a loop that is made once for each class of columns.
template <typename Column>
[[gnu::always_inline]] inline int KeyComparer::CompareWith(Column* column, TupleView tuple) const {
  int order = key_columns::kUnknown;
  if (HasFirstColumn(tuple)) order = (*column)(tuple.data() + index_tuple::kDataOffset);
  if (order == 0) return CompareFrom(tuple, 1);
  if (order != key_columns::kUnknown) return sign_ < 0 ? -order : order;
  column->Forget();
  return CompareFrom(tuple, 0);
}

int KeyComparer::CompareFrom(TupleView tuple, std::uint32_t begin) const {
  const std::uint32_t attributes = AttributeCountOf(tuple);
  const std::uint32_t count = std::min(attributes, key_.count);
  if (begin < count) {
    AttributeReader reader(schema_, tuple);
    for (std::uint32_t index = 0; index < count; ++index) {
      Value value;
      if (!reader.Next(&value)) return CompareDeformed(tuple, attributes);
      if (index < begin) continue;
      const int order = CompareAttribute(schema_.attribute(index), key_.values[index], value);
      if (order != 0) return Sign(order);
    }
  }
  return BreakTie(tuple, attributes);
}

int KeyComparer::CompareDeformed(TupleView tuple, std::uint32_t count) const {
  MARK("search.compressed_key");
  DeformedTuple deformed;
  // A schema that does not fit was refused when the page was read.
  CHECK(deformed.Deform(schema_, tuple, count, nbtree::KeyEnd(tuple)).ok());
  const int order =
      CompareKeys(schema_, key_.values, deformed.values(), std::min(count, key_.count));
  return order != 0 ? Sign(order) : BreakTie(tuple, count);
}

int KeyComparer::BreakTie(TupleView tuple, std::uint32_t attribute_count) const {
  // A column that was truncated away is minus infinity.
  if (key_.count > attribute_count) return 1;
  const TupleKind kind = KindOf(tuple);
  const bool no_address = kind == TupleKind::kPivot && !nbtree::PivotHasHeapTid(tuple);
  if (!key_.tid.has_value()) {
    // Such a pivot is below every row that has its columns: the search need not go to its left,
    // unless it is the pivot itself that is looked for.
    return no_address && key_.count == attribute_count && !key_.pivot_search ? 1 : 0;
  }
  if (no_address) return 1;
  const PackedTid tid = PackTid(*key_.tid);
  if (kind == TupleKind::kPosting) {
    if (tid < PackTid(nbtree::MinHeapTid(tuple))) return -1;
    return tid > PackTid(nbtree::MaxHeapTid(tuple)) ? 1 : 0;
  }
  const PackedTid other =
      PackTid(kind == TupleKind::kPivot ? nbtree::PivotHeapTid(tuple) : tuple.tid());
  return (tid > other) - (tid < other);
}

// Calls `use` with the object that compares the key's first column.
template <typename Use>
auto KeyComparer::WithColumn(const Use& use) const {
  switch (first_) {
    case First::kInt2:
      return use(key_columns::Number<std::int16_t>(key_.values[0]));
    case First::kInt4:
      return use(key_columns::Number<std::int32_t>(key_.values[0]));
    case First::kInt8:
      return use(key_columns::Number<std::int64_t>(key_.values[0]));
    case First::kOid:
      return use(key_columns::Number<std::uint32_t>(key_.values[0]));
    case First::kUuid:
      return use(key_columns::Uuid(key_.values[0]));
    case First::kBytes:
      return use(key_columns::Bytes(key_.values[0]));
    case First::kGeneral:
      break;
  }
  return use(key_columns::General());
}

int KeyComparer::Compare(const NbtreePage& page, OffsetNumber slot) const {
  if (!page.is_leaf() && slot == page.first_data_slot()) return 1;
  return WithColumn([&](auto column) { return CompareWith(&column, page.tuple(slot)); });
}

namespace {

// Most of a search is waiting for tuples of a leaf that nobody has touched lately. Which one is
// looked at next depends on the one at hand; but there are only two: they are fetched while it is
// awaited.
class ProbeAhead {
 public:
  ProbeAhead(const NbtreePage& page, std::uint32_t begin, std::uint32_t end)
      : bytes_(page.page().data()), needed_(page.is_leaf() && begin + kSlotsWorthIt < end) {
    if (!needed_) return;
    // Line pointers first: they say where the tuples are.
    const std::uint32_t size = (end - begin) * slotted_v4::kLinePointerSize;
    const std::uint32_t step = std::max(kLine, size / kLinesMax);
    for (std::uint32_t at = 0; at < size; at += step) __builtin_prefetch(LinePointerAt(begin) + at);
    FetchMiddle(begin, end);
  }

  // To be called when the middle of [low, high) is about to be looked at.
  void Step(std::uint32_t low, std::uint32_t middle, std::uint32_t high) const {
    if (!needed_) return;
    FetchMiddle(low, middle);
    FetchMiddle(middle + 1, high);
  }

 private:
  static constexpr std::uint32_t kLine = 64;
  static constexpr std::uint32_t kLinesMax = 8;
  static constexpr std::uint32_t kSlotsWorthIt = 8;

  const std::uint8_t* LinePointerAt(std::uint32_t slot) const {
    return bytes_ + PageView::LinePointerOffset(static_cast<OffsetNumber>(slot));
  }
  void FetchMiddle(std::uint32_t low, std::uint32_t high) const {
    if (low >= high) return;
    const auto raw = LoadLittleEndian<std::uint32_t>(LinePointerAt(low + (high - low) / 2));
    const LinePointer pointer = LinePointer::Decode(raw);
    const std::uint8_t* tuple = bytes_ + pointer.offset;
    __builtin_prefetch(tuple);
    __builtin_prefetch(tuple + std::min(pointer.length, kLine) - 1);
  }

  const std::uint8_t* bytes_;
  bool needed_;
};

}  // namespace

template <typename Column>
PagePlace KeyComparer::SearchWith(Column column, const NbtreePage& page, OffsetNumber begin,
                                  OffsetNumber end) const {
  const int past = key_.next_key ? 0 : 1;
  const ProbeAhead ahead(page, begin, end);
  std::uint32_t low = begin;
  std::uint32_t high = end;
  PagePlace place{end, end, 0};
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    ahead.Step(low, middle, high);
    const auto slot = static_cast<OffsetNumber>(middle);
    const int order = CompareWith(&column, page.tuple(slot));
    if (order >= past) {
      low = middle + 1;
      column.ItemIsBelow();
    } else {
      high = middle;
      column.ItemIsAbove();
      if (order != 0) place.strict_end = slot;
    }
    if (order == 0) place.equal = slot;
  }
  place.slot = static_cast<OffsetNumber>(low);
  return place;
}

PagePlace KeyComparer::Search(const NbtreePage& page, OffsetNumber begin, OffsetNumber end) const {
  return WithColumn([&](auto column) { return SearchWith(column, page, begin, end); });
}

PagePlace KeyComparer::SearchPage(const NbtreePage& page) const {
  // The first downlink leads to all keys below the second one, and has no key of its own.
  const std::uint32_t first = page.first_data_slot() + (page.is_leaf() ? 0U : 1U);
  const auto begin = static_cast<OffsetNumber>(first);
  return Search(page, begin, std::max(begin, static_cast<OffsetNumber>(page.item_count() + 1)));
}

std::uint32_t FindInPosting(TupleView posting, ItemPointer tid) {
  std::uint32_t low = 0;
  std::uint32_t high = nbtree::PostingCount(posting);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (nbtree::PostingTid(posting, middle) < tid) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace tornleaf
