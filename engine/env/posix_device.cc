#include "engine/env/posix_device.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "absl/strings/str_cat.h"

namespace tornleaf {
namespace {

absl::Status StatusOfErrno(const std::string& path) {
  const absl::Status status = absl::ErrnoToStatus(errno, path);
  // DataLoss is kept for damaged bytes; see file.h.
  return absl::IsDataLoss(status) ? absl::UnknownError(status.message()) : status;
}

// Repeats a system call that a signal has interrupted.
template <typename Call>
auto Retry(Call call) {
  auto result = call();
  while (result == -1 && errno == EINTR) result = call();
  return result;
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~PosixFile() override { ::close(descriptor_); }

  absl::StatusOr<std::size_t> ReadAt(std::uint64_t offset, MutableBytes buffer) override {
    const ssize_t count = Retry([&] {
      return ::pread(descriptor_, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    });
    if (count < 0) return StatusOfErrno(path_);
    return static_cast<std::size_t>(count);
  }

  absl::Status WriteAt(std::uint64_t offset, ByteView bytes) override {
    while (!bytes.empty()) {
      const ssize_t count = Retry([&] {
        return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (count < 0) return StatusOfErrno(path_);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      offset += static_cast<std::uint64_t>(count);
    }
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    if (Retry([&] { return ::fsync(descriptor_); }) != 0) return StatusOfErrno(path_);
    return absl::OkStatus();
  }

  absl::StatusOr<std::uint64_t> Size() override {
    struct stat info = {};
    if (::fstat(descriptor_, &info) != 0) return StatusOfErrno(path_);
    return static_cast<std::uint64_t>(info.st_size);
  }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<File>> PosixDevice::OpenRead(const std::string& path) {
  // O_NONBLOCK: opening a pipe must not wait for a writer; it is refused below.
  const int descriptor =
      Retry([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); });
  if (descriptor < 0) return StatusOfErrno(path);
  auto file = std::make_unique<PosixFile>(descriptor, path);
  struct stat info = {};
  if (::fstat(descriptor, &info) != 0) return StatusOfErrno(path);
  if (S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Is a directory"));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Not a regular file"));
  }
  return file;
}

absl::StatusOr<std::unique_ptr<File>> PosixDevice::Create(const std::string& path) {
  const int descriptor =
      Retry([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666); });
  if (descriptor < 0) return StatusOfErrno(path);
  return std::make_unique<PosixFile>(descriptor, path);
}

absl::Status PosixDevice::Rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return StatusOfErrno(absl::StrCat(from, " to ", to));
  return absl::OkStatus();
}

absl::Status PosixDevice::Remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0) return StatusOfErrno(path);
  return absl::OkStatus();
}

absl::Status PosixDevice::SyncDirectory(const std::string& path) {
  const int descriptor =
      Retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return StatusOfErrno(path);
  PosixFile folder(descriptor, path);
  return folder.Sync();
}

}  // namespace tornleaf
