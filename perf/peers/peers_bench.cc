// Tornleaf, LMDB, SQLite and WiredTiger on the same keys, side by side in one process and one
// thread. Prints JSON: what each line cost in each round; perf/peers/report.py makes the table.

#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "perf/peers/index.h"
#include "perf/peers/workload.h"

// With callgrind's header, each line is a part of its output: see --callgrind in report.py.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_DUMP_STATS_AT(name)
#endif

namespace tornleaf::peers {
namespace {

struct Settings {
  WorkloadSize size{.keys = 3'000'000, .lookups = 1'000'000, .ranges = 50'000, .range_rows = 100};
  std::uint32_t rounds = 3;
  std::vector<std::string> engines;  // none: all
  std::vector<std::string> keys;
  std::string folder;
  std::uint64_t seed = 1;
};

std::int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  CHECK(clock_gettime(clock, &now) == 0);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// What one line cost in one round.
struct Cost {
  std::int64_t thread = 0;   // CPU time of the thread, in ns
  std::int64_t process = 0;  // with the engine's own threads
  std::int64_t wall = 0;

  static Cost Now() {
    return {Nanoseconds(CLOCK_THREAD_CPUTIME_ID), Nanoseconds(CLOCK_PROCESS_CPUTIME_ID),
            Nanoseconds(CLOCK_MONOTONIC)};
  }
  Cost Since(const Cost& begin) const {
    return {thread - begin.thread, process - begin.process, wall - begin.wall};
  }
};

class Measurements {
 public:
  // Runs `line`, which does `operations` operations.
  void Measure(const std::string& engine, const std::string& keys, const char* line,
               std::uint64_t operations, const std::function<void()>& body) {
    const std::string name = engine + "/" + keys + "/" + line;
    CALLGRIND_START_INSTRUMENTATION;
    const Cost begin = Cost::Now();
    body();
    const Cost cost = Cost::Now().Since(begin);
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
    const auto each = [operations](std::int64_t ns) {
      return static_cast<double>(ns) / static_cast<double>(operations);
    };
    std::fprintf(stderr, "peers: %-40s %10.1f ns\n", name.c_str(), each(cost.thread));
    runs_.push_back({{"engine", engine},
                     {"keys", keys},
                     {"line", line},
                     {"operations", operations},
                     {"thread_ns", each(cost.thread)},
                     {"process_ns", each(cost.process)},
                     {"wall_ns", each(cost.wall)}});
  }
  void Size(const std::string& engine, const std::string& keys, std::uint64_t bytes) {
    sizes_.push_back({{"engine", engine}, {"keys", keys}, {"bytes", bytes}});
  }

  const nlohmann::json& runs() const { return runs_; }
  const nlohmann::json& sizes() const { return sizes_; }

 private:
  nlohmann::json runs_ = nlohmann::json::array();
  nlohmann::json sizes_ = nlohmann::json::array();
};

// What the folder takes on the disk; a file made large in advance counts as far as it is filled.
std::uint64_t BytesIn(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat status {};
    if (entry.is_regular_file() && stat(entry.path().c_str(), &status) == 0) {
      bytes += static_cast<std::uint64_t>(status.st_blocks) * 512;
    }
  }
  return bytes;
}

const char* NameOf(KeyType type) { return type == KeyType::kUrl ? "url" : "int8"; }

// An engine that answers wrong is not fast.
void Demand(const Engine& engine, const char* line, const Answer& got, const Answer& expected) {
  if (got == expected) return;
  std::fprintf(stderr, "peers: %s, %s: wrong answer: %llu rows, expected %llu\n", engine.name, line,
               static_cast<unsigned long long>(got.rows),
               static_cast<unsigned long long>(expected.rows));
  std::exit(1);
}

// All lines of one engine on one set of keys: load, close, open, warm up, read.
void RunEngine(const Engine& engine, const Workload& work, const std::string& folder,
               Measurements* measurements) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::unique_ptr<Index> index = engine.make(work.type);
  const auto measure = [&](const char* line, std::uint64_t operations,
                           const std::function<void()>& body) {
    measurements->Measure(engine.name, NameOf(work.type), line, operations, body);
  };

