#include "engine/wal/log_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tornleaf {
namespace wal {

LogBuffer::LogBuffer(const LogShape& shape, std::uint32_t bytes)
    : shape_(shape), ring_(std::bit_ceil(std::max(bytes, 2 * shape.page_bytes))) {}

void LogBuffer::Grow(std::uint64_t bytes, Lsn first, Lsn end) {
  if (bytes <= ring_.size()) return;
  std::vector<std::uint8_t> old(std::bit_ceil(bytes));
  old.swap(ring_);
  for (Lsn page = shape_.PageOf(first); page < end; page += shape_.page_bytes) {
    std::memcpy(Slot(page), &old[page & (old.size() - 1)], shape_.page_bytes);
  }
}

Lsn LogBuffer::Append(Lsn end, ByteView record) {
  Lsn at = end;
  ByteView left = record;
  while (!left.empty()) {
    if (at % shape_.page_bytes == 0) {
      const bool continues = left.size() < record.size();
      std::memset(Slot(at), 0, shape_.page_bytes);
      WritePageHeader(shape_, at, continues ? static_cast<std::uint32_t>(left.size()) : 0,
                      Slot(at));
      at += shape_.HeaderSize(at);
    }
    const std::size_t size =
        std::min<std::size_t>(left.size(), shape_.page_bytes - at % shape_.page_bytes);
    std::memcpy(Slot(at), left.data(), size);
    at += size;
    left = left.subspan(size);
  }
  return (at + kMaxAlign - 1) & ~static_cast<Lsn>(kMaxAlign - 1);
}

ByteView LogBuffer::Run(Lsn from, std::uint64_t size) const {
  const std::size_t offset = from & (ring_.size() - 1);
  return ByteView(ring_).subspan(offset, std::min<std::uint64_t>(size, ring_.size() - offset));
}

}  // namespace wal
}  // namespace tornleaf
