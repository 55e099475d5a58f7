// CRC-32C (Castagnoli), as log records and the control file use it.
//
// Not a library's: MemorySanitizer covers the codecs only when all of their code is compiled here,
// and Debian's packages that have it are parts of larger ones.

#ifndef TORNLEAF_ENGINE_BASE_CRC32C_H_
#define TORNLEAF_ENGINE_BASE_CRC32C_H_

#include <cstdint>

#include "engine/base/bytes.h"

namespace tornleaf {

// A checksum over several pieces begins with kCrc32cStart, goes through ExtendCrc32c for each of
// them and ends with FinishCrc32c.
inline constexpr std::uint32_t kCrc32cStart = 0xFFFFFFFF;
std::uint32_t ExtendCrc32c(std::uint32_t state, ByteView bytes);
constexpr std::uint32_t FinishCrc32c(std::uint32_t state) { return ~state; }

inline std::uint32_t Crc32c(ByteView bytes) {
  return FinishCrc32c(ExtendCrc32c(kCrc32cStart, bytes));
}

// The same without instructions of the processor: what other machines run.
std::uint32_t ExtendCrc32cByTable(std::uint32_t state, ByteView bytes);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_CRC32C_H_
