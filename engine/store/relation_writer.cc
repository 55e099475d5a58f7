#include "engine/store/relation_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tornleaf {

namespace {

constexpr std::size_t kWindowSize = std::size_t{1} << 20;

std::string NameOfSegment(const std::string& path, std::size_t number) {
  return SegmentPath(path, static_cast<std::uint32_t>(number));
}

}  // namespace

RelationWriter::RelationWriter(Device* device, std::string path, std::uint32_t page_size,
                               std::uint64_t segment_bytes)
    : device_(device),
      path_(std::move(path)),
      page_size_(page_size),
      segment_bytes_(segment_bytes) {
  CHECK(segment_bytes % page_size == 0);
}

absl::StatusOr<std::unique_ptr<RelationWriter>> RelationWriter::Create(
    Device* device, const std::string& path, std::uint32_t page_size, bool replace,
    std::uint64_t segment_bytes) {
  const absl::StatusOr<std::size_t> segments = CountSegments(device, path, segment_bytes);
  if (!segments.ok()) return segments.status();
  if (*segments > 0 && !replace) return absl::AlreadyExistsError(absl::StrCat(path, ": exists"));
  // Behind the last segment only a file of somebody else's can have the name of one.
  const std::string next = NameOfSegment(path, std::max<std::size_t>(*segments, 1));
  const absl::StatusOr<bool> taken = FileExists(device, next);
  if (!taken.ok()) return taken.status();
  if (*taken) {
    return absl::FailedPreconditionError(absl::StrCat(
        next, ": exists, and would be taken for a segment of ", path, "; move it away"));
  }
  std::unique_ptr<RelationWriter> writer(
      new RelationWriter(device, path, page_size, segment_bytes));
  writer->replaced_segments_ = *segments;
  // Before any work is done, not after it, for a folder that is not there or may not be written.
  const absl::Status status = writer->OpenSegment(0);
  if (!status.ok()) return status;
  return writer;
}

RelationWriter::~RelationWriter() {
  if (committed_) return;
  for (std::size_t number = 0; number < segments_.size(); ++number) {
    if (segments_[number] == nullptr) continue;
    // Nothing can be done about a failure, and the next run will speak of the file.
    device_->Remove(PartialPath(number)).IgnoreError();
  }
}

std::string RelationWriter::PartialPath(std::size_t number) const {
  return absl::StrCat(NameOfSegment(path_, number), ".partial");
}

absl::Status RelationWriter::OpenSegment(std::size_t number) {
  if (segments_.size() <= number) segments_.resize(number + 1);
  if (segments_[number] != nullptr) return absl::OkStatus();
  absl::StatusOr<std::unique_ptr<File>> file = device_->Create(PartialPath(number));
  if (absl::IsAlreadyExists(file.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat(PartialPath(number), ": exists: another build of ", path_,
                     " is running or was killed; if none runs, remove or rename it"));
  }
  if (!file.ok()) return file.status();
  segments_[number] = *std::move(file);
  return absl::OkStatus();
}

absl::Status RelationWriter::WritePage(BlockNumber block, ByteView page) {
  CHECK(!committed_);
  CHECK(page.size() == page_size_);
  const std::uint64_t offset = std::uint64_t{block} * page_size_;
  const std::uint64_t window_end = window_begin_ + window_.size();
  if (offset != window_end || window_.size() >= kWindowSize || offset % segment_bytes_ == 0) {
    const absl::Status status = Flush();
    if (!status.ok()) return status;
    window_begin_ = offset;
  }
  window_.insert(window_.end(), page.begin(), page.end());
  return absl::OkStatus();
}

absl::Status RelationWriter::Flush() {
  if (window_.empty()) return absl::OkStatus();
  const std::size_t number = window_begin_ / segment_bytes_;
  absl::Status status = OpenSegment(number);
  if (status.ok())
    status = WriteFully(segments_[number].get(), window_begin_ % segment_bytes_, window_);
  window_.clear();
  return status;
}

// Segments of the relation under that name: each but the last is full. 0 if there is no such file.
absl::StatusOr<std::size_t> RelationWriter::CountSegments(Device* device, const std::string& path,
                                                          std::uint64_t segment_bytes) {
  for (std::size_t number = 0;; ++number) {
    const std::string segment = NameOfSegment(path, number);
    const absl::StatusOr<bool> exists = FileExists(device, segment);
    if (!exists.ok()) return exists.status();
    if (!*exists) return number;
    const absl::StatusOr<std::unique_ptr<File>> file = device->Open(segment, OpenMode::kRead);
    if (!file.ok()) return number + 1;  // It may not be read; then nothing behind it is touched.
    const absl::StatusOr<std::uint64_t> size = (*file)->Size();
    if (!size.ok()) return size.status();
    if (*size != segment_bytes) return number + 1;
  }
}

// What is left of the replaced relation would become part of the new one.
absl::Status RelationWriter::RemoveStaleSegments() {
  for (std::size_t number = segments_.size(); number < replaced_segments_; ++number) {
    const absl::Status status = device_->Remove(NameOfSegment(path_, number));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status RelationWriter::Commit() {
  CHECK(!committed_);
  absl::Status status = Flush();
  for (const std::unique_ptr<File>& segment : segments_) {
    CHECK(segment != nullptr);
    if (status.ok()) status = segment->Sync();
  }
  for (std::size_t number = segments_.size(); status.ok() && number-- > 0;) {
    status = device_->Rename(PartialPath(number), NameOfSegment(path_, number));
  }
  if (!status.ok()) return status;
  committed_ = true;
  status = RemoveStaleSegments();
  if (!status.ok()) return status;
  return device_->SyncDirectory(FolderOf(path_));
}

}  // namespace tornleaf
