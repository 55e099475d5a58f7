// A block of memory that is large and touched all over, such as a buffer pool: on large pages where
// the system has them, since with small ones nearly every access misses the processor's cache of
// addresses.

#ifndef TORNLEAF_ENGINE_ENV_LARGE_MEMORY_H_
#define TORNLEAF_ENGINE_ENV_LARGE_MEMORY_H_

#include <cstddef>
#include <cstdint>

namespace tornleaf {

class LargeMemory {
 public:
  // Aligned to 64 bytes at least; of unknown contents. Ends the program if there is no memory, as
  // `new` does.
  explicit LargeMemory(std::size_t bytes);
  ~LargeMemory();
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;

  std::uint8_t* data() const { return data_; }

 private:
  std::uint8_t* data_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_ENV_LARGE_MEMORY_H_
