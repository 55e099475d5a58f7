// A search key against the items of a page: the inner loop of whatever the tree does.
//
// The first column decides nearly every comparison. It stands at a fixed place in a tuple without
// nulls, so that it is compared where it lies, by a loop made for its type; what is equal there, or
// is stored in another way (nulls, compressed values), goes the general way. Everything that knows
// how columns lie in a tuple of the search is in this file and its .cc.

#ifndef TORNLEAF_ENGINE_TREE_KEY_COMPARE_H_
#define TORNLEAF_ENGINE_TREE_KEY_COMPARE_H_

#include <cstdint>

#include "engine/format/nbtree_page.h"
#include "engine/key/schema.h"
#include "engine/tree/key_columns.h"
#include "engine/tree/search.h"

namespace tornleaf {

// Reads the attributes of a tuple one after the other, without copying. The tuple's geometry has
// been checked (page_guard.h).
class AttributeReader {
 public:
  AttributeReader(const Schema& schema, TupleView tuple)
      : schema_(schema), tuple_(tuple.data()), offset_(tuple.data_offset()) {
    has_nulls_ = tuple.has_nulls();
  }

  // The next attribute; false if it is compressed, when no more can be read.
  bool Next(Value* value);

 private:
  bool IsNull() const {
    return has_nulls_ && (tuple_[index_tuple::kHeaderSize + index_ / 8] >> (index_ % 8) & 1) == 0;
  }

  const Schema& schema_;
  const std::uint8_t* tuple_;
  std::uint32_t offset_;
  std::uint32_t index_ = 0;
  bool has_nulls_;
};

inline bool AttributeReader::Next(Value* value) {
  const std::uint32_t index = index_;
  if (IsNull()) {
    ++index_;
    *value = Value();
    return true;
  }
  ++index_;
  const Attribute& attribute = schema_.attribute(index);
  // A short varlena is not aligned: its non-zero first byte tells it from padding.
  if (attribute.length != kVarlena || tuple_[offset_] == 0) {
    offset_ = AlignUp(offset_, attribute.alignment);
  }
  const std::uint8_t* at = tuple_ + offset_;
  if (attribute.length > 0) {
    const auto length = static_cast<std::uint32_t>(attribute.length);
    // A name that is stored at full length is filled up with NULs.
    const bool name = attribute.type == TypeId::kName;
    const std::size_t used =
        name ? strnlen(reinterpret_cast<const char*>(at), length) : std::size_t{length};
    *value = Value::Of({at, used});
    offset_ += length;
    return true;
  }
  if (attribute.length == kCString) {
    const std::size_t length = std::strlen(reinterpret_cast<const char*>(at));
    *value = Value::Of({at, length});
    offset_ += static_cast<std::uint32_t>(length) + 1;
    return true;
  }
  std::uint32_t header_size = 1;
  std::uint32_t total = at[0] >> 1;
  if ((at[0] & key_columns::kShortBit) == 0) {
    const auto header = LoadLittleEndian<std::uint32_t>(at);
    if ((header & key_columns::kLongFormBits) != 0) return false;
    header_size = key_columns::kLongHeaderSize;
    total = header >> 2;
  }
  *value = Value::Of({at + header_size, total - header_size});
  value->short_header = header_size == 1;
  offset_ += total;
  return true;
}

class KeyComparer {
 public:
  // Both outlive it.
  KeyComparer(const Schema& schema, const SearchKey& key);

  const SearchKey& key() const { return key_; }

  // As CompareToItem() in search.h.
  int Compare(const nbtree::NbtreePage& page, OffsetNumber slot) const;
  // Binary search among the items [begin, end) of a page, of which none is a "minus infinity".
  PagePlace Search(const nbtree::NbtreePage& page, OffsetNumber begin, OffsetNumber end) const;
  // The same among all of them: on an internal page the downlink to follow is the item before.
  PagePlace SearchPage(const nbtree::NbtreePage& page) const;
  // Whether what is searched for is to the right of the page, which has a high key as item 1.
  bool IsPastHighKey(const nbtree::NbtreePage& page) const {
    return Compare(page, 1) >= (key_.next_key ? 0 : 1);
  }

 private:
  // How the first column is compared where it lies.
  enum class First : std::uint8_t { kGeneral, kInt2, kInt4, kInt8, kOid, kUuid, kBytes };
  static First FirstOf(const Schema& schema, const SearchKey& key);

  template <typename Use>
  auto WithColumn(const Use& use) const;
  template <typename Column>
  PagePlace SearchWith(Column column, const nbtree::NbtreePage& page, OffsetNumber begin,
                       OffsetNumber end) const;
  template <typename Column>
  int CompareWith(Column* column, TupleView tuple) const;
  // From key column `begin` on; those before are equal.
  int CompareFrom(TupleView tuple, std::uint32_t begin) const;
  int CompareDeformed(TupleView tuple, std::uint32_t count) const;
  // What decides when all columns that both have are equal.
  int BreakTie(TupleView tuple, std::uint32_t attribute_count) const;
  std::uint32_t AttributeCountOf(TupleView tuple) const;

  const Schema& schema_;
  const SearchKey& key_;
  First first_;
  int sign_;  // -1 if the first column is descending
};

// Index of the first row address of a posting list that is not less than `tid`; the number of
// addresses if there is none.
std::uint32_t FindInPosting(TupleView posting, ItemPointer tid);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_KEY_COMPARE_H_
