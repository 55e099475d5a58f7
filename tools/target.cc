#include "tools/target.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tornleaf {

absl::StatusOr<Target> ParseTarget(Device* device, const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 1 == text.size()) return Target{text, std::nullopt};
  const std::string digits = text.substr(colon + 1);
  if (digits.find_first_not_of("0123456789") != std::string::npos)
    return Target{text, std::nullopt};
  if (device->Open(text, OpenMode::kRead).ok()) return Target{text, std::nullopt};
  BlockNumber block = 0;
  if (!absl::SimpleAtoi(digits, &block) || block == kInvalidBlock) {
    return absl::InvalidArgumentError(absl::StrCat(
        text, ": ", digits, " is no block number; the last one possible is ", kInvalidBlock - 1));
  }
  return Target{text.substr(0, colon), block};
}

absl::StatusOr<std::unique_ptr<RelationFile>> OpenRelation(Device* device,
                                                           const std::string& path) {
  return RelationFile::Open(device, FirstSegmentPath(device, path));
}

CLI::Option* AddSchemaOption(CLI::App* app, const char* description, std::string* text) {
  return app->add_option("--schema", *text, description)->option_text("SCHEMA");
}

absl::StatusOr<Schema> ParseRequiredSchema(const std::string& text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  if (schema.ok()) return schema;
  return absl::InvalidArgumentError(
      absl::StrCat("--schema '", text, "': ", schema.status().message()));
}

absl::StatusOr<std::optional<Schema>> ParseSchemaOption(const std::string& text) {
  if (text.empty()) return std::optional<Schema>();
  absl::StatusOr<Schema> schema = ParseRequiredSchema(text);
  if (!schema.ok()) return schema.status();
  return std::optional<Schema>(*std::move(schema));
}

}  // namespace tornleaf
