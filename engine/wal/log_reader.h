// Reads a log, record after record, until it ends.
//
// A log has no end mark: it ends where the next record is not valid. What is there instead may be
// zeros, the torn rest of the last write, or records of an earlier use of a recycled file; page
// headers, xl_prev and the CRC tell. The same reader reads a server's log.

#ifndef TORNLEAF_ENGINE_WAL_LOG_READER_H_
#define TORNLEAF_ENGINE_WAL_LOG_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/wal/record/record.h"

namespace tornleaf {
namespace wal {

class LogReader {
 public:
  // Opens the log in `folder` and learns page and segment size, timeline and system identifier from
  // the segment that holds `start`, or from the first segment if `start` is 0; reading begins at
  // the first record that starts at or after `start`. NotFound if there is no such segment;
  // InvalidArgument if it is no log of version 15.
  static absl::StatusOr<std::unique_ptr<LogReader>> Open(Device* device, const std::string& folder,
                                                         Lsn start);
  ~LogReader();

  // Reads the next record; false at the end of the log, when end_reason() says why. Errors are the
  // device's.
  absl::StatusOr<bool> Next();

  // The record, valid until Next().
  const DecodedRecord& record() const { return record_; }
  ByteView bytes() const { return bytes_; }
  Lsn start() const { return start_; }  // of the record
  Lsn end() const { return end_; }      // after the record, MAXALIGNed: where the next may start

  // Where the log ends and why, such as "zeros", "CRC", "record of another position".
  const std::string& end_reason() const { return end_reason_; }

  std::uint32_t segment_bytes() const { return segment_bytes_; }
  std::uint32_t page_bytes() const { return page_bytes_; }
  std::uint64_t system_identifier() const { return system_identifier_; }
  std::uint32_t timeline() const { return timeline_; }

 private:
  LogReader(Device* device, std::string folder);

  Device* device_;
  std::string folder_;
  std::uint32_t segment_bytes_ = 0;
  std::uint32_t page_bytes_ = 0;
  std::uint64_t system_identifier_ = 0;
  std::uint32_t timeline_ = 0;
  Lsn start_ = 0;
  Lsn end_ = 0;
  DecodedRecord record_;
  std::vector<std::uint8_t> bytes_;
  std::string end_reason_;
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_LOG_READER_H_
