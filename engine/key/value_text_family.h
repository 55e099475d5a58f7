// The families of types that value_text.cc dispatches to, and what they share. Each Parse function
// appends the stored form, and leaves `bytes` as it was on an error.

#ifndef TORNLEAF_ENGINE_KEY_VALUE_TEXT_FAMILY_H_
#define TORNLEAF_ENGINE_KEY_VALUE_TEXT_FAMILY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/base/bytes.h"
#include "engine/key/type.h"

namespace tornleaf {

// value_text_float.cc; `type` is kFloat4 or kFloat8.
absl::Status ParseFloat(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes);
void AppendFloat4(float value, std::string* text);
void AppendFloat8(double value, std::string* text);

// value_text_time.cc; `type` is kTimestamp or kTimestampTz.
absl::Status ParseDate(std::string_view text, std::vector<std::uint8_t>* bytes);
absl::Status ParseTimestamp(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes);
void AppendDate(std::int32_t days, std::string* text);
void AppendTimestamp(TypeId type, std::int64_t microseconds, std::string* text);

// "'12x' is no int4: because"; the text is cut if it is long.
absl::Status BadText(TypeId type, std::string_view text, std::string_view because);

// Without white space, as C's isspace() has it, at both ends.
std::string_view Trimmed(std::string_view text);

bool EqualIgnoringCase(std::string_view a, std::string_view b);

template <typename T>
void AppendLittleEndian(T value, std::vector<std::uint8_t>* bytes) {
  const std::size_t at = bytes->size();
  bytes->resize(at + sizeof(T));
  StoreLittleEndian(bytes->data() + at, value);
}

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_VALUE_TEXT_FAMILY_H_
