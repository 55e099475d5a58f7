// SIGINT and SIGTERM as a wish to end early, for commands that have something to finish.

#ifndef TORNLEAF_TOOLS_INTERRUPT_H_
#define TORNLEAF_TOOLS_INTERRUPT_H_

namespace tornleaf {

// From now on the first SIGINT, SIGTERM or SIGHUP, unless it is ignored, only sets a flag and ends
// a read that is waiting (EINTR). The second one ends the process as ever.
void NoticeInterrupts();
bool Interrupted();

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_INTERRUPT_H_
