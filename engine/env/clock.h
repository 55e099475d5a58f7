// Time as the engine sees it: virtual in the simulator.

#ifndef TORNLEAF_ENGINE_ENV_CLOCK_H_
#define TORNLEAF_ENGINE_ENV_CLOCK_H_

#include <cstdint>

namespace tornleaf {

class Clock {
 public:
  virtual ~Clock() = default;

  // Microseconds since some fixed instant; never goes back.
  virtual std::int64_t NowMicroseconds() = 0;
  // Seconds since 1970-01-01 UTC; may jump. For what people read, such as a checkpoint's time.
  virtual std::int64_t UnixSeconds() = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_CLOCK_H_
