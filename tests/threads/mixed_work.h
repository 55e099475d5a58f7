// Tasks that insert, delete, scan, vacuum and checkpoint at once, and what each of them must see.
//
// Every task has rows of its own, told by their block, among keys that all share. Of its own rows
// it knows at any moment which are there; others' rows may come and go under its eyes.

#ifndef TORNLEAF_TESTS_THREADS_MIXED_WORK_H_
#define TORNLEAF_TESTS_THREADS_MIXED_WORK_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/base/prng.h"
#include "engine/db/database.h"

namespace tornleaf {

// What all tasks have done and found.
struct MixedWorkCounts {
  std::atomic<std::uint64_t> puts{0};
  std::atomic<std::uint64_t> deletes{0};
  std::atomic<std::uint64_t> scans{0};
  std::atomic<std::uint64_t> rows_scanned{0};
  std::atomic<std::uint64_t> vacuums{0};
  std::atomic<std::uint64_t> rows_vacuumed{0};
  std::atomic<std::uint64_t> pages_deleted{0};
  std::atomic<std::uint64_t> syncs{0};

  bool something_of_each() const {
    return puts != 0 && deletes != 0 && scans != 0 && vacuums != 0 && pages_deleted != 0;
  }
};

class MixedWorker {
 public:
  MixedWorker(Database* database, std::uint32_t number, std::uint64_t seed, MixedWorkCounts* counts)
      : database_(database), number_(number), prng_(seed, "worker"), counts_(counts) {}

  // One operation by the toss of a die. False once something was wrong: see error().
  bool Step();
  const std::string& error() const { return error_; }
  // The rows that are there: key by address.
  const std::map<PackedTid, std::int32_t>& rows() const { return rows_; }

 private:
  std::int32_t WindowBegin() const;
  bool Put();
  bool Delete();
  bool ScanRange();
  bool Vacuum();
  bool Fail(const std::string& what);
  PackedTid FreeAddress();

  Database* database_;
  std::uint32_t number_;
  Prng prng_;
  MixedWorkCounts* counts_;
  std::string error_;
  std::uint64_t steps_ = 0;
  std::uint32_t addresses_ = 0;
  std::map<PackedTid, std::int32_t> rows_;
  std::vector<PackedTid> live_;  // addresses of rows_, the oldest first
  std::vector<PackedTid> deleted_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TESTS_THREADS_MIXED_WORK_H_
