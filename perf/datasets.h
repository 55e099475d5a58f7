// The rows that benchmarks use, in COPY text form: those of the published results that the project
// reproduces (docs and perf/README.md name them), three million of each.

#ifndef TORNLEAF_PERF_DATASETS_H_
#define TORNLEAF_PERF_DATASETS_H_

#include <cstdint>
#include <string>

namespace tornleaf {

inline constexpr std::uint32_t kBenchmarkRows = 3'000'000;

struct Dataset {
  const char* name;
  const char* schema;
  // One row: the key and the TID of a table filled in row order. `row` counts from 0.
  void (*append_row)(std::uint32_t row, std::string* text);
};

// 47-byte URLs: a shared prefix of 37 bytes and ten digits, in row order.
extern const Dataset kUrls;
// The same URLs, in an order that has nothing to do with the rows'.
extern const Dataset kUrlsShuffled;
// int4, distinct, in row order; and spread over all values.
extern const Dataset kIntegers;
extern const Dataset kIntegersShuffled;

std::string TextOf(const Dataset& dataset, std::uint32_t rows = kBenchmarkRows);

}  // namespace tornleaf

#endif  // TORNLEAF_PERF_DATASETS_H_
