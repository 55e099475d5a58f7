// How fast rows become an index, in rows a second of CPU time of one core. `text` is what `tornleaf
// build` does: rows of text are read, formed, sorted unless they come so, and laid out; pages are
// checksummed and dropped, so that no disk is measured. `engine` starts from tuples in memory.
// `read` stops when the tuples are formed.

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "engine/build/index_build.h"
#include "perf/datasets.h"

namespace tornleaf {
namespace {

class NoSink final : public PageSink {
 public:
  absl::Status WritePage(BlockNumber, ByteView page) override {
    benchmark::DoNotOptimize(page.data());
    return absl::OkStatus();
  }
};

BuildOptions Options() {
  BuildOptions options;
  options.checksums = true;
  return options;
}

void CountRows(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * std::int64_t{kBenchmarkRows});
}

void BuildText(benchmark::State& state, const Dataset& dataset, bool sorted) {
  const Schema schema = *Schema::Parse(dataset.schema);
  const std::string text = TextOf(dataset);
  for (auto _ : state) {
    StringSource rows(text);
    NoSink sink;
    BuildSummary summary;
    CHECK(BuildIndex(schema, Options(), {.rows = &rows, .sorted = sorted}, &sink, &summary).ok());
    CHECK(summary.rows == kBenchmarkRows);
  }
  CountRows(state);
}

// The tuples of a data set, one after the other.
struct Tuples {
  std::vector<std::uint8_t> bytes;
  std::vector<std::size_t> starts;

  TupleView view(std::size_t row) const {
    const auto size = Load(bytes.data() + starts[row], index_tuple::kInfo) & index_tuple::kSizeMask;
    return TupleView(ByteView(bytes).subspan(starts[row], size));
  }
};

Tuples ReadTuples(const Schema& schema, const std::string& text) {
  Tuples tuples;
  StringSource source(text);
  RowReader rows(schema, &source);
  while (*rows.Next()) {
    tuples.starts.push_back(tuples.bytes.size());
    CHECK(FormTuple(schema, rows.values(), schema.attribute_count(), rows.tid(), &tuples.bytes) !=
          0);
  }
  return tuples;
}

void ReadText(benchmark::State& state, const Dataset& dataset) {
  const Schema schema = *Schema::Parse(dataset.schema);
  const std::string text = TextOf(dataset);
  std::vector<std::uint8_t> tuple;
  for (auto _ : state) {
    StringSource source(text);
    RowReader rows(schema, &source);
    while (*rows.Next()) {
      tuple.clear();
      FormTuple(schema, rows.values(), schema.attribute_count(), rows.tid(), &tuple);
      benchmark::DoNotOptimize(tuple.data());
    }
  }
  CountRows(state);
}

void BuildTuples(benchmark::State& state, const Dataset& dataset, bool sorted) {
  const Schema schema = *Schema::Parse(dataset.schema);
  const Tuples tuples = ReadTuples(schema, TextOf(dataset));
  for (auto _ : state) {
    NoSink sink;
    BulkBuild build(schema, Options(), &sink);
    if (sorted) {
      for (std::size_t row = 0; row < tuples.starts.size(); ++row) {
        CHECK(build.Add(tuples.view(row)).ok());
      }
    } else {
      TupleSort sort(schema);
      DeformedTuple values;
      for (std::size_t row = 0; row < tuples.starts.size(); ++row) {
        const TupleView tuple = tuples.view(row);
        CHECK(values.Deform(schema, tuple, schema.attribute_count(), tuple.size()).ok());
        sort.Add(tuple, values.values());
      }
      CHECK(AddAllSorted(&sort, &build).ok());
    }
    CHECK(build.Finish().ok());
  }
  CountRows(state);
}

void RegisterAll() {
  const auto add = [](const char* what, const Dataset& dataset, auto function, auto... arguments) {
    benchmark::RegisterBenchmark((std::string("build/") + dataset.name + "/" + what).c_str(),
                                 function, dataset, arguments...)
        ->Unit(benchmark::kMillisecond)
        ->MinTime(2);
  };
  for (const Dataset* dataset : {&kUrls, &kIntegers}) {
    add("text", *dataset, BuildText, true);
    add("engine", *dataset, BuildTuples, true);
    add("read", *dataset, ReadText);
  }
  for (const Dataset* dataset : {&kUrlsShuffled, &kIntegersShuffled}) {
    add("text", *dataset, BuildText, false);
    add("engine", *dataset, BuildTuples, false);
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
