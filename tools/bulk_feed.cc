#include "tools/bulk_feed.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace tornleaf {

namespace {

// Enough that tasks seldom meet at the reader, few enough that an interrupt is soon noticed.
constexpr std::size_t kBatchRows = 256;

}  // namespace

BulkFeed::BulkFeed(Executor* executor, const BulkJob& job)
    : executor_(executor),
      job_(job),
      reader_latch_(executor->NewLatch("reader")),
      latch_(executor->NewLatch("feed")) {}

BulkResult BulkFeed::Run() {
  std::vector<std::unique_ptr<Task>> others;
  for (std::uint32_t task = 1; task < job_.tasks; ++task) {
    others.push_back(executor_->Spawn("feed", [this] { Work(); }));
  }
  Work();
  for (const std::unique_ptr<Task>& task : others) task->Join();
  const absl::Status status = SyncPrefix();
  // What could not be made durable outweighs any row.
  if (!status.ok()) {
    result_.status = status;
    result_.line = 0;
  }
  result_.rows = synced_;
  return result_;
}

void BulkFeed::Work() {
  RowBatch batch;
  while (Take(&batch)) {
    Done(batch, Apply(batch));
    SyncIfDue();
  }
}

// Batches are taken in the order of the input, and whoever has taken one finishes it: when a row
// fails, all rows before it are done.
bool BulkFeed::Take(RowBatch* batch) {
  const std::lock_guard<Latch> hold_reader(*reader_latch_);
  {
    const std::lock_guard<Latch> hold(*latch_);
    if (ended_) return false;
    if (job_.interrupted()) {
      result_.interrupted = true;
      ended_ = true;
      return false;
    }
    batch->Clear(job_.schema->attribute_count(), rows_taken_);
  }
  absl::StatusOr<bool> more = true;
  // No batch is longer than what a sync is to cover.
  const std::size_t limit = std::min<std::uint64_t>(kBatchRows, job_.sync_every);
  while (batch->size() < limit) {
    more = job_.reader->Next();
    if (!more.ok() || !*more) break;
    batch->Add(job_.reader->values(), job_.reader->tid(), job_.reader->line_number());
  }
  batch->Finish();
  const std::lock_guard<Latch> hold(*latch_);
  rows_taken_ += batch->size();
  if (more.ok()) {
    ended_ = ended_ || !*more;
  } else if (absl::IsCancelled(more.status())) {
    result_.interrupted = true;
    ended_ = true;
  } else {
    // The message of a line that cannot be read names the line itself; it comes behind all rows
    // that could.
    Fail(more.status(), 0);
  }
  return batch->size() != 0;
}

std::uint64_t BulkFeed::Apply(const RowBatch& batch) {
  std::uint64_t changed = 0;
  std::uint64_t rows = 0;
  for (; rows < batch.size(); ++rows) {
    const absl::StatusOr<bool> applied = job_.apply(batch.values(rows), batch.tid(rows));
    if (!applied.ok()) {
      const std::lock_guard<Latch> hold(*latch_);
      Fail(applied.status(), batch.line(rows));
      break;
    }
    if (*applied) ++changed;
  }
  const std::lock_guard<Latch> hold(*latch_);
  result_.changed += changed;
  result_.unchanged += rows - changed;
  return rows;
}

// A row that fails leaves a gap behind which nothing is covered.
void BulkFeed::Done(const RowBatch& batch, std::uint64_t rows) {
  const std::lock_guard<Latch> hold(*latch_);
  if (rows != 0) done_.emplace(batch.first_row(), batch.first_row() + rows);
  while (!done_.empty() && done_.begin()->first == prefix_) {
    prefix_ = done_.begin()->second;
    done_.erase(done_.begin());
  }
}

void BulkFeed::SyncIfDue() {
  {
    const std::lock_guard<Latch> hold(*latch_);
    if (syncing_ || prefix_ - synced_ < job_.sync_every) return;
    syncing_ = true;
  }
  const absl::Status status = SyncPrefix();
  const std::lock_guard<Latch> hold(*latch_);
  syncing_ = false;
  if (!status.ok()) Fail(status, 0);
}

// One at a time.
absl::Status BulkFeed::SyncPrefix() {
  std::uint64_t rows = 0;
  {
    const std::lock_guard<Latch> hold(*latch_);
    rows = prefix_;
  }
  const absl::Status status = job_.sync();
  if (!status.ok()) return status;
  {
    const std::lock_guard<Latch> hold(*latch_);
    if (rows == synced_) return absl::OkStatus();
    synced_ = rows;
  }
  job_.durable(rows);
  return absl::OkStatus();
}

// `latch_` is held. The error of the first line stays; one without a line only if there is no
// other.
void BulkFeed::Fail(const absl::Status& status, std::uint64_t line) {
  ended_ = true;
  const bool first =
      result_.status.ok() || (line != 0 && (result_.line == 0 || line < result_.line));
  if (!first) return;
  result_.status = status;
  result_.line = line;
}

}  // namespace tornleaf
