#include "engine/env/posix_clock.h"

#include <chrono>

namespace tornleaf {

std::int64_t PosixClock::NowMicroseconds() {
  const auto since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since_start).count();
}

// The epoch of system_clock is that of Unix since C++20.
std::int64_t PosixClock::UnixSeconds() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::seconds>(since_epoch).count();
}

}  // namespace tornleaf
