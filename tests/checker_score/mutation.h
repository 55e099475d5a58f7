// One change to one field, and which of all possible ones a run tries.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_MUTATION_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_MUTATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "tests/checker_score/fields.h"

namespace tornleaf {
namespace checker_score {

enum class MutationKind : std::uint8_t {
  kBit,        // one bit turned over
  kZero,       // the whole field 0
  kOnes,       // every bit 1
  kPlusOne,    // one more: as a number, or the last byte of what is longer than 8 bytes
  kMinusOne,   // one less
  kElsewhere,  // the bytes of a field of the same name and size elsewhere in the index
  kRandom,     // random bytes
};
const char* NameOf(MutationKind kind);

struct Mutation {
  FieldSpan field;
  MutationKind kind = MutationKind::kBit;
  std::uint32_t bit = 0;                // kBit: counted from the field's lowest
  std::vector<std::uint8_t> old_bytes;  // of the field, whole bytes
  std::vector<std::uint8_t> new_bytes;  // other than old_bytes
};

struct Sample {
  std::vector<Mutation> mutations;
  std::uint64_t possible = 0;  // mutations that could have been tried
};

// Mutations of every field name of the index: all of them where there are at most `per_field`, else
// `per_field` drawn from `prng`, as many bits as whole fields. 0: all.
Sample ChooseMutations(const IndexModel& index, std::uint64_t per_field, Prng* prng);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_MUTATION_H_
