// Keys as words of a command line: one word for a column, \N for null.

#ifndef TORNLEAF_TOOLS_KEY_ARGUMENTS_H_
#define TORNLEAF_TOOLS_KEY_ARGUMENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/key/schema.h"
#include "engine/key/value.h"

namespace tornleaf {

// The leading columns of a key. Values point into `bytes`, whose memory stays where it is when the
// whole is moved.
struct KeyArguments {
  std::vector<std::uint8_t> bytes;
  std::vector<Value> values;
};

// InvalidArgument, naming the word, if there are more words than key columns or one is no value of
// its column's type.
absl::StatusOr<KeyArguments> ParseKeyArguments(const Schema& schema,
                                               const std::vector<std::string>& words);

}  // namespace tornleaf

#endif  // TORNLEAF_TOOLS_KEY_ARGUMENTS_H_
