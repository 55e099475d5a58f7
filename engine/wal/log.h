// The write-ahead log: records go in, and are durable after a flush.
//
// Files are segments named as PostgreSQL names them (timeline, then two words of the segment's
// number), in one folder. A record is found by its start; what a page carries, and what a flush
// waits for, is the position after its end.
//
// Group commit: one flush at a time writes and syncs everything that has been inserted when it
// begins; those who wait meanwhile are usually covered by the next one.

#ifndef TORNLEAF_ENGINE_WAL_LOG_H_
#define TORNLEAF_ENGINE_WAL_LOG_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/env/environment.h"
#include "engine/wal/record/record.h"

namespace tornleaf {

namespace wal {

struct LogOptions {
  std::string folder;                       // holds the segments; exists
  std::uint32_t segment_bytes = 16U << 20;  // a power of two; at least 4 log pages
  std::uint32_t page_bytes = 8192;          // of the log (XLOG_BLCKSZ); a power of two >= 512
  std::uint64_t system_identifier = 0;      // in every segment's first page header
  std::uint32_t timeline = 1;
  bool full_page_images = true;
  // What may wait in memory before it is written; grows for a record that is larger.
  std::uint32_t buffer_bytes = 4U << 20;
};

// Number of records by (resource manager, operation).
using RecordCounts = std::map<std::pair<std::uint8_t, std::uint8_t>, std::uint64_t>;

class Log {
 public:
  // Opens the log for writing at `end`: the position where the last valid record ends, as
  // LogReader found it. Bytes after it are of no further meaning; the page they lie in is
  // rewritten. `last_record` is the start of the record that ends there (the next one's xl_prev),
  // and `redo` where recovery would start now.
  //
  // A new log has `last_record` 0 and begins at the first start of a segment at or after `end`, but
  // not at 0: inserted() says where. A log that starts over existing relation files begins above
  // the highest LSN in them, which is then `end`: else the pages would look newer than the log.
  //
  // Before anything is inserted, all that follows `end` is removed and everything before it is
  // durable; so what a life before wrote behind `end` can never follow a new record.
  static absl::StatusOr<std::unique_ptr<Log>> Open(const Environment& environment,
                                                   const LogOptions& options, Lsn end,
                                                   Lsn last_record, Lsn redo);
  virtual ~Log() = default;

  // Adds a record and gives the position after its end: the LSN of the pages it changes. Adds the
  // image of each page that was last changed before the latest checkpoint's redo position, as
  // LogOptions and BlockFlags say.
  //
  // Never fails: pages have already been changed when it is called. If the log cannot be written
  // any more, status() says so, every later Flush() fails, and so does every write of a page (see
  // BufferPool), so that nothing of the change can become durable.
  Lsn Insert(const RecordDraft& draft) {
    Lsn start = 0;
    return Insert(draft, &start);
  }
  // The same, and says where the record starts: a checkpoint's is what the control file names.
  virtual Lsn Insert(const RecordDraft& draft, Lsn* start) = 0;

  // Makes everything up to `lsn` durable. After a failed write or sync it fails for ever: only
  // recovery knows what is on the disk. DataLoss if `lsn` is past the end of the log: the page that
  // bears it is not of this log.
  virtual absl::Status Flush(Lsn lsn) = 0;
  // Makes everything inserted so far durable.
  virtual absl::Status Sync() = 0;

  virtual absl::Status status() const = 0;
  virtual Lsn inserted() const = 0;  // after the last record
  virtual Lsn durable() const = 0;
  virtual Lsn redo() const = 0;
  // Where the next record will start: the redo position of a checkpoint that begins now. From this
  // call on, pages whose LSN is not behind it get an image with their first change.
  virtual Lsn BeginCheckpoint() = 0;
  // Start of the record inserted last.
  virtual Lsn last_record() const = 0;
  // Removes, or renames for later use, segments that end at or before `lsn`, a redo position that
  // the control file durably names. After an error the log has failed, as after one of a write.
  virtual absl::Status Recycle(Lsn lsn) = 0;

  // Whether the first hint on a page of this LSN since the last checkpoint needs an image, with
  // checksums on (XLOG_FPI_FOR_HINT).
  bool HintNeedsImage(Lsn page_lsn) const { return page_lsn <= redo(); }

  // Records inserted through this object. SWITCH is not among them: Insert() does not carry it out.
  virtual RecordCounts counts() const = 0;
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_LOG_H_
