// Headers of log pages: see record_v15.h for their bytes.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_LOG_PAGE_H_
#define TORNLEAF_ENGINE_WAL_RECORD_LOG_PAGE_H_

#include <cstdint>

#include "engine/base/bytes.h"
#include "engine/base/finding.h"
#include "engine/wal/record/record_v15.h"

namespace tornleaf {
namespace wal {

// What is the same in all of a log.
struct LogShape {
  std::uint32_t page_bytes = 8192;
  std::uint32_t segment_bytes = 16U << 20;
  std::uint32_t timeline = 1;
  std::uint64_t system_identifier = 0;

  Lsn PageOf(Lsn lsn) const { return lsn - lsn % page_bytes; }
  std::uint64_t SegmentOf(Lsn lsn) const { return lsn / segment_bytes; }
  Lsn SegmentStart(std::uint64_t number) const { return number * segment_bytes; }
  // Bytes of the header of the page that begins at `page`.
  std::uint32_t HeaderSize(Lsn page) const {
    return page % segment_bytes == 0 ? v15::kLongPageHeaderSize : v15::kPageHeaderSize;
  }
  // Where a record starts if the one before ends at `end`.
  Lsn StartAfter(Lsn end) const { return end % page_bytes == 0 ? end + HeaderSize(end) : end; }
  // Where a record of `length` bytes ends that starts at `start`, MAXALIGNed.
  Lsn EndOf(Lsn start, std::uint32_t length) const;
};

// Writes the header of the page at `page`. `remaining`: bytes still to come of a record that began
// before it; 0 if none did.
void WritePageHeader(const LogShape& shape, Lsn page, std::uint32_t remaining, std::uint8_t* bytes);

enum class PageHeaderError : std::uint8_t {
  kNone,
  kZeros,  // the page is not in use yet
  kMagic,
  kFlags,
  kShape,    // another database, segment or page size, or the wrong kind of header
  kAddress,  // written for another place: a recycled segment
  kTimeline,
  kRemaining,
};
const char* PageHeaderErrorText(PageHeaderError error);

struct LogPageHeader {
  bool is_continuation = false;  // begins with the rest of a record
  bool is_overwrite = false;     // begins with an OVERWRITE_CONTRECORD instead
  std::uint32_t timeline = 0;
  std::uint32_t remaining = 0;
  std::uint32_t size = 0;  // of this header
};

// Reads the header of the page at `page`; at least kLongPageHeaderSize bytes. The timeline may be
// any from the shape's on; a system identifier of 0 in the shape fits all.
PageHeaderError ReadPageHeader(const LogShape& shape, Lsn page, ByteView bytes,
                               LogPageHeader* header);

// Learns the shape from the first bytes of a segment, whichever it is: its timeline, too. False if
// it begins with no sound long header of version 15.
bool ReadShape(ByteView bytes, LogShape* shape);

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_LOG_PAGE_H_
