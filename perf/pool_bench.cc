// What it costs to pin a page that is in memory, and to hold it.

#include <benchmark/benchmark.h>

#include <memory>

#include "engine/base/prng.h"
#include "engine/env/posix_environment.h"
#include "engine/store/buffer_pool.h"
#include "tests/support/memory_device.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kFrames = 16384;
constexpr std::uint32_t kPageSize = 8192;

// A pool with every page of a relation in memory.
struct Pool {
  explicit Pool(BlockNumber pages) {
    environment.device = &device;
    absl::StatusOr<std::unique_ptr<Relation>> opened =
        Relation::Open(environment, {.id = {}, .path = "index", .page_size = kPageSize}, true);
    CHECK(opened.ok());
    relation = *std::move(opened);
    pool = std::make_unique<BufferPool>(environment, kFrames, kPageSize, nullptr);
    pooled = pool->Attach(relation.get(), nullptr);
    for (BlockNumber block = 0; block < pages; ++block) CHECK(pool->Extend(pooled).ok());
  }

  MemoryDevice device;
  Environment environment = PosixEnvironment();
  std::unique_ptr<Relation> relation;
  std::unique_ptr<BufferPool> pool;
  PooledRelation* pooled = nullptr;
};

void BM_Pin(benchmark::State& state, Hold hold, BlockNumber pages) {
  static std::unique_ptr<Pool> shared;
  if (state.thread_index() == 0) shared = std::make_unique<Pool>(pages);
  Prng prng(static_cast<std::uint64_t>(state.thread_index()), "blocks");
  for (auto _ : state) {
    const auto block = static_cast<BlockNumber>(prng.Next() & (pages - 1));
    const absl::StatusOr<PageRef> page = shared->pool->Pin(shared->pooled, block, hold);
    benchmark::DoNotOptimize(page->bytes().data());
  }
  if (state.thread_index() == 0) shared.reset();
}

// One page, as the root is; pages that fit into the processor's caches, as upper levels do; many.
BENCHMARK_CAPTURE(BM_Pin, pin_one, Hold::kNone, 1);
BENCHMARK_CAPTURE(BM_Pin, share_one, Hold::kShared, 1);
BENCHMARK_CAPTURE(BM_Pin, own_one, Hold::kExclusive, 1);
BENCHMARK_CAPTURE(BM_Pin, pin_64, Hold::kNone, 64);
BENCHMARK_CAPTURE(BM_Pin, share_64, Hold::kShared, 64);
BENCHMARK_CAPTURE(BM_Pin, own_64, Hold::kExclusive, 64);
BENCHMARK_CAPTURE(BM_Pin, pin_8192, Hold::kNone, 8192);
BENCHMARK_CAPTURE(BM_Pin, share_8192, Hold::kShared, 8192);
BENCHMARK_CAPTURE(BM_Pin, share_one_two_threads, Hold::kShared, 1)->Threads(2);
BENCHMARK_CAPTURE(BM_Pin, share_64_two_threads, Hold::kShared, 64)->Threads(2);

}  // namespace
}  // namespace tornleaf

BENCHMARK_MAIN();
