// Marks in places that a compiler treats in ways of its own: for mark_test.cc and its second
// translation unit, mark_elsewhere_test.cc.

#ifndef TORNLEAF_ENGINE_BASE_MARK_TEST_UTIL_H_
#define TORNLEAF_ENGINE_BASE_MARK_TEST_UTIL_H_

#include "engine/base/mark.h"

namespace tornleaf::mark_test {

inline void PassInline() { MARK("test.inline"); }

template <typename T>
void PassTemplate() {
  MARK("test.template");
}

template <bool kDeep>
void PassBranch() {
  if constexpr (kDeep) {
    MARK("test.branch.deep");
  } else {
    MARK("test.branch.flat");
  }
}

// In the other translation unit.
void PassElsewhere();
void PassInlineElsewhere();
void PassTemplateElsewhere();

}  // namespace tornleaf::mark_test

#endif  // TORNLEAF_ENGINE_BASE_MARK_TEST_UTIL_H_
