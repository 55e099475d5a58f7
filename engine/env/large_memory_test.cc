#include "engine/env/large_memory.h"

#include <gtest/gtest.h>

#include <cstring>

namespace tornleaf {
namespace {

TEST(LargeMemory, IsAlignedAndWritableToItsEnd) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, std::size_t{5} << 20}) {
    const LargeMemory memory(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
    std::memset(memory.data(), 0xA5, bytes);
    EXPECT_EQ(memory.data()[0], 0xA5);
    EXPECT_EQ(memory.data()[bytes - 1], 0xA5);
  }
}

}  // namespace
}  // namespace tornleaf
