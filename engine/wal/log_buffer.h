// The newest part of the log in memory: whole log pages in a ring.

#ifndef TORNLEAF_ENGINE_WAL_LOG_BUFFER_H_
#define TORNLEAF_ENGINE_WAL_LOG_BUFFER_H_

#include <cstdint>
#include <vector>

#include "engine/base/bytes.h"
#include "engine/wal/record/log_page.h"

namespace tornleaf {
namespace wal {

class LogBuffer {
 public:
  // Holds at least `bytes`, and two pages.
  LogBuffer(const LogShape& shape, std::uint32_t bytes);

  // Whether all pages from the one of `first` to the one before `end` fit in at once.
  bool Fits(Lsn first, Lsn end) const { return end - shape_.PageOf(first) <= ring_.size(); }
  // Makes room for at least `bytes`, keeping the pages from the one of `first` to the one that ends
  // at or holds `end`.
  void Grow(std::uint64_t bytes, Lsn first, Lsn end);

  // Lays `record` out behind `end`, where the record before it ends, with the headers of the pages
  // that it begins. Gives where it ends, MAXALIGNed; what follows on that page is zero.
  Lsn Append(Lsn end, ByteView record);

  // The page that begins at `page`.
  MutableBytes Page(Lsn page) { return {Slot(page), shape_.page_bytes}; }
  // Bytes from `from` on, at most `size`: as many as lie side by side.
  ByteView Run(Lsn from, std::uint64_t size) const;

 private:
  std::uint8_t* Slot(Lsn lsn) { return &ring_[lsn & (ring_.size() - 1)]; }

  LogShape shape_;
  std::vector<std::uint8_t> ring_;  // a power of two of bytes
};

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_LOG_BUFFER_H_
