// What stands behind a Database: its parts, in the order in which they are made.

#ifndef TORNLEAF_ENGINE_DB_STATE_H_
#define TORNLEAF_ENGINE_DB_STATE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "engine/db/checkpointer.h"
#include "engine/db/control_file.h"
#include "engine/db/database.h"
#include "engine/db/index_copy.h"
#include "engine/db/layout.h"
#include "engine/db/recovery.h"
#include "engine/db/schema_file.h"
#include "engine/store/relation.h"
#include "engine/store/relation_file.h"
#include "engine/tree/dead_rows.h"

namespace tornleaf {

struct Database::State {
  State(const Environment& environment, Layout layout, SchemaFile schema_file,
        const DatabaseOptions& options);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Opens the relations and puts a pool over them. With `create`, those that are missing are made;
  // else they are damage.
  absl::Status OpenRelations(const wal::ControlData& data, bool create);
  // Opens the log for writing where the last record ends, and puts tree and dead rows over it.
  absl::Status StartLog(const wal::ControlData& data, const Recovered& recovered, Lsn redo);

  // Opens what the control file names, recovers it, and checkpoints if there was anything to
  // replay.
  absl::Status Start();

  // Between the map and its file, which is a hint: nothing fails for it.
  void LoadFreePages();
  void StoreFreePages();

  // Makes everything beside the schema file: relations, log, and at last the control file under its
  // name. `source` may be null; `survey` is of it.
  absl::Status Make(const wal::ControlData& first, RelationFile* source,
                    const SourceSurvey& survey);
  absl::Status Finish();

  // OK, or why nothing more is done: FailedPrecondition.
  absl::Status Usable() const;
  // Remembers an error that leaves files in doubt, and gives it back: nothing more is done from
  // here on.
  absl::Status Fail(const absl::Status& status);
  // Every later operation fails with this reason; the first one counts.
  void Stop(const absl::Status& reason);
  // Makes the checkpoint that is due, if one is. Its failure is remembered and met by whoever comes
  // next: the operation that called has been done.
  void CheckpointIfDue();

  // The page of an entry of this row, held shared, so that no VACUUM takes it away; an invalid
  // PageRef if there is none.
  absl::StatusOr<PageRef> HoldRow(const Value* key, ItemPointer tid);

  Environment environment;
  Layout layout;
  Schema schema;
  DatabaseFormat format;
  DatabaseOptions options;

  std::unique_ptr<DeviceLock> lock;
  std::unique_ptr<ControlFile> control;
  std::unique_ptr<Relation> index_file;
  std::unique_ptr<Relation> dead_rows_file;
  TreePageGuard index_guard;
  DeadRowsPageGuard dead_rows_guard;
  std::unique_ptr<wal::Log> log;
  std::unique_ptr<BufferPool> pool;
  PooledRelation* index = nullptr;
  PooledRelation* dead_rows_pages = nullptr;
  std::unique_ptr<Transactions> transactions;
  FreeSpaceMap free_pages;
  std::vector<BlockNumber> stored_free_pages;  // what their file holds
  std::unique_ptr<DeadRows> dead_rows;
  std::unique_ptr<Tree> tree;
  std::unique_ptr<Checkpointer> checkpointer;
  RedoSummary recovery;

  std::unique_ptr<Latch> vacuum_latch;
  std::unique_ptr<Latch> failure_latch;
  std::atomic<bool> stopped{false};
  absl::Status failure;  // why; set once, under failure_latch, before `stopped`
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_STATE_H_
