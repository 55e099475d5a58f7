// The page checksum: 32 independent 32-bit lanes, so that a vector unit computes many at once.
// The same loop is compiled for three instruction sets and the best one is picked at run time.

#include "engine/page/slotted_page_v4.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kLanes = 32;
constexpr std::uint32_t kPrime = 16777619;  // FNV-1's

// Start values of the lanes; arbitrary, fixed by the format.
constexpr std::uint32_t kLaneStart[kLanes] = {
    0x5B1F36E9, 0xB8525960, 0x02AB50AA, 0x1DE66D2A, 0x79FF467A, 0x9BB9F8A3, 0x217E7CD2, 0x83E13D2C,
    0xF8D4474F, 0xE39EB970, 0x42C6AE16, 0x993216FA, 0x7B093B5D, 0x98DAFF3C, 0xF718902A, 0x0B1C9CDB,
    0xE58F764B, 0x187636BC, 0x5D7B3BB1, 0xE73DE7DE, 0x92BEC979, 0xCCA6C0B2, 0x304A0979, 0x85AA43D4,
    0x783125BB, 0x6CA8EAA2, 0xE407EAC6, 0x4B5CFC3E, 0x9FBF8C76, 0x15CA20BE, 0xF2CA9FD3, 0x959BD756};

// The first 128 bytes hold the header, whose checksum field counts as zero.
constexpr std::uint32_t kRowBytes = kLanes * sizeof(std::uint32_t);
static_assert(slotted_v4::kHeaderSize <= kRowBytes);

[[gnu::always_inline]] inline void MixRow(std::uint32_t* sums, const std::uint8_t* row) {
  std::uint32_t values[kLanes];
  std::memcpy(values, row, kRowBytes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t mixed = sums[lane] ^ values[lane];
    sums[lane] = mixed * kPrime ^ (mixed >> 17);
  }
}

[[gnu::always_inline]] inline std::uint32_t FoldPage(const std::uint8_t* page, std::uint32_t size) {
  std::uint32_t sums[kLanes];
  std::memcpy(sums, kLaneStart, sizeof sums);

  std::uint8_t first[kRowBytes];
  std::memcpy(first, page, kRowBytes);
  Store(first, slotted_v4::kChecksum, std::uint16_t{0});
  MixRow(sums, first);
  for (std::uint32_t offset = kRowBytes; offset < size; offset += kRowBytes) {
    MixRow(sums, page + offset);
  }
  const std::uint8_t zeroes[kRowBytes] = {};
  MixRow(sums, zeroes);  // Two rounds of zeroes let the last words reach every bit.
  MixRow(sums, zeroes);

  std::uint32_t folded = 0;
  for (const std::uint32_t sum : sums) folded ^= sum;
  return folded;
}

std::uint32_t FoldPortable(const std::uint8_t* page, std::uint32_t size) {
  return FoldPage(page, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint32_t FoldAvx2(const std::uint8_t* page, std::uint32_t size) {
  return FoldPage(page, size);
}
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw")]] std::uint32_t FoldAvx512(
    const std::uint8_t* page, std::uint32_t size) {
  return FoldPage(page, size);
}
#endif

using FoldFunction = std::uint32_t (*)(const std::uint8_t*, std::uint32_t);

FoldFunction PickFold() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return FoldAvx512;
  }
  if (__builtin_cpu_supports("avx2")) return FoldAvx2;
#endif
  return FoldPortable;
}

}  // namespace

std::uint16_t ComputeChecksum(ByteView page, BlockNumber block) {
  static const FoldFunction fold = PickFold();
  CHECK(slotted_v4::IsPageSize(static_cast<std::uint32_t>(page.size())));
  const std::uint32_t folded = fold(page.data(), static_cast<std::uint32_t>(page.size())) ^ block;
  return static_cast<std::uint16_t>(folded % 65535 + 1);
}

void SetChecksum(MutableBytes page, BlockNumber block) {
  Store(page.data(), slotted_v4::kChecksum, ComputeChecksum(page, block));
}

}  // namespace tornleaf
