// MARK: names a rare state that tests must reach.
//
//   MARK("split.leaf.many_duplicates");
//
// A mark is counted each time it is passed. All marks of a program are known before main() runs, so
// that a run can say which of them it never reached.

#ifndef TORNLEAF_ENGINE_BASE_MARK_H_
#define TORNLEAF_ENGINE_BASE_MARK_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tornleaf {

class MarkCounter {
 public:
  explicit MarkCounter(const char* name);
  MarkCounter(const MarkCounter&) = delete;
  MarkCounter& operator=(const MarkCounter&) = delete;

  void Hit() { count_.fetch_add(1, std::memory_order_relaxed); }
  const char* name() const { return name_; }
  std::uint64_t count() const { return count_.load(std::memory_order_relaxed); }
  void Reset() { count_.store(0, std::memory_order_relaxed); }
  // The next one in a list of all marks of the program, in no order.
  MarkCounter* next() const { return next_; }

 private:
  const char* name_;
  MarkCounter* next_;
  std::atomic<std::uint64_t> count_{0};
};

// The head of the list of all marks linked into this program.
MarkCounter* FirstMark();

namespace mark_internal {

template <std::size_t kSize>
struct Name {
  // NOLINTNEXTLINE(google-explicit-constructor): a string literal becomes a template argument.
  consteval Name(const char (&text)[kSize]) { std::copy_n(text, kSize, bytes); }
  char bytes[kSize] = {};
};

// One counter for a name, however many places and translation units use it.
template <Name kName>
struct Site {
  static inline MarkCounter counter{kName.bytes};
};

}  // namespace mark_internal
}  // namespace tornleaf

#define MARK(name) ::tornleaf::mark_internal::Site<name>::counter.Hit()

#endif  // TORNLEAF_ENGINE_BASE_MARK_H_
