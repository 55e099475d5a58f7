#include "perf/peers/workload.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "engine/base/prng.h"
#include "perf/datasets.h"

namespace tornleaf::peers {

namespace {

constexpr std::uint32_t kRowsPerPage = 102;

// A permutation of the 64-bit numbers (splitmix64's last steps): distinct keys without a pattern.
std::uint64_t Mixed(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9;
  number = (number ^ number >> 27) * 0x94D049BB133111EB;
  return number ^ number >> 31;
}

std::vector<std::uint8_t> KeyOf(KeyType type, std::uint32_t number) {
  if (type == KeyType::kInt8) {
    const std::uint64_t value = Mixed(number + 1);
    std::vector<std::uint8_t> key(sizeof value);
    std::memcpy(key.data(), &value, sizeof value);
    return key;
  }
  std::string text;
  kUrls.append_row(number, &text);
  text.resize(text.find('\t'));
  return {text.begin(), text.end()};
}

std::vector<std::uint32_t> RandomOrder(std::uint32_t count, Prng* prng) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t left = count; left > 1; --left) {
    std::swap(order[left - 1], order[prng->Below(left)]);
  }
  return order;
}

bool Before(const RowList& rows, KeyType type, std::uint32_t a, std::uint32_t b) {
  if (type == KeyType::kInt8) return rows.integer(a) < rows.integer(b);
  return std::memcmp(rows.key(a), rows.key(b), rows.key_size()) < 0;
}

}  // namespace

Workload Workload::Make(KeyType type, const WorkloadSize& size, std::uint64_t seed) {
  CHECK(size.keys > 0);
  Prng prng(seed, "peers");
  const auto key_size = static_cast<std::uint32_t>(KeyOf(type, 0).size());
  Workload made{.type = type,
                .range_rows = size.range_rows,
                .inserts = RowList(key_size),
                .lookups = RowList(key_size),
                .range_starts = RowList(key_size),
                .all = {},
                .looked_up = {},
                .ranges = {}};

  // Row addresses rise with the insertions, as those of a table do.
  for (const std::uint32_t number : RandomOrder(size.keys, &prng)) {
    const auto row = static_cast<std::uint32_t>(made.inserts.size());
    made.inserts.Add(
        KeyOf(type, number).data(),
        PackTid({row / kRowsPerPage, static_cast<OffsetNumber>(row % kRowsPerPage + 1)}));
  }
  const auto add = [&made](std::uint32_t row, Answer* answer) {
    answer->AddRow(made.inserts.tid(row), made.inserts.key(row) + made.inserts.key_size());
  };
  for (std::uint32_t row = 0; row < size.keys; ++row) add(row, &made.all);

  for (std::uint32_t done = 0; done < size.lookups; ++done) {
    const auto row = static_cast<std::uint32_t>(prng.Below(size.keys));
    made.lookups.Add(made.inserts.key(row), made.inserts.tid(row));
    made.looked_up.AddRow(made.inserts.tid(row));
  }

  std::vector<std::uint32_t> sorted(size.keys);
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(),
            [&](std::uint32_t a, std::uint32_t b) { return Before(made.inserts, type, a, b); });
  for (std::uint32_t done = 0; done < size.ranges; ++done) {
    const std::size_t start = prng.Below(size.keys);
    made.range_starts.Add(made.inserts.key(sorted[start]), made.inserts.tid(sorted[start]));
    const std::size_t end = std::min<std::size_t>(start + size.range_rows, size.keys);
    for (std::size_t at = start; at < end; ++at) add(sorted[at], &made.ranges);
  }
  return made;
}

}  // namespace tornleaf::peers
