// An index in a directory: the public interface of the engine.
//
//   DIR/index, index.1 ...   the B-tree, in PostgreSQL's format, to the byte
//   DIR/dead_rows            addresses of deleted rows that still have index entries
//   DIR/free_pages           pages of the index that may be used again: a hint
//   DIR/wal/                 the log, segments named as PostgreSQL names them
//   DIR/control              where recovery starts (wal/record/control_v1.h)
//   DIR/schema               the schema, as text, and how full leaves get
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
  std::uint64_t relation_segment_bytes = kSegmentBytes;  // a multiple of 32 KiB
  TreeOptions tree;
};

// What may change from one start to the next.
struct DatabaseOptions {
  std::uint32_t frames = 16384;                    // pages in memory, at least 8
  std::uint64_t checkpoint_distance = 256U << 20;  // bytes of log after which a checkpoint is made
};

class Database {
 public:
  // Makes a database in `directory`, which may exist if it is empty; then it is durable. With
  // `from`, the index starts as a copy of that index file (version 4, all segments), whose page
  // size counts, and the log above the highest LSN in it; rows that are marked dead in it are
  // deleted rows here. A crash leaves either a whole database or a directory that Open() refuses as
  // unfinished.
  //
  // InvalidArgument for a format that cannot be, a schema whose order is not known here (libc
  // collations) and a file that is no index of that schema; DataLoss if that file is damaged;
  // AlreadyExists if the directory holds anything.
  static absl::Status Create(const Environment& environment, const std::string& directory,
                             const Schema& schema, const DatabaseFormat& format,
                             const std::string& from = "");
  // Opens it and recovers if it was not closed in order. FailedPrecondition if another process has
  // it open or its making was cut short; NotFound if there is none; DataLoss, in one line, if a
  // file is missing or damaged, or the log does not reach as far as it must.
  static absl::StatusOr<std::unique_ptr<Database>> Open(const Environment& environment,
                                                        const std::string& directory,
                                                        const DatabaseOptions& options);
  ~Database();  // without a checkpoint: the next Open() recovers

  // Checkpoints and marks the database as closed in order; nothing else may run. Every later call
  // fails with FailedPrecondition.
  absl::Status Close();

  // Adds a row: every column of the schema, and its address, which belongs to one row only. A pair
  // that is already there is done (kAlreadyThere). FailedPrecondition if the address is of a
  // deleted row that VACUUM has not cleared yet. Unique schemas: kConflict.
  absl::StatusOr<InsertResult> Put(const Value* values, ItemPointer tid);
  // Deletes a row: its key columns and its address. False if it is not there, or deleted already.
  absl::StatusOr<bool> Delete(const Value* key, ItemPointer tid);
  // The addresses of the live rows whose leading `count` columns equal these.
  absl::StatusOr<std::vector<ItemPointer>> Get(const Value* key, std::uint32_t count);
  // The scan ends before the database does. Values in the bounds outlive it.
  absl::StatusOr<std::unique_ptr<Scan>> NewScan(ScanRequest request);
  absl::StatusOr<std::uint64_t> Count();
  // Removes the entries of deleted rows, whose addresses may be used again afterwards. One at a
  // time: FailedPrecondition while another one runs. `progress`: pages done, pages in the index.
  absl::StatusOr<VacuumSummary> Vacuum(std::function<void(BlockNumber, BlockNumber)> progress = {});
  absl::Status Checkpoint();
  // Makes everything that returned before this call durable, and gives the log's position.
  absl::StatusOr<Lsn> Sync();

  const Schema& schema() const;
  const DatabaseFormat& format() const;
  // Deleted rows that VACUUM has not cleared yet, and whether this is one.
  std::size_t deleted_rows() const;
  bool IsDeleted(ItemPointer tid) const;
  Tree* tree();
  wal::Log* log();
  PoolStatistics pool_statistics() const;
  // What the opening replayed; nothing after a clean close.
  const RedoSummary& recovery() const;

 private:
  struct State;
  explicit Database(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_DB_DATABASE_H_
