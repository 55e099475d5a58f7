#include "engine/env/posix_environment.h"

#include "engine/env/posix_clock.h"
#include "engine/env/posix_device.h"
#include "engine/env/thread_executor.h"

namespace tornleaf {

Environment PosixEnvironment() {
  // Never destroyed: another object that is destroyed at exit may still use them.
  static auto* const device = new PosixDevice;
  static auto* const clock = new PosixClock;
  static auto* const executor = new ThreadExecutor;
  return Environment{.device = device, .clock = clock, .executor = executor};
}

}  // namespace tornleaf
