#include "engine/base/mark_test_util.h"

namespace tornleaf::mark_test {

void PassElsewhere() { MARK("test.two_units"); }
void PassInlineElsewhere() { PassInline(); }
void PassTemplateElsewhere() { PassTemplate<int>(); }

}  // namespace tornleaf::mark_test
