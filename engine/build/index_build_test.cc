#include "engine/build/index_build.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/build/pages_in_memory.h"

namespace tornleaf {
namespace {

Schema MakeSchema(std::string_view text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

absl::Status BuildStatus(std::string_view schema_text, std::string_view rows, bool sorted) {
  const Schema schema = MakeSchema(schema_text);
  StringSource source(rows);
  PagesInMemory pages(8192);
  BuildSummary summary;
  return BuildIndex(schema, {}, {&source, sorted}, &pages, &summary);
}

std::string Error(std::string_view schema, std::string_view rows, bool sorted) {
  return std::string(BuildStatus(schema, rows, sorted).message());
}

TEST(IndexBuildTest, SortedRowsAreCheckedRowByRow) {
  EXPECT_TRUE(BuildStatus("int4 desc", "\\N\t(0,1)\n2\t(0,2)\n2\t(0,3)\n1\t(0,1)\n", true).ok());
  EXPECT_EQ(Error("int4", "1\t(0,1)\n3\t(0,2)\n2\t(0,3)\n", true),
            "row 3 comes before row 2 in the order of the index: sort the rows, or build without "
            "--sorted");
  EXPECT_EQ(Error("int4", "1\t(0,2)\n1\t(0,1)\n", true).substr(0, 24), "row 2 comes before row 1");
  EXPECT_EQ(Error("int4", "1\t(0,1)\n1\t(0,1)\n", true),
            "rows 1 and 2 are one row: equal keys, both at (0,1)");
  EXPECT_EQ(Error("text; unique", "a\t(0,1)\nb\t(0,2)\nb\t(0,3)\n", true),
            "rows 2 and 3 have the same key; the index is unique");
  EXPECT_TRUE(BuildStatus("int4; unique", "\\N\t(0,1)\n\\N\t(0,2)\n", true).ok());
}

TEST(IndexBuildTest, RowsThatAreTooLargeAreNamed) {
  const std::string small = "small\t(0,1)\n";
  const std::string value(2700, 'x');
  const std::string huge(9000, 'x');
  for (const bool sorted : {false, true}) {
    EXPECT_EQ(Error("text collate C", small + value + "\t(0,2)\n", sorted),
              "row 2: index row size 2712 exceeds the maximum 2704 of a page of 8192 bytes");
    EXPECT_EQ(Error("text collate C", small + huge + "\t(0,2)\n", sorted),
              "row 2: index row size above 8191 exceeds the maximum 2704 of a page of 8192 bytes");
  }
}

TEST(IndexBuildTest, AddressesThatNoTableHasAreNamed) {
  for (const bool sorted : {false, true}) {
    EXPECT_TRUE(BuildStatus("int4", "1\t(0,291)\n", sorted).ok());
    EXPECT_EQ(Error("int4", "1\t(0,1)\n2\t(0,292)\n", sorted),
              "row 2: no table has a row at (0,292): offsets on a page of 8192 bytes end at 291");
  }
}

TEST(IndexBuildTest, ErrorsOfTheTextEndTheBuild) {
  for (const bool sorted : {false, true}) {
    const absl::Status status = BuildStatus("int4", "1\t(0,1)\nx\t(0,2)\n", sorted);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message().substr(0, 24), "line 2: field 1 (int4): ");
  }
}

TEST(IndexBuildTest, ACollationOfTheCLibraryNeedsRowsInOrder) {
  const char* const schema = "text collate \"en_US.UTF-8\"";
  const char* const rows = "B\t(0,1)\na\t(0,2)\n";
  EXPECT_EQ(BuildStatus(schema, rows, false).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(BuildStatus(schema, rows, true).ok());
}

enum class Keys { kUrl, kUnique, kEven, kRandom };

struct PageCount {
  const char* name;
  const char* schema;
  Keys keys;
  std::uint32_t distinct;  // of kEven and kRandom
  bool deduplicate;
  BlockNumber pages;
};

constexpr std::uint32_t kRows = 3000000;

// Scatters the numbers below 2^32; simple enough to be said in SQL, so that a server gets the same.
std::uint32_t Scatter(std::uint32_t number) {
  std::uint64_t mixed = number * 2654435761ULL % (1ULL << 32);
  mixed = (mixed ^ (mixed >> 15)) * 1274126177ULL % (1ULL << 32);
  return static_cast<std::uint32_t>(mixed ^ (mixed >> 13));
}

std::string RowsOf(const PageCount& param) {
  constexpr std::uint32_t kRowsOfTablePage = 100;
  std::string rows;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    // In table order keys are out of order: the multiplier and the count have no common factor.
    const auto shuffled = static_cast<std::uint32_t>(row * 1234577ULL % kRows);
    switch (param.keys) {
      case Keys::kUrl:
        absl::StrAppendFormat(&rows, "https://www.example.com/products/item%010u", shuffled);
        break;
      case Keys::kUnique:
        absl::StrAppend(&rows, shuffled);
        break;
      case Keys::kEven:
        absl::StrAppend(&rows, row % param.distinct);
        break;
      case Keys::kRandom:
        absl::StrAppend(&rows, Scatter(row) % param.distinct);
        break;
    }
    absl::StrAppend(&rows, "\t(", row / kRowsOfTablePage, ",", row % kRowsOfTablePage + 1, ")\n");
  }
  return rows;
}

class CountingSink final : public PageSink {
 public:
  absl::Status WritePage(BlockNumber, ByteView) override {
    ++count;
    return absl::OkStatus();
  }
  BlockNumber count = 0;
};

// Three million rows, of which a real server made as many pages.
class PageCountTest : public testing::TestWithParam<PageCount> {};

TEST_P(PageCountTest, IsTheServers) {
  const PageCount& param = GetParam();
  const std::string rows = RowsOf(param);
  const Schema schema = MakeSchema(param.schema);
  StringSource source(rows);
  CountingSink sink;
  BuildOptions options;
  options.deduplicate = param.deduplicate;
  BuildSummary summary;
  const absl::Status status = BuildIndex(schema, options, {&source}, &sink, &summary);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(summary.rows, kRows);
  EXPECT_EQ(summary.pages, param.pages);
  EXPECT_EQ(sink.count, param.pages);
}

std::string NameOf(const testing::TestParamInfo<PageCount>& info) { return info.param.name; }

constexpr PageCount kPageCounts[] = {
    {"few_distinct", "int4", Keys::kEven, 30, true, 2542},
    {"even", "int4", Keys::kEven, 2000, true, 2682},
    {"random", "int4", Keys::kRandom, 2000, true, 2659},
    {"without_deduplication", "int4", Keys::kEven, 2000, false, 8240},
    {"unique", "int4", Keys::kUnique, 0, true, 8228},
    {"urls", "text collate C", Keys::kUrl, 0, true, 24855},
};

// Sanitizers make this slow and find nothing here that smaller builds do not show: one is enough.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::size_t kPageCountTests = 1;
#else
constexpr std::size_t kPageCountTests = std::size(kPageCounts);
#endif
#else
constexpr std::size_t kPageCountTests = std::size(kPageCounts);
#endif

INSTANTIATE_TEST_SUITE_P(ThreeMillionRows, PageCountTest,
                         testing::ValuesIn(kPageCounts, kPageCounts + kPageCountTests), NameOf);

}  // namespace
}  // namespace tornleaf
