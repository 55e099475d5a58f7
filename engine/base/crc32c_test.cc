#include "engine/base/crc32c.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>
#include <vector>

#include "engine/base/prng.h"

namespace tornleaf {
namespace {

std::uint32_t CrcOf(std::string_view text) {
  return Crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

// Values of RFC 3720, appendix B.4, and the check value of the catalogue of CRCs.
TEST(Crc32cTest, GivesPublishedValues) {
  EXPECT_EQ(CrcOf("123456789"), 0xE3069283U);
  EXPECT_EQ(CrcOf(""), 0U);
  std::array<std::uint8_t, 32> bytes{};
  EXPECT_EQ(Crc32c(bytes), 0x8A9136AAU);
  bytes.fill(0xFF);
  EXPECT_EQ(Crc32c(bytes), 0x62A8AB43U);
  for (std::uint8_t index = 0; index < 32; ++index) bytes[index] = index;
  EXPECT_EQ(Crc32c(bytes), 0x46DD794EU);
}

TEST(Crc32cTest, InstructionTableAndPiecesAgree) {
  Prng prng(3, "crc");
  std::vector<std::uint8_t> bytes(300);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(prng.Next());
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const ByteView all(bytes.data(), size);
    const std::uint32_t by_table = FinishCrc32c(ExtendCrc32cByTable(kCrc32cStart, all));
    ASSERT_EQ(Crc32c(all), by_table) << size;
    const std::size_t cut = prng.Below(size + 1);
    const std::uint32_t first = ExtendCrc32c(kCrc32cStart, all.first(cut));
    ASSERT_EQ(FinishCrc32c(ExtendCrc32c(first, all.subspan(cut))), by_table) << size << " " << cut;
  }
}

}  // namespace
}  // namespace tornleaf
