// Byte views and little-endian loads and stores.
//
// Every multi-byte number of every format here is little-endian. Pages are never cast to structs:
// a field is loaded from its offset, so alignment and the byte order of the machine cannot matter.

#ifndef TORNLEAF_ENGINE_BASE_BYTES_H_
#define TORNLEAF_ENGINE_BASE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "engine/base/check.h"

namespace tornleaf {

using ByteView = std::span<const std::uint8_t>;
using MutableBytes = std::span<std::uint8_t>;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "loads and stores below copy bytes as they are; port them before porting the rest");

// Loads an unsigned number of sizeof(T) bytes from `from`, which need not be aligned. The caller
// has made sure that the bytes are there.
template <typename T>
inline T LoadLittleEndian(const std::uint8_t* from) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <typename T>
inline void StoreLittleEndian(std::uint8_t* to, T value) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::memcpy(to, &value, sizeof(T));
}

// Rounds up, or down, to the alignment that PostgreSQL calls MAXALIGN (8 bytes).
inline constexpr std::uint32_t kMaxAlign = 8;
constexpr std::uint32_t MaxAlign(std::uint32_t size) {
  return (size + kMaxAlign - 1) & ~(kMaxAlign - 1);
}
constexpr std::uint32_t MaxAlignDown(std::uint32_t size) { return size & ~(kMaxAlign - 1); }
constexpr bool IsMaxAligned(std::uint32_t size) { return (size & (kMaxAlign - 1)) == 0; }

constexpr std::uint32_t AlignUp(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

// True if every byte of the view is zero; true for an empty view.
inline bool AllZero(ByteView bytes) {
  if (bytes.empty()) return true;
  return bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_BYTES_H_
