// How fast an index in a warm file is verified. `full` is what `tornleaf check` does: checksums,
// structure and order together. `generic` leaves out the loop for plain leaves, `structure` the
// schema. Throughput is bytes of index a second of CPU time of one core.

#include <benchmark/benchmark.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "engine/build/index_build.h"
#include "engine/env/posix_device.h"
#include "engine/store/relation_file.h"
#include "engine/verify/verifier.h"
#include "perf/datasets.h"

namespace tornleaf {
namespace {

// An index file that lives as long as the program.
class IndexFile final : public PageSink {
 public:
  explicit IndexFile(const Dataset& dataset) : schema_(*Schema::Parse(dataset.schema)) {
    file_ = std::tmpfile();
    CHECK(file_ != nullptr);
    path_ = "/proc/self/fd/" + std::to_string(fileno(file_));
    BuildOptions options;
    options.checksums = true;
    const std::string text = TextOf(dataset);
    StringSource rows(text);
    BuildSummary summary;
    CHECK(BuildIndex(schema_, options, {.rows = &rows}, this, &summary).ok());
    CHECK(std::fflush(file_) == 0);
  }

  absl::Status WritePage(BlockNumber block, ByteView page) override {
    const auto at = static_cast<off_t>(std::size_t{block} * page.size());
    CHECK(pwrite(fileno(file_), page.data(), page.size(), at) == static_cast<ssize_t>(page.size()));
    return absl::OkStatus();
  }

  const Schema& schema() const { return schema_; }
  const std::string& path() const { return path_; }

 private:
  Schema schema_;
  std::FILE* file_ = nullptr;
  std::string path_;
};

void VerifyFile(benchmark::State& state, const Dataset& dataset, bool with_schema,
                bool generic_only) {
  const IndexFile index(dataset);
  PosixDevice device;
  VerifyOptions options;
  options.schema = with_schema ? &index.schema() : nullptr;
  options.checksums = ChecksumMode::kOn;
  options.generic_only = generic_only;
  std::uint64_t bytes = 0;
  std::uint64_t items = 0;
  for (auto _ : state) {
    const auto relation = RelationFile::Open(&device, index.path());
    CHECK(relation.ok());
    const VerifyReport report = Verify(relation->get(), options);
    CHECK(report.clean());
    bytes += std::uint64_t{(*relation)->block_count()} * (*relation)->page_size();
    items += report.counts.items;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(static_cast<std::int64_t>(items));
}

void RegisterAll() {
  for (const Dataset* dataset : {&kUrls, &kIntegers, &kIntegersShuffled}) {
    const auto add = [&](const char* mode, bool with_schema, bool generic_only) {
      benchmark::RegisterBenchmark((std::string("verify/") + dataset->name + "/" + mode).c_str(),
                                   VerifyFile, *dataset, with_schema, generic_only)
          ->Unit(benchmark::kMillisecond)
          ->MinTime(1);
    };
    add("full", true, false);
    add("generic", true, true);
    add("structure", false, false);
  }
}

}  // namespace
}  // namespace tornleaf

int main(int argc, char** argv) {
  tornleaf::RegisterAll();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
