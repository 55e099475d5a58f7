#include "engine/wal/record/log_page.h"

#include <algorithm>

namespace tornleaf {
namespace wal {

namespace {

// What only a long header says.
bool IsOfShape(const LogShape& shape, ByteView bytes) {
  const std::uint64_t system = Load(bytes.data(), v15::kSystemIdentifier);
  return (shape.system_identifier == 0 || system == shape.system_identifier) &&
         Load(bytes.data(), v15::kSegmentBytes) == shape.segment_bytes &&
         Load(bytes.data(), v15::kPageBytes) == shape.page_bytes;
}

}  // namespace

Lsn LogShape::EndOf(Lsn start, std::uint32_t length) const {
  const std::uint32_t room = page_bytes - static_cast<std::uint32_t>(start % page_bytes);
  if (length <= room) return start + MaxAlign(length);
  Lsn page = PageOf(start) + page_bytes;
  std::uint32_t left = length - room;
  while (left > page_bytes - HeaderSize(page)) {
    left -= page_bytes - HeaderSize(page);
    page += page_bytes;
  }
  return page + HeaderSize(page) + MaxAlign(left);
}

void WritePageHeader(const LogShape& shape, Lsn page, std::uint32_t remaining,
                     std::uint8_t* bytes) {
  CHECK(page % shape.page_bytes == 0);
  const bool is_long = page % shape.segment_bytes == 0;
  const std::uint16_t flags =
      (remaining != 0 ? v15::kFirstIsContinuation : 0) | (is_long ? v15::kLongHeader : 0);
  Store(bytes, v15::kPageMagic, v15::kMagic);
  Store(bytes, v15::kPageInfo, flags);
  Store(bytes, v15::kPageTimeline, shape.timeline);
  Store(bytes, v15::kPageAddress, page);
  Store(bytes, v15::kRemaining, remaining);
  Store(bytes, v15::kPagePadding, std::uint32_t{0});
  if (!is_long) return;
  Store(bytes, v15::kSystemIdentifier, shape.system_identifier);
  Store(bytes, v15::kSegmentBytes, shape.segment_bytes);
  Store(bytes, v15::kPageBytes, shape.page_bytes);
}

PageHeaderError ReadPageHeader(const LogShape& shape, Lsn page, ByteView bytes,
                               LogPageHeader* header) {
  CHECK(bytes.size() >= v15::kLongPageHeaderSize);
  if (AllZero(bytes.first(v15::kPageHeaderSize))) return PageHeaderError::kZeros;
  if (Load(bytes.data(), v15::kPageMagic) != v15::kMagic) return PageHeaderError::kMagic;
  const std::uint16_t flags = Load(bytes.data(), v15::kPageInfo);
  if ((flags & ~v15::kKnownPageFlags) != 0) return PageHeaderError::kFlags;
  const bool is_long = (flags & v15::kLongHeader) != 0;
  if (is_long != (page % shape.segment_bytes == 0)) return PageHeaderError::kShape;
  if (is_long && !IsOfShape(shape, bytes)) return PageHeaderError::kShape;
  if (Load(bytes.data(), v15::kPageAddress) != page) return PageHeaderError::kAddress;
  header->timeline = Load(bytes.data(), v15::kPageTimeline);
  if (header->timeline < shape.timeline) return PageHeaderError::kTimeline;
  header->is_continuation = (flags & v15::kFirstIsContinuation) != 0;
  header->is_overwrite = (flags & v15::kFirstIsOverwrite) != 0;
  header->remaining = Load(bytes.data(), v15::kRemaining);
  header->size = is_long ? v15::kLongPageHeaderSize : v15::kPageHeaderSize;
  if (header->is_continuation != (header->remaining != 0)) return PageHeaderError::kRemaining;
  return PageHeaderError::kNone;
}

bool ReadShape(ByteView bytes, LogShape* shape) {
  if (bytes.size() < v15::kLongPageHeaderSize) return false;
  if (Load(bytes.data(), v15::kPageMagic) != v15::kMagic) return false;
  if ((Load(bytes.data(), v15::kPageInfo) & v15::kLongHeader) == 0) return false;
  shape->timeline = Load(bytes.data(), v15::kPageTimeline);
  shape->system_identifier = Load(bytes.data(), v15::kSystemIdentifier);
  shape->segment_bytes = Load(bytes.data(), v15::kSegmentBytes);
  shape->page_bytes = Load(bytes.data(), v15::kPageBytes);
  return v15::IsPageBytes(shape->page_bytes) &&
         v15::IsSegmentBytes(shape->segment_bytes, shape->page_bytes) &&
         Load(bytes.data(), v15::kPageAddress) % shape->segment_bytes == 0;
}

const char* PageHeaderErrorText(PageHeaderError error) {
  switch (error) {
    case PageHeaderError::kNone:
      return "sound";
    case PageHeaderError::kZeros:
      return "a page of zeros";
    case PageHeaderError::kMagic:
      return "no page of version 15";
    case PageHeaderError::kFlags:
      return "a page with unknown flags";
    case PageHeaderError::kShape:
      return "a page of another log";
    case PageHeaderError::kAddress:
      return "a page of another position";
    case PageHeaderError::kTimeline:
      return "a page of an earlier timeline";
    case PageHeaderError::kRemaining:
      return "a page whose flags and xlp_rem_len disagree";
  }
  return "";
}

}  // namespace wal
}  // namespace tornleaf
