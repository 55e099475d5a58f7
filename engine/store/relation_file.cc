#include "engine/store/relation_file.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/store/recognise.h"

namespace tornleaf {
namespace {

constexpr std::uint32_t kWindowBytes = 256 * 1024;
// How many segments further a missing one is looked for, to tell a hole from the end.
constexpr std::uint32_t kGapSegmentsMax = 8;
constexpr std::uint64_t kBlocksMax = 0xFFFFFFFE;

// What to do about a file that does not open, in the words of a shell user.
absl::Status WithAdvice(const absl::Status& status) {
  const absl::string_view message = status.message();
  if (absl::IsNotFound(status)) {
    return absl::NotFoundError(
        absl::StrCat(message, "; name the file of an index, pg_relation_filepath() tells it"));
  }
  if (absl::IsPermissionDenied(status)) {
    return absl::PermissionDeniedError(absl::StrCat(message, "; run as a user who may read it"));
  }
  if (absl::IsFailedPrecondition(status)) {
    return absl::FailedPreconditionError(absl::StrCat(
        message, "; name the file of an index in it, or `tornleaf db check` a database"));
  }
  return status;
}

}  // namespace

std::string SegmentPath(const std::string& path, std::uint32_t number) {
  return number == 0 ? path : absl::StrCat(path, ".", number);
}

std::string FirstSegmentPath(Device* device, const std::string& path, std::uint64_t segment_bytes) {
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot == 0 || dot + 1 == path.size()) return path;
  const std::string_view number = std::string_view(path).substr(dot + 1);
  if (number.find_first_not_of("0123456789") != std::string_view::npos) return path;
  if (number.front() == '0') return path;
  const std::string first = path.substr(0, dot);
  const absl::StatusOr<std::unique_ptr<File>> file = device->Open(first, OpenMode::kRead);
  if (!file.ok()) return path;
  const absl::StatusOr<std::uint64_t> size = (*file)->Size();
  return size.ok() && *size == segment_bytes ? first : path;
}

absl::StatusOr<std::unique_ptr<RelationFile>> RelationFile::Open(Device* device,
                                                                 const std::string& path,
                                                                 std::uint64_t segment_bytes) {
  CHECK(segment_bytes % slotted_v4::kPageSizeMax == 0);
  std::unique_ptr<RelationFile> relation(new RelationFile(path, segment_bytes));
  const absl::Status status = relation->OpenSegments(device);
  if (!status.ok()) return status;
  return relation;
}

// The first file tells whether this is an index at all; only then segments are of interest.
absl::Status RelationFile::OpenSegments(Device* device) {
  absl::Status status = OpenSegment(device, 0);
  if (!status.ok()) return WithAdvice(status);
  status = RecognisePage0();
  if (!status.ok()) return status;

  // As the server does: a segment that is not full ends the relation.
  while (size_bytes_ == segments_.size() * segment_bytes_) {
    const std::uint32_t next = segment_count();
    status = OpenSegment(device, next);
    if (absl::IsNotFound(status)) {
      status = FindGap(device, next);
      if (!status.ok()) return status;
      break;
    }
    if (!status.ok()) return status;
  }
  return SetSize();
}

absl::Status RelationFile::OpenSegment(Device* device, std::uint32_t number) {
  const std::string path = SegmentPath(path_, number);
  absl::StatusOr<std::unique_ptr<File>> file = device->Open(path, OpenMode::kRead);
  if (!file.ok()) return file.status();
  const absl::StatusOr<std::uint64_t> size = (*file)->Size();
  if (!size.ok()) return size.status();
  if (*size > segment_bytes_) {
    return absl::DataLossError(
        absl::StrFormat("%s: %u bytes, more than a segment of %u; FILE-001 "
                        "(tornleaf explain FILE-001)",
                        path, *size, segment_bytes_));
  }
  segments_.push_back(std::move(*file));
  size_bytes_ += *size;
  return absl::OkStatus();
}

