// How the first column of a key is compared with that of a tuple where it lies, one class for each
// way of storing it. For key_compare.cc.
//
// A binary search comes to an item between two others that it has compared: bytes that the key has
// in common with both of these, it has in common with that item, and they are not looked at again.
// The classes that can use this keep the number of these bytes.

#ifndef TORNLEAF_ENGINE_TREE_KEY_COLUMNS_H_
#define TORNLEAF_ENGINE_TREE_KEY_COLUMNS_H_

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>

#include "engine/base/bytes.h"
#include "engine/key/value.h"

namespace tornleaf {
namespace key_columns {

// What a comparison says of a value that it cannot read in place.
inline constexpr int kUnknown = INT_MIN;

// Varlena headers: one byte, or four with the low two bits clear; else compressed.
inline constexpr std::uint8_t kShortBit = 0x01;
inline constexpr std::uint32_t kLongFormBits = 0x03;
inline constexpr std::uint32_t kLongHeaderSize = 4;

inline int Sign(int order) { return (order > 0) - (order < 0); }

// Keeps nothing.
struct Memoryless {
  void Forget() {}
  void ItemIsBelow() {}
  void ItemIsAbove() {}
};

template <typename T>
struct Number : Memoryless {
  explicit Number(const Value& key) : key(LoadLittleEndian<T>(key.data)) {}

  int operator()(const std::uint8_t* stored) const {
    const auto item = LoadLittleEndian<T>(stored);
    return (key > item) - (key < item);
  }

  T key;
};

struct Uuid : Memoryless {
  explicit Uuid(const Value& key) : key(key.data) {}

  int operator()(const std::uint8_t* stored) const { return Sign(std::memcmp(key, stored, 16)); }

  const std::uint8_t* key;
};

// Never reads: every item is compared the general way.
struct General : Memoryless {
  int operator()(const std::uint8_t* /*stored*/) const { return kUnknown; }
};

// 8 bytes as a number that orders as memcmp() does.
inline std::uint64_t LoadInOrder(const std::uint8_t* from) {
  return __builtin_bswap64(LoadLittleEndian<std::uint64_t>(from));
}

class Bytes {
 public:
  explicit Bytes(const Value& key) : key_(key.data), size_(key.size) {}

  // The key against a stored varlena.
  [[gnu::always_inline]] int operator()(const std::uint8_t* stored) {
    if ((stored[0] & kShortBit) != 0) return Order(stored + 1, (stored[0] >> 1) - 1U);
    const auto header = LoadLittleEndian<std::uint32_t>(stored);
    if ((header & kLongFormBits) != 0) return kUnknown;
    return Order(stored + kLongHeaderSize, (header >> 2) - kLongHeaderSize);
  }

  // What the last comparison has found out does not count.
  void Forget() { equal_ = 0; }
  // Which side of the key the item of the last comparison is on.
  void ItemIsBelow() {
    equal_below_ = equal_;
    known_ = std::min(equal_below_, equal_above_);
  }
  void ItemIsAbove() {
    equal_above_ = equal_;
    known_ = std::min(equal_below_, equal_above_);
  }

 private:
  static constexpr std::uint32_t kWord = sizeof(std::uint64_t);

  // CompareBytes() from the bytes on that are known to be equal.
  [[gnu::always_inline]] int Order(const std::uint8_t* item, std::uint32_t size) {
    const std::uint32_t common = std::min(size_, size);
    // Items out of order are no reason to read beyond one.
    std::uint32_t at = known_ <= common ? known_ : 0;
    for (; at + 2 * kWord < common; at += kWord) {
      const std::uint64_t left = LoadInOrder(key_ + at);
      const std::uint64_t right = LoadInOrder(item + at);
      if (left == right) continue;
      equal_ = at;
      return left < right ? -1 : 1;
    }
    equal_ = at;
    const int order = OrderRest(item, at, common);
    return order != 0 ? order : (size_ > size) - (size_ < size);
  }

  // The last bytes, at most two words, of `common` ones. Which of the words differs can hardly be
  // predicted, so it is not branched on.
  [[gnu::always_inline]] int OrderRest(const std::uint8_t* item, std::uint32_t at,
                                       std::uint32_t common) {
    if (common < kWord) return common == 0 ? 0 : Sign(std::memcmp(key_, item, common));
    const std::uint32_t last = common - kWord;
    const std::uint32_t first = std::min(at, last);
    std::uint64_t left = LoadInOrder(key_ + first);
    std::uint64_t right = LoadInOrder(item + first);
    const bool equal = left == right;
    equal_ += equal && at < last ? kWord : 0;
    left = equal ? LoadInOrder(key_ + last) : left;
    right = equal ? LoadInOrder(item + last) : right;
    return (left > right) - (left < right);
  }

  const std::uint8_t* key_;
  std::uint32_t size_;
  // Numbers of bytes, whole words.
  std::uint32_t equal_ = 0;  // at the beginning of the item compared last
  std::uint32_t equal_below_ = 0;
  std::uint32_t equal_above_ = 0;
  std::uint32_t known_ = 0;
};

}  // namespace key_columns
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_TREE_KEY_COLUMNS_H_
