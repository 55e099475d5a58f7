#include "engine/key/compressed.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "engine/key/key_test_util.h"

namespace tornleaf {
namespace {

std::vector<std::uint8_t> Repeated(std::string_view text, int count) {
  std::vector<std::uint8_t> bytes;
  for (; count > 0; --count) bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

struct Example {
  Compression method;
  const char* stored;  // as PostgreSQL 15 stored it, behind the 8 bytes of header
  std::vector<std::uint8_t> raw;
};

std::vector<Example> ExamplesOfServer() {
  return {
      {Compression::kPglz, "00 746f726e6c656166 1e 20 0f09ff 0f09ff 0f09ff 0f0936",
       Repeated("tornleaf ", 100)},
      {Compression::kPglz, "fe 78 0f01ff 0f01ff 0f01ff 0f01ff 0f01ff 0f01ff 0f01ff 01 0f0146",
       Repeated("x", 2000)},
      {Compression::kLz4, "9f 746f726e6c65616620 0900 ffffff66 50 6c65616620",
       Repeated("tornleaf ", 100)},
      {Compression::kLz4, "1f 78 0100 ffffffffffffffbe 50 7878787878", Repeated("x", 2000)},
  };
}

TEST(CompressedTest, ReadsWhatTheServerStored) {
  for (const Example& example : ExamplesOfServer()) {
    std::vector<std::uint8_t> raw;
    EXPECT_TRUE(Decompress(example.method, FromHex(example.stored),
                           static_cast<std::uint32_t>(example.raw.size()), &raw));
    EXPECT_EQ(raw, example.raw);
  }
}

TEST(CompressedTest, RefusesCutDataAndWrongSizes) {
  for (const Example& example : ExamplesOfServer()) {
    const std::vector<std::uint8_t> stored = FromHex(example.stored);
    const auto size = static_cast<std::uint32_t>(example.raw.size());
    std::vector<std::uint8_t> raw;
    for (std::size_t cut = 0; cut < stored.size(); ++cut) {
      EXPECT_FALSE(Decompress(example.method, ByteView(stored).first(cut), size, &raw)) << cut;
    }
    EXPECT_FALSE(Decompress(example.method, stored, size + 1, &raw));
    EXPECT_FALSE(Decompress(example.method, stored, 0, &raw));
    EXPECT_FALSE(Decompress(example.method, stored, kMaxInflatedSize + 1, &raw));
    std::vector<std::uint8_t> longer = stored;
    longer.push_back(0);
    EXPECT_FALSE(Decompress(example.method, longer, size, &raw));
  }
}

TEST(CompressedTest, PglzRefusesMatchesFromBeforeTheStart) {
  std::vector<std::uint8_t> raw;
  // A literal, then a match of three bytes one back, two back, none back.
  EXPECT_TRUE(Decompress(Compression::kPglz, FromHex("02 61 0001"), 4, &raw));
  EXPECT_EQ(raw, Repeated("a", 4));
  EXPECT_FALSE(Decompress(Compression::kPglz, FromHex("02 61 0002"), 4, &raw));
  EXPECT_FALSE(Decompress(Compression::kPglz, FromHex("02 61 0000"), 4, &raw));
  // The distance's upper four bits.
  EXPECT_FALSE(Decompress(Compression::kPglz, FromHex("02 61 1001"), 4, &raw));
}

TEST(CompressedTest, PglzOfAnyLiteralsAndMatches) {
  EXPECT_TRUE(rc::check("decodes what was encoded", [] {
    std::vector<std::uint8_t> raw;
    std::vector<std::uint8_t> stored;
    const int items = *rc::gen::inRange(1, 60);
    std::size_t control = 0;
    for (int item = 0; item < items; ++item) {
      if (item % 8 == 0) {
        control = stored.size();
        stored.push_back(0);
      }
      if (raw.empty() || *rc::gen::arbitrary<bool>()) {
        raw.push_back(*rc::gen::arbitrary<std::uint8_t>());
        stored.push_back(raw.back());
        continue;
      }
      stored[control] |= static_cast<std::uint8_t>(1 << item % 8);
      const auto distance =
          *rc::gen::inRange<std::size_t>(1, std::min<std::size_t>(raw.size(), 4095) + 1);
      const auto length = *rc::gen::inRange<std::size_t>(3, 18 + 256);
      const std::size_t low = std::min<std::size_t>(length - 3, 15);
      stored.push_back(static_cast<std::uint8_t>(distance >> 8 << 4 | low));
      stored.push_back(static_cast<std::uint8_t>(distance));
      if (low == 15) stored.push_back(static_cast<std::uint8_t>(length - 18));
      for (std::size_t copied = 0; copied < length; ++copied)
        raw.push_back(raw[raw.size() - distance]);
    }
    std::vector<std::uint8_t> decoded;
    RC_ASSERT(
        Decompress(Compression::kPglz, stored, static_cast<std::uint32_t>(raw.size()), &decoded));
    RC_ASSERT(decoded == raw);
  }));
}

TEST(CompressedTest, SurvivesAnyBytes) {
  EXPECT_TRUE(rc::check("mutated data gives the stated size or false", [] {
    const std::vector<Example> examples = ExamplesOfServer();
    const Example& example = examples[*rc::gen::inRange<std::size_t>(0, examples.size())];
    std::vector<std::uint8_t> stored = FromHex(example.stored);
    for (int change = *rc::gen::inRange(1, 4); change > 0; --change) {
      stored[*rc::gen::inRange<std::size_t>(0, stored.size())] =
          *rc::gen::arbitrary<std::uint8_t>();
    }
    const auto size = *rc::gen::inRange<std::uint32_t>(0, 3000);
    std::vector<std::uint8_t> raw;
    if (Decompress(example.method, stored, size, &raw)) RC_ASSERT(raw.size() == size);
  }));
}

}  // namespace
}  // namespace tornleaf