  index->Open(folder);
  measure("insert", work.inserts.size(), [&] { index->Insert(work.inserts); });
  index->Close();
  measurements->Size(engine.name, NameOf(work.type), BytesIn(folder));

  index->Open(folder);
  Demand(engine, "warm-up", index->Scan(), work.all);
  Answer answer;
  measure("lookup", work.lookups.size(), [&] { answer = index->Lookup(work.lookups); });
  Demand(engine, "lookup", answer, work.looked_up);
  measure("scan", work.all.rows, [&] { answer = index->Scan(); });
  Demand(engine, "scan", answer, work.all);
  measure("range", work.range_starts.size(),
          [&] { answer = index->ScanRanges(work.range_starts, work.range_rows); });
  Demand(engine, "range", answer, work.ranges);
  std::uint64_t count = 0;
  measure("count", work.all.rows, [&] { count = index->Count(); });
  Demand(engine, "count", {.rows = count}, {.rows = work.all.rows});
  index->Close();
  std::filesystem::remove_all(folder);
}

bool Wanted(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

int Run(const Settings& settings) {
  std::vector<Engine> engines;
  for (Engine& engine : AllEngines()) {
    if (Wanted(settings.engines, engine.name)) engines.push_back(std::move(engine));
  }
  Measurements measurements;
  for (const KeyType type : {KeyType::kUrl, KeyType::kInt8}) {
    if (!Wanted(settings.keys, NameOf(type))) continue;
    const Workload work = Workload::Make(type, settings.size, settings.seed);
    // In turns, and each round begins with another engine: other work on the machine hits all.
    for (std::uint32_t round = 0; round < settings.rounds; ++round) {
      for (std::size_t turn = 0; turn < engines.size(); ++turn) {
        const Engine& engine = engines[(turn + round) % engines.size()];
        RunEngine(engine, work, settings.folder + "/" + engine.name, &measurements);
      }
    }
  }
  nlohmann::json described = nlohmann::json::array();
  for (const Engine& engine : engines) {
    described.push_back(
        {{"name", engine.name}, {"version", engine.version}, {"settings", engine.settings}});
  }
  const nlohmann::json document = {
      {"rows", settings.size.keys},     {"lookups", settings.size.lookups},
      {"ranges", settings.size.ranges}, {"range_rows", settings.size.range_rows},
      {"rounds", settings.rounds},      {"seed", settings.seed},
      {"engines", described},           {"runs", measurements.runs()},
      {"sizes", measurements.sizes()}};
  std::cout << document.dump(1) << "\n";
  return 0;
}

}  // namespace
}  // namespace tornleaf::peers

int main(int argc, char** argv) {
  tornleaf::peers::Settings settings;
  settings.folder =
      std::filesystem::temp_directory_path() / ("tornleaf-peers." + std::to_string(getpid()));
  CLI::App app("Tornleaf beside LMDB, SQLite and WiredTiger; prints JSON");
  app.add_option("--keys", settings.size.keys, "rows of each data set")
      ->check(CLI::Range(1U, 100'000'000U));
  app.add_option("--lookups", settings.size.lookups, "point lookups")->check(CLI::PositiveNumber);
  app.add_option("--ranges", settings.size.ranges, "range scans of 100 rows")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", settings.rounds, "how often each is measured")
      ->check(CLI::PositiveNumber);
  app.add_option("--engine", settings.engines, "only these");
  app.add_option("--type", settings.keys, "only url or int8");
  app.add_option("--folder", settings.folder, "where the files are for the time being");
  app.add_option("--seed", settings.seed, "of the keys' order");
  CLI11_PARSE(app, argc, argv);
  return tornleaf::peers::Run(settings);
}
