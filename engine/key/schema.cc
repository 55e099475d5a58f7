#include "engine/key/schema.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/key/collation.h"
#include "engine/key/compare.h"

namespace tornleaf {

namespace {

CollationKind KindOfCollation(std::string_view name) {
  // The server's ucs_basic, code point order of UTF-8, is "C" under the name of the SQL standard.
  if (name == "C" || name == "POSIX" || name == "ucs_basic") return CollationKind::kC;
  return IsIcuCollationName(name) ? CollationKind::kIcu : CollationKind::kLibc;
}

// A collation's name as the language takes it: in quotes if it is not one word, or would be read
// in another case.
std::string CollationText(const std::string& name) {
  const bool is_word = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '@';
  });
  if (is_word && name != "c" && name != "posix") return name;
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

// Fills in what follows from the type, the collation and the column's place.
absl::Status Derive(bool is_key, Attribute* attribute) {
  const TypeInfo& type = InfoOf(attribute->type);
  attribute->collation = KindOfCollation(attribute->collation_name);
  attribute->length = type.length;
  attribute->alignment = type.alignment;
  if (!is_key && attribute->type == TypeId::kName) attribute->length = kNameSize;
  attribute->icu = nullptr;
  if (attribute->collation == CollationKind::kIcu) {
    absl::StatusOr<std::shared_ptr<const IcuCollator>> icu =
        IcuCollator::Open(attribute->collation_name);
    if (!icu.ok()) return icu.status();
    attribute->icu = *std::move(icu);
  }
  attribute->compare = CompareFunctionFor(attribute->type, attribute->collation);
  return absl::OkStatus();
}

void AppendColumn(const Attribute& attribute, std::string* text) {
  const TypeInfo& type = InfoOf(attribute.type);
  absl::StrAppend(text, type.name);
  if (attribute.collation_name != "C") {
    absl::StrAppend(text, " collate ", CollationText(attribute.collation_name));
  }
  if (attribute.storage != type.default_storage) {
    absl::StrAppend(text, " storage ", StorageName(attribute.storage));
  }
  if (attribute.descending) absl::StrAppend(text, " desc");
  if (attribute.nulls_first != attribute.descending) {
    absl::StrAppend(text, attribute.nulls_first ? " nulls first" : " nulls last");
  }
}

}  // namespace

const char* StorageName(Storage storage) {
  switch (storage) {
    case Storage::kPlain:
      return "plain";
    case Storage::kMain:
      return "main";
    case Storage::kExtended:
      return "extended";
    case Storage::kExternal:
      return "external";
  }
  CHECK(!"a storage without a name");
}

std::string ProblemOf(const Attribute& attribute) {
  const TypeInfo& type = InfoOf(attribute.type);
  if (type.length != kVarlena && attribute.storage != Storage::kPlain) {
    return absl::StrCat("type ", type.name, " has a fixed form: its storage is plain");
  }
  if (!type.collatable && attribute.collation_name != "C") {
    return absl::StrCat("type ", type.name, " has no collation");
  }
  if (attribute.collation_name.empty()) return "the collation's name is empty";
  if (KindOfCollation(attribute.collation_name) != CollationKind::kIcu) return "";
  const auto icu = IcuCollator::Open(attribute.collation_name);
  return icu.ok() ? "" : std::string(icu.status().message());
}

absl::StatusOr<Schema> Schema::Make(std::vector<Attribute> attributes, std::uint32_t key_count,
                                    bool unique, bool nulls_not_distinct) {
  if (key_count == 0 || key_count > attributes.size() || attributes.size() > kMaxAttributes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "schema: ", key_count, " key columns of ", attributes.size(),
        "; an index has at least one key column and at most ", kMaxAttributes, " columns"));
  }
  if (nulls_not_distinct && !unique) {
    return absl::InvalidArgumentError("schema: 'nulls not distinct' without 'unique'");
  }
  Schema schema;
  schema.key_count_ = key_count;
  schema.unique_ = unique;
  schema.nulls_not_distinct_ = nulls_not_distinct;
  schema.all_equal_image_ = key_count == attributes.size();
  for (std::size_t index = 0; index < attributes.size(); ++index) {
    Attribute& attribute = attributes[index];
    const std::string problem = ProblemOf(attribute);
    if (!problem.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("schema, column ", index + 1, ": ", problem));
    }
    const bool is_key = index < key_count;
    const absl::Status status = Derive(is_key, &attribute);
    if (!status.ok()) return status;
    schema.all_equal_image_ &= InfoOf(attribute.type).equal_image;
    if (is_key) schema.order_known_ &= attribute.compare != nullptr;
  }
  schema.attributes_ = std::move(attributes);
  return schema;
}

std::string Schema::ToString() const {
  std::string text;
  for (std::uint32_t index = 0; index < attribute_count(); ++index) {
    if (index != 0) text += index == key_count_ ? "; include " : ", ";
    AppendColumn(attribute(index), &text);
  }
  if (unique_) text += "; unique";
  if (nulls_not_distinct_) text += " nulls not distinct";
  return text;
}

}  // namespace tornleaf
