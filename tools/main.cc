#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "tools/command.h"

namespace {

// A file that is opened while a standard stream is closed gets the stream's number, and messages
// would go into the file. Opened the wrong way round, a closed stream stays of no use.
void OccupyStandardStreams() {
  constexpr int kWrongWay[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) == -1) ::open("/dev/null", kWrongWay[descriptor]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  OccupyStandardStreams();
  // `tornleaf ... | head` must end as it would have ended without `head`.
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may not grow further is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  tornleaf::Output out(STDOUT_FILENO);
  return tornleaf::RunCommandLine(argc, argv, &out);
}
