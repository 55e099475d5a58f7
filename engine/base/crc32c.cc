#include "engine/base/crc32c.h"

#include <array>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace tornleaf {

namespace {

constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;

consteval std::array<std::uint32_t, 256> MakeTable() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) {
      remainder = (remainder >> 1) ^ ((remainder & 1) != 0 ? kReversedPolynomial : 0);
    }
    table[byte] = remainder;
  }
  return table;
}
constexpr std::array<std::uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)
[[gnu::target("sse4.2")]] std::uint32_t ExtendByInstruction(std::uint32_t state, ByteView bytes) {
  const std::uint8_t* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t wide = state;
  for (; left >= 8; left -= 8, at += 8) {
    wide = _mm_crc32_u64(wide, LoadLittleEndian<std::uint64_t>(at));
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; left > 0; --left, ++at) narrow = _mm_crc32_u8(narrow, *at);
  return narrow;
}
#endif

}  // namespace

std::uint32_t ExtendCrc32cByTable(std::uint32_t state, ByteView bytes) {
  for (const std::uint8_t byte : bytes) state = (state >> 8) ^ kTable[(state ^ byte) & 0xFF];
  return state;
}

std::uint32_t ExtendCrc32c(std::uint32_t state, ByteView bytes) {
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ExtendByInstruction(state, bytes);
#endif
  return ExtendCrc32cByTable(state, bytes);
}

}  // namespace tornleaf
