// Databases that begin as copies of a server's index files: every fixture.

#include "engine/db/index_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "engine/build/index_rows.h"
#include "engine/db/db_test_util.h"
#include "tests/support/fixtures.h"

namespace tornleaf {
namespace {

using ::testing::HasSubstr;

// A row with memory of its own.
struct OwnedRow {
  std::vector<std::uint8_t> bytes;
  std::vector<Value> values;
  ItemPointer tid;
};

OwnedRow CopyRow(const Schema& schema, const Value* values, ItemPointer tid) {
  OwnedRow row;
  row.tid = tid;
  row.values.assign(values, values + schema.attribute_count());
  for (const Value& value : row.values) {
    if (!value.is_null) row.bytes.insert(row.bytes.end(), value.data, value.data + value.size);
  }
  const std::uint8_t* at = row.bytes.data();
  for (Value& value : row.values) {
    if (value.is_null) continue;
    value.data = at;
    at += value.size;
  }
  return row;
}

class IndexCopyTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::vector<OwnedRow> Rows(Database* database) {
    std::vector<OwnedRow> rows;
    auto scan = database->NewScan({});
    CHECK(scan.ok());
    while (true) {
      const absl::StatusOr<bool> more = (*scan)->Next();
      EXPECT_TRUE(more.ok()) << more.status();
      if (!more.ok() || !*more) return rows;
      rows.push_back(CopyRow(database->schema(), (*scan)->values(), (*scan)->tid()));
    }
  }

