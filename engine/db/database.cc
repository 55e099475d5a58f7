#include "engine/db/database.h"

#include <mutex>
#include <utility>

#include "engine/base/mark.h"
#include "engine/db/state.h"

namespace tornleaf {

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::~Database() = default;

const Schema& Database::schema() const { return state_->schema; }
const DatabaseFormat& Database::format() const { return state_->format; }
std::size_t Database::deleted_rows() const { return state_->dead_rows->size(); }
bool Database::IsDeleted(ItemPointer tid) const { return state_->dead_rows->IsDead(tid); }
Tree* Database::tree() { return state_->tree.get(); }
wal::Log* Database::log() { return state_->log.get(); }
PoolStatistics Database::pool_statistics() const { return state_->pool->statistics(); }
const RedoSummary& Database::recovery() const { return state_->recovery; }

absl::StatusOr<InsertResult> Database::Put(const Value* values, ItemPointer tid) {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  if (state_->dead_rows->IsDead(tid)) {
    return absl::FailedPreconditionError("the address is that of a deleted row; VACUUM frees it");
  }
  InsertRequest request;
  request.values = values;
  request.tid = tid;
  request.unique = state_->schema.unique() ? UniqueCheck::kEnforce : UniqueCheck::kNone;
  const absl::StatusOr<InsertResult> result = Insert(state_->tree.get(), request);
  state_->CheckpointIfDue();
  return result;
}

absl::StatusOr<bool> Database::Delete(const Value* key, ItemPointer tid) {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  absl::StatusOr<bool> deleted = false;
  {
    // While its page is held, no VACUUM removes the entry, so that the address cannot be another
    // row's by the time it is recorded.
    const absl::StatusOr<PageRef> held = state_->HoldRow(key, tid);
    if (!held.ok()) return held.status();
    if (held->valid()) deleted = state_->dead_rows->Add(tid);
  }
  state_->CheckpointIfDue();
  return deleted;
}

absl::StatusOr<std::vector<ItemPointer>> Database::Get(const Value* key, std::uint32_t count) {
  absl::Status status = state_->Usable();
  std::vector<ItemPointer> tids;
  if (status.ok()) status = Lookup(state_->tree.get(), key, count, &tids);
  if (!status.ok()) return status;
  return tids;
}

absl::StatusOr<std::unique_ptr<Scan>> Database::NewScan(ScanRequest request) {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  return std::make_unique<Scan>(state_->tree.get(), std::move(request));
}

absl::StatusOr<std::uint64_t> Database::Count() {
  ScanRequest request;
  request.with_values = false;
  const absl::StatusOr<std::unique_ptr<Scan>> scan = NewScan(std::move(request));
  if (!scan.ok()) return scan.status();
  return (*scan)->CountRest();
}

absl::StatusOr<VacuumSummary> Database::Vacuum(
    std::function<void(BlockNumber, BlockNumber)> progress) {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  const std::unique_lock<Latch> hold(*state_->vacuum_latch, std::try_to_lock);
  if (!hold.owns_lock()) {
    MARK("database.vacuum_while_running");
    return absl::FailedPreconditionError("another VACUUM is running");
  }
  const absl::StatusOr<DeadRows::Batch> batch = state_->dead_rows->Seal();
  if (!batch.ok()) return batch.status();
  VacuumRequest request;
  request.is_dead = [&](ItemPointer tid) { return batch->Contains(tid); };
  request.progress = [&](BlockNumber done, BlockNumber total) {
    state_->CheckpointIfDue();
    if (progress) progress(done, total);
  };
  absl::StatusOr<VacuumSummary> summary = tornleaf::Vacuum(state_->tree.get(), request);
  if (!summary.ok()) return summary;
  const absl::Status cleared = state_->dead_rows->Clear(*batch);
  if (!cleared.ok()) return cleared;
  state_->CheckpointIfDue();
  return summary;
}

absl::Status Database::Checkpoint() {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  const absl::Status status = state_->checkpointer->Run(Checkpointer::Kind::kOnline);
  return status.ok() ? status : state_->Fail(status);
}

absl::StatusOr<Lsn> Database::Sync() {
  const absl::Status usable = state_->Usable();
  if (!usable.ok()) return usable;
  const absl::Status status = state_->log->Sync();
  if (!status.ok()) return state_->Fail(status);
  return state_->log->durable();
}

absl::Status Database::Close() {
  absl::Status status = state_->Usable();
  if (!status.ok()) return status;
  if (!state_->checkpointer->clean()) {
    status = state_->checkpointer->Run(Checkpointer::Kind::kShutdown);
    if (!status.ok()) return state_->Fail(status);
  }
  state_->StoreFreePages();
  state_->Stop(absl::FailedPreconditionError("the database has been closed"));
  state_->lock.reset();
  return absl::OkStatus();
}

}  // namespace tornleaf
