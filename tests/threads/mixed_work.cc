#include "tests/threads/mixed_work.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tornleaf {

namespace {

// Keys are taken from a window that wanders, and the oldest rows are deleted first: behind the
// window pages become empty, and VACUUM deletes them.
constexpr std::uint32_t kWindow = 300;
constexpr std::uint64_t kStepsForAKey = 40;
constexpr std::size_t kRowsMax = 2000;  // of one task
constexpr std::uint32_t kBlocksOfTask = 1U << 20;
constexpr std::uint32_t kRowsOfBlock = 15;  // fits tables of the smallest pages

Value ValueOf(const std::int32_t* key) {
  return Value::Of({reinterpret_cast<const std::uint8_t*>(key), sizeof(*key)});
}

}  // namespace

bool MixedWorker::Fail(const std::string& what) {
  error_ = absl::StrCat("task ", number_, ": ", what);
  return false;
}

std::int32_t MixedWorker::WindowBegin() const {
  return static_cast<std::int32_t>(steps_ / kStepsForAKey);
}

bool MixedWorker::Step() {
  ++steps_;
  const std::uint64_t dice = prng_.Below(1000);
  if (dice < 2) return Vacuum();
  if (dice < 3) {
    const absl::Status status = database_->Checkpoint();
    return status.ok() || Fail(absl::StrCat("checkpoint: ", status.ToString()));
  }
  if (dice < 8) {
    ++counts_->syncs;
    const absl::Status status = database_->Sync().status();
    return status.ok() || Fail(absl::StrCat("sync: ", status.ToString()));
  }
  if (dice < 30) return ScanRange();
  // Shrinks when there is much and grows when there is little, so that pages empty and fill.
  const bool shrink = rows_.size() > kRowsMax ||
                      (number_ % 2 == 0 && !deleted_.empty() && rows_.size() > kRowsMax / 2);
  if (!live_.empty() && dice < (shrink ? 800 : 300)) return Delete();
  return Put();
}

PackedTid MixedWorker::FreeAddress() {
  const std::uint32_t address = addresses_++;
  return PackTid({number_ * kBlocksOfTask + address / kRowsOfBlock,
                  static_cast<OffsetNumber>(address % kRowsOfBlock + 1)});
}

bool MixedWorker::Put() {
  ++counts_->puts;
  // Half the time an address that was deleted: refused until a VACUUM has cleared it.
  const bool again = !deleted_.empty() && prng_.Below(2) == 0;
  const std::size_t place = again ? prng_.Below(deleted_.size()) : 0;
  const PackedTid tid = again ? deleted_[place] : FreeAddress();
  const auto key = WindowBegin() + static_cast<std::int32_t>(prng_.Below(kWindow));
  const Value value = ValueOf(&key);
  const absl::StatusOr<InsertResult> put = database_->Put(&value, UnpackTid(tid));
  if (again && absl::IsFailedPrecondition(put.status())) return true;
  if (!put.ok()) return Fail(absl::StrCat("put: ", put.status().ToString()));
  if (put->outcome != InsertResult::kInserted) return Fail("put: the row was there already");
  if (again) {
    deleted_[place] = deleted_.back();
    deleted_.pop_back();
  }
  rows_[tid] = key;
  live_.push_back(tid);
  return true;
}

bool MixedWorker::Delete() {
  ++counts_->deletes;
  const std::size_t place = prng_.Below(1 + live_.size() / 8);
  const PackedTid tid = live_[place];
  const std::int32_t key = rows_[tid];
  const Value value = ValueOf(&key);
  const absl::StatusOr<bool> deleted = database_->Delete(&value, UnpackTid(tid));
  if (!deleted.ok()) return Fail(absl::StrCat("delete: ", deleted.status().ToString()));
  if (!*deleted) return Fail("delete: the row was not there");
  rows_.erase(tid);
  live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(place));
  deleted_.push_back(tid);
  return true;
}

// Each row of its own in the range must come exactly once, and everything in order.
bool MixedWorker::ScanRange() {
  ++counts_->scans;
  const std::int32_t from = WindowBegin() - static_cast<std::int32_t>(kWindow) +
                            static_cast<std::int32_t>(prng_.Below(std::uint64_t{2} * kWindow));
  const std::int32_t to = from + static_cast<std::int32_t>(prng_.Below(100));
  const bool backward = prng_.Below(2) == 0;
  ScanRequest request;
  request.lower.values.push_back(ValueOf(&from));
  request.upper.values.push_back(ValueOf(&to));
  request.backward = backward;
  const auto scan = database_->NewScan(std::move(request));
  if (!scan.ok()) return Fail(absl::StrCat("scan: ", scan.status().ToString()));
  std::map<PackedTid, std::int32_t> seen;
  std::pair<std::int32_t, PackedTid> last;
  for (bool first = true;; first = false) {
    const absl::StatusOr<bool> more = (*scan)->Next();
    if (!more.ok()) return Fail(absl::StrCat("scan: ", more.status().ToString()));
    if (!*more) break;
    ++counts_->rows_scanned;
    const std::pair row = {LoadLittleEndian<std::int32_t>((*scan)->values()[0].data),
                           PackTid((*scan)->tid())};
    if (!first && (backward ? !(row < last) : !(last < row))) return Fail("scan: out of order");
    last = row;
    if (UnpackTid(row.second).block / kBlocksOfTask == number_) seen[row.second] = row.first;
  }
  std::map<PackedTid, std::int32_t> expected;
  for (const auto& [tid, key] : rows_) {
    if (key >= from && key <= to) expected[tid] = key;
  }
  if (seen != expected) {
    return Fail(
        absl::StrCat("scan: ", seen.size(), " of its own rows, and there are ", expected.size()));
  }
  return true;
}

bool MixedWorker::Vacuum() {
  const absl::StatusOr<VacuumSummary> summary = database_->Vacuum();
  if (absl::IsFailedPrecondition(summary.status())) return true;  // another one runs
  if (!summary.ok()) return Fail(absl::StrCat("vacuum: ", summary.status().ToString()));
  ++counts_->vacuums;
  counts_->rows_vacuumed += summary->rows_removed;
  counts_->pages_deleted += summary->pages_deleted_now;
  return true;
}

}  // namespace tornleaf
