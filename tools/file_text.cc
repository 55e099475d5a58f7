#include "tools/file_text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tools/interrupt.h"

namespace tornleaf {

FileText::FileText(std::string path, bool show_progress)
    : path_(std::move(path)),
      name_(path_ == "-" ? "standard input" : path_),
      progress_(show_progress, "read", "bytes") {}

FileText::~FileText() {
  if (descriptor_ > STDIN_FILENO) ::close(descriptor_);
}

absl::Status FileText::Open() {
  descriptor_ = path_ == "-" ? STDIN_FILENO : ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) return Error();
  struct stat about = {};
  if (::fstat(descriptor_, &about) != 0) return Error();
  if (S_ISDIR(about.st_mode)) {
    errno = EISDIR;
    return Error();
  }
  if (S_ISREG(about.st_mode)) size_ = static_cast<std::uint64_t>(about.st_size);
  return absl::OkStatus();
}

void FileText::ExplainTerminal(const Session& session) const {
  if (descriptor_ == STDIN_FILENO && ::isatty(STDIN_FILENO) == 1) {
    session.Complain("rows come from the terminal; a line \\. ends them");
  }
}

absl::StatusOr<std::size_t> FileText::Read(char* to, std::size_t size) {
  // A signal ends a wait only in the thread that it comes to, which may be another one.
  constexpr int kWaitMilliseconds = 100;
  ssize_t count = -1;
  do {
    if (Interrupted()) return absl::CancelledError("interrupted");
    struct pollfd waiting = {.fd = descriptor_, .events = POLLIN, .revents = 0};
    // Whether the time is up or the signal came to this thread: a read now would wait for good.
    const int ready = ::poll(&waiting, 1, kWaitMilliseconds);
    if (ready <= 0) {
      if (ready == 0) errno = EINTR;
      continue;
    }
    count = ::read(descriptor_, to, size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return Error();
  done_ += static_cast<std::uint64_t>(count);
  if (size_ != 0) progress_.Update(done_, size_);
  if (count == 0) progress_.Clear();
  return static_cast<std::size_t>(count);
}

absl::Status FileText::Error() const { return absl::ErrnoToStatus(errno, name_); }

}  // namespace tornleaf
