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
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/wal/record/log_page.h"
#include "engine/wal/record/record.h"

namespace tornleaf {
namespace wal {

class LogReader {
 public:
  // Opens the log in `folder` and learns page and segment size and system identifier from its
  // segments. Reading begins at the first record that starts at or after `start`, which 0 makes the
  // start of the first segment that is in use; of several timelines the highest that has the
  // segment. NotFound if there is no such segment; InvalidArgument if there is no log of
  // version 15.
  static absl::StatusOr<std::unique_ptr<LogReader>> Open(Device* device, const std::string& folder,
                                                         Lsn start);

  // Reads the next record; false at the end of the log, when end_reason() says why. Errors are the
  // device's.
  absl::StatusOr<bool> Next();

  // The record, valid until Next().
  const DecodedRecord& record() const { return record_; }
  ByteView bytes() const { return bytes_; }
  // Where the record starts, and where it ends, MAXALIGNed: what Log::Open wants of the last one.
  // They stay when Next() is false. Before the first record, 0 and where that was looked for.
  Lsn start() const { return start_; }
  Lsn end() const { return end_; }

  // After the end: the first segment behind it that holds what its name says, or 0. The writer
  // begins a segment only when the one before is durable, so that there is none behind a torn tail:
  // the log has lost a part, and does not end here.
  absl::StatusOr<Lsn> FindLogBehindEnd() const;

  // Where the log ends and why, such as "1/2A3B4C8: zeros".
  const std::string& end_reason() const { return end_reason_; }

  std::uint32_t segment_bytes() const { return shape_.segment_bytes; }
  std::uint32_t page_bytes() const { return shape_.page_bytes; }
  std::uint64_t system_identifier() const { return shape_.system_identifier; }
  std::uint32_t timeline() const { return shape_.timeline; }

 private:
  LogReader(Device* device, std::string folder, const LogShape& shape)
      : device_(device), folder_(std::move(folder)), shape_(shape) {}

  absl::Status Find(Lsn start);
  absl::StatusOr<bool> ReadFrom(Lsn position);
  absl::StatusOr<bool> Assemble(Lsn begin, std::uint32_t length);
  absl::StatusOr<bool> LoadPage(Lsn page);
  absl::StatusOr<bool> OpenSegment(std::uint64_t number);
  bool Accept(Lsn begin);
  bool EndBecause(Lsn where, std::string_view reason);

  Device* device_;
  std::string folder_;
  LogShape shape_;

  std::unique_ptr<File> file_;  // the segment that holds page_, or none yet
  std::uint64_t file_number_ = 0;
  std::vector<std::uint8_t> page_;
  Lsn furthest_page_ = 0;  // the highest that was looked for
  static constexpr Lsn kNoPage = UINT64_MAX;
  Lsn page_lsn_ = kNoPage;
  LogPageHeader header_;

  Lsn start_ = 0;
  Lsn end_ = 0;
  bool is_chained_ = false;  // a record has been read, so that xl_prev must name it
  bool is_pending_ = false;  // the record has been read ahead: Next() gives it
  bool has_ended_ = false;
  Lsn lost_record_ = 0;  // where a record began whose rest was overwritten; 0: none
  DecodedRecord record_;
  std::vector<std::uint8_t> bytes_;
  std::string end_reason_;
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_LOG_READER_H_
