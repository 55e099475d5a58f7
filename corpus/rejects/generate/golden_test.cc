#include "corpus/rejects/generate/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "engine/page/page_source.h"
#include "engine/verify/verifier.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

class Golden : public testing::TestWithParam<GoldenCase> {};

TEST_P(Golden, HasNoFinding) {
  const Workpiece work = GetParam().make();
  const Schema schema = SchemaOf(work.schema());
  MemoryPages pages(work.image(), work.page_size());
  VerifyOptions options;
  options.schema = &schema;
  const VerifyReport report = Verify(&pages, options);
  for (const Finding& finding : report.findings) {
    ADD_FAILURE() << finding.invariant->id << " block " << finding.block << " slot " << finding.slot
                  << ": expected " << finding.expected.view() << ", actual "
                  << finding.actual.view();
  }
  EXPECT_EQ(report.consequences, 0U);
  EXPECT_TRUE(report.order_checked);
  EXPECT_EQ(report.counts.pages, work.page_count());

  options.schema = nullptr;
  EXPECT_TRUE(Verify(&pages, options).clean());
}

TEST_P(Golden, IsTheCommittedFile) {
  const Workpiece work = GetParam().make();
  const std::string path = PathOf(GetParam());
  EXPECT_TRUE(ReadWholeFile(path + ".zst") == std::string(work.image().begin(), work.image().end()))
      << path << " is out of date; run ./dev rejects";
  EXPECT_EQ(ReadWholeFile(path + ".json"), DescriptionOf(GetParam(), work));
}

// What a name promises is there.
TEST_P(Golden, IsWhatItSays) {
  const Workpiece work = GetParam().make();
  const std::string name = GetParam().name;
  const nbtree::MetaPage meta = nbtree::MetaPage::Load(work.page(0));
  if (name.starts_with("version-")) {
    EXPECT_EQ(meta.version, static_cast<unsigned>(name[8] - '0'));
  }
  const bool two_levels = work.page_count() > 2 && meta.level > 0;
  if (name.starts_with("version-2") && two_levels) {
    EXPECT_FALSE(work.tuple(meta.root, 1).alt_tid());
    EXPECT_EQ(work.tuple(meta.root, 1).tid().offset, 1);
    EXPECT_FALSE(work.tuple(meta.root, 2).alt_tid());
  }
  MemoryPages pages(work.image(), work.page_size());
  const VerifyReport report = Verify(&pages, {});
  EXPECT_EQ(report.counts.deleted_pages, name.find("deleted") != std::string::npos ? 2U : 0U);
  EXPECT_EQ(report.counts.half_dead_pages, name.find("half-dead") != std::string::npos ? 1U : 0U);
}

INSTANTIATE_TEST_SUITE_P(Corpus, Golden, testing::ValuesIn(AllGoldenCases()),
                         [](const testing::TestParamInfo<GoldenCase>& parameter) {
                           std::string name = parameter.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GoldenFiles, NoneIsLeftOver) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("corpus/golden")) {
    if (entry.path().extension() == ".zst") ++files;
  }
  EXPECT_EQ(files, AllGoldenCases().size());
}

}  // namespace
}  // namespace tornleaf
