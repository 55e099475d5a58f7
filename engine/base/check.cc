#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tornleaf {

void CheckFailed(const char* file, int line, const char* condition) {
  std::fprintf(stderr,
               "tornleaf: CHECK failed at %s:%d: %s (a defect of the program; please report)\n",
               file, line, condition);
  std::abort();
}

}  // namespace tornleaf
