#include "engine/wal/log_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/wal/record/xlog_records.h"
#include "engine/wal/segment.h"

namespace tornleaf {
namespace wal {

namespace {

// The beginning of a segment file: as much as there is of a long header.
absl::StatusOr<std::vector<std::uint8_t>> ReadBeginning(Device* device, const std::string& path) {
  const absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kRead);
  if (!file.ok()) return file.status();
  std::vector<std::uint8_t> bytes(v15::kLongPageHeaderSize);
  const absl::StatusOr<std::size_t> read = ReadFully(file->get(), 0, bytes);
  if (!read.ok()) return read.status();
  bytes.resize(*read);
  return bytes;
}

// Where a reader begins, and what it reads.
struct Origin {
  LogShape shape;
  Lsn start = 0;
  bool is_found = false;
};

// The first segment that holds what its name says.
absl::StatusOr<Origin> FindFirstSegment(Device* device, const std::string& folder,
                                        const std::vector<std::string>& names) {
  Origin origin;
  for (const std::string& name : names) {
    const auto bytes = ReadBeginning(device, absl::StrCat(folder, "/", name));
    if (!bytes.ok()) return bytes.status();
    LogShape shape;
    SegmentId id;
    LogPageHeader header;
    if (!ReadShape(*bytes, &shape)) continue;
    if (!ParseSegmentName(name, shape.segment_bytes, &id)) continue;
    const Lsn start = shape.SegmentStart(id.number);
    if (ReadPageHeader(shape, start, *bytes, &header) != PageHeaderError::kNone) continue;
    shape.timeline = id.timeline;
    return Origin{shape, start, true};
  }
  return origin;
}

// The segment of `start`; what it looks like may be known only from another one.
absl::StatusOr<Origin> FindSegmentOf(Device* device, const std::string& folder,
                                     const std::vector<std::string>& names, Lsn start) {
  Origin origin;
  LogShape shape;
  bool has_shape = false;
  for (std::size_t index = 0; index < names.size() && !has_shape; ++index) {
    const auto bytes = ReadBeginning(device, absl::StrCat(folder, "/", names[index]));
    if (!bytes.ok()) return bytes.status();
    has_shape = ReadShape(*bytes, &shape);
  }
  if (!has_shape) return origin;
  for (const std::string& name : names) {
    SegmentId id;
    if (!ParseSegmentName(name, shape.segment_bytes, &id)) continue;
    if (id.number != shape.SegmentOf(start)) continue;
    shape.timeline = id.timeline;  // names ascend, so the highest one stays
    origin.is_found = true;
  }
  if (!origin.is_found) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": no segment holds position ", LsnText(start)));
  }
  origin.shape = shape;
  origin.start = start;
  return origin;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LogReader>> LogReader::Open(Device* device,
                                                           const std::string& folder, Lsn start) {
  absl::StatusOr<std::vector<std::string>> names = device->List(folder);
  if (absl::IsFailedPrecondition(names.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat(names.status().message(), "; name the folder of the log's segments"));
  }
  if (!names.ok()) return names.status();
  std::erase_if(*names, [](const std::string& name) { return !IsSegmentName(name); });
  if (names->empty()) {
    return absl::NotFoundError(absl::StrCat(
        folder, ": no log segments; a database has them in its folder wal, a server in pg_wal"));
  }
  const absl::StatusOr<Origin> origin = start == 0 ? FindFirstSegment(device, folder, *names)
                                                   : FindSegmentOf(device, folder, *names, start);
  if (!origin.ok()) return origin.status();
  if (!origin->is_found) {
    return absl::InvalidArgumentError(absl::StrCat(folder, ": no log of PostgreSQL 15"));
  }
  std::unique_ptr<LogReader> reader(new LogReader(device, folder, origin->shape));
  if (absl::Status status = reader->Find(origin->start); !status.ok()) return status;
  return reader;
}

// Reads ahead to the first record at or after `start`.
absl::Status LogReader::Find(Lsn start) {
  end_ = start;
  // The first record boundary on the page, or on the one where a record ends that goes on here.
  Lsn page = shape_.PageOf(start);
  absl::StatusOr<bool> read = LoadPage(page);
  while (read.ok() && *read && header_.remaining > shape_.page_bytes - header_.size) {
    page += shape_.page_bytes;
    read = LoadPage(page);
  }
  if (read.ok() && *read) read = ReadFrom(page + header_.size + MaxAlign(header_.remaining));
  while (read.ok() && *read && start_ < start) read = ReadFrom(end_);
  if (read.ok() && !*read && start_ < start && start % kMaxAlign == 0) {
    // What stands before is damaged, and of no interest if a record does start here.
    has_ended_ = is_chained_ = false;
    start_ = 0;
    end_ = start;
    read = ReadFrom(start);
  }
  is_pending_ = read.ok() && *read;
  return read.status();
}

absl::StatusOr<bool> LogReader::Next() {
  if (is_pending_) {
    is_pending_ = false;
    return true;
  }
  if (has_ended_) return false;
  return ReadFrom(end_);
}

// Reads the record that starts at `position`, or behind the page header that stands there. On
// false the log has ended.
absl::StatusOr<bool> LogReader::ReadFrom(Lsn position) {
  lost_record_ = 0;
  while (true) {
    const absl::StatusOr<bool> loaded = LoadPage(shape_.PageOf(position));
    if (!loaded.ok() || !*loaded) return loaded;
    Lsn begin = position;
    if (begin == page_lsn_) begin += header_.size;
    if (begin < page_lsn_ + header_.size) return EndBecause(begin, "inside a page header");
    if (begin == page_lsn_ + header_.size && header_.is_continuation) {
      return EndBecause(begin, "the rest of a record that did not begin");
    }
    const auto length = LoadLittleEndian<std::uint32_t>(&page_[begin - page_lsn_]);
    if (length == 0) return EndBecause(begin, "zeros");
    if (length < kRecordHeaderSize || length > kMaxRecordLength) {
      return EndBecause(begin, "no record: impossible length");
    }
    const absl::StatusOr<bool> assembled = Assemble(begin, length);
    if (!assembled.ok()) return assembled;
    if (*assembled) return Accept(begin);
    if (has_ended_) return false;
    // The record's rest was lost and overwritten: go on there. Each round is a page further on.
    lost_record_ = begin;
    position = page_lsn_;
  }
}

