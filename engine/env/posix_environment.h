// The environment of production: files, time and threads of the operating system.

#ifndef TORNLEAF_ENGINE_ENV_POSIX_ENVIRONMENT_H_
#define TORNLEAF_ENGINE_ENV_POSIX_ENVIRONMENT_H_

#include "engine/env/environment.h"

namespace tornleaf {

// What it points to lives as long as the program.
Environment PosixEnvironment();

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_POSIX_ENVIRONMENT_H_
