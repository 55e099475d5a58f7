#include <unistd.h>

#include <csignal>

#include "tools/command.h"

int main(int argc, char** argv) {
  // `tornleaf ... | head` must end as it would have ended without `head`.
  std::signal(SIGPIPE, SIG_IGN);
  tornleaf::Output out(STDOUT_FILENO);
  return tornleaf::RunCommandLine(argc, argv, &out);
}
