// What the engine stands on: everything outside a process's memory goes through these three.

#ifndef TORNLEAF_ENGINE_ENV_ENVIRONMENT_H_
#define TORNLEAF_ENGINE_ENV_ENVIRONMENT_H_

#include "engine/env/clock.h"
#include "engine/env/executor.h"
#include "engine/env/file.h"

namespace tornleaf {

// None is owned; all are there.
struct Environment {
  Device* device = nullptr;
  Clock* clock = nullptr;
  Executor* executor = nullptr;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_ENVIRONMENT_H_
