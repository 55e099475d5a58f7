#include "tools/interrupt.h"

#include <csignal>
#include <initializer_list>

namespace tornleaf {

namespace {

volatile std::sig_atomic_t interrupted = 0;

void Notice(int) { interrupted = 1; }

}  // namespace

void NoticeInterrupts() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction notice = {};
    notice.sa_handler = Notice;
    // Without SA_RESTART a read that waits for input comes back.
    notice.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigemptyset(&notice.sa_mask);
    ::sigaction(number, &notice, nullptr);
  }
}

bool Interrupted() { return interrupted != 0; }

}  // namespace tornleaf
