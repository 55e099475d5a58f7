// A short text in place: no allocation, no std::string, so that codecs can describe bytes and
// stay within what MemorySanitizer can judge. Longer text is cut, and ends in "...".

#ifndef TORNLEAF_ENGINE_BASE_FIXED_TEXT_H_
#define TORNLEAF_ENGINE_BASE_FIXED_TEXT_H_

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace tornleaf {

template <std::size_t kCapacity>
class FixedText {
 public:
  FixedText() = default;

  [[gnu::format(printf, 1, 2)]] static FixedText Format(const char* format, ...) {
    FixedText text;
    std::va_list arguments;
    va_start(arguments, format);
    const int wanted = std::vsnprintf(text.data_, kCapacity, format, arguments);
    va_end(arguments);
    if (wanted >= static_cast<int>(kCapacity)) std::memcpy(text.data_ + kCapacity - 4, "...", 4);
    return text;
  }

  std::string_view view() const { return data_; }
  const char* c_str() const { return data_; }
  bool empty() const { return data_[0] == '\0'; }

 private:
  static_assert(kCapacity >= 8);
  char data_[kCapacity] = {};
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BASE_FIXED_TEXT_H_
