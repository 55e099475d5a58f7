// Threads of the operating system.
//
// Latches are std::shared_mutex: ThreadSanitizer understands it, while it reports races over
// absl::Mutex that are none.

#ifndef TORNLEAF_ENGINE_ENV_THREAD_EXECUTOR_H_
#define TORNLEAF_ENGINE_ENV_THREAD_EXECUTOR_H_

#include "engine/env/executor.h"

namespace tornleaf {

class ThreadExecutor final : public Executor {
 public:
  std::unique_ptr<Latch> NewLatch(const char* name) override;
  std::unique_ptr<Condition> NewCondition(const char* name) override;
  // Debuggers and top show the first 15 bytes of the name.
  std::unique_ptr<Task> Spawn(const char* name, std::function<void()> body) override;
  void Yield() override;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_THREAD_EXECUTOR_H_
