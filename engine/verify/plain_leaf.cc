#include "engine/verify/plain_leaf.h"

#include <cstring>

namespace tornleaf {

namespace {

constexpr std::uint32_t kDataOffset = index_tuple::kDataOffset;

// A key reader holds one key. Read() says whether the tuple of `size` bytes holds exactly one
// non-null attribute of its type and nothing else; Compare() orders two keys.

template <typename T>
struct IntegerKey {
  T value = 0;

  bool Read(const std::uint8_t* tuple, std::uint32_t size, std::uint16_t info) {
    constexpr std::uint32_t kSize = kDataOffset + kMaxAlign;
    if (size != kSize || info != kSize) return false;
    const auto word = LoadLittleEndian<std::uint64_t>(tuple + kDataOffset);
    value = static_cast<T>(word);
    if constexpr (sizeof(T) < sizeof(word)) return word >> (8 * sizeof(T)) == 0;
    return true;
  }
  int Compare(const IntegerKey& other) const {
    return static_cast<int>(value > other.value) - static_cast<int>(value < other.value);
  }
};

// A varlena with a one-byte header, compared byte by byte.
template <bool kZeroByteAllowed>
struct BytesKey {
  const std::uint8_t* data = nullptr;
  std::uint32_t length = 0;

  bool Read(const std::uint8_t* tuple, std::uint32_t size, std::uint16_t info) {
    if (info != (size | index_tuple::kVarWidthBit)) return false;
    const std::uint8_t header = tuple[kDataOffset];
    if ((header & 1) == 0 || header == 1) return false;
    const std::uint32_t end = kDataOffset + (header >> 1);
    if (MaxAlign(end) != size) return false;
    // The padding is at most seven bytes at the end of the last eight.
    const auto last = LoadLittleEndian<std::uint64_t>(tuple + size - kMaxAlign);
    if (end != size && last >> (8 * (kMaxAlign - (size - end))) != 0) return false;
    data = tuple + kDataOffset + 1;
    length = end - kDataOffset - 1;
    return kZeroByteAllowed || length == 0 || std::memchr(data, 0, length) == nullptr;
  }
  int Compare(const BytesKey& other) const {
    const std::uint32_t common = length < other.length ? length : other.length;
    const int order = common == 0 ? 0 : std::memcmp(data, other.data, common);
    if (order != 0) return order;
    return static_cast<int>(length > other.length) - static_cast<int>(length < other.length);
  }
};

}  // namespace

PlainLeaf::PlainLeaf(const Schema* schema) {
  if (schema == nullptr || schema->attribute_count() != 1) return;
  const Attribute& attribute = schema->attribute(0);
  if (attribute.descending || attribute.collation != CollationKind::kC) return;
  switch (attribute.type) {
    case TypeId::kInt2:
      shape_ = Shape::kInt2;
      return;
    case TypeId::kInt4:
      shape_ = Shape::kInt4;
      return;
    case TypeId::kInt8:
      shape_ = Shape::kInt8;
      return;
    case TypeId::kOid:
      shape_ = Shape::kOid;
      return;
    case TypeId::kBytea:
      shape_ = Shape::kBytes;
      return;
    case TypeId::kText:
    case TypeId::kVarchar:
      shape_ = Shape::kText;
      return;
    default:
      return;
  }
}

bool PlainLeaf::Accepts(nbtree::NbtreePage page, const nbtree::Limits& limits) {
  switch (shape_) {
    case Shape::kNone:
      return false;
    case Shape::kInt2:
      return AcceptsAs<IntegerKey<std::int16_t>>(page, limits);
    case Shape::kInt4:
      return AcceptsAs<IntegerKey<std::int32_t>>(page, limits);
    case Shape::kInt8:
      return AcceptsAs<IntegerKey<std::int64_t>>(page, limits);
    case Shape::kOid:
      return AcceptsAs<IntegerKey<std::uint32_t>>(page, limits);
    case Shape::kBytes:
      return AcceptsAs<BytesKey<true>>(page, limits);
    case Shape::kText:
      return AcceptsAs<BytesKey<false>>(page, limits);
  }
  return false;
}

template <typename KeyReader>
bool PlainLeaf::AcceptsAs(nbtree::NbtreePage page, const nbtree::Limits& limits) {
  constexpr auto kNormal = static_cast<std::uint32_t>(LineFlags::kNormal);
  const OffsetNumber first = page.first_data_slot();
  const OffsetNumber count = page.item_count();
  if (count < first) return false;
  const std::uint32_t item_count = count - first + 1U;
  tids_.resize(item_count);
  PackedTid* const tids = tids_.data();
  const std::uint32_t max_offset = limits.MaxHeapOffset();
  const std::uint32_t max_size = limits.MaxItemSize();
  const std::uint8_t* const data = page.page().data();
  const std::uint8_t* const pointers = data + PageView::LinePointerOffset(first);
  KeyReader previous;
  for (std::uint32_t index = 0; index < item_count; ++index) {
    const auto raw =
        LoadLittleEndian<std::uint32_t>(pointers + index * slotted_v4::kLinePointerSize);
    const std::uint32_t size = raw >> 17;
    if ((raw >> 15 & 3) != kNormal || size > max_size || size <= kDataOffset) return false;
    const std::uint8_t* tuple = data + (raw & 0x7FFF);
    const auto header = LoadLittleEndian<std::uint64_t>(tuple);
    // Three 16-bit fields, the high half of the block first.
    const PackedTid tid = (header & 0xFFFF) << 32 | (header & 0xFFFF0000) | (header >> 32 & 0xFFFF);
    tids[index] = tid;
    if ((tid & 0xFFFF) - 1 >= max_offset || tid >> 16 == kInvalidBlock) return false;
    KeyReader key;
    if (!key.Read(tuple, size, static_cast<std::uint16_t>(header >> 48))) return false;
    if (index != 0) {
      const int order = previous.Compare(key);
      if (order >= 0 && (order > 0 || tids[index - 1] >= tid)) return false;
    }
    previous = key;
  }
  return true;
}

}  // namespace tornleaf
