// Many rows into a database: several tasks, a sync now and then, and what is durable by then.
//
// Each task takes some rows from the reader at a time. "Durable N" always means the first N rows of
// the input, whatever the other tasks have done beyond them.

#ifndef TORNLEAF_TOOLS_BULK_FEED_H_
#define TORNLEAF_TOOLS_BULK_FEED_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/build/row_text.h"
#include "engine/env/executor.h"
#include "tools/row_batch.h"

namespace tornleaf {

struct BulkJob {
  const Schema* schema = nullptr;
  RowReader* reader = nullptr;
  // Does one row: whether that changed anything. Called by several tasks at once.
  std::function<absl::StatusOr<bool>(const Value* values, ItemPointer tid)> apply;
  // Makes everything that apply() has returned from durable.
  std::function<absl::Status()> sync;
  // The first `rows` rows of the input are durable. One call at a time, `rows` never falls.
  std::function<void(std::uint64_t rows)> durable;
  std::function<bool()> interrupted;  // whether to end early

  std::uint64_t sync_every = 10000;  // rows
  std::uint32_t tasks = 1;
};

struct BulkResult {
  std::uint64_t rows = 0;  // of the input that were done from its begin on, and are durable
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0;
  bool interrupted = false;
  absl::Status status;     // the first error by line
  std::uint64_t line = 0;  // where; 0: of no line
};

class BulkFeed {
 public:
  // `job` and what it names outlive the feed.
  BulkFeed(Executor* executor, const BulkJob& job);

  // Goes through the input to its end or the first error, and syncs what was done. A row that fails
  // does not keep rows of other tasks from being done.
  BulkResult Run();

 private:
  void Work();
  bool Take(RowBatch* batch);
  // Applies rows up to one that fails, and gives how many were done.
  std::uint64_t Apply(const RowBatch& batch);
  void Done(const RowBatch& batch, std::uint64_t rows);
  void SyncIfDue();
  absl::Status SyncPrefix();
  void Fail(const absl::Status& status, std::uint64_t line);

  Executor* executor_;
  const BulkJob& job_;
  std::unique_ptr<Latch> reader_latch_;
  std::unique_ptr<Latch> latch_;  // of everything below
  bool ended_ = false;
  std::uint64_t rows_taken_ = 0;
  std::map<std::uint64_t, std::uint64_t> done_;  // begin to end, in rows, behind the prefix
  std::uint64_t prefix_ = 0;                     // rows done without a gap
  std::uint64_t synced_ = 0;
  bool syncing_ = false;
  BulkResult result_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_BULK_FEED_H_
