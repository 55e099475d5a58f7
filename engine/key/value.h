// One attribute of one row, in the form in which it is compared.

#ifndef TORNLEAF_ENGINE_KEY_VALUE_H_
#define TORNLEAF_ENGINE_KEY_VALUE_H_

#include <cstdint>

#include "engine/base/bytes.h"

namespace tornleaf {

// PostgreSQL's INDEX_MAX_KEYS: key and included columns together.
inline constexpr std::uint32_t kMaxAttributes = 32;

// `data` points into somebody else's memory: a tuple, or the buffer of a reader. It holds
//   fixed-length types   the stored bytes, little-endian;
//   varlena types        the payload without its header, uncompressed;
//   name                 the characters without the terminating NUL.
struct Value {
  const std::uint8_t* data = nullptr;
  std::uint32_t size = 0;
  bool is_null = true;
  // A varlena value whose header is one byte where it comes from. Forming a tuple keeps that even
  // under storage plain, where it would not shorten a header of four bytes.
  bool short_header = false;

  static Value Of(ByteView bytes) {
    return {bytes.data(), static_cast<std::uint32_t>(bytes.size()), false, false};
  }
  ByteView bytes() const { return {data, size}; }
};

// Whether both are null, or both have the same bytes (PostgreSQL's datum_image_eq).
inline bool ImageEqual(const Value& a, const Value& b) {
  if (a.is_null || b.is_null) return a.is_null && b.is_null;
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_VALUE_H_