absl::Status RelationFile::FindGap(Device* device, std::uint32_t missing) const {
  for (std::uint32_t later = missing + 1; later <= missing + kGapSegmentsMax; ++later) {
    if (!device->Open(SegmentPath(path_, later), OpenMode::kRead).ok()) continue;
    return absl::DataLossError(absl::StrFormat(
        "%s: segment missing, while %s is there; restore it, or REINDEX  FILE-001 (tornleaf "
        "explain FILE-001)",
        SegmentPath(path_, missing), SegmentPath(path_, later)));
  }
  return absl::OkStatus();
}

absl::Status RelationFile::RecognisePage0() {
  std::vector<std::uint8_t> head(kRecogniseBytes);
  const absl::StatusOr<std::size_t> count = ReadFully(segments_[0].get(), 0, head);
  if (!count.ok()) return count.status();
  head.resize(*count);
  const absl::StatusOr<std::uint32_t> page_size = RecognisePageSize(path_, head, size_bytes_);
  if (!page_size.ok()) return page_size.status();
  page_size_ = *page_size;
  return absl::OkStatus();
}

absl::Status RelationFile::SetSize() {
  const std::uint64_t blocks = size_bytes_ / page_size_;
  if (blocks > kBlocksMax) {
    return absl::DataLossError(absl::StrCat(path_, ": more blocks than a relation can have"));
  }
  block_count_ = static_cast<BlockNumber>(blocks);
  trailing_bytes_ = static_cast<std::uint32_t>(size_bytes_ % page_size_);
  return absl::OkStatus();
}

ByteView RelationFile::Read(BlockNumber block, MutableBytes buffer) {
  CHECK(block < block_count_);
  CHECK(buffer.size() == page_size_);
  if (!InWindow(block)) return ReadBytes(block, buffer) ? ByteView(buffer) : ByteView();
  std::memcpy(buffer.data(), PageInWindow(block).data(), page_size_);
  return buffer;
}

ByteView RelationFile::ReadSequential(BlockNumber block, MutableBytes buffer) {
  CHECK(block < block_count_);
  if (InWindow(block)) return PageInWindow(block);
  // Only a page that follows the window, or nearly so, promises that its successors are next.
  const bool ahead = block >= window_end_ && block - window_end_ < kWindowBytes / page_size_;
  // One bad sector must not hide its neighbours: fall back to the page that is wanted.
  if (ahead && FillWindow(block)) return PageInWindow(block);
  return Read(block, buffer);
}

ByteView RelationFile::PageInWindow(BlockNumber block) const {
  return ByteView(window_).subspan(std::size_t{block - window_begin_} * page_size_, page_size_);
}

// Reads pages from `block` on, up to the end of their segment.
bool RelationFile::FillWindow(BlockNumber block) {
  const auto segment_pages = static_cast<BlockNumber>(segment_bytes_ / page_size_);
  const BlockNumber count = std::min(
      {kWindowBytes / page_size_, block_count_ - block, segment_pages - block % segment_pages});
  window_.resize(kWindowBytes);
  window_begin_ = window_end_ = block;
  if (!ReadBytes(block, MutableBytes(window_).first(std::size_t{count} * page_size_))) return false;
  window_end_ = block + count;
  return true;
}

// Whole pages of one segment. False, with status(), if the environment fails or the file has become
// shorter than it was.
bool RelationFile::ReadBytes(BlockNumber block, MutableBytes bytes) {
  const std::uint64_t at = std::uint64_t{block} * page_size_;
  const auto number = static_cast<std::uint32_t>(at / segment_bytes_);
  const absl::StatusOr<std::size_t> count =
      ReadFully(segments_[number].get(), at % segment_bytes_, bytes);
  if (count.ok() && *count == bytes.size()) return true;
  if (bytes.size() == page_size_ && status_.ok()) {
    const std::string reason =
        count.ok() ? absl::StrCat(SegmentPath(path_, number), ": the file has become shorter")
                   : std::string(count.status().message());
    status_ = absl::Status(count.ok() ? absl::StatusCode::kAborted : count.status().code(),
                           absl::StrCat("cannot read block ", block, ": ", reason));
  }
  return false;
}

}  // namespace tornleaf
