// What an index file does not say about itself: the types, collations and directions of its
// columns. People write it, for example:
//
//   text collate C storage plain, int4 desc nulls first; include text; unique
//
// Columns are separated by commas, clauses by semicolons. A column is a type name followed, in any
// order, by `collate NAME`, `storage plain|main|extended|external`, `asc|desc` and
// `nulls first|last`. Defaults are PostgreSQL's: ascending, nulls last (first if descending), the
// type's own storage, collation "C". `unique` may be followed by `nulls not distinct`. An included
// column has no order: it takes `storage` only.
//
// Types go by PostgreSQL's internal or SQL names, with or without a modifier: `numeric(10,2)` is
// numeric. Case does not matter, but in a collation's name; that may stand in double quotes.

#ifndef TORNLEAF_ENGINE_KEY_SCHEMA_H_
#define TORNLEAF_ENGINE_KEY_SCHEMA_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/key/type.h"
#include "engine/key/value.h"

namespace tornleaf {

enum class CollationKind : std::uint8_t {
  kC,     // byte order: the names "C" and "POSIX"
  kIcu,   // a name that ends in "-x-icu"; order by the ICU library linked here
  kLibc,  // any other name; its order depends on the C library that the server ran with
};

class IcuCollator;  // collation.h

struct Attribute;

// Three-way comparison of two values that are not null, ascending: <0, 0 or >0.
using CompareFunction = int (*)(const Attribute& attribute, const Value& a, const Value& b);

struct Attribute {
  TypeId type = TypeId::kInt4;
  CollationKind collation = CollationKind::kC;
  std::string collation_name = "C";
  Storage storage = Storage::kPlain;
  bool descending = false;
  bool nulls_first = false;

  // Derived when a Schema is made. An included `name` is stored at full length, kNameSize, unlike a
  // key column, of which the operator class stores a cstring.
  std::int16_t length = 4;
  std::uint8_t alignment = 4;
  CompareFunction compare = nullptr;  // null: the order cannot be known here (libc collations)
  std::shared_ptr<const IcuCollator> icu;
};

// "plain", "main", "extended" or "external".
const char* StorageName(Storage storage);

// What forbids such a column (a collation of a number, an unknown ICU locale); empty if nothing
// does.
std::string ProblemOf(const Attribute& attribute);

class Schema {
 public:
  // Parses the language above. InvalidArgument names the character and what was expected.
  static absl::StatusOr<Schema> Parse(std::string_view text);

  // Makes a schema of ready columns: the first `key_count` are key columns, the rest included ones.
  // InvalidArgument if there are too few or too many, or ProblemOf() one says something.
  static absl::StatusOr<Schema> Make(std::vector<Attribute> attributes, std::uint32_t key_count,
                                     bool unique, bool nulls_not_distinct);

  // The language again; Parse(ToString()) is equal. Defaults are left out.
  std::string ToString() const;

  std::span<const Attribute> attributes() const { return attributes_; }
  const Attribute& attribute(std::uint32_t index) const { return attributes_[index]; }
  std::uint32_t attribute_count() const { return static_cast<std::uint32_t>(attributes_.size()); }
  std::uint32_t key_count() const { return key_count_; }
  bool has_include() const { return key_count_ != attributes_.size(); }
  bool unique() const { return unique_; }
  bool nulls_not_distinct() const { return nulls_not_distinct_; }

  // Whether posting lists are allowed: every key type is equal-image and nothing is included.
  bool all_equal_image() const { return all_equal_image_; }
  // Whether order checks make sense: no key column has a libc collation.
  bool order_known() const { return order_known_; }

 private:
  Schema() = default;

  std::vector<Attribute> attributes_;
  std::uint32_t key_count_ = 0;
  bool unique_ = false;
  bool nulls_not_distinct_ = false;
  bool all_equal_image_ = false;
  bool order_known_ = true;
};

}  // namespace tornleaf

#endif  // TORNLEAF_ENGINE_KEY_SCHEMA_H_
