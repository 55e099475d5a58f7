// A small pool over one relation in memory, for tests.

#ifndef TORNLEAF_ENGINE_STORE_POOL_TEST_UTIL_H_
#define TORNLEAF_ENGINE_STORE_POOL_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/mark.h"
#include "engine/store/logged_change.h"
#include "engine/store/store_test_util.h"
#include "engine/store/watched_device_test_util.h"
#include "tests/support/test_environment.h"

namespace tornleaf {

inline constexpr std::uint32_t kTestPageSize = 512;
inline constexpr char kTestPath[] = "db/index";

// How often a mark has been passed; 0 for one that is not in the program.
inline std::uint64_t PassesOf(std::string_view mark) {
  for (MarkCounter* counter = FirstMark(); counter != nullptr; counter = counter->next()) {
    if (counter->name() == mark) return counter->count();
  }
  return 0;
}

// Pages carry 100 + their block until a test puts another number there.
class PoolTest : public testing::Test {
 protected:
  PoolTest() {
    CHECK(device_.MakeDirectory("db").ok());
    CHECK(device_.SyncDirectory(".").ok());
  }

  // Opens the relation, 32 pages in each file, and a new pool of 8 frames over it.
  void Start() {
    pool_.reset();
    absl::StatusOr<std::unique_ptr<Relation>> relation =
        Relation::Open(environment_,
                       {.id = {.relation = 7},
                        .path = kTestPath,
                        .page_size = kTestPageSize,
                        .segment_bytes = std::uint64_t{32} * kTestPageSize},
                       /*create=*/true);
    CHECK(relation.ok());
    relation_ = *std::move(relation);
    pool_ = std::make_unique<BufferPool>(environment_, kFramesMin, kTestPageSize, &log_);
    pooled_ = pool_->Attach(relation_.get(), guard_);
  }

  PageRef Pin(BlockNumber block, Hold hold) {
    absl::StatusOr<PageRef> page = pool_->Pin(pooled_, block, hold);
    CHECK(page.ok());
    return *std::move(page);
  }
  absl::Status PinStatus(BlockNumber block) {
    return pool_->Pin(pooled_, block, Hold::kShared).status();
  }
  std::vector<std::uint8_t> FileBytes(const std::string& path) {
    return device_.Get(path).value_or(std::vector<std::uint8_t>());
  }
  std::uint64_t NumberOf(BlockNumber block) {
    return NumberOnPage(Pin(block, Hold::kShared).view());
  }

  // Puts a number on the page, held exclusively, and logs it.
  Lsn Put(PageRef* page, std::uint64_t number) {
    FillPage(page->writer(), page->block(), number);
    LoggedChange change(&log_, wal::ResourceManager::kBtree, 0);
    change.AddPage(0, relation_->id(), page, wal::kStandardPage);
    return change.Commit();
  }
  // Adds pages 0 .. count - 1.
  void Make(BlockNumber count) {
    for (BlockNumber block = 0; block < count; ++block) {
      absl::StatusOr<PageRef> page = pool_->Extend(pooled_);
      CHECK(page.ok());
      CHECK(page->block() == block);
      Put(&*page, 100 + block);
    }
  }

  TestEnvironment test_environment_;
  MemoryDevice& device_ = test_environment_.device;
  WatchedDevice watched_{&device_};
  Environment environment_{&watched_, &test_environment_.clock, &test_environment_.executor};
  ThreadExecutor& executor_ = test_environment_.executor;
  FakeLog log_;
  PageGuard* guard_ = nullptr;
  std::unique_ptr<Relation> relation_;
  std::unique_ptr<BufferPool> pool_;
  PooledRelation* pooled_ = nullptr;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_POOL_TEST_UTIL_H_
