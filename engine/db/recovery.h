// Recovery: brings the files of a database to the state that the log describes.

#ifndef TORNLEAF_ENGINE_DB_RECOVERY_H_
#define TORNLEAF_ENGINE_DB_RECOVERY_H_

#include "absl/status/statusor.h"
#include "engine/db/layout.h"
#include "engine/env/file.h"
#include "engine/store/buffer_pool.h"
#include "engine/tree/redo.h"
#include "engine/wal/record/control_v1.h"

namespace tornleaf {

struct Recovered {
  Lsn end = 0;          // after the last record
  Lsn last_record = 0;  // its start
  FullXid next_xid = kFirstXid;
  bool replayed = false;  // there were records after the checkpoint's, or between it and its redo
  RedoSummary summary;
};

// What recovery changes: pages in a pool without a log, since the log that they obey is being read.
struct RecoveryPool {
  BufferPool* pool = nullptr;
  PooledRelation* index = nullptr;
  PooledRelation* dead_rows = nullptr;
};

// Finds the end of the log, makes the log durable up to there, since pages are about to be written
// that obey records which only the system's cache may have, and applies every record. Doing it
// again, from the files as they were or as a crash within it left them, gives the same pages.
//
// DataLoss, one line each: a segment is missing, the log ends before the checkpoint's record, it is
// another database's, or a record cannot be applied.
absl::StatusOr<Recovered> Recover(Device* device, const Layout& layout,
                                  const wal::ControlData& control, const RecoveryPool& pages);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_RECOVERY_H_
