// A new index file that appears whole or not at all.
//
// Pages go to FILE.partial (FILE.1.partial and so on beyond 1 GiB) beside the target. Commit()
// makes them durable and gives them their names, the first segment last: a crash before that leaves
// what was there, and partial files, which keep the next run from starting until somebody has
// looked: they may be those of another run that is still writing.

#ifndef TORNLEAF_ENGINE_STORE_RELATION_WRITER_H_
#define TORNLEAF_ENGINE_STORE_RELATION_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/build/bulk_build.h"
#include "engine/env/file.h"
#include "engine/store/relation_file.h"

namespace tornleaf {

class RelationWriter final : public PageSink {
 public:
  // AlreadyExists if there is such a file and `replace` is false; FailedPrecondition if there is a
  // partial file, or one that has the name of the next segment and is none. A folder or another
  // thing that is no file is never replaced. `segment_bytes`, a multiple of the page size, is
  // another size in tests only.
  static absl::StatusOr<std::unique_ptr<RelationWriter>> Create(
      Device* device, const std::string& path, std::uint32_t page_size, bool replace,
      std::uint64_t segment_bytes = kSegmentBytes);

  // Removes partial files unless they were committed.
  ~RelationWriter() override;

  // Pages next to each other are written together.
  absl::Status WritePage(BlockNumber block, ByteView page) override;

  // Nothing may be written afterwards. After an error the target is as it was, unless it had
  // several segments or renaming itself failed.
  absl::Status Commit();

 private:
  RelationWriter(Device* device, std::string path, std::uint32_t page_size,
                 std::uint64_t segment_bytes);

  absl::Status Flush();
  absl::Status OpenSegment(std::size_t number);
  absl::Status RemoveStaleSegments();
  static absl::StatusOr<std::size_t> CountSegments(Device* device, const std::string& path,
                                                   std::uint64_t segment_bytes);
  std::string PartialPath(std::size_t number) const;

  Device* device_;
  std::string path_;
  std::uint32_t page_size_;
  std::uint64_t segment_bytes_;
  std::vector<std::unique_ptr<File>> segments_;  // null: no page of it has come yet
  std::size_t replaced_segments_ = 0;            // of the relation that is there before
  bool committed_ = false;

  // Pages from offset `window_begin_` of the relation on, not yet written.
  std::vector<std::uint8_t> window_;
  std::uint64_t window_begin_ = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_STORE_RELATION_WRITER_H_
