#include "engine/env/posix_device.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

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

// Paths of files that are not finished, for the signal handler, which may not allocate or wait. A
// relation of more segments leaves those beyond to be removed by hand.
constexpr std::size_t kUnfinishedMax = 64;
constinit std::atomic<char*> unfinished[kUnfinishedMax] = {};

void AddUnfinished(const std::string& path) {
  char* copy = ::strdup(path.c_str());
  for (std::atomic<char*>& place : unfinished) {
    char* empty = nullptr;
    if (place.compare_exchange_strong(empty, copy)) return;
  }
  std::free(copy);
}

void ForgetUnfinished(const std::string& path) {
  for (std::atomic<char*>& place : unfinished) {
    char* here = place.load();
    if (here == nullptr || path != here) continue;
    place.store(nullptr);
    std::free(here);
    return;
  }
}

void RemoveUnfinished(int signal_number) {
  for (const std::atomic<char*>& place : unfinished) {
    const char* path = place.load();
    if (path != nullptr) ::unlink(path);
  }
  // The default action, which comes as soon as this handler returns.
  ::raise(signal_number);
}

constexpr int kEndingSignals[] = {SIGINT, SIGTERM, SIGHUP};

// Keeps the handler away while what it reads is behind the truth.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int number : kEndingSignals) ::sigaddset(&ending, number);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

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

  absl::StatusOr<std::size_t> WriteAt(std::uint64_t offset, ByteView bytes) override {
    const ssize_t count = Retry([&] {
      return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    });
    if (count < 0) return StatusOfErrno(path_);
    return static_cast<std::size_t>(count);
  }

  absl::Status Resize(std::uint64_t bytes) override {
    if (Retry([&] { return ::ftruncate(descriptor_, static_cast<off_t>(bytes)); }) != 0) {
      return StatusOfErrno(path_);
    }
    return absl::OkStatus();
  }

  // The size is among what fdatasync keeps, the time of the last change is not.
  absl::Status Sync() override {
    if (Retry([&] { return ::fdatasync(descriptor_); }) != 0) return StatusOfErrno(path_);
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

class PosixLock final : public DeviceLock {
 public:
  explicit PosixLock(int descriptor) : descriptor_(descriptor) {}
  ~PosixLock() override { ::close(descriptor_); }

 private:
  int descriptor_;
};

int OpenFolder(const std::string& path) {
  return Retry([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
}

}  // namespace

absl::StatusOr<std::unique_ptr<File>> PosixDevice::Open(const std::string& path, OpenMode mode) {
  // O_NONBLOCK: opening a pipe must not wait for a writer; it is refused below.
  const int flags = (mode == OpenMode::kRead ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK;
  const int descriptor = Retry([&] { return ::open(path.c_str(), flags); });
  if (descriptor < 0 && errno == EISDIR) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": Is a directory"));
  }
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
  const SignalsHeld held;
  const int descriptor =
      Retry([&] { return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666); });
  if (descriptor < 0) return StatusOfErrno(path);
  if (remove_unfinished_) AddUnfinished(path);
  return std::make_unique<PosixFile>(descriptor, path);
}

absl::Status PosixDevice::Rename(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return StatusOfErrno(absl::StrCat(from, " to ", to));
  const SignalsHeld held;
  if (remove_unfinished_) ForgetUnfinished(from);
  return absl::OkStatus();
}

absl::Status PosixDevice::Remove(const std::string& path) {
  const SignalsHeld held;
  if (remove_unfinished_) ForgetUnfinished(path);
  if (::unlink(path.c_str()) != 0) return StatusOfErrno(path);
  return absl::OkStatus();
}

absl::Status PosixDevice::MakeDirectory(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) return StatusOfErrno(path);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PosixDevice::List(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path.c_str()), ::closedir);
  if (folder == nullptr) return StatusOfErrno(path);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is this call's own.
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) return StatusOfErrno(path);
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status PosixDevice::SyncDirectory(const std::string& path) {
  const int descriptor = OpenFolder(path);
  if (descriptor < 0) return StatusOfErrno(path);
  PosixFile folder(descriptor, path);
  return folder.Sync();
}

absl::StatusOr<std::unique_ptr<DeviceLock>> PosixDevice::Lock(const std::string& path) {
  const int descriptor = OpenFolder(path);
  if (descriptor < 0) return StatusOfErrno(path);
  auto lock = std::make_unique<PosixLock>(descriptor);
  if (Retry([&] { return ::flock(descriptor, LOCK_EX | LOCK_NB); }) != 0) {
    if (errno != EWOULDBLOCK) return StatusOfErrno(path);
    return absl::FailedPreconditionError(absl::StrCat(path, ": locked by another process"));
  }
  return lock;
}

void PosixDevice::RemoveUnfinishedOnSignals() {
  remove_unfinished_ = true;
  for (const int number : kEndingSignals) {
    struct sigaction action = {};
    if (::sigaction(number, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = RemoveUnfinished;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace tornleaf
