// A relation that is read and written: pages in FILE, FILE.1, FILE.2 ..., as relation_file.h says.

#ifndef TORNLEAF_ENGINE_STORE_RELATION_H_
#define TORNLEAF_ENGINE_STORE_RELATION_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/env/executor.h"
#include "engine/env/file.h"
#include "engine/store/relation_file.h"
#include "engine/wal/log.h"

namespace tornleaf {

struct RelationOptions {
  RelationId id;
  std::string path;
  std::uint32_t page_size = 8192;
  std::uint64_t segment_bytes = kSegmentBytes;  // a multiple of the page size
  bool checksums = true;
  BlockNumber blocks_min = 0;  // known to have been durable
};

class Relation {
 public:
  // Opens the files, or makes the first one, empty, if there is none and `create` is set.
  // Bytes after the last whole page are those of an extension that a crash cut: they are removed.
  // DataLoss for a file that is longer than a segment, and, before anything is removed, for fewer
  // than `blocks_min` whole pages.
  static absl::StatusOr<std::unique_ptr<Relation>> Open(const Environment& environment,
                                                        RelationOptions options, bool create);
  ~Relation();

  const RelationOptions& options() const { return options_; }
  const RelationId& id() const { return options_.id; }
  std::uint32_t page_size() const { return options_.page_size; }
  BlockNumber block_count() const { return block_count_.load(std::memory_order_acquire); }

  // Reads or writes one page; `block` < block_count(). The bytes as they are: checksums are the
  // buffer pool's. DataLoss if the file has become shorter.
  absl::Status Read(BlockNumber block, MutableBytes page);
  absl::Status Write(BlockNumber block, ByteView page);
  // Adds pages of zeros up to `count`, so that a full disk is noticed here and not when the page is
  // written. Nothing to do if there are as many. After an error there are as many pages as before.
  absl::Status Extend(BlockNumber count);
  // Makes all writes so far durable, those that made new files included. After a failure it fails
  // for ever.
  absl::Status Sync();

 private:
  struct Segment {
    std::unique_ptr<File> file;
    // At first too: a process that was killed may have left writes that no sync has covered.
    std::atomic<bool> unsynced{true};
  };

  Relation(const Environment& environment, RelationOptions options);

  absl::Status OpenSegments(bool create);
  absl::Status AddSegment();
  absl::Status ExtendTo(BlockNumber begin, BlockNumber end);
  BlockNumber segment_pages() const {
    return static_cast<BlockNumber>(options_.segment_bytes / options_.page_size);
  }
  std::uint64_t OffsetOf(BlockNumber block) const {
    return std::uint64_t{block % segment_pages()} * options_.page_size;
  }
  Segment* SegmentOf(BlockNumber block);

  Environment environment_;
  RelationOptions options_;
  std::atomic<BlockNumber> block_count_{0};
  std::atomic<bool> names_unsynced_{true};

  std::unique_ptr<Latch> extend_latch_;  // one extension at a time
  std::unique_ptr<Latch> latch_;         // of segments_
  std::vector<std::unique_ptr<Segment>> segments_;
  std::unique_ptr<Latch> sync_latch_;  // one Sync() at a time; of failed_
  absl::Status failed_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_RELATION_H_
