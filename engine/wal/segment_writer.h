// Writes log segments: makes them, writes in them, hands old ones on.
//
// A segment is complete on the disk - all of its bytes, and its name - before the next one is
// touched. So what may be missing after a crash lies in one segment, and everything before it is
// durable.
//
// For one task at a time.

#ifndef TORNLEAF_ENGINE_WAL_SEGMENT_WRITER_H_
#define TORNLEAF_ENGINE_WAL_SEGMENT_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "engine/env/file.h"
#include "engine/wal/record/log_page.h"

namespace tornleaf {
namespace wal {

class SegmentWriter {
 public:
  SegmentWriter(Device* device, std::string folder, const LogShape& shape)
      : device_(device), folder_(std::move(folder)), shape_(shape) {}

  // Makes sure that the log ends at `end` and that all before it is durable: nothing of a life
  // before may ever follow a new record, even one that looks like its successor. See log.h. Reads
  // the page that `end` lies in, if it is not at its beginning.
  absl::Status CutAt(Lsn end, MutableBytes last_page);

  // Writes at `at`, across segments where need be; makes those that are missing.
  absl::Status Write(Lsn at, ByteView bytes);
  // Makes all that was written durable.
  absl::Status Sync();
  // Hands on segments that end at or before `lsn`: renames as many as are likely to be needed, and
  // removes the others.
  absl::Status Recycle(Lsn lsn);

 private:
  std::string PathOf(std::uint64_t number) const;
  absl::Status RemoveFrom(std::uint64_t number);
  absl::Status RewriteUpTo(Lsn end);
  absl::Status Use(std::uint64_t number);
  absl::Status Make(std::uint64_t number);

  Device* device_;
  std::string folder_;
  LogShape shape_;
  std::unique_ptr<File> file_;  // the segment that is written, or none yet
  std::uint64_t number_ = 0;
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_SEGMENT_WRITER_H_
