#include "engine/wal/segment_writer.h"

#include <algorithm>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/base/mark.h"
#include "engine/wal/segment.h"

namespace tornleaf {
namespace wal {

namespace {

// A segment gets its name when it is whole. No segment name, so that readers pass it over.
constexpr char kUnfinishedName[] = "xlogtemp";
constexpr std::uint64_t kChunkBytes = 256U << 10;

}  // namespace

std::string SegmentWriter::PathOf(std::uint64_t number) const {
  return absl::StrCat(folder_, "/", SegmentName(shape_.timeline, number, shape_.segment_bytes));
}

absl::Status SegmentWriter::CutAt(Lsn end, MutableBytes last_page) {
  // The segment of the last byte; a segment that would begin at `end` holds nothing yet.
  const std::uint64_t last = shape_.SegmentOf(end - 1);
  if (absl::Status status = RemoveFrom(last + 1); !status.ok()) return status;
  // Before anything is cut: a segment that came back would be log behind the end.
  if (absl::Status status = device_->SyncDirectory(folder_); !status.ok()) return status;
  if (end % shape_.segment_bytes != 0) {
    if (absl::Status status = RewriteUpTo(end); !status.ok()) return status;
  }
  if (end % shape_.page_bytes == 0) return absl::OkStatus();
  const absl::StatusOr<std::size_t> read =
      ReadFully(file_.get(), shape_.PageOf(end) % shape_.segment_bytes, last_page);
  return read.status();
}

absl::Status SegmentWriter::RemoveFrom(std::uint64_t number) {
  const auto numbers = ListSegments(device_, folder_, shape_);
  if (!numbers.ok()) return numbers.status();
  for (const std::uint64_t existing : *numbers) {
    if (existing < number) continue;
    if (absl::Status status = device_->Remove(PathOf(existing)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// Zeroes what follows `end` in its segment, and writes what stands before it once more: an earlier
// sync may have failed, after which the file shows bytes that the disk does not have and that a
// sync alone would not write again.
absl::Status SegmentWriter::RewriteUpTo(Lsn end) {
  const std::uint64_t number = shape_.SegmentOf(end);
  absl::StatusOr<std::unique_ptr<File>> file = device_->Open(PathOf(number), OpenMode::kReadWrite);
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  number_ = number;
  const std::uint64_t valid = end % shape_.segment_bytes;
  std::vector<std::uint8_t> chunk;
  for (std::uint64_t offset = 0; offset < shape_.segment_bytes; offset += chunk.size()) {
    chunk.assign(std::min<std::uint64_t>(kChunkBytes, shape_.segment_bytes - offset), 0);
    if (offset < valid) {
      const std::size_t keep = std::min<std::uint64_t>(chunk.size(), valid - offset);
      const absl::StatusOr<std::size_t> read =
          ReadFully(file_.get(), offset, MutableBytes(chunk).first(keep));
      if (!read.ok()) return read.status();
      if (*read < keep) {
        return absl::DataLossError(absl::StrCat(PathOf(number), ": shorter than the log in it"));
      }
    }
    if (absl::Status status = WriteFully(file_.get(), offset, chunk); !status.ok()) return status;
  }
  return file_->Sync();
}

absl::Status SegmentWriter::Write(Lsn at, ByteView bytes) {
  while (!bytes.empty()) {
    if (absl::Status status = Use(shape_.SegmentOf(at)); !status.ok()) return status;
    const std::uint64_t offset = at % shape_.segment_bytes;
    const std::size_t size = std::min<std::uint64_t>(bytes.size(), shape_.segment_bytes - offset);
    const absl::Status status = WriteFully(file_.get(), offset, bytes.first(size));
    if (!status.ok()) return status;
    at += size;
    bytes = bytes.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status SegmentWriter::Sync() { return file_ == nullptr ? absl::OkStatus() : file_->Sync(); }

absl::Status SegmentWriter::Use(std::uint64_t number) {
  if (file_ != nullptr && number_ == number) return absl::OkStatus();
  if (absl::Status status = Sync(); !status.ok()) return status;
  file_ = nullptr;
  absl::StatusOr<std::unique_ptr<File>> file = device_->Open(PathOf(number), OpenMode::kReadWrite);
  if (absl::IsNotFound(file.status())) {
    if (absl::Status status = Make(number); !status.ok()) return status;
    file = device_->Open(PathOf(number), OpenMode::kReadWrite);
  } else {
    MARK("log.segment.recycled");
  }
  if (!file.ok()) return file.status();
  file_ = *std::move(file);
  number_ = number;
  return absl::OkStatus();
}

absl::Status SegmentWriter::Make(std::uint64_t number) {
  const std::string unfinished = absl::StrCat(folder_, "/", kUnfinishedName);
  absl::StatusOr<std::unique_ptr<File>> file = device_->Create(unfinished);
  if (absl::IsAlreadyExists(file.status())) {
    MARK("log.segment.unfinished_left_by_crash");
    if (absl::Status status = device_->Remove(unfinished); !status.ok()) return status;
    file = device_->Create(unfinished);
  }
  if (!file.ok()) return file.status();
  // Zeros that are written, and not only promised by a size: room on the disk must not run out in
  // the middle of a segment.
  const std::vector<std::uint8_t> zeros(std::min<std::uint64_t>(kChunkBytes, shape_.segment_bytes));
  for (std::uint64_t offset = 0; offset < shape_.segment_bytes; offset += zeros.size()) {
    if (absl::Status status = WriteFully(file->get(), offset, zeros); !status.ok()) return status;
  }
  if (absl::Status status = (*file)->Sync(); !status.ok()) return status;
  if (absl::Status status = device_->Rename(unfinished, PathOf(number)); !status.ok()) {
    return status;
  }
  return device_->SyncDirectory(folder_);
}

absl::Status SegmentWriter::Recycle(Lsn lsn) {
  const auto numbers = ListSegments(device_, folder_, shape_);
  if (!numbers.ok()) return numbers.status();
  const std::uint64_t keep = std::min(shape_.SegmentOf(lsn), number_);
  const auto is_old = [keep](std::uint64_t number) { return number < keep; };
  // The next checkpoint is likely to be as far away as the last one was.
  const auto wanted = std::count_if(numbers->begin(), numbers->end(), is_old);
  if (wanted == 0) return absl::OkStatus();
  auto ahead = std::count_if(numbers->begin(), numbers->end(),
                             [this](std::uint64_t number) { return number > number_; });
  std::uint64_t next = std::max(numbers->back(), number_) + 1;
  for (const std::uint64_t number : *numbers) {
    if (!is_old(number)) continue;
    const bool renamed = ahead < wanted;
    const absl::Status status =
        renamed ? device_->Rename(PathOf(number), PathOf(next)) : device_->Remove(PathOf(number));
    if (!status.ok()) return status;
    if (!renamed) continue;
    ++ahead;
    ++next;
  }
  return device_->SyncDirectory(folder_);
}

}  // namespace wal
}  // namespace tornleaf
