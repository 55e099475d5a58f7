// An index in a directory: the public interface of the engine.
//
//   DIR/index, index.1 ...   the B-tree, in PostgreSQL's format, to the byte
//   DIR/dead_rows            addresses of deleted rows that still have index entries
//   DIR/wal/                 the log, segments named as PostgreSQL names them
//   DIR/control              where recovery starts (wal/record/control_v1.h)
//   DIR/schema               the schema, as text
//
// Operations return when they are in the log's memory; Sync() makes everything before it durable.
// A process that dies, at any instant, loses at most what was not synced, as a suffix. All
// operations may be called by many tasks at once.
//
// After an error of the environment that leaves the log or a file in doubt (a failed sync, a failed
// log write) every operation fails with FailedPrecondition: nothing is acknowledged until the
// database has been opened again, which recovers it.

#ifndef TORNLEAF_ENGINE_DB_DATABASE_H_
#define TORNLEAF_ENGINE_DB_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/key/schema.h"
#include "engine/tree/insert.h"
#include "engine/tree/redo.h"
#include "engine/tree/scan.h"
#include "engine/tree/vacuum.h"

namespace tornleaf {

// What is fixed when a database is made.
struct DatabaseFormat {
  std::uint32_t page_size = 8192;
  bool checksums = true;
  bool full_page_images = true;
  std::uint32_t log_segment_bytes = 16U << 20;
  std::uint32_t log_page_bytes = 8192;
  std::uint64_t relation_segment_bytes = kSegmentBytes;
};

// What may change from one start to the next.
struct DatabaseOptions {
  std::uint32_t frames = 16384;                    // pages in memory, at least 8
  std::uint64_t checkpoint_distance = 256U << 20;  // bytes of log after which a checkpoint is made
  TreeOptions tree;
};

class Database {
 public:
  // Makes a database in `directory`, which may exist if it is empty. With `from`, the index starts
  // as a copy of that index file (version 4), and the log above the highest LSN in it. A crash
  // leaves either a whole database or a directory that Open() refuses as unfinished.
  static absl::Status Create(const Environment& environment, const std::string& directory,
                             const Schema& schema, const DatabaseFormat& format,
                             const std::string& from = "");
  // Opens it and recovers if it was not closed in order. FailedPrecondition if another process has
  // it open.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const Environment& environment,
                                                        const std::string& directory,
                                                        const DatabaseOptions& options);
  ~Database();  // without a checkpoint: the next Open() recovers

  // Checkpoints and marks the database as closed in order.
  absl::Status Close();

  // Adds a row: every column of the schema, and its address. A pair that is already there is done
  // (kAlreadyThere). FailedPrecondition if the address is of a deleted row that VACUUM has not
  // cleared yet. Unique schemas: kConflict.
  absl::StatusOr<InsertResult> Put(const Value* values, ItemPointer tid);
  // Deletes a row: its key columns and its address. False if it is not there.
  absl::StatusOr<bool> Delete(const Value* key, ItemPointer tid);
  // The addresses of the live rows whose leading `count` columns equal these.
  absl::StatusOr<std::vector<ItemPointer>> Get(const Value* key, std::uint32_t count);
  std::unique_ptr<Scan> NewScan(ScanRequest request);
  absl::StatusOr<std::uint64_t> Count();
  absl::StatusOr<VacuumSummary> Vacuum(std::function<void(BlockNumber, BlockNumber)> progress = {});
  absl::Status Checkpoint();
  // Makes everything that returned before this call durable, and gives the log's position.
  absl::StatusOr<Lsn> Sync();

  const Schema& schema() const;
  Tree* tree();
  wal::Log* log();
  // What the opening replayed; nothing after a clean close.
  const RedoSummary& recovery() const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_DATABASE_H_
