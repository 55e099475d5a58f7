// The same insertions in the same order as a server made them give the same pages as the server's.
//
// Where a table only ever grew, row addresses ascend in the order of insertion. So an index that
// was made before its rows tells itself in which order they came.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "corpus/fixture.h"
#include "engine/build/index_rows.h"
#include "engine/page/page_mask.h"
#include "engine/tree/tree_test_util.h"

namespace tornleaf {
namespace {

std::vector<TestRow> RowsInOrderOfInsertion(const Schema& schema, const Fixture& fixture) {
  MemoryPages pages(fixture.index, fixture.page_size);
  IndexRows reader(schema, &pages);
  std::vector<TestRow> rows;
  for (;;) {
    const absl::StatusOr<bool> more = reader.Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) break;
    TestRow& row = rows.emplace_back();
    row.tid = reader.tid();
    for (std::uint32_t index = 0; index < schema.attribute_count(); ++index) {
      const Value& value = reader.values()[index];
      if (value.is_null) {
        row.columns.emplace_back();
      } else {
        row.columns.emplace_back(std::vector<std::uint8_t>(value.data, value.data + value.size));
      }
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const TestRow& a, const TestRow& b) { return a.tid < b.tid; });
  return rows;
}

// Blocks whose pages differ outside of LSN, checksum and hole.
std::vector<BlockNumber> DifferentBlocks(std::vector<std::uint8_t> a, std::vector<std::uint8_t> b,
                                         std::uint32_t page_size) {
  std::vector<BlockNumber> different;
  const std::size_t pages = std::max(a.size(), b.size()) / page_size;
  a.resize(pages * page_size);
  b.resize(pages * page_size);
  for (std::size_t page = 0; page < pages; ++page) {
    const MutableBytes left(a.data() + page * page_size, page_size);
    const MutableBytes right(b.data() + page * page_size, page_size);
    MaskPage(left);
    MaskPage(right);
    if (!std::equal(left.begin(), left.end(), right.begin())) {
      different.push_back(static_cast<BlockNumber>(page));
    }
  }
  return different;
}

// How many records of one operation the server's log had, by its description.
std::uint64_t ServersCount(const Fixture& fixture, const std::string& operation) {
  const std::size_t records = fixture.description.find("\"wal_records\"");
  const std::size_t at = fixture.description.find('"' + operation + "\": ", records);
  if (at == std::string::npos) return 0;
  return std::strtoull(fixture.description.c_str() + at + operation.size() + 4, nullptr, 10);
}

class SameBytes : public testing::TestWithParam<const char*> {};

TEST_P(SameBytes, AsTheServers) {
  const absl::StatusOr<Fixture> fixture =
      ReadFixture(std::string("corpus/postgres/inserts-") + GetParam());
  ASSERT_TRUE(fixture.ok()) << fixture.status();
  TestIndexOptions options;
  options.page_size = fixture->page_size;
  options.frames = 16;
  options.tree.fillfactor = fixture->fillfactor;
  options.tree.deduplicate = fixture->deduplicate;
  TestIndex index(fixture->schema, options);
  const std::vector<TestRow> rows = RowsInOrderOfInsertion(index.schema, *fixture);
  ASSERT_GE(rows.size(), 100U);
  for (const TestRow& row : rows) {
    const absl::StatusOr<InsertResult> result = index.Insert(row);
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->outcome, InsertResult::kInserted);
  }
  const std::vector<std::uint8_t> image = index.Image();
  EXPECT_EQ(image.size(), fixture->index.size());
  EXPECT_EQ(DifferentBlocks(image, fixture->index, fixture->page_size), std::vector<BlockNumber>());
  for (const std::uint8_t operation :
       {wal::kInsertLeaf, wal::kInsertUpper, wal::kInsertMeta, wal::kSplitLeft, wal::kSplitRight,
        wal::kInsertPosting, wal::kDedup, wal::kDelete, wal::kNewRoot}) {
    const char* name = wal::BtreeOperationName(operation);
    EXPECT_EQ(index.log.count(operation), ServersCount(*fixture, name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SameBytes,
                         testing::Values("ascending", "descending", "duplicates", "float8",
                                         "groups-ascending", "icu", "include", "null-duplicates",
                                         "random", "single-value", "text-three-columns",
                                         "wide-three-levels"),
                         [](const testing::TestParamInfo<const char*>& shape) {
                           std::string name = shape.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace tornleaf
