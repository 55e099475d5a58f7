// Reads and appends little-endian numbers one after the other, for codecs.

#ifndef TORNLEAF_ENGINE_WAL_RECORD_CURSOR_H_
#define TORNLEAF_ENGINE_WAL_RECORD_CURSOR_H_

#include <cstddef>
#include <vector>

#include "engine/base/bytes.h"

namespace tornleaf {
namespace wal {

// Takes fields off the front of bytes; nothing is read past their end.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : left_(bytes) {}

  std::size_t left() const { return left_.size(); }
  // False if fewer than `size` bytes are left.
  bool Take(std::size_t size, ByteView* taken) {
    if (left_.size() < size) return false;
    *taken = left_.first(size);
    left_ = left_.subspan(size);
    return true;
  }
  template <typename T>
  bool TakeNumber(T* value) {
    ByteView bytes;
    if (!Take(sizeof(T), &bytes)) return false;
    *value = LoadLittleEndian<T>(bytes.data());
    return true;
  }

 private:
  ByteView left_;
};

template <typename T>
inline void AppendNumber(T value, std::vector<std::uint8_t>* bytes) {
  std::uint8_t stored[sizeof(T)];
  StoreLittleEndian(stored, value);
  bytes->insert(bytes->end(), stored, stored + sizeof(T));
}

}  // namespace wal
}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_WAL_RECORD_CURSOR_H_
