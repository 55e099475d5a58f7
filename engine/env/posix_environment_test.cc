#include "engine/env/posix_environment.h"

#include <gtest/gtest.h>

namespace tornleaf {
namespace {

TEST(PosixEnvironmentTest, IsWholeAndAlwaysTheSame) {
  const Environment environment = PosixEnvironment();
  ASSERT_NE(environment.device, nullptr);
  ASSERT_NE(environment.clock, nullptr);
  ASSERT_NE(environment.executor, nullptr);
  EXPECT_EQ(PosixEnvironment().device, environment.device);
  EXPECT_TRUE(environment.device->List(".").ok());
  EXPECT_GT(environment.clock->UnixSeconds(), 0);
  int ran = 0;
  environment.executor->Spawn("task", [&] { ++ran; })->Join();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace tornleaf
