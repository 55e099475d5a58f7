#include "engine/format/nbtree_tuple.h"

#include "engine/key/compare.h"

namespace tornleaf {
namespace nbtree {

namespace {

void SetInfo(std::uint8_t* tuple, std::uint32_t size, std::uint16_t flags) {
  CHECK(size <= index_tuple::kSizeMask);
  Store(tuple, index_tuple::kInfo, static_cast<std::uint16_t>(size | flags));
}

std::uint16_t FlagsOf(TupleView tuple) {
  return static_cast<std::uint16_t>(tuple.info() & ~index_tuple::kSizeMask);
}

}  // namespace

bool IsSoundPosting(TupleView tuple) {
  if (KindOf(tuple) != TupleKind::kPosting) return false;
  const std::uint32_t begin = PostingOffset(tuple);
  const std::uint32_t count = PostingCount(tuple);
  if (begin < tuple.data_offset() || !IsMaxAligned(begin) || count < kPostingMinTids) return false;
  if (begin > tuple.stored_size()) return false;
  if (count * index_tuple::kTidSize > tuple.stored_size() - begin) return false;
  for (std::uint32_t index = 1; index < count; ++index) {
    if (PostingTid(tuple, index - 1) >= PostingTid(tuple, index)) return false;
  }
  return true;
}

ItemPointer MinHeapTid(TupleView tuple) {
  return KindOf(tuple) == TupleKind::kPosting ? PostingTid(tuple, 0) : tuple.tid();
}

ItemPointer MaxHeapTid(TupleView tuple) {
  return KindOf(tuple) == TupleKind::kPosting ? PostingTid(tuple, PostingCount(tuple) - 1)
                                              : tuple.tid();
}

std::uint32_t KeyEnd(TupleView tuple) {
  switch (KindOf(tuple)) {
    case TupleKind::kPosting:
      return PostingOffset(tuple);
    case TupleKind::kPivot:
      return PivotHasHeapTid(tuple) ? tuple.stored_size() - MaxAlign(index_tuple::kTidSize)
                                    : tuple.stored_size();
    case TupleKind::kPlain:
      break;
  }
  return tuple.stored_size();
}

std::uint32_t FormPosting(TupleView base, std::span<const ItemPointer> tids,
                          std::vector<std::uint8_t>* bytes) {
  CHECK(tids.size() >= kPostingMinTids);
  CHECK(tids.size() <= kOffsetMask);
  const std::uint32_t key_size = KeyEnd(base);
  CHECK(IsMaxAligned(key_size));
  const auto count = static_cast<std::uint32_t>(tids.size());
  const std::uint32_t size = MaxAlign(key_size + count * index_tuple::kTidSize);

  const std::size_t start = bytes->size();
  bytes->resize(start + size);
  std::uint8_t* tuple = bytes->data() + start;
  std::memcpy(tuple, base.data(), key_size);
  StoreTid(tuple, {key_size, static_cast<OffsetNumber>(count | kPosting)});
  SetInfo(tuple, size, FlagsOf(base) | index_tuple::kAltTidBit);
  for (std::uint32_t index = 0; index < count; ++index) {
    CHECK(index == 0 || tids[index - 1] < tids[index]);
    StoreTid(tuple + key_size + index * index_tuple::kTidSize, tids[index]);
  }
  return size;
}

namespace {

// Values in a deterministic collation are equal only if their bytes are, so that a collation whose
// order is not known here still tells equal from different.
bool Differ(const Attribute& attribute, const Value& left, const Value& right) {
  if (attribute.compare == nullptr) return !ImageEqual(left, right);
  return CompareAttribute(attribute, left, right) != 0;
}

}  // namespace

std::uint32_t KeepAttributes(const Schema& schema, const DeformedTuple& left,
                             const DeformedTuple& right) {
  for (std::uint32_t index = 0; index < schema.key_count(); ++index) {
    if (Differ(schema.attribute(index), left.value(index), right.value(index))) return index + 1;
  }
  return schema.key_count() + 1;
}

std::uint32_t TruncateForHighKey(const Schema& schema, TupleView left, TupleView right,
                                 std::vector<std::uint8_t>* bytes) {
  DeformedTuple left_values;
  DeformedTuple right_values;
  CHECK(left_values.Deform(schema, left, schema.attribute_count(), KeyEnd(left)).ok());
  CHECK(right_values.Deform(schema, right, schema.attribute_count(), KeyEnd(right)).ok());
  const std::uint32_t keep = KeepAttributes(schema, left_values, right_values);
  const bool needs_tid = keep > schema.key_count();
  const std::uint32_t kept = needs_tid ? schema.key_count() : keep;

  // When every attribute stays, the stored bytes stay too; otherwise the rest is formed anew, and
  // flags and alignment follow from what is left.
  const std::size_t start = bytes->size();
  std::uint32_t size;
  if (kept == schema.attribute_count()) {
    size = MaxAlign(KeyEnd(right));
    bytes->resize(start + size);
    std::memcpy(bytes->data() + start, right.data(), KeyEnd(right));
    SetInfo(bytes->data() + start, size, FlagsOf(right));
  } else {
    size = FormTuple(schema, right_values.values(), kept, right.tid(), bytes);
    CHECK(size != 0);
  }
  if (needs_tid) {
    size += MaxAlign(index_tuple::kTidSize);
    bytes->resize(start + size);
    std::uint8_t* pivot = bytes->data() + start;
    StoreTid(pivot + size - index_tuple::kTidSize, MaxHeapTid(left));
    SetInfo(pivot, size, FlagsOf(TupleView({pivot, size})));
  }
  SetPivotAttributes(bytes->data() + start, kept, needs_tid);
  return size;
}

std::uint32_t FormMinusInfinity(BlockNumber downlink, std::vector<std::uint8_t>* bytes) {
  const std::size_t start = bytes->size();
  bytes->resize(start + index_tuple::kHeaderSize);
  std::uint8_t* tuple = bytes->data() + start;
  StoreTid(tuple, {downlink, 0});
  SetInfo(tuple, index_tuple::kHeaderSize, 0);
  SetPivotAttributes(tuple, 0, false);
  return index_tuple::kHeaderSize;
}

void SetPivotAttributes(std::uint8_t* tuple, std::uint32_t count, bool heap_tid) {
  CHECK(count <= kMaxAttributes);
  const auto info = Load(tuple, index_tuple::kInfo);
  Store(tuple, index_tuple::kInfo, static_cast<std::uint16_t>(info | index_tuple::kAltTidBit));
  Store(tuple, index_tuple::kOffset,
        static_cast<std::uint16_t>(count | (heap_tid ? kPivotHeapTid : 0)));
}

void SetDownlink(std::uint8_t* tuple, BlockNumber block) {
  Store(tuple, index_tuple::kBlockHigh, static_cast<std::uint16_t>(block >> 16));
  Store(tuple, index_tuple::kBlockLow, static_cast<std::uint16_t>(block));
}

}  // namespace nbtree
}  // namespace tornleaf
