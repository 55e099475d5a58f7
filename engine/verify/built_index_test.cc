// What the bulk build writes, the verifier finds nothing in: at every page size, with every check.

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/build/index_build.h"
#include "engine/build/pages_in_memory.h"
#include "engine/verify/verifier.h"

namespace tornleaf {
namespace {

struct Shape {
  const char* name;
  const char* schema;
  std::uint32_t distinct;
  std::uint32_t width;  // characters added to each text
};

constexpr Shape kShapes[] = {
    {"unique_text", "text collate C; unique", 4000, 0},
    {"repeated_text", "text collate C", 7, 3},
    {"one_text", "text collate C", 1, 60},
    {"wide_text", "text collate C storage external", 4000, 80},
    {"included", "text collate C; include int4", 60, 20},
    {"descending", "text collate C desc nulls last, int4 nulls first", 50, 1},
    {"icu", "text collate en-US-x-icu, int4 desc", 900, 5},
};

std::string RowsOf(const Shape& shape, std::uint32_t columns) {
  std::string rows;
  for (std::uint32_t row = 0; row < 4000; ++row) {
    const std::uint32_t key = row * 31 % shape.distinct;
    if (key % 40 == 13) {
      absl::StrAppend(&rows, "\\N");
    } else {
      absl::StrAppendFormat(&rows, "%05u%s", key, std::string(shape.width, 'w'));
    }
    if (columns == 2) absl::StrAppend(&rows, row % 5 == 0 ? "\t\\N" : absl::StrCat("\t", row % 9));
    // Few rows to a table page, as the smallest pages allow.
    absl::StrAppend(&rows, "\t(", row / 10, ",", row % 10 + 1, ")\n");
  }
  return rows;
}

class BuiltIndexTest : public testing::TestWithParam<Shape> {};

TEST_P(BuiltIndexTest, HasNoFindings) {
  const Shape& shape = GetParam();
  const absl::StatusOr<Schema> schema = Schema::Parse(shape.schema);
  ASSERT_TRUE(schema.ok()) << schema.status();
  const std::string rows = RowsOf(shape, schema->attribute_count());
  for (std::uint32_t page_size = slotted_v4::kPageSizeMin; page_size <= slotted_v4::kPageSizeMax;
       page_size *= 2) {
    for (const std::uint32_t fillfactor : {10U, 90U, 100U}) {
      SCOPED_TRACE(absl::StrCat("page size ", page_size, ", fillfactor ", fillfactor));
      BuildOptions options;
      options.page_size = page_size;
      options.fillfactor = fillfactor;
      options.checksums = true;
      StringSource source(rows);
      PagesInMemory pages(page_size);
      BuildSummary summary;
      const absl::Status built = BuildIndex(*schema, options, {.rows = &source}, &pages, &summary);
      ASSERT_TRUE(built.ok()) << built;

      MemoryPages image(pages.image(), page_size);
      VerifyOptions verify;
      verify.schema = &*schema;
      verify.checksums = ChecksumMode::kOn;
      const VerifyReport report = Verify(&image, verify);
      for (const Finding& finding : report.findings) {
        ADD_FAILURE() << finding.invariant->id << " block " << finding.block << " item "
                      << finding.slot << ": expected " << finding.expected.view() << ", found "
                      << finding.actual.view();
        break;
      }
      EXPECT_TRUE(report.order_checked);
      EXPECT_EQ(report.counts.heap_tids, 4000U);
      EXPECT_EQ(report.counts.pages, summary.pages);
    }
  }
}

std::string NameOf(const testing::TestParamInfo<Shape>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Shapes, BuiltIndexTest, testing::ValuesIn(kShapes), NameOf);

}  // namespace
}  // namespace tornleaf