// Gathers the record's bytes from its pages, the first of which is loaded. False if the log has
// ended, or if the page that is loaded now begins with an OVERWRITE_CONTRECORD.
absl::StatusOr<bool> LogReader::Assemble(Lsn begin, std::uint32_t length) {
  Lsn at = begin;
  bytes_.clear();
  while (true) {
    // Only what is there is copied: `length` may be anything.
    const ByteView rest = ByteView(page_).subspan(at - page_lsn_);
    const std::size_t size = std::min<std::size_t>(rest.size(), length - bytes_.size());
    bytes_.insert(bytes_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(size));
    if (bytes_.size() == length) return true;
    const absl::StatusOr<bool> loaded = LoadPage(page_lsn_ + shape_.page_bytes);
    if (!loaded.ok() || !*loaded) return loaded;
    if (header_.is_overwrite) {
      MARK("log.reader.overwritten_continuation");
      return false;
    }
    if (!header_.is_continuation) return EndBecause(begin, "a record whose rest is missing");
    if (header_.remaining != length - bytes_.size()) {
      return EndBecause(begin, "a record whose rest has another length");
    }
    at = page_lsn_ + header_.size;
  }
}

// Takes the record in bytes_ if it is one and belongs here.
bool LogReader::Accept(Lsn begin) {
  if (!CheckRecordCrc(bytes_)) return EndBecause(begin, "a record with a wrong CRC");
  const Lsn previous = Load(bytes_.data(), v15::kPrevious);
  if (is_chained_ ? previous != start_ : previous >= begin) {
    MARK("log.reader.stale_record");
    return EndBecause(begin, "a record of another position");
  }
  const RecordError error = DecodeRecord(bytes_, &record_);
  if (error != RecordError::kNone) return EndBecause(begin, RecordErrorText(error));
  const bool is_xlog = record_.manager == static_cast<std::uint8_t>(ResourceManager::kXlog);
  if (lost_record_ != 0) {
    OverwriteContrecordRecord overwrite;
    if (!is_xlog || record_.info != kOverwriteContrecord ||
        !OverwriteContrecordRecord::Decode(record_.main_data, &overwrite) ||
        overwrite.overwritten != lost_record_) {
      return EndBecause(begin, "no notice of the record that was overwritten");
    }
  }
  start_ = begin;
  end_ = shape_.EndOf(begin, record_.total_length);
  if (is_xlog && record_.info == kSwitch && end_ % shape_.segment_bytes != 0) {
    end_ = shape_.SegmentStart(shape_.SegmentOf(end_) + 1);
  }
  is_chained_ = true;
  return true;
}

absl::StatusOr<bool> LogReader::LoadPage(Lsn page) {
  if (page == page_lsn_) return true;
  page_lsn_ = kNoPage;
  furthest_page_ = std::max(furthest_page_, page);
  const absl::StatusOr<bool> opened = OpenSegment(shape_.SegmentOf(page));
  if (!opened.ok()) return opened;
  if (!*opened) return EndBecause(page, "no such segment");
  page_.resize(shape_.page_bytes);
  const absl::StatusOr<std::size_t> read =
      ReadFully(file_.get(), page % shape_.segment_bytes, page_);
  if (!read.ok()) return read.status();
  if (*read < page_.size()) return EndBecause(page, "the segment is cut short");
  const PageHeaderError error = ReadPageHeader(shape_, page, page_, &header_);
  if (error != PageHeaderError::kNone) return EndBecause(page, PageHeaderErrorText(error));
  page_lsn_ = page;
  return true;
}

absl::StatusOr<bool> LogReader::OpenSegment(std::uint64_t number) {
  if (file_ != nullptr && file_number_ == number) return true;
  file_ = nullptr;
  const std::string name = SegmentName(shape_.timeline, number, shape_.segment_bytes);
  absl::StatusOr<std::unique_ptr<File>> file =
      device_->Open(absl::StrCat(folder_, "/", name), OpenMode::kRead);
  if (absl::IsNotFound(file.status())) return false;
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  file_number_ = number;
  return true;
}

absl::StatusOr<Lsn> LogReader::FindLogBehindEnd() const {
  const auto numbers = ListSegments(device_, folder_, shape_);
  if (!numbers.ok()) return numbers.status();
  for (const std::uint64_t number : *numbers) {
    if (number <= shape_.SegmentOf(furthest_page_)) continue;
    const Lsn start = shape_.SegmentStart(number);
    const auto bytes = ReadBeginning(
        device_,
        absl::StrCat(folder_, "/", SegmentName(shape_.timeline, number, shape_.segment_bytes)));
    if (!bytes.ok()) return bytes.status();
    LogPageHeader header;
    if (ReadPageHeader(shape_, start, *bytes, &header) == PageHeaderError::kNone) return start;
  }
  return 0;
}

bool LogReader::EndBecause(Lsn where, std::string_view reason) {
  has_ended_ = true;
  end_reason_ = absl::StrCat(LsnText(where), ": ", absl::string_view(reason.data(), reason.size()));
  return false;
}

}  // namespace wal
}  // namespace tornleaf
