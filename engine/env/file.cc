#include "engine/env/file.h"

namespace tornleaf {

absl::StatusOr<std::size_t> ReadFully(File* file, std::uint64_t offset, MutableBytes buffer) {
  std::size_t done = 0;
  while (done < buffer.size()) {
    const absl::StatusOr<std::size_t> count = file->ReadAt(offset + done, buffer.subspan(done));
    if (!count.ok()) return count.status();
    CHECK(*count <= buffer.size() - done);
    if (*count == 0) break;
    done += *count;
  }
  return done;
}

}  // namespace tornleaf
