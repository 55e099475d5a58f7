// Which changes a reader of the file alone cannot, or need not, notice: rules with names, decided
// from the bytes before and after and never by asking the verifier. A change that no rule excuses
// must be seen.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_ORACLE_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_ORACLE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tests/checker_score/index_model.h"
#include "tests/checker_score/mutation.h"

namespace tornleaf {
namespace checker_score {

struct Rule {
  const char* name;
  bool harmless;    // the meaning did not change; otherwise it did, and cannot be noticed
  const char* why;  // why no reader of the file alone could know
};
std::span<const Rule* const> AllRules();

class Oracle {
 public:
  // `with_schema`: whether the reader knows the schema, too.
  Oracle(const IndexModel& index, bool with_schema) : index_(index), with_schema_(with_schema) {}

  // The rule that excuses the mutation, or null if it must be seen.
  const Rule* Excuse(const Mutation& mutation) const;

 private:
  const Rule* ExcuseHeader(const Mutation& mutation) const;
  const Rule* ExcuseLinePointer(const Mutation& mutation) const;
  const Rule* ExcuseSpecial(const Mutation& mutation) const;
  const Rule* ExcuseFlags(const Mutation& mutation) const;
  const Rule* ExcuseMeta(const Mutation& mutation) const;
  const Rule* ExcuseVersion(std::uint32_t version) const;
  const Rule* ExcuseTuple(const Mutation& mutation) const;
  const Rule* ExcuseLeafItem(BlockNumber block, OffsetNumber slot, TupleView before,
                             TupleView after) const;
  const Rule* ExcuseHighKey(BlockNumber block, TupleView before, TupleView after) const;
  bool LeafGeometryHolds(TupleView tuple) const;
  bool PivotGeometryHolds(TupleView tuple) const;
  bool TidsAreFree(TupleView before, TupleView after) const;
  bool IsValidTid(ItemPointer tid) const;
  bool LeafItemFits(BlockNumber block, OffsetNumber slot, TupleView after) const;
  bool HighKeyFits(BlockNumber block, TupleView after) const;

  const IndexModel& index_;
  bool with_schema_;
};

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_ORACLE_H_
