// An environment for tests of the engine: files in memory, real threads, and a clock that only the
// test and those who look at it move.

#ifndef TORNLEAF_TESTS_SUPPORT_TEST_ENVIRONMENT_H_
#define TORNLEAF_TESTS_SUPPORT_TEST_ENVIRONMENT_H_

#include <atomic>
#include <cstdint>

#include "engine/env/environment.h"
#include "engine/env/thread_executor.h"
#include "tests/support/memory_device.h"

namespace tornleaf {

class ManualClock final : public Clock {
 public:
  // Each look takes a microsecond, so that whoever waits for a time gets there.
  std::int64_t NowMicroseconds() override { return ++microseconds_; }
  std::int64_t UnixSeconds() override { return kStart + microseconds_ / 1'000'000; }

  void Advance(std::int64_t microseconds) { microseconds_ += microseconds; }

 private:
  static constexpr std::int64_t kStart = 1'700'000'000;
  std::atomic<std::int64_t> microseconds_{0};
};

struct TestEnvironment {
  explicit TestEnvironment(std::uint64_t seed = 0) : device(seed) {}

  Environment environment() {
    return Environment{.device = &device, .clock = &clock, .executor = &executor};
  }

  MemoryDevice device;
  ManualClock clock;
  ThreadExecutor executor;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_SUPPORT_TEST_ENVIRONMENT_H_
