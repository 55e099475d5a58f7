#include "engine/key/compressed.h"

#include <lz4.h>

#include <algorithm>

namespace tornleaf {

namespace {

// pglz, as PostgreSQL's common/pg_lzcompress.c describes it: a control byte, lowest bit first,
// tells for each of the up to eight items behind it whether it is a literal byte (0) or a match
// (1).
//   byte 0   low half: length - 3; high half: bits 8 to 11 of the distance back
//   byte 1   bits 0 to 7 of the distance
//   byte 2   only if the length so far is 18: added to it
constexpr std::uint32_t kMinMatch = 3;
constexpr std::uint32_t kExtendedMatch = 18;

bool DecompressPglz(ByteView stored, std::vector<std::uint8_t>* raw) {
  const std::size_t raw_size = raw->size();
  std::uint8_t* out = raw->data();
  std::size_t written = 0;
  std::size_t read = 0;
  while (read < stored.size() && written < raw_size) {
    std::uint32_t control = stored[read++];
    for (int item = 0; item < 8 && read < stored.size() && written < raw_size; ++item) {
      const bool is_match = (control & 1) != 0;
      control >>= 1;
      if (!is_match) {
        out[written++] = stored[read++];
        continue;
      }
      if (stored.size() - read < 2) return false;
      std::size_t length = (stored[read] & 0x0FU) + kMinMatch;
      const std::size_t distance = (stored[read] & 0xF0U) << 4 | stored[read + 1];
      read += 2;
      if (length == kExtendedMatch) {
        if (read == stored.size()) return false;
        length += stored[read++];
      }
      if (distance == 0 || distance > written) return false;
      // Like the server, let a last match run over the end.
      length = std::min(length, raw_size - written);
      // Byte by byte, since a match may overlap what it writes: that is how runs are stored.
      for (; length > 0; --length, ++written) out[written] = out[written - distance];
    }
  }
  return written == raw_size && read == stored.size();
}

bool DecompressLz4(ByteView stored, std::vector<std::uint8_t>* raw) {
  if (stored.empty() || stored.size() > LZ4_MAX_INPUT_SIZE) return false;
  char placeholder = 0;  // The library wants an address even for nothing.
  char* out = raw->empty() ? &placeholder : reinterpret_cast<char*>(raw->data());
  const int raw_size = static_cast<int>(raw->size());
  return LZ4_decompress_safe(reinterpret_cast<const char*>(stored.data()), out,
                             static_cast<int>(stored.size()), raw_size) == raw_size;
}

}  // namespace

bool Decompress(Compression method, ByteView stored, std::uint32_t raw_size,
                std::vector<std::uint8_t>* raw) {
  if (raw_size > kMaxInflatedSize) return false;
  raw->assign(raw_size, 0);
  switch (method) {
    case Compression::kPglz:
      return DecompressPglz(stored, raw);
    case Compression::kLz4:
      return DecompressLz4(stored, raw);
  }
  return false;
}

}  // namespace tornleaf
