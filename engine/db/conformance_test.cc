// Redo conformance: the log, replayed over the files as a database begins, gives the pages that the
// live database ends with, to the byte but for what no record describes.

#include <gtest/gtest.h>

#include "engine/base/prng.h"
#include "engine/db/layout.h"
#include "engine/db/workload_test_util.h"
#include "engine/format/nbtree_page.h"
#include "engine/page/page_mask.h"
#include "engine/tree/redo.h"
#include "engine/wal/log_reader.h"

namespace tornleaf {
namespace {

struct ConformanceCase {
  const char* name;
  const char* schema;
  std::uint32_t page_size;
  bool full_page_images;
  std::uint32_t keys;
};

class ConformanceTest : public ::testing::TestWithParam<ConformanceCase> {};

std::unique_ptr<Relation> OpenRelation(const Environment& environment, const RelationId& id,
                                       const std::string& path, std::uint32_t page_size) {
  RelationOptions options;
  options.id = id;
  options.path = path;
  options.page_size = page_size;
  options.segment_bytes = kSegmentBytes;
  auto relation = Relation::Open(environment, options, /*create=*/false);
  CHECK(relation.ok());
  return *std::move(relation);
}

// Replays the whole log in `live` over the files in `world`.
void ReplayAll(TestEnvironment* live, TestEnvironment* world, std::uint32_t page_size,
               RedoSummary* summary) {
  const Layout layout(kTestDirectory);
  const Environment environment = world->environment();
  const auto index = OpenRelation(environment, kIndexRelation, layout.index(), page_size);
  const auto dead = OpenRelation(environment, kDeadRowsRelation, layout.dead_rows(), page_size);
  BufferPool pool(environment, 32, page_size, nullptr);
  TreePageGuard guard(nullptr);
  Redo redo(&pool);
  redo.AddRelation(kIndexRelation, pool.Attach(index.get(), &guard));
  redo.AddRelation(kDeadRowsRelation, pool.Attach(dead.get(), nullptr));
  auto reader = wal::LogReader::Open(&live->device, layout.wal(), 0);
  ASSERT_TRUE(reader.ok()) << reader.status();
  while (true) {
    const absl::StatusOr<bool> more = (*reader)->Next();
    ASSERT_TRUE(more.ok()) << more.status();
    if (!*more) break;
    ASSERT_EQ(redo.Apply((*reader)->record(), (*reader)->end()), absl::OkStatus());
  }
  ASSERT_EQ(pool.WriteAll(), absl::OkStatus());
  *summary = redo.summary();
}

// What no record describes: the checksum, which is set when a page is written, and the hole, of
// which a deleted page keeps what redo does not. LSNs are compared.
std::vector<std::uint8_t> Masked(ByteView page) {
  std::vector<std::uint8_t> bytes(page.begin(), page.end());
  const Lsn lsn = PageView(page).lsn();
  MaskPage(bytes);
  if (!PageView(page).is_new()) PageWriter(bytes).set_lsn(lsn);
  return bytes;
}

void ExpectSamePages(TestEnvironment* live, TestEnvironment* replayed, const std::string& name,
                     std::uint32_t page_size) {
  const auto a = live->device.Get(std::string(kTestDirectory) + "/" + name);
  const auto b = replayed->device.Get(std::string(kTestDirectory) + "/" + name);
  ASSERT_TRUE(a.has_value() && b.has_value());
  // Pages that were added and never used are in no record.
  const std::size_t size = std::max(a->size(), b->size());
  std::vector<std::uint8_t> one = *a;
  std::vector<std::uint8_t> other = *b;
  one.resize(size);
  other.resize(size);
  for (std::size_t at = 0; at < size; at += page_size) {
    EXPECT_EQ(Masked(ByteView(one).subspan(at, page_size)),
              Masked(ByteView(other).subspan(at, page_size)))
        << name << " block " << at / page_size;
    if (::testing::Test::HasFailure()) return;
  }
}

TEST_P(ConformanceTest, ReplayGivesTheLivePages) {
  const ConformanceCase& one = GetParam();
  TestEnvironment live;
  DatabaseFormat format = TestFormat(one.page_size, one.full_page_images);
  format.relation_segment_bytes = kSegmentBytes;
  format.log_segment_bytes = 16U << 20;  // one, which stays
  ASSERT_EQ(Database::Create(live.environment(), kTestDirectory, TestSchema(one.schema), format),
            absl::OkStatus());
  TestEnvironment replayed;
  replayed.device.Restore(live.device.Snapshot());

  DatabaseOptions options;
  options.frames = 24;
  options.checkpoint_distance = 100'000;
  auto database = Database::Open(live.environment(), kTestDirectory, options);
  ASSERT_TRUE(database.ok()) << database.status();
  WorkHistory history;
  history.Run(database->get(), PlanWork(one.page_size, 6000, one.keys));
  EXPECT_EQ(history.failed_steps(), 0);
  ASSERT_EQ((*database)->Close(), absl::OkStatus());

  RedoSummary summary;
  ReplayAll(&live, &replayed, one.page_size, &summary);
  EXPECT_GT(summary.pages_changed, 1000U);
  if (one.full_page_images) {
    EXPECT_GT(summary.images_restored, 0U);
  }
  ExpectSamePages(&live, &replayed, "index", one.page_size);
  ExpectSamePages(&live, &replayed, "dead_rows", one.page_size);
}

INSTANTIATE_TEST_SUITE_P(
    , ConformanceTest,
    ::testing::Values(ConformanceCase{"FewKeys", "int4", 512, false, 20},
                      ConformanceCase{"FewKeysWithImages", "int4", 512, true, 20},
                      ConformanceCase{"ManyKeys", "int4", 1024, false, 100'000},
                      ConformanceCase{"ManyKeysWithImages", "int4", 1024, true, 100'000},
                      ConformanceCase{"Descending", "int4 desc", 2048, false, 3000},
                      ConformanceCase{"PagesOfTheServer", "int4", 8192, true, 3000}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tornleaf
