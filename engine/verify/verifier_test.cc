#include "engine/verify/verifier.h"

#include <gtest/gtest.h>

#include "engine/page/page_source.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

std::string Describe(const VerifyReport& report) {
  std::string text;
  for (std::size_t index = 0; index < report.findings.size() && index < 5; ++index) {
    const Finding& finding = report.findings[index];
    text += std::string(finding.invariant->id) + " block " + std::to_string(finding.block) +
            " slot " + std::to_string(finding.slot) + ": expected " +
            std::string(finding.expected.view()) + ", actual " +
            std::string(finding.actual.view()) + "\n";
  }
  return text;
}

class HealthyIndex : public testing::TestWithParam<std::string> {};

TEST_P(HealthyIndex, HasNoFinding) {
  const Fixture fixture = LoadFixture(GetParam());
  const absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  ASSERT_TRUE(schema.ok()) << schema.status();
  MemoryPages pages(fixture.index, fixture.page_size);
  VerifyOptions options;
  options.schema = &*schema;
  options.checksums = fixture.checksums ? ChecksumMode::kOn : ChecksumMode::kOff;
  const VerifyReport report = Verify(&pages, options);
  EXPECT_TRUE(report.findings.empty()) << Describe(report);
  EXPECT_EQ(report.consequences, 0U);
  EXPECT_EQ(report.counts.pages, pages.block_count());
  EXPECT_EQ(report.order_checked, schema->order_known());
  EXPECT_FALSE(report.schema_misfit);

  options.schema = nullptr;
  const VerifyReport structure = Verify(&pages, options);
  EXPECT_TRUE(structure.findings.empty()) << Describe(structure);
  EXPECT_EQ(structure.counts.heap_tids, report.counts.heap_tids);
}

INSTANTIATE_TEST_SUITE_P(Postgres, HealthyIndex, testing::ValuesIn(FixtureNames()),
                         [](const testing::TestParamInfo<std::string>& parameter) {
                           std::string name = parameter.param;
                           for (char& c : name) {
                             if (c == '-') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace tornleaf
