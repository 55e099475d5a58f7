#include "engine/db/checkpointer.h"

#include <mutex>
#include <vector>

#include "engine/base/mark.h"
#include "engine/wal/record/xlog_records.h"

namespace tornleaf {

Checkpointer::Checkpointer(const Parts& parts)
    : parts_(parts), latch_(parts.environment.executor->NewLatch("checkpoint")) {}

absl::Status Checkpointer::Run(Kind kind) {
  const std::lock_guard<Latch> hold(*latch_);
  return RunHeld(kind);
}

absl::Status Checkpointer::RunIfDue(std::uint64_t distance) {
  const auto is_due = [&] { return parts_.log->inserted() - parts_.log->redo() >= distance; };
  if (!is_due()) return absl::OkStatus();
  const std::unique_lock<Latch> hold(*latch_, std::try_to_lock);
  if (!hold.owns_lock()) {
    MARK("checkpoint.due_while_running");
    return absl::OkStatus();
  }
  // The one that was running a moment ago may have been the one that was due.
  return is_due() ? RunHeld(Kind::kOnline) : absl::OkStatus();
}

bool Checkpointer::clean() const {
  return parts_.control->data().clean &&
         parts_.log->last_record() == parts_.control->data().checkpoint;
}

absl::Status Checkpointer::RunHeld(Kind kind) {
  wal::ControlData control = parts_.control->data();
  control.clean = kind == Kind::kShutdown;
  control.redo = parts_.log->BeginCheckpoint();
  // Ids taken from here on are in records behind the redo position.
  control.next_xid = parts_.transactions->next();
  // Before the sync that makes them durable: what is added meanwhile may be lost again.
  control.index_pages = BufferPool::block_count(parts_.index);
  control.dead_rows_pages = BufferPool::block_count(parts_.dead_rows);
  absl::Status status = parts_.pool->WriteAll();
  if (!status.ok()) return status;

  wal::CheckpointRecord record;
  record.redo = control.redo;
  record.full_page_images = control.full_page_images;
  record.next_xid = control.next_xid;
  record.unix_seconds = parts_.environment.clock->UnixSeconds();
  std::vector<std::uint8_t> bytes;
  record.Encode(&bytes);
  wal::RecordDraft draft;
  draft.manager = wal::ResourceManager::kXlog;
  draft.info = control.clean ? wal::kCheckpointShutdown : wal::kCheckpointOnline;
  draft.main_data.push_back(bytes);
  const Lsn end = parts_.log->Insert(draft, &control.checkpoint);
  status = parts_.log->Flush(end);
  if (!status.ok()) return status;

  // The older copy of the control file stays of use if the newer one is lost: its log is kept.
  const Lsn older_redo = parts_.control->data().redo;
  status = parts_.control->Write(control);
  if (!status.ok()) return status;
  return parts_.log->Recycle(older_redo);
}

}  // namespace tornleaf
