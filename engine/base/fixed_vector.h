// A vector in place with a fixed capacity: no allocation, and no work for room that is not used.
// For codecs and for paths that run once per row.

#ifndef TORNLEAF_ENGINE_BASE_FIXED_VECTOR_H_
#define TORNLEAF_ENGINE_BASE_FIXED_VECTOR_H_

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/base/check.h"

namespace tornleaf {

template <typename T, std::size_t kCapacity>
class FixedVector {
 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  FixedVector() = default;
  FixedVector(std::initializer_list<T> items) {
    for (const T& item : items) push_back(item);
  }
  FixedVector(const FixedVector& other) {
    for (const T& item : other) push_back(item);
  }
  FixedVector& operator=(const FixedVector& other) {
    if (this == &other) return *this;
    clear();
    for (const T& item : other) push_back(item);
    return *this;
  }
  ~FixedVector() = default;

  // CHECKs that there is room.
  template <typename... Arguments>
  T& emplace_back(Arguments&&... arguments) {
    CHECK(size_ < kCapacity);
    T* item = std::construct_at(end(), T{std::forward<Arguments>(arguments)...});
    ++size_;
    return *item;
  }
  void push_back(const T& item) { emplace_back(item); }
  void clear() { size_ = 0; }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  static constexpr std::size_t capacity() { return kCapacity; }

  T* begin() { return room_.items; }
  T* end() { return begin() + size_; }
  const T* begin() const { return room_.items; }
  const T* end() const { return begin() + size_; }

  T& operator[](std::size_t index) {
    CHECK(index < size_);
    return begin()[index];
  }
  const T& operator[](std::size_t index) const {
    CHECK(index < size_);
    return begin()[index];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

 private:
  static_assert(std::is_trivially_destructible_v<T>, "clear() destroys nothing");

  // Items that are made one by one.
  union Room {
    Room() {}
    T items[kCapacity];
  };

  std::size_t size_ = 0;
  Room room_;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_FIXED_VECTOR_H_
