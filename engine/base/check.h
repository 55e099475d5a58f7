// CHECK: the program itself is wrong.
//
// On in every build. Never used on bytes that came from disk (those give findings) nor on what the
// environment did (that gives a status).

#ifndef TORNLEAF_ENGINE_BASE_CHECK_H_
#define TORNLEAF_ENGINE_BASE_CHECK_H_

namespace tornleaf {

// Prints one line on standard error and aborts.
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition);

}  // namespace tornleaf

#define CHECK(condition)                                       \
  do {                                                         \
    if (!(condition)) [[unlikely]]                             \
      ::tornleaf::CheckFailed(__FILE__, __LINE__, #condition); \
  } while (false)

#endif  // TORNLEAF_ENGINE_BASE_CHECK_H_
