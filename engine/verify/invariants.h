// All rules that a file is held to, in one list: for `tornleaf explain`, docs/INVARIANTS.md and the
// tests that every rule has a page that breaks it.

#ifndef TORNLEAF_ENGINE_VERIFY_INVARIANTS_H_
#define TORNLEAF_ENGINE_VERIFY_INVARIANTS_H_

#include <span>
#include <string_view>

#include "engine/base/finding.h"

namespace tornleaf {

// Sorted by id.
std::span<const Invariant* const> AllInvariants();

// Null if there is none of that name. The case of letters does not matter.
const Invariant* FindInvariant(std::string_view id);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_VERIFY_INVARIANTS_H_
