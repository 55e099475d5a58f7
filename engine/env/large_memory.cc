#include "engine/env/large_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace tornleaf {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;  // of x86-64, and of arm64 mostly
constexpr std::size_t kCacheLine = 64;

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) {
  // Small blocks get exactly what they ask for, so that AddressSanitizer sees their end.
  const std::size_t alignment = bytes < kLargePage ? kCacheLine : kLargePage;
  const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(alignment, size);
  if (block == nullptr) throw std::bad_alloc();
  // A wish: without large pages everything is as before.
  if (alignment == kLargePage) (void)madvise(block, size, MADV_HUGEPAGE);
  data_ = static_cast<std::uint8_t*>(block);
}

LargeMemory::~LargeMemory() { std::free(data_); }

}  // namespace tornleaf
