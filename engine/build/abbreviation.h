// The first column of a key in eight bytes that compare as one number.
//
// Sorting compares these and looks at rows only where they tie, which spares it a cache miss for
// almost every comparison.

#ifndef TORNLEAF_ENGINE_BUILD_ABBREVIATION_H_
#define TORNLEAF_ENGINE_BUILD_ABBREVIATION_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/key/schema.h"
#include "engine/key/value.h"

namespace tornleaf {

// Abbreviates the values of one column, given the bytes that all of them begin with.
class Abbreviation {
 public:
  explicit Abbreviation(const Attribute& attribute);

  // Every value goes through here first: byte strings are abbreviated after what they share, so
  // that keys which differ late (URLs of one site) still differ.
  void Observe(const Value& value);

  // A number that never contradicts CompareAttribute: if a comes before b, Of(a) <= Of(b).
  std::uint64_t Of(const Value& value) const;

  // Whether a tie of the numbers is a tie of the values, among those observed.
  bool exact() const { return exact_ && !any_null_; }

 private:
  enum class Kind : std::uint8_t { kNone, kUnsigned, kSigned, kFloat, kBytes };

  std::uint64_t Ascending(const Value& value) const;

  Kind kind_;
  bool exact_;
  bool descending_;
  bool nulls_first_;
  bool any_null_ = false;
  std::optional<std::vector<std::uint8_t>> first_;  // a copy of the first value observed
  std::uint32_t prefix_size_ = 0;                   // bytes that all observed values begin with
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_BUILD_ABBREVIATION_H_
