// Threads and waiting as the engine sees them: threads of the operating system in production,
// fibers under a seeded scheduler in the simulator. Every call here is a point where another task
// may run.

#ifndef TORNLEAF_ENGINE_ENV_EXECUTOR_H_
#define TORNLEAF_ENGINE_ENV_EXECUTOR_H_

#include <functional>
#include <memory>

namespace tornleaf {

// Held by many sharers or by one owner. Not recursive. Has the names of std::shared_mutex, so that
// std::unique_lock and std::shared_lock take it.
class Latch {
 public:
  virtual ~Latch() = default;

  virtual void lock() = 0;
  virtual bool try_lock() = 0;
  virtual void unlock() = 0;
  virtual void lock_shared() = 0;
  virtual bool try_lock_shared() = 0;
  virtual void unlock_shared() = 0;
};

class Condition {
 public:
  virtual ~Condition() = default;

  // Gives up `latch`, which the caller holds exclusively, waits for NotifyAll(), and takes it
  // again. May return without one: the caller looks at its condition in a loop.
  virtual void Wait(Latch* latch) = 0;
  virtual void NotifyAll() = 0;
};

// A task that was spawned. It must be joined before it is destroyed.
class Task {
 public:
  virtual ~Task() = default;
  virtual void Join() = 0;
};

class Executor {
 public:
  virtual ~Executor() = default;

  // Names appear in wait graphs and traces; they outlive what they name.
  virtual std::unique_ptr<Latch> NewLatch(const char* name) = 0;
  virtual std::unique_ptr<Condition> NewCondition(const char* name) = 0;
  virtual std::unique_ptr<Task> Spawn(const char* name, std::function<void()> body) = 0;
  virtual void Yield() = 0;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_EXECUTOR_H_
