// db-threads SECONDS [SEED [THREADS]]: mixed work of many threads at one database in memory, held
// to a model; then a crash, recovery, and the same rows again.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "engine/db/check.h"
#include "tests/support/test_environment.h"
#include "tests/threads/mixed_work.h"

namespace tornleaf {
namespace {

using Rows = std::map<PackedTid, std::int32_t>;

DatabaseOptions Options() {
  DatabaseOptions options;
  options.frames = 200;  // fewer than there are pages
  options.checkpoint_distance = 8U << 20;
  return options;
}

bool Complain(const std::string& what) {
  std::fprintf(stderr, "db-threads: %s\n", what.c_str());
  return false;
}

bool RowsAre(Database* database, const Rows& expected) {
  const auto scan = database->NewScan({});
  if (!scan.ok()) return Complain(scan.status().ToString());
  Rows rows;
  while (true) {
    const absl::StatusOr<bool> more = (*scan)->Next();
    if (!more.ok()) return Complain(more.status().ToString());
    if (!*more) break;
    rows[PackTid((*scan)->tid())] = LoadLittleEndian<std::int32_t>((*scan)->values()[0].data);
  }
  if (rows == expected) return true;
  return Complain("at the end " + std::to_string(rows.size()) + " rows, and there should be " +
                  std::to_string(expected.size()));
}

// A slow machine gets so much more time until something of each kind has been done.
constexpr int kPatience = 20;

// Runs all workers until the time is over or one of them fails, and gathers their rows.
bool Work(TestEnvironment* world, Database* database, int seconds, std::uint64_t seed,
          std::uint32_t threads, MixedWorkCounts* counts, Rows* rows) {
  const auto begin = std::chrono::steady_clock::now();
  const auto goes_on = [begin, seconds, counts] {
    const auto passed = std::chrono::steady_clock::now() - begin;
    const std::chrono::seconds asked(seconds);
    return passed < asked || (!counts->something_of_each() && passed < kPatience * asked);
  };
  std::atomic<bool> stop{false};
  std::vector<std::unique_ptr<MixedWorker>> workers;
  std::vector<std::unique_ptr<Task>> tasks;
  for (std::uint32_t number = 0; number < threads; ++number) {
    workers.push_back(std::make_unique<MixedWorker>(database, number, seed + number, counts));
    tasks.push_back(
        world->executor.Spawn("worker", [&stop, &goes_on, worker = workers.back().get()] {
          while (!stop && goes_on()) {
            if (!worker->Step()) stop = true;
          }
        }));
  }
  for (const auto& task : tasks) task->Join();
  bool good = true;
  for (const auto& worker : workers) {
    if (!worker->error().empty()) good = Complain(worker->error());
    rows->insert(worker->rows().begin(), worker->rows().end());
  }
  return good;
}

bool Check(TestEnvironment* world) {
  OverlayDevice overlay(&world->device);
  DatabaseCheckOptions options;
  options.open = Options();
  const auto check = CheckDatabase(world->environment(), &overlay, "d", options);
  if (!check.ok()) return Complain(check.status().ToString());
  if (check->clean()) return true;
  if (!check->problems.empty()) return Complain(check->problems.front());
  const Finding& finding = check->index.findings.front();
  return Complain("block " + std::to_string(finding.block) + ": " + finding.invariant->title);
}

bool Run(int seconds, std::uint64_t seed, std::uint32_t threads) {
  TestEnvironment world(seed);
  DatabaseFormat format;
  format.page_size = 1024;
  format.log_segment_bytes = 1U << 20;
  const absl::StatusOr<Schema> schema = Schema::Parse("int4");
  absl::Status status = Database::Create(world.environment(), "d", *schema, format);
  if (!status.ok()) return Complain(status.ToString());
  auto database = Database::Open(world.environment(), "d", Options());
  if (!database.ok()) return Complain(database.status().ToString());

  MixedWorkCounts counts;
  Rows rows;
  if (!Work(&world, database->get(), seconds, seed, threads, &counts, &rows)) return false;
  if (!RowsAre(database->get(), rows)) return false;
  if (!(*database)->Sync().ok()) return Complain("the last sync failed");
  database = absl::UnknownError("closed");
  world.device.Crash(Survival::kSome);
  if (!Check(&world)) return false;
  database = Database::Open(world.environment(), "d", Options());
  if (!database.ok()) return Complain(database.status().ToString());
  if (!RowsAre(database->get(), rows)) return false;
  std::printf(
      "%u threads, %d s: %llu puts, %llu deletes, %llu scans of %llu rows, %llu vacuums of "
      "%llu rows and %llu pages, %llu syncs; %zu rows at the end\n",
      threads, seconds, static_cast<unsigned long long>(counts.puts),
      static_cast<unsigned long long>(counts.deletes),
      static_cast<unsigned long long>(counts.scans),
      static_cast<unsigned long long>(counts.rows_scanned),
      static_cast<unsigned long long>(counts.vacuums),
      static_cast<unsigned long long>(counts.rows_vacuumed),
      static_cast<unsigned long long>(counts.pages_deleted),
      static_cast<unsigned long long>(counts.syncs), rows.size());
  // A run that did nothing shows nothing.
  return counts.something_of_each() || Complain("some kind of work was never done; run it longer");
}

}  // namespace
}  // namespace tornleaf

int main(int argc, char** argv) {
  // What is no number reads as 0, which is refused below, and for a seed is one like any other.
  const auto number = [&](int index, std::uint64_t otherwise) {
    return argc > index ? std::strtoull(argv[index], nullptr, 10) : otherwise;
  };
  constexpr std::uint64_t kMost = 1'000'000;
  const std::uint64_t seconds = number(1, 0);
  const std::uint64_t seed = number(2, 1);
  const std::uint64_t threads = number(3, 8);
  if (seconds < 1 || seconds > kMost || threads < 1 || threads > kMost) {
    std::fprintf(stderr, "usage: db-threads SECONDS [SEED [THREADS]]\n");
    return 1;
  }
  return tornleaf::Run(static_cast<int>(seconds), seed, static_cast<std::uint32_t>(threads)) ? 0
                                                                                             : 2;
}
