// Holds the verifier to the score of docs/CHECKER_SCORE.md on a small sample, and shows that the
// score drops when a check goes blind, and when it cries wolf.

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "engine/verify/verifier.h"
#include "tests/checker_score/report.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace checker_score {
namespace {

Subject SubjectOf(const std::string& name) {
  Fixture fixture = LoadFixture(name);
  absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  CHECK(schema.ok());
  return {name, *std::move(schema), fixture.page_size, std::move(fixture.index)};
}

struct Scores {
  Options options;
  Score with_schema;
  Score without_schema;

  std::string Text() const { return AsText({&options, &with_schema, &without_schema}); }
};

Scores ScoreOf(const std::vector<std::string>& names, std::uint64_t per_field,
               const Checker& checker) {
  Scores scores;
  scores.options.per_field = per_field;
  for (const std::string& name : names) {
    ScoreSubject(SubjectOf(name), scores.options, checker, &scores.with_schema,
                 &scores.without_schema);
  }
  return scores;
}

// The verifier without one of its rules.
Checker BlindTo(std::string_view id) {
  return [id](PageSource* pages, const Schema* schema) -> const Invariant* {
    VerifyOptions options;
    options.schema = schema;
    const VerifyReport report = Verify(pages, options);
    for (const Finding& finding : report.findings) {
      if (finding.invariant->id != id) return finding.invariant;
    }
    return nullptr;
  };
}

TEST(CheckerScoreTest, VerifierReachesTheThresholdsOnEveryFixture) {
  const Scores scores = ScoreOf(FixtureNames(), 3, RunVerifier);
  EXPECT_TRUE(ReachesThresholds(scores.with_schema, true)) << scores.Text();
  EXPECT_TRUE(ReachesThresholds(scores.without_schema, false)) << scores.Text();
  EXPECT_GT(scores.with_schema.Total().seen, 10000U);
  EXPECT_GT(scores.without_schema.Total().seen, 10000U);
}

// Each region, with a rule that it needs.
struct BlindSpot {
  const char* id;
  Region region;
};

class CheckerScoreBlindSpot : public testing::TestWithParam<BlindSpot> {};

TEST_P(CheckerScoreBlindSpot, LowersTheScore) {
  const Scores scores = ScoreOf({"text-c", "posting-list-splits", "page-deletion", "numeric"}, 30,
                                BlindTo(GetParam().id));
  EXPECT_FALSE(ReachesThresholds(scores.with_schema, true));
  EXPECT_GT(scores.with_schema.Total(GetParam().region).missed, 0U);
  ASSERT_FALSE(scores.with_schema.survivors.empty());
  EXPECT_EQ(scores.Text().find("Survivors\nnone"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Rules, CheckerScoreBlindSpot,
                         testing::Values(BlindSpot{"PAGE-010", Region::kHeader},
                                         BlindSpot{"LINK-001", Region::kSpecial},
                                         BlindSpot{"FLAG-009", Region::kSpecial},
                                         BlindSpot{"META-007", Region::kMetaPage},
                                         BlindSpot{"ORDER-001", Region::kTuple},
                                         BlindSpot{"KEY-009", Region::kTuple},
                                         BlindSpot{"COUNT-005", Region::kDeletedPage}));

TEST(CheckerScoreTest, FalseAlarmIsDisputed) {
  static constexpr Invariant kAny{"ANY-001", "", "", "", ""};
  const std::vector<std::uint8_t> healthy = SubjectOf("int4").image;
  const Checker nervous = [&](PageSource* pages, const Schema*) -> const Invariant* {
    std::vector<std::uint8_t> buffer(pages->page_size());
    for (BlockNumber block = 0; block < pages->block_count(); ++block) {
      const ByteView page = pages->Read(block, buffer);
      const std::uint8_t* before = healthy.data() + std::size_t{block} * pages->page_size();
      if (!std::equal(page.begin(), page.end(), before)) return &kAny;
    }
    return nullptr;
  };
  const Scores scores = ScoreOf({"int4"}, 20, nervous);
  const Counts hole = scores.with_schema.Total(Region::kHole);
  EXPECT_EQ(hole.harmless, 20U);
  EXPECT_EQ(hole.disputed, 20U);
  EXPECT_EQ(scores.with_schema.Total().missed, 0U);
  EXPECT_FALSE(ReachesThresholds(scores.with_schema, true));
}

TEST(CheckerScoreTest, FieldsCoverEveryByteOnce) {
  for (const char* name : {"include-three-levels", "columns-32", "page-deletion", "compressed-lz4",
                           "half-dead-branch", "zero-pages-inside", "all-equal-three-levels"}) {
    const Subject subject = SubjectOf(name);
    const IndexModel index(subject.image, subject.page_size, subject.schema);
    std::vector<std::uint64_t> bits(subject.image.size());
    for (const FieldSpan& field : FieldsOf(index)) {
      for (std::uint32_t bit = 0; bit < field.bit_count(); ++bit) {
        const std::uint32_t at = field.begin + (field.shift + bit) / 8;
        ++bits[std::size_t{field.block} * subject.page_size + at];
      }
    }
    for (std::size_t at = 0; at < bits.size(); ++at) {
      ASSERT_EQ(bits[at], 8U) << name << " block " << at / subject.page_size << " byte "
                              << at % subject.page_size;
    }
  }
}

TEST(CheckerScoreTest, SameSeedGivesTheSameMutations) {
  const Subject subject = SubjectOf("text-c");
  const IndexModel index(subject.image, subject.page_size, subject.schema);
  Prng first(5);
  Prng second(5);
  Prng other(6);
  const auto bytes = [](const Sample& sample) {
    std::vector<std::uint8_t> all;
    for (const Mutation& mutation : sample.mutations) {
      all.insert(all.end(), mutation.new_bytes.begin(), mutation.new_bytes.end());
    }
    return all;
  };
  const Sample sample = ChooseMutations(index, 10, &first);
  EXPECT_GT(sample.mutations.size(), 200U);
  EXPECT_EQ(bytes(sample), bytes(ChooseMutations(index, 10, &second)));
  EXPECT_NE(bytes(sample), bytes(ChooseMutations(index, 10, &other)));
}

}  // namespace
}  // namespace checker_score
}  // namespace tornleaf
