// Varlena values that the server compressed in line: pglz and lz4.

#ifndef TORNLEAF_ENGINE_KEY_COMPRESSED_H_
#define TORNLEAF_ENGINE_KEY_COMPRESSED_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"

namespace tornleaf {

enum class Compression : std::uint8_t { kPglz = 0, kLz4 = 1 };

// A raw size above this is refused: an in-line value of an index tuple (8 KiB at most) that claims
// more is damaged. pglz reaches at most about 91:1 and lz4 255:1.
inline constexpr std::uint32_t kMaxInflatedSize = 4U << 20;

// Decompresses `stored` (what follows the 8 bytes of varlena and compression header) to exactly
// `raw_size` bytes. False if the data is damaged; `raw` is then unspecified. Safe on any input;
// work and memory are bounded by raw_size <= kMaxInflatedSize.
bool Decompress(Compression method, ByteView stored, std::uint32_t raw_size,
                std::vector<std::uint8_t>* raw);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_COMPRESSED_H_
