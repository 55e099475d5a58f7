// Tries mutations on a checker and counts what it sees, by region and field.

#ifndef TORNLEAF_TESTS_CHECKER_SCORE_SCORE_H_
#define TORNLEAF_TESTS_CHECKER_SCORE_SCORE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/finding.h"
#include "engine/page/page_source.h"
#include "tests/checker_score/mutation.h"
#include "tests/checker_score/oracle.h"

namespace tornleaf {
namespace checker_score {

struct Subject {
  std::string name;
  Schema schema;
  std::uint32_t page_size;
  std::vector<std::uint8_t> image;  // healthy
};

// Returns the first finding's rule, or null if the checker is content. `schema` may be null.
using Checker = std::function<const Invariant*(PageSource* pages, const Schema* schema)>;
const Invariant* RunVerifier(PageSource* pages, const Schema* schema);

struct Counts {
  std::uint64_t tried = 0;
  std::uint64_t seen = 0;
  std::uint64_t harmless = 0;
  std::uint64_t undetectable = 0;
  std::uint64_t missed = 0;
  // Excused by a rule, and yet seen: the rule or the checker is wrong. Also counted as excused.
  std::uint64_t disputed = 0;

  void Add(const Counts& other);
  // Seen of those that should be, in parts of a million; all of none is all.
  std::uint64_t SeenPerMillion() const;
};

// What became of one mutation.
struct Outcome {
  const Mutation* mutation;
  const Rule* rule;        // null: it must be seen
  const Invariant* found;  // null: nothing
};

// A mutation to be listed: missed, or disputed.
struct Survivor {
  std::string subject;
  bool with_schema;
  Mutation mutation;
  const Rule* rule;
  const Invariant* found;
};

struct Score {
  using Key = std::pair<Region, std::string>;
  std::map<Key, Counts> fields;
  std::map<std::string_view, std::uint64_t> rules;  // how often each rule excused
  std::vector<Survivor> survivors;
  std::uint64_t possible = 0;
  std::uint64_t subjects = 0;

  Counts Total(Region region) const;
  Counts Total() const;
};

struct Options {
  std::uint64_t seed = 1;
  std::uint64_t per_field = 80;  // mutations of each field of each subject; 0: all
  std::function<void(const Subject& subject, const Mutation& mutation)> before_each;
  std::function<void(const Subject& subject, bool with_schema, const Outcome& outcome)> after_each;
};

// Adds one subject to the two scores: of a reader with its schema, and of one without.
void ScoreSubject(const Subject& subject, const Options& options, const Checker& checker,
                  Score* with_schema, Score* without_schema);

// What must be reached: everything in header, line pointers, special area, metapage, deleted and
// new pages; 99.5 % in tuple bytes where the schema is known; nothing disputed.
bool ReachesThresholds(const Score& score, bool with_schema);

}  // namespace checker_score
}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_CHECKER_SCORE_SCORE_H_
