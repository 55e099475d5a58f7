// Byte identity: the rows of a server's table, built here, give the server's own index file.

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_split.h"
#include "engine/build/index_build.h"
#include "engine/build/index_rows.h"
#include "engine/build/pages_in_memory.h"
#include "engine/page/page_mask.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

std::vector<std::string> SortedLines(const std::string& text) {
  std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::uint8_t> Masked(ByteView page) {
  std::vector<std::uint8_t> bytes(page.begin(), page.end());
  MaskPage(bytes);
  return bytes;
}

// Where two pages differ first, for the message.
std::size_t FirstDifference(ByteView a, ByteView b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  return at;
}

Schema SchemaOf(const Fixture& fixture) {
  absl::StatusOr<Schema> schema = Schema::Parse(fixture.schema);
  CHECK(schema.ok());
  return *std::move(schema);
}

// Builds the index of `rows` with the fixture's options and expects the fixture's bytes.
void ExpectServersBytes(const Fixture& fixture, const std::string& rows, bool sorted) {
  const Schema schema = SchemaOf(fixture);
  StringSource source(rows);
  PagesInMemory sink(fixture.page_size);
  BuildOptions options;
  options.page_size = fixture.page_size;
  options.fillfactor = fixture.fillfactor;
  options.deduplicate = fixture.deduplicate;
  options.checksums = fixture.checksums;
  BuildSummary summary;
  const absl::Status built = BuildIndex(schema, options, {&source, sorted}, &sink, &summary);
  ASSERT_TRUE(built.ok()) << built;
  ASSERT_EQ(summary.pages, fixture.page_count());
  ASSERT_EQ(sink.block_count(), summary.pages);
  ASSERT_TRUE(sink.complete());
  for (BlockNumber block = 0; block < sink.block_count(); ++block) {
    const ByteView page = sink.page(block);
    const std::vector<std::uint8_t> ours = Masked(page);
    const std::vector<std::uint8_t> theirs = Masked(fixture.page(block));
    ASSERT_TRUE(ours == theirs) << "block " << block << " differs at byte "
                                << FirstDifference(ours, theirs);
    EXPECT_EQ(PageView(page).checksum(), fixture.checksums ? ComputeChecksum(page, block) : 0);
  }
}

class CorpusBuildTest : public testing::TestWithParam<std::string> {};

TEST_P(CorpusBuildTest, RowsInTableOrderGiveTheServersBytes) {
  const Fixture fixture = LoadFixture(GetParam());
  const std::string rows = FixtureText(fixture.name, "rows.tsv.zst");
  const Schema schema = SchemaOf(fixture);
  if (schema.order_known()) {
    ExpectServersBytes(fixture, rows, /*sorted=*/false);
    return;
  }
  // Only the server knows the order; the test below takes it from the index.
  StringSource source(rows);
  PagesInMemory sink(fixture.page_size);
  BuildSummary summary;
  EXPECT_EQ(BuildIndex(schema, {}, {&source}, &sink, &summary).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(CorpusBuildTest, RowsReadFromTheIndexGiveItAgain) {
  const Fixture fixture = LoadFixture(GetParam());
  const Schema schema = SchemaOf(fixture);
  MemoryPages pages(fixture.index, fixture.page_size);
  IndexRows rows(schema, &pages);
  std::string text;
  for (;;) {
    const absl::StatusOr<bool> read = rows.Next();
    ASSERT_TRUE(read.ok()) << read.status();
    if (!*read) break;
    AppendRowText(schema, rows.values(), rows.tid(), &text);
  }
  EXPECT_EQ(rows.dead_rows(), 0U);
  ExpectServersBytes(fixture, text, /*sorted=*/true);
  // And they are the table's rows: the same lines in another order.
  EXPECT_EQ(SortedLines(text), SortedLines(FixtureText(fixture.name, "rows.tsv.zst")));
}

std::vector<std::string> Rebuildable() {
  std::vector<std::string> names;
  for (const std::string& name : FixtureNames()) {
    if (LoadFixture(name).rebuildable) names.push_back(name);
  }
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, CorpusBuildTest, testing::ValuesIn(Rebuildable()), TestName);

}  // namespace
}  // namespace tornleaf
