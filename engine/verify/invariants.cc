#include "engine/verify/invariants.h"

#include <strings.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "engine/page/page_check.h"
#include "engine/verify/nbtree_rules.h"

namespace tornleaf {

std::span<const Invariant* const> AllInvariants() {
  static const std::vector<const Invariant*> all = [] {
    std::vector<const Invariant*> list(PageInvariants().begin(), PageInvariants().end());
    list.insert(list.end(), NbtreeInvariants().begin(), NbtreeInvariants().end());
    std::sort(list.begin(), list.end(), [](const Invariant* a, const Invariant* b) {
      return std::string_view(a->id) < b->id;
    });
    return list;
  }();
  return all;
}

const Invariant* FindInvariant(std::string_view id) {
  for (const Invariant* invariant : AllInvariants()) {
    const std::string_view known = invariant->id;
    if (known.size() == id.size() && strncasecmp(known.data(), id.data(), id.size()) == 0) {
      return invariant;
    }
  }
  return nullptr;
}

}  // namespace tornleaf
