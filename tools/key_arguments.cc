#include "tools/key_arguments.h"

#include "absl/strings/str_cat.h"
#include "engine/key/value_text.h"

namespace tornleaf {

absl::StatusOr<KeyArguments> ParseKeyArguments(const Schema& schema,
                                               const std::vector<std::string>& words) {
  if (words.size() > schema.key_count()) {
    return absl::InvalidArgumentError(absl::StrCat(words.size(), " key columns; the schema '",
                                                   schema.ToString(), "' has ",
                                                   schema.key_count()));
  }
  KeyArguments key;
  key.values.resize(words.size());
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (words[index] == "\\N") continue;
    const std::size_t start = key.bytes.size();
    const Attribute& attribute = schema.attribute(static_cast<std::uint32_t>(index));
    const absl::Status status = ParseValue(attribute.type, words[index], &key.bytes);
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("key column ", index + 1, ": ", status.message()));
    }
    key.values[index].is_null = false;
    key.values[index].size = static_cast<std::uint32_t>(key.bytes.size() - start);
  }
  // Only now does the memory stay where it is.
  const std::uint8_t* at = key.bytes.data();
  for (Value& value : key.values) {
    if (value.is_null) continue;
    value.data = at;
    at += value.size;
  }
  return key;
}

}  // namespace tornleaf
