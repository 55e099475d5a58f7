#include "perf/datasets.h"

#include <cstdio>

namespace tornleaf {

namespace {

// A bijection of 0..kBenchmarkRows-1: the multiplier is prime and does not divide the count.
std::uint32_t Shuffled(std::uint32_t row) {
  constexpr std::uint64_t kMultiplier = 2'654'435'761;
  static_assert(kBenchmarkRows % kMultiplier != 0);
  return static_cast<std::uint32_t>(row * kMultiplier % kBenchmarkRows);
}

// Row addresses of a table of short rows: as many to a page as a server puts there.
void AppendTid(std::uint32_t row, std::uint32_t rows_per_page, std::string* text) {
  char buffer[32];
  const int size = std::snprintf(buffer, sizeof buffer, "\t(%u,%u)\n", row / rows_per_page,
                                 row % rows_per_page + 1);
  text->append(buffer, static_cast<std::size_t>(size));
}

void AppendUrl(std::uint32_t key, std::uint32_t row, std::string* text) {
  constexpr std::uint32_t kRowsPerPage = 102;
  char buffer[64];
  const int size =
      std::snprintf(buffer, sizeof buffer, "https://www.example.com/products/item%010u", key + 1);
  text->append(buffer, static_cast<std::size_t>(size));
  AppendTid(row, kRowsPerPage, text);
}

void AppendInteger(std::int32_t key, std::uint32_t row, std::string* text) {
  constexpr std::uint32_t kRowsPerPage = 226;
  text->append(std::to_string(key));
  AppendTid(row, kRowsPerPage, text);
}

}  // namespace

const Dataset kUrls = {"url", "text collate C",
                       [](std::uint32_t row, std::string* text) { AppendUrl(row, row, text); }};
const Dataset kUrlsShuffled = {
    "url_shuffled", "text collate C",
    [](std::uint32_t row, std::string* text) { AppendUrl(Shuffled(row), row, text); }};
const Dataset kIntegers = {"int4", "int4", [](std::uint32_t row, std::string* text) {
                             AppendInteger(static_cast<std::int32_t>(row), row, text);
                           }};
const Dataset kIntegersShuffled = {
    "int4_shuffled", "int4", [](std::uint32_t row, std::string* text) {
      AppendInteger(static_cast<std::int32_t>((row + 1) * 2'654'435'761U), row, text);
    }};

std::string TextOf(const Dataset& dataset, std::uint32_t rows) {
  std::string text;
  for (std::uint32_t row = 0; row < rows; ++row) dataset.append_row(row, &text);
  return text;
}

}  // namespace tornleaf
