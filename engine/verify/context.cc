#include "engine/verify/context.h"

namespace tornleaf {

bool Reporter::IsConsequence(const Finding& finding) {
  if (finding.block < doubted_.size() && doubted_[finding.block]) return true;
  if (finding.block != block_) {
    block_ = finding.block;
    slots_.clear();
    rules_.clear();
  }
  const auto has = [](const auto& list, auto value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  if (finding.slot != 0 && has(slots_, finding.slot)) return true;
  if (has(rules_, finding.invariant)) return true;
  if (finding.slot != 0) slots_.push_back(finding.slot);
  rules_.push_back(finding.invariant);
  return false;
}

}  // namespace tornleaf
