#include "engine/env/posix_clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace tornleaf {
namespace {

TEST(PosixClockTest, NeverGoesBackAndGoesOn) {
  PosixClock clock;
  const std::int64_t begin = clock.NowMicroseconds();
  std::int64_t last = begin;
  while (last < begin + 2000) {
    const std::int64_t now = clock.NowMicroseconds();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(PosixClockTest, CountsMicroseconds) {
  PosixClock clock;
  const std::int64_t begin = clock.NowMicroseconds();
  const timespec pause = {.tv_sec = 0, .tv_nsec = 5'000'000};
  ASSERT_EQ(::nanosleep(&pause, nullptr), 0);
  const std::int64_t passed = clock.NowMicroseconds() - begin;
  EXPECT_GE(passed, 5000);
  EXPECT_LT(passed, 60'000'000);
}

TEST(PosixClockTest, SaysTheDate) {
  PosixClock clock;
  const std::int64_t before = ::time(nullptr);
  const std::int64_t now = clock.UnixSeconds();
  // time() may be a tick behind.
  EXPECT_GE(now, before - 1);
  EXPECT_LE(now, ::time(nullptr) + 1);
}

}  // namespace
}  // namespace tornleaf
