// An index in the files of a server: FILE, FILE.1, FILE.2 ..., read-only, as one row of pages.
//
// PostgreSQL cuts a relation into segments of 1 GiB (RELSEG_SIZE, md.c); every segment but the last
// is full, and block numbers go on from one to the next.

#ifndef TORNLEAF_ENGINE_STORE_RELATION_FILE_H_
#define TORNLEAF_ENGINE_STORE_RELATION_FILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/env/file.h"
#include "engine/page/page_source.h"

namespace tornleaf {

inline constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 30;

class RelationFile final : public PageSource {
 public:
  // Opens the relation whose first file is `path` and looks at its metapage. The message of an
  // error is one line that says what, where and what to do:
  //   DataLoss                 a B-tree index that is cut or lacks a segment
  //   NotFound, PermissionDenied, FailedPrecondition, others   cannot be read
  //   InvalidArgument          no B-tree index, or one in a format that is not supported
  // An index whose metapage is damaged but still recognisable opens; the verifier judges it.
  // `segment_bytes` is another size in tests only.
  static absl::StatusOr<std::unique_ptr<RelationFile>> Open(
      Device* device, const std::string& path, std::uint64_t segment_bytes = kSegmentBytes);

  std::uint32_t page_size() const override { return page_size_; }
  BlockNumber block_count() const override { return block_count_; }
  ByteView Read(BlockNumber block, MutableBytes buffer) override;
  // Reads ahead, 256 KiB at a time.
  ByteView ReadSequential(BlockNumber block, MutableBytes buffer) override;

  const std::string& path() const { return path_; }
  std::uint32_t segment_count() const { return static_cast<std::uint32_t>(segments_.size()); }
  // Bytes after the last whole page: the file was cut (FILE-001). 0 in a healthy index.
  std::uint32_t trailing_bytes() const override { return trailing_bytes_; }
  // The first read that the environment refused, with file, block and reason; OK if there was none.
  const absl::Status& status() const { return status_; }

 private:
  RelationFile(std::string path, std::uint64_t segment_bytes)
      : path_(std::move(path)), segment_bytes_(segment_bytes) {}

  absl::Status OpenSegments(Device* device);
  absl::Status OpenSegment(Device* device, std::uint32_t number);
  absl::Status FindGap(Device* device, std::uint32_t missing) const;
  absl::Status RecognisePage0();
  absl::Status SetSize();
  bool InWindow(BlockNumber block) const { return block >= window_begin_ && block < window_end_; }
  ByteView PageInWindow(BlockNumber block) const;
  bool FillWindow(BlockNumber block);
  bool ReadBytes(BlockNumber block, MutableBytes bytes);

  std::string path_;
  std::uint64_t segment_bytes_;
  std::vector<std::unique_ptr<File>> segments_;
  std::uint64_t size_bytes_ = 0;
  std::uint32_t page_size_ = 0;
  BlockNumber block_count_ = 0;
  std::uint32_t trailing_bytes_ = 0;
  absl::Status status_;

  // Pages [window_begin_, window_end_) are in window_.
  std::vector<std::uint8_t> window_;
  BlockNumber window_begin_ = 0;
  BlockNumber window_end_ = 0;
};

// The file to open for a path that a user names: the first file of the relation if `path` is one of
// its later segments (FILE.3 beside a full FILE), else `path` itself.
std::string FirstSegmentPath(Device* device, const std::string& path,
                             std::uint64_t segment_bytes = kSegmentBytes);

// The path of a segment: FILE for number 0, FILE.N for others.
std::string SegmentPath(const std::string& path, std::uint32_t number);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_RELATION_FILE_H_
