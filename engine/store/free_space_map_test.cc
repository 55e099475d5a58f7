#include "engine/store/free_space_map.h"

#include <gtest/gtest.h>

#include "engine/env/thread_executor.h"

namespace tornleaf {
namespace {

TEST(FreeSpaceMapTest, GivesTheLowestBlockOnce) {
  ThreadExecutor executor;
  FreeSpaceMap map(&executor);
  EXPECT_EQ(map.Take(), std::nullopt);
  for (const BlockNumber block : {9, 4, 7, 4}) map.Add(block);
  EXPECT_EQ(map.size(), 3U);
  EXPECT_EQ(map.Take(), 4U);
  EXPECT_EQ(map.Take(), 7U);
  map.Add(2);
  EXPECT_EQ(map.Take(), 2U);
  EXPECT_EQ(map.Take(), 9U);
  EXPECT_EQ(map.Take(), std::nullopt);
}

}  // namespace
}  // namespace tornleaf
