#include "engine/env/thread_executor.h"

#include <pthread.h>

#include <condition_variable>
#include <shared_mutex>
#include <string>
#include <thread>
#include <utility>

#include "engine/base/check.h"

namespace tornleaf {
namespace {

class ThreadLatch final : public Latch {
 public:
  void lock() override { mutex_.lock(); }
  bool try_lock() override { return mutex_.try_lock(); }
  void unlock() override { mutex_.unlock(); }
  void lock_shared() override { mutex_.lock_shared(); }
  bool try_lock_shared() override { return mutex_.try_lock_shared(); }
  void unlock_shared() override { mutex_.unlock_shared(); }

 private:
  std::shared_mutex mutex_;
};

class ThreadCondition final : public Condition {
 public:
  void Wait(Latch* latch) override { condition_.wait(*latch); }
  void NotifyAll() override { condition_.notify_all(); }

 private:
  std::condition_variable_any condition_;
};

class ThreadTask final : public Task {
 public:
  ThreadTask(const char* name, std::function<void()> body) : thread_(std::move(body)) {
    constexpr std::size_t kNameMax = 15;  // the kernel's limit
    const std::string shown = std::string(name).substr(0, kNameMax);
    // A name is a courtesy: the thread may have ended already.
    static_cast<void>(::pthread_setname_np(thread_.native_handle(), shown.c_str()));
  }
  ~ThreadTask() override { CHECK(!thread_.joinable()); }

  void Join() override { thread_.join(); }

 private:
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Latch> ThreadExecutor::NewLatch(const char*) {
  return std::make_unique<ThreadLatch>();
}

std::unique_ptr<Condition> ThreadExecutor::NewCondition(const char*) {
  return std::make_unique<ThreadCondition>();
}

std::unique_ptr<Task> ThreadExecutor::Spawn(const char* name, std::function<void()> body) {
  return std::make_unique<ThreadTask>(name, std::move(body));
}

void ThreadExecutor::Yield() { std::this_thread::yield(); }

}  // namespace tornleaf
