// A database over files in memory, and what its rows are, for the tests of this folder.

#ifndef TORNLEAF_ENGINE_DB_DB_TEST_UTIL_H_
#define TORNLEAF_ENGINE_DB_DB_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/db/check.h"
#include "engine/db/database.h"
#include "engine/key/index_tuple.h"
#include "tests/support/test_environment.h"

namespace tornleaf {

// A row of an index of one int4 column.
using TestRow = std::pair<std::int32_t, PackedTid>;
using TestRows = std::set<TestRow>;

inline constexpr const char* kTestDirectory = "d";

inline Schema TestSchema(const std::string& text = "int4") {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  CHECK(schema.ok());
  return *std::move(schema);
}

// Small everywhere, so that a few hundred rows split pages, evict them and wrap the log.
inline DatabaseFormat TestFormat(std::uint32_t page_size = 512, bool full_page_images = true) {
  DatabaseFormat format;
  format.page_size = page_size;
  format.full_page_images = full_page_images;
  format.log_page_bytes = 512;
  format.log_segment_bytes = 8192;
  format.relation_segment_bytes = slotted_v4::kPageSizeMax;
  return format;
}

inline DatabaseOptions TestOptions() {
  DatabaseOptions options;
  options.frames = 16;
  options.checkpoint_distance = 16384;
  return options;
}

inline Value ValueOf(const std::int32_t* key) {
  return Value::Of({reinterpret_cast<const std::uint8_t*>(key), sizeof(*key)});
}

inline absl::StatusOr<InsertResult> PutRow(Database* database, TestRow row) {
  const Value value = ValueOf(&row.first);
  return database->Put(&value, UnpackTid(row.second));
}

inline absl::StatusOr<bool> DeleteRow(Database* database, TestRow row) {
  const Value value = ValueOf(&row.first);
  return database->Delete(&value, UnpackTid(row.second));
}

// Every row, by a scan, which must be in order.
inline TestRows RowsOf(Database* database) {
  TestRows rows;
  auto scan = database->NewScan({});
  EXPECT_TRUE(scan.ok()) << scan.status();
  if (!scan.ok()) return rows;
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next();
    EXPECT_TRUE(more.ok()) << more.status();
    if (!more.ok() || !*more) return rows;
    const TestRow row = {LoadLittleEndian<std::int32_t>((*scan)->values()[0].data),
                         PackTid((*scan)->tid())};
    EXPECT_TRUE(rows.empty() || *rows.rbegin() < row);
    rows.insert(rows.end(), row);
  }
}

// A row address that is a function of a number, on tables of the smallest pages too.
inline PackedTid TidOf(std::uint32_t number) {
  return PackTid({number / 10, static_cast<OffsetNumber>(number % 10 + 1)});
}

class DatabaseTest : public ::testing::Test {
 protected:
  void Make(const DatabaseFormat& format = TestFormat(), const std::string& schema = "int4") {
    ASSERT_EQ(Database::Create(world_.environment(), kTestDirectory, TestSchema(schema), format),
              absl::OkStatus());
  }
  std::unique_ptr<Database> Open(const DatabaseOptions& options = TestOptions()) {
    auto database = Database::Open(world_.environment(), kTestDirectory, options);
    EXPECT_TRUE(database.ok()) << database.status();
    return database.ok() ? *std::move(database) : nullptr;
  }
  absl::Status OpenStatus() {
    return Database::Open(world_.environment(), kTestDirectory, TestOptions()).status();
  }
  std::string Path(const std::string& name) const {
    return std::string(kTestDirectory) + "/" + name;
  }

  TestEnvironment world_;
};

// Holds the database on the device to every rule.
inline void ExpectCleanCheck(TestEnvironment* world) {
  OverlayDevice overlay(&world->device);
  DatabaseCheckOptions options;
  options.open = TestOptions();
  const absl::StatusOr<DatabaseCheck> check =
      CheckDatabase(world->environment(), &overlay, kTestDirectory, options);
  ASSERT_TRUE(check.ok()) << check.status();
  EXPECT_TRUE(check->problems.empty()) << check->problems.front();
  for (const Finding& finding : check->index.findings) {
    ADD_FAILURE() << "block " << finding.block << " slot " << finding.slot << ": "
                  << finding.invariant->title << ": " << finding.actual.c_str();
  }
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_DB_TEST_UTIL_H_
