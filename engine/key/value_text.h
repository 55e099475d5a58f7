// Values as people and COPY write them: PostgreSQL's input and output functions, with
// DateStyle ISO, TimeZone UTC, extra_float_digits 1 and bytea_output hex.

#ifndef TORNLEAF_ENGINE_KEY_VALUE_TEXT_H_
#define TORNLEAF_ENGINE_KEY_VALUE_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/key/type.h"
#include "engine/key/value.h"

namespace tornleaf {

// Appends the stored form of `text` (see Value::data) to `bytes`. InvalidArgument says what is
// wrong with the text; `bytes` is then unchanged.
absl::Status ParseValue(TypeId type, std::string_view text, std::vector<std::uint8_t>* bytes);

// Appends the text of a value that is not null. Any bytes are printed somehow: a value that no
// server writes (a bool of 7, a numeric digit of 12000) never fails or reads outside `value`.
// A text of more than `size_max` characters may be cut anywhere behind those.
void AppendValueText(TypeId type, const Value& value, std::string* text,
                     std::size_t size_max = std::string::npos);

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_VALUE_TEXT_H_
