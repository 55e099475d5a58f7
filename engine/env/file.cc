#include "engine/env/file.h"

#include "absl/strings/str_cat.h"

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

absl::Status WriteFully(File* file, std::uint64_t offset, ByteView bytes) {
  while (!bytes.empty()) {
    const absl::StatusOr<std::size_t> count = file->WriteAt(offset, bytes);
    if (!count.ok()) return count.status();
    CHECK(*count <= bytes.size());
    if (*count == 0) {
      return absl::UnknownError(
          absl::StrCat("a write of ", bytes.size(), " bytes at offset ", offset, " wrote nothing"));
    }
    bytes = bytes.subspan(*count);
    offset += *count;
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> FileExists(Device* device, const std::string& path) {
  const absl::Status status = device->Open(path, OpenMode::kRead).status();
  if (absl::IsNotFound(status)) return false;
  if (status.ok() || absl::IsPermissionDenied(status)) return true;
  return status;
}

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace tornleaf
