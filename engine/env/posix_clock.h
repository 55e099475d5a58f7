// Time of the operating system.

#ifndef TORNLEAF_ENGINE_ENV_POSIX_CLOCK_H_
#define TORNLEAF_ENGINE_ENV_POSIX_CLOCK_H_

#include "engine/env/clock.h"

namespace tornleaf {

class PosixClock final : public Clock {
 public:
  std::int64_t NowMicroseconds() override;
  std::int64_t UnixSeconds() override;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_POSIX_CLOCK_H_
