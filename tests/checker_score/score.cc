#include "tests/checker_score/score.h"

#include <algorithm>

#include "engine/verify/verifier.h"

namespace tornleaf {
namespace checker_score {

const Invariant* RunVerifier(PageSource* pages, const Schema* schema) {
  VerifyOptions options;
  options.schema = schema;
  options.findings_max = 1;
  const VerifyReport report = Verify(pages, options);
  return report.findings.empty() ? nullptr : report.findings.front().invariant;
}

void Counts::Add(const Counts& other) {
  tried += other.tried;
  seen += other.seen;
  harmless += other.harmless;
  undetectable += other.undetectable;
  missed += other.missed;
  disputed += other.disputed;
}

std::uint64_t Counts::SeenPerMillion() const {
  constexpr std::uint64_t kMillion = 1000000;
  return seen + missed == 0 ? kMillion : seen * kMillion / (seen + missed);
}

Counts Score::Total(Region region) const {
  Counts total;
  for (const auto& [key, counts] : fields) {
    if (key.first == region) total.Add(counts);
  }
  return total;
}

Counts Score::Total() const {
  Counts total;
  for (const auto& [key, counts] : fields) total.Add(counts);
  return total;
}

namespace {

void Count(const Subject& subject, bool with_schema, const Outcome& outcome, Score* score) {
  Counts& counts = score->fields[{outcome.mutation->field.region, outcome.mutation->field.name}];
  ++counts.tried;
  if (outcome.rule != nullptr) {
    ++score->rules[outcome.rule->name];
    ++(outcome.rule->harmless ? counts.harmless : counts.undetectable);
    if (outcome.found == nullptr) return;
    ++counts.disputed;
  } else if (outcome.found != nullptr) {
    ++counts.seen;
    return;
  } else {
    ++counts.missed;
  }
  score->survivors.push_back(
      {subject.name, with_schema, *outcome.mutation, outcome.rule, outcome.found});
}

}  // namespace

void ScoreSubject(const Subject& subject, const Options& options, const Checker& checker,
                  Score* with_schema, Score* without_schema) {
  const IndexModel index(subject.image, subject.page_size, subject.schema);
  Prng prng(options.seed, subject.name);
  const Sample sample = ChooseMutations(index, options.per_field, &prng);
  std::vector<std::uint8_t> image = subject.image;
  MemoryPages pages(image, subject.page_size);
  for (const bool knows : {true, false}) {
    Score* const score = knows ? with_schema : without_schema;
    const Schema* const schema = knows ? &subject.schema : nullptr;
    CHECK(checker(&pages, schema) == nullptr);
    const Oracle oracle(index, knows);
    score->possible += sample.possible;
    ++score->subjects;
    for (const Mutation& mutation : sample.mutations) {
      if (options.before_each) options.before_each(subject, mutation);
      std::uint8_t* const at = image.data() +
                               std::size_t{mutation.field.block} * subject.page_size +
                               mutation.field.begin;
      std::copy(mutation.new_bytes.begin(), mutation.new_bytes.end(), at);
      const Outcome outcome{&mutation, oracle.Excuse(mutation), checker(&pages, schema)};
      std::copy(mutation.old_bytes.begin(), mutation.old_bytes.end(), at);
      Count(subject, knows, outcome, score);
      if (options.after_each) options.after_each(subject, knows, outcome);
    }
  }
}

bool ReachesThresholds(const Score& score, bool with_schema) {
  constexpr std::uint64_t kAll = 1000000;
  constexpr std::uint64_t kOfTuples = 995000;
  bool reached = true;
  for (std::uint32_t number = 0; number < kRegionCount; ++number) {
    const auto region = static_cast<Region>(number);
    const Counts counts = score.Total(region);
    const std::uint64_t wanted = region != Region::kTuple ? kAll : with_schema ? kOfTuples : 0;
    reached &= counts.SeenPerMillion() >= wanted && counts.disputed == 0;
  }
  return reached;
}

}  // namespace checker_score
}  // namespace tornleaf
