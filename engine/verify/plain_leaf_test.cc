// The loop for plain leaves may never accept what the generic checks would not. Both are run over
// the same damaged pages and must find the same.

#include "engine/verify/plain_leaf.h"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/base/prng.h"
#include "engine/page/page_source.h"
#include "engine/verify/verifier.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kDamagedCopies = 400;

// Everything a finding says, to compare two reports.
std::string Summary(const VerifyReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += std::string(finding.invariant->id) + "@" + std::to_string(finding.block) + "/" +
            std::to_string(finding.slot) + " ";
  }
  return text + std::to_string(report.counts.heap_tids) + " rows, " +
         std::to_string(report.consequences) + " consequences";
}

VerifyReport VerifyImage(const std::vector<std::uint8_t>& index, std::uint32_t page_size,
                         const Schema& schema, bool generic_only) {
  MemoryPages pages(index, page_size);
  VerifyOptions options;
  options.schema = &schema;
  options.generic_only = generic_only;
  return Verify(&pages, options);
}

class PlainLeafTest : public testing::TestWithParam<const char*> {};

TEST_P(PlainLeafTest, FindsWhatTheGenericChecksFind) {
  const Fixture fixture = LoadFixture(GetParam());
  const absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  ASSERT_TRUE(schema.ok());
  const std::string healthy =
      Summary(VerifyImage(fixture.index, fixture.page_size, *schema, false));
  EXPECT_EQ(healthy, Summary(VerifyImage(fixture.index, fixture.page_size, *schema, true)));

  Prng prng(1, GetParam());
  std::uint32_t seen = 0;
  for (std::uint32_t copy = 0; copy < kDamagedCopies; ++copy) {
    std::vector<std::uint8_t> damaged = fixture.index;
    const std::size_t at = prng.Below(damaged.size());
    damaged[at] = static_cast<std::uint8_t>(damaged[at] ^ (1U << prng.Below(8)));
    const VerifyReport quick = VerifyImage(damaged, fixture.page_size, *schema, false);
    const VerifyReport generic = VerifyImage(damaged, fixture.page_size, *schema, true);
    ASSERT_EQ(Summary(quick), Summary(generic)) << "bit flipped in byte " << at;
    if (!quick.findings.empty()) ++seen;
  }
  EXPECT_GT(seen, kDamagedCopies / 20);  // Else the comparison would compare nothing.
}

INSTANTIATE_TEST_SUITE_P(Postgres, PlainLeafTest,
                         testing::Values("int2", "int4", "int8", "oid", "text-c", "bytea",
                                         "varchar-c", "unique-text", "inserts-random"),
                         [](const testing::TestParamInfo<const char*>& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

// It must take the pages that it is there for, or it would be no use and nobody would notice.
TEST(PlainLeaf, TakesMostLeavesOfPlainIndexes) {
  const Fixture fixture = LoadFixture("inserts-random");
  const absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  ASSERT_TRUE(schema.ok());
  PlainLeaf plain_leaf(&*schema);
  std::uint32_t leaves = 0;
  std::uint32_t taken = 0;
  for (BlockNumber block = 1; block < fixture.page_count(); ++block) {
    const nbtree::NbtreePage page{PageView(fixture.page(block))};
    if (!page.is_leaf()) continue;
    ++leaves;
    if (plain_leaf.Accepts(page, nbtree::Limits{fixture.page_size})) ++taken;
  }
  EXPECT_GT(leaves, 5U);
  EXPECT_EQ(taken, leaves);
}

}  // namespace
}  // namespace tornleaf