  TestEnvironment world_;
};

DatabaseOptions Options() {
  DatabaseOptions options;
  options.frames = 40;
  return options;
}

TEST_P(IndexCopyTest, LivesOn) {
  const Fixture fixture = LoadFixture(GetParam());
  const Schema schema = TestSchema(fixture.schema);
  world_.device.Put("index", fixture.index);
  DatabaseFormat format;
  format.log_segment_bytes = 1U << 20;
  const absl::Status created =
      Database::Create(world_.environment(), kTestDirectory, schema, format, "index");
  if (!schema.order_known()) {
    EXPECT_TRUE(absl::IsInvalidArgument(created)) << created;
    return;
  }
  ASSERT_EQ(created, absl::OkStatus());
  auto opened = Database::Open(world_.environment(), kTestDirectory, Options());
  ASSERT_TRUE(opened.ok()) << opened.status();
  Database* const database = opened->get();
  EXPECT_EQ(database->format().page_size, fixture.page_size);

  MemoryPages pages(fixture.index, fixture.page_size);
  IndexRows original(schema, &pages);
  std::uint64_t live = 0;
  while (*original.Next()) ++live;
  const std::vector<OwnedRow> rows = Rows(database);
  EXPECT_EQ(rows.size(), live);

  // Out with every other row, then with all, and back again.
  for (std::size_t index = 0; index < rows.size(); index += 2) {
    ASSERT_TRUE(*database->Delete(rows[index].values.data(), rows[index].tid));
  }
  ASSERT_TRUE(database->Vacuum().ok());
  EXPECT_EQ(*database->Count(), rows.size() / 2);
  for (std::size_t index = 1; index < rows.size(); index += 2) {
    ASSERT_TRUE(*database->Delete(rows[index].values.data(), rows[index].tid));
  }
  ASSERT_TRUE(database->Vacuum().ok());
  EXPECT_EQ(*database->Count(), 0U);
  std::uint64_t conflicts = 0;
  for (const OwnedRow& row : rows) {
    const auto put = database->Put(row.values.data(), row.tid);
    ASSERT_TRUE(put.ok()) << put.status();
    if (put->outcome == InsertResult::kConflict) ++conflicts;
  }
  // The server's table knows that all but one are old versions of a row; the index alone does not.
  EXPECT_EQ(conflicts != 0, GetParam() == "bottom-up-deletion-unique");
  EXPECT_EQ(*database->Count(), rows.size() - conflicts);
  ASSERT_TRUE(database->Sync().ok());
  opened->reset();
  world_.device.Crash(Survival::kSome);
  ExpectCleanCheck(&world_);
}

INSTANTIATE_TEST_SUITE_P(, IndexCopyTest, ::testing::ValuesIn(FixtureNames()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(IndexCopy, RefusesWhatItIsNot) {
  TestEnvironment world;
  const Fixture fixture = LoadFixture("int4");
  world.device.Put("index", fixture.index);
  const auto create = [&](const std::string& schema) {
    return Database::Create(world.environment(), kTestDirectory, TestSchema(schema), {}, "index");
  };
  const absl::Status misfit = create("text");
  EXPECT_TRUE(absl::IsInvalidArgument(misfit)) << misfit;
  EXPECT_THAT(std::string(misfit.message()), HasSubstr("index: the schema is not that"));
  std::vector<std::uint8_t> damaged(fixture.index.begin(), fixture.index.end());
  damaged[2 * fixture.page_size + 14] ^= 1;
  world.device.Put("index", damaged);
  const absl::Status broken = create("int4");
  EXPECT_TRUE(absl::IsDataLoss(broken)) << broken;
  EXPECT_THAT(std::string(broken.message()), HasSubstr("index: page 2"));
  EXPECT_TRUE(absl::IsNotFound(world.device.List(kTestDirectory).status())) << "nothing is made";
}

// The verifier takes any LSN and any safexid; a log could not go on from these.
TEST(IndexCopy, MakesNothingOfNumbersThatCannotBe) {
  TestEnvironment world;
  const Fixture fixture = LoadFixture("page-deletion");
  const auto expect_refusal = [&](BlockNumber block, const auto& change, const std::string& words) {
    std::vector<std::uint8_t> bytes(fixture.index.begin(), fixture.index.end());
    const MutableBytes page =
        MutableBytes(bytes).subspan(std::size_t{block} * fixture.page_size, fixture.page_size);
    change(page.data());
    if (Load(page.data(), slotted_v4::kChecksum) != 0) {
      Store(page.data(), slotted_v4::kChecksum, ComputeChecksum(page, block));
    }
    world.device.Put("index", bytes);
    const absl::Status status = Database::Create(world.environment(), kTestDirectory,
                                                 TestSchema(fixture.schema), {}, "index");
    EXPECT_TRUE(absl::IsDataLoss(status)) << status;
    EXPECT_EQ(std::string(status.message()), absl::StrCat("index: page ", block, ": its ", words,
                                                          " cannot be; nothing was copied"));
    EXPECT_TRUE(absl::IsNotFound(world.device.List(kTestDirectory).status()));
  };
  const auto set_lsn = [](std::uint8_t* page) {
    Store(page, slotted_v4::kLsnHigh, 0xFFFFFFFFU);
    Store(page, slotted_v4::kLsnLow, 1U);
  };
  expect_refusal(1, set_lsn, "LSN FFFFFFFF/1");
  const auto set_safe_xid = [](std::uint8_t* page) {
    Store(page, nbtree::kSafeXid, std::uint64_t{1} << 63);
  };
  bool found = false;
  const ByteView index(fixture.index);
  const auto blocks = static_cast<BlockNumber>(index.size() / fixture.page_size);
  for (BlockNumber block = 1; block < blocks && !found; ++block) {
    const nbtree::NbtreePage page{
        PageView(index.subspan(std::size_t{block} * fixture.page_size, fixture.page_size))};
    if (page.page().is_new() || !page.is_deleted() || !page.has_full_xid()) continue;
    found = true;
    expect_refusal(block, set_safe_xid, "safexid 9223372036854775808");
  }
  EXPECT_TRUE(found);
}

TEST(IndexCopy, TakesDeadItemsForDeletedRows) {
  TestEnvironment world;
  const Fixture fixture = LoadFixture("dead-posting-lists");
  world.device.Put("index", fixture.index);
  ASSERT_EQ(Database::Create(world.environment(), kTestDirectory, TestSchema(fixture.schema), {},
                             "index"),
            absl::OkStatus());
  auto database = Database::Open(world.environment(), kTestDirectory, {});
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_GT((*database)->deleted_rows(), 100U);
  const auto summary = (*database)->Vacuum();
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_GT(summary->rows_removed, 100U);
  EXPECT_EQ((*database)->deleted_rows(), 0U);
}

}  // namespace
}  // namespace tornleaf
