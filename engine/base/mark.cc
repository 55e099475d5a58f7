#include "engine/base/mark.h"

namespace tornleaf {
namespace {

// Constant-initialised, so that it is there before the first counter is made.
constinit MarkCounter* first_mark = nullptr;

}  // namespace

MarkCounter::MarkCounter(const char* name) : name_(name), next_(first_mark) { first_mark = this; }

MarkCounter* FirstMark() { return first_mark; }

}  // namespace tornleaf
