// What every engine in the comparison is asked to do, and the answers it must give.

#ifndef TORNLEAF_PERF_PEERS_WORKLOAD_H_
#define TORNLEAF_PERF_PEERS_WORKLOAD_H_

#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/base/check.h"
#include "engine/key/index_tuple.h"

namespace tornleaf::peers {

enum class KeyType : std::uint8_t { kUrl, kInt8 };

// Keys of one size, each with its row address, in the order in which they are used: the program
// reads them one after another, so that the time is the engine's.
class RowList {
 public:
  explicit RowList(std::uint32_t key_size) : key_size_(key_size) {}

  void Add(const std::uint8_t* key, PackedTid tid) {
    keys_.insert(keys_.end(), key, key + key_size_);
    tids_.push_back(tid);
  }

  std::size_t size() const { return tids_.size(); }
  std::uint32_t key_size() const { return key_size_; }
  // URLs: the characters. Integers: 8 bytes, little-endian, which is also what the machine has.
  const std::uint8_t* key(std::size_t index) const { return keys_.data() + index * key_size_; }
  std::int64_t integer(std::size_t index) const {
    std::int64_t value = 0;
    std::memcpy(&value, key(index), sizeof value);
    return value;
  }
  PackedTid tid(std::size_t index) const { return tids_[index]; }

 private:
  std::uint32_t key_size_;
  std::vector<std::uint8_t> keys_;
  std::vector<PackedTid> tids_;
};

// What a line of the table found: it must be what is really there.
struct Answer {
  std::uint64_t rows = 0;
  std::uint64_t tid_sum = 0;
  // Over the last 8 bytes of each key, as a number: says that the keys were read. Point lookups,
  // which read no keys, leave it at 0.
  std::uint64_t key_sum = 0;

  void AddRow(PackedTid tid) {
    ++rows;
    tid_sum += tid;
  }
  void AddRow(PackedTid tid, const std::uint8_t* key_end) {
    std::uint64_t tail = 0;
    std::memcpy(&tail, key_end - sizeof tail, sizeof tail);
    AddRow(tid, tail);
  }
  void AddRow(PackedTid tid, std::uint64_t key_tail) {
    AddRow(tid);
    key_sum += key_tail;
  }

  friend bool operator==(const Answer&, const Answer&) = default;
};

struct WorkloadSize {
  std::uint32_t keys = 0;
  std::uint32_t lookups = 0;
  std::uint32_t ranges = 0;
  std::uint32_t range_rows = 100;
};

struct Workload {
  // `seed` decides the order of the keys, and which are looked up and where ranges begin.
  static Workload Make(KeyType type, const WorkloadSize& size, std::uint64_t seed);

  KeyType type = KeyType::kUrl;
  std::uint32_t range_rows = 0;
  RowList inserts;
  RowList lookups;
  RowList range_starts;

  Answer all;
  Answer looked_up;
  Answer ranges;
};

}  // namespace tornleaf::peers

#endif  // TORNLEAF_PERF_PEERS_WORKLOAD_H_
